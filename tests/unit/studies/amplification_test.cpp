#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <clatter/studies/amplification.hpp>

#include "support/message_of.hpp"

namespace clatter {
namespace amplification_test {

using testing::message_of;
using Settings = std::vector<std::string>;

/// To which steps solve their equations, times a few.
constexpr double solved = 1e-8;

Amplification of(const std::string& integrator, double angle, const Settings& settings = {}) {
  return amplification_of(integrator, angle, 0.0, settings);
}

/// Dossier of 003, 2.8.1.
TEST(Amplification, of_newmark_is_that_of_its_closed_form) {
  for (const auto& [gamma, beta] : {std::pair(0.5, 0.25), std::pair(1.0, 0.49)}) {
    for (const double W : {0.01, 0.1, 0.5, 1.0, 2.0, 2.5, 3.0}) {
      const Amplification found =
          of("newmark", W, {"gamma=" + std::to_string(gamma), "beta=" + std::to_string(beta)});
      const double D = 1.0 + beta * W * W;
      const double A1 = 1.0 - (gamma + 0.5) * W * W / (2.0 * D),
                   A2 = 1.0 - (gamma - 0.5) * W * W / D;
      const double turn = std::acos(A1 / std::sqrt(A2));
      EXPECT_NEAR(found.radius(), std::sqrt(A2), solved);
      ASSERT_TRUE(found.damping() && found.frequency());
      EXPECT_NEAR(*found.damping(), -std::log(A2) / (2.0 * turn), solved / turn);
      EXPECT_NEAR(*found.frequency(), turn / W, solved / W);
    }
  }
}

/// 003 figure 6.10 as recomputed in the dossier.
TEST(Amplification, of_newmark_that_damps_most_has_the_figures_of_003) {
  const Settings most{"gamma=1", "beta=0.49"};
  EXPECT_NEAR(*of("newmark", 0.1, most).damping(), 0.02497, 5e-6);
  EXPECT_NEAR(*of("newmark", 1.0, most).damping(), 0.2232, 5e-5);
  EXPECT_NEAR(*of("newmark", 2.5, most).damping(), 0.3865, 5e-5);
  EXPECT_FALSE(of("newmark", 5.0, most).damping().has_value());  // real roots
}

TEST(Amplification, of_generalized_alpha_ends_at_rho_inf) {
  for (const char* integrator : {"generalized_alpha", "nsga", "nsga_coupled"}) {
    for (const double rho : {0.0, 0.5, 0.9, 1.0}) {
      const Settings settings{"rho_inf=" + std::to_string(rho)};
      // The radius comes to it like 1/W, with rho = 0 from a triple root like the cube root of
      // that.
      EXPECT_NEAR(of(integrator, 1e4, settings).radius(), rho, rho == 0.0 ? 0.1 : 3e-3)
          << integrator;
      // Second order: frequencies are off by some W^2/12.
      EXPECT_NEAR(*of(integrator, 0.01, settings).frequency(), 1.0, 1e-4) << integrator;
    }
  }
}

TEST(Amplification, of_the_midpoint_rule_on_springs_neither_damps_nor_grows) {
  for (const double W : {0.1, 1.0, 3.0}) {
    const Amplification found = of("energy_consistent", W, {"variant=simo-tarnow"});
    EXPECT_NEAR(found.radius(), 1.0, solved);
    EXPECT_NEAR(*found.frequency(), 2.0 * std::atan(W / 2.0) / W, solved / W);
  }
  EXPECT_NE(message_of([] { of("energy_consistent", 1.0); }).find("simo-tarnow"),
            std::string::npos);
}

TEST(Amplification, of_verlet_is_that_of_leapfrog_while_it_is_allowed) {
  for (const double W : {0.1, 0.5, 0.9}) {
    const Amplification found = of("verlet", W, {"substeps=1"});
    EXPECT_NEAR(found.radius(), 1.0, solved);
    EXPECT_NEAR(*found.frequency(), 2.0 * std::asin(W / 2.0) / W, solved / W);
  }
  EXPECT_NE(message_of([] { of("verlet", 1.5, {"substeps=1"}); }).find("substeps"),
            std::string::npos);
}

/// v+ - v = -W^2 (theta q+ + (1 - theta) q), q+ - q = theta v+ + (1 - theta) v.
TEST(Amplification, of_moreau_is_that_of_the_theta_rule) {
  for (const double theta : {0.5, 0.75, 1.0}) {
    for (const double W : {0.1, 1.0, 10.0}) {
      const Amplification found = of("moreau", W, {"theta=" + std::to_string(theta)});
      const double rest = 1.0 - theta;
      EXPECT_NEAR(found.radius(),
                  std::sqrt((1.0 + rest * rest * W * W) / (1.0 + theta * theta * W * W)), solved);
    }
  }
}

TEST(Amplification, has_the_damping_of_the_oscillator_itself) {
  EXPECT_NEAR(*amplification_of("nsga", 0.01, 0.05, {}).damping(), 0.05 / std::sqrt(1 - 0.0025),
              1e-4);
}

}  // namespace amplification_test
}  // namespace clatter
