#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include <clatter/io/model_reader.hpp>

#include "support/run.hpp"

namespace clatter {
namespace generalized_alpha_test {

using testing::order;
using testing::run;
using testing::value;

std::string settings(const std::string& scheme, const std::string& coefficients, double rho_inf,
                     double step, double duration) {
  return "[integrator]\nname = \"" + scheme + "\"\ncoefficients = \"" + coefficients +
         "\"\nrho_inf = " + std::to_string(rho_inf) + "\nstep = " + std::to_string(step) +
         "\nduration = " + std::to_string(duration) + "\n";
}

Model spring_mass(double stiffness, const std::string& run_settings) {
  return parse_model(R"(
[[body]]
name = "mass"
kind = "point"
mass = 1
position = [1, 0, 0]
[[spring]]
name = "spring"
kind = "linear"
b = { body = "mass" }
axis = [1, 0, 0]
stiffness = )" + std::to_string(stiffness) +
                         "\nrest_length = 0\n" + run_settings,
                     "model.toml");
}

struct Kind {
  const char *scheme, *coefficients;
};

class Coefficients : public ::testing::TestWithParam<Kind> {};

// A vibration with omega h = 1e5 shrinks by rho_inf in each step; the rest is of order 1/(omega h).
TEST_P(Coefficients, shrink_fast_vibrations_by_rho_inf) {
  const double rho_inf = 0.7, h = 1e-2;
  const auto [scheme, coefficients] = GetParam();
  Simulation s(spring_mass(1e14, settings(scheme, coefficients, rho_inf, h, 1.0)));
  const auto size = [&] { return std::abs(value(s, "bodies/mass/velocity", 0)); };
  // The characteristic roots are real and of either sign, and one of them may be double: far on,
  // what is left of powers of the step number is their ratio.
  for (int i = 0; i < 60; ++i) s.step();
  const double before = size();
  for (int i = 0; i < 30; ++i) s.step();
  EXPECT_NEAR(std::pow(size() / before, 1.0 / 30.0), rho_inf, 0.02);
}

TEST_P(Coefficients, are_of_their_order) {
  const auto [scheme, coefficients] = GetParam();
  const auto error = [&, scheme = scheme, coefficients = coefficients](double h) {
    Simulation s(spring_mass(25.0, settings(scheme, coefficients, 0.7, h, 2.0)));
    run(s);
    return value(s, "bodies/mass/position", 0) - std::cos(10.0);
  };
  const double expected = std::string(coefficients) == "newmark" ? 1.0 : 2.0;
  EXPECT_NEAR(order(error(2e-3), error(1e-3)), expected, 0.05);
}

INSTANTIATE_TEST_SUITE_P(Schemes, Coefficients,
                         ::testing::Values(Kind{"nsga", "chung_hulbert"}, Kind{"nsga", "hht"},
                                           Kind{"nsga", "newmark"}, Kind{"nsga_coupled", "hht"},
                                           Kind{"generalized_alpha", "newmark"}),
                         [](const auto& each) {
                           return std::string(each.param.scheme) + "_" + each.param.coefficients;
                         });

// A block with restitution hits a stop while a spring pulls it across as well: where the step of an
// impact ends depends on c_h, by the order of the step.
TEST(CorrectionForces, change_the_motion_by_the_order_of_the_step) {
  const auto end = [](double factor, double h) {
    Simulation s(parse_model(R"(
[[body]]
name = "block"
kind = "point"
mass = 1
position = [0.2, 0, 0]
[[spring]]
name = "spring"
kind = "axial"
a = { body = "ground", point = [-0.1, 0.2, 0] }
b = { body = "block" }
stiffness = 400
rest_length = 0.05
[[contact]]
name = "stop"
point = { body = "block" }
face = { normal = [1, 0, 0] }
restitution = 0.7
[integrator]
duration = 0.3
correction_forces = )" + std::to_string(factor) +
                                 "\nstep = " + std::to_string(h) + "\n",
                             "model.toml"));
    run(s);
    return value(s, "bodies/block/position", 1);
  };
  const double coarse = end(0.5, 2e-3) - end(1.0, 2e-3), fine = end(0.5, 2.5e-4) - end(1.0, 2.5e-4);
  EXPECT_NE(coarse, 0.0);
  EXPECT_LT(std::abs(fine),
            std::abs(coarse) / 4.0);  // an eighth, were impacts at the same places in steps
}

}  // namespace generalized_alpha_test
}  // namespace clatter
