#include <cmath>

#include <gtest/gtest.h>

#include <clatter/contact/law/normal_law.hpp>

namespace clatter {
namespace normal_law_test {

struct Factor {
  NormalLawKind kind;
  double e, chi, returned;
};

/// chi of table 2.1 of 000 worked out by hand to five digits, and the restitution that the equation
/// of the law gives to four.
class DampingFactor : public ::testing::TestWithParam<Factor> {};

TEST_P(DampingFactor, IsThatOfTheTableAndReturnsItsRestitution) {
  const auto [kind, e, chi, returned] = GetParam();
  EXPECT_NEAR(damping_factor(kind, e), chi, 5.1e-6);
  EXPECT_NEAR(returned_restitution(damping_factor(kind, e)), returned, 5.1e-5);
}

using enum NormalLawKind;
INSTANTIATE_TEST_SUITE_P(
    Table, DampingFactor,
    ::testing::Values(
        Factor{hunt_crossley, 0.9, 0.15, 0.9090}, Factor{hunt_crossley, 0.8, 0.3, 0.8329},
        Factor{hunt_crossley, 0.6, 0.6, 0.7120}, Factor{hunt_crossley, 0.4, 0.9, 0.6197},
        Factor{hunt_crossley, 0.2, 1.2, 0.5469}, Factor{lankarani_nikravesh, 0.9, 0.1425, 0.9132},
        Factor{lankarani_nikravesh, 0.8, 0.27, 0.8471},
        Factor{lankarani_nikravesh, 0.6, 0.48, 0.7561},
        Factor{lankarani_nikravesh, 0.4, 0.63, 0.7016},
        Factor{lankarani_nikravesh, 0.2, 0.72, 0.6723}, Factor{hu, 0.9, 0.18734, 0.8888},
        Factor{hu, 0.8, 0.40965, 0.7845}, Factor{hu, 0.6, 1.01852, 0.5890},
        Factor{hu, 0.4, 2.07927, 0.4004}, Factor{hu, 0.2, 4.78082, 0.2054},
        Factor{flores, 0.9, 0.17778, 0.8939}, Factor{flores, 0.8, 0.4, 0.7885},
        Factor{flores, 0.6, 1.06667, 0.5773}, Factor{flores, 0.4, 2.4, 0.3629},
        Factor{flores, 0.2, 6.4, 0.1555}, Factor{zhang, 0.9, 0.16649, 0.9000},
        Factor{zhang, 0.8, 0.37377, 0.7997}, Factor{zhang, 0.6, 0.97674, 0.5995},
        Factor{zhang, 0.4, 2.07708, 0.4007}, Factor{zhang, 0.2, 4.91365, 0.2002}));

TEST(NormalLaw, ExactFactorReturnsJustTheRestitution) {
  for (const double e : {0.05, 0.2, 0.5, 0.9, 0.999}) {
    // Where e is small, 1/chi is near it, and chi decides on it to its own round-off.
    EXPECT_NEAR(returned_restitution(damping_factor(exact, e)), e, 1e-13);
  }
}

TEST(NormalLaw, LittleDampingTakesTwoThirdsOfIt) {
  // e = 1 - 2 chi/3 + 4 chi^2/9 - ..., by expansion of the condition.
  const double chi = 1e-4;
  EXPECT_NEAR(returned_restitution(chi), 1.0 - 2.0 / 3.0 * chi + 4.0 / 9.0 * chi * chi, 1e-11);
}

TEST(NormalLaw, NamesGoBothWays) {
  for (const NormalLawKind kind :
       {hooke, hertz, kelvin_voigt, hunt_crossley, lankarani_nikravesh, hu, flores, zhang, exact}) {
    EXPECT_EQ(normal_law_of(to_string(kind)), kind);
  }
  EXPECT_FALSE(normal_law_of("hook"));
}

}  // namespace normal_law_test
}  // namespace clatter
