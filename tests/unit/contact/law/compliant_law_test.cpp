#include <cmath>

#include <gtest/gtest.h>

#include <clatter/contact/law/compliant_law.hpp>

#include "support/finite_difference.hpp"

namespace clatter {
namespace compliant_law_test {

NormalLaw law(NormalLawKind kind) { return {kind, 40.0, is_linear(kind) ? 1.0 : 1.7, 0.6}; }

class CompliantLawOfKind : public ::testing::TestWithParam<NormalLawKind> {};

TEST_P(CompliantLawOfKind, has_the_derivatives_of_its_force) {
  const CompliantLaw compliant(law(GetParam()), 0.1);
  const double damping = compliant.damping(1.5, 2.0);
  for (const double speed : {-0.3, 0.0, 0.8}) {
    const auto force = [&](const VecX& x) {
      return VecX::Constant(1, compliant.normal(0.2 + x[0], speed + x[1], damping).force).eval();
    };
    const CompliantLaw::Normal n = compliant.normal(0.2, speed, damping);
    MatX derivative(1, 2);
    derivative << n.by_depth, n.by_speed;
    EXPECT_TRUE(testing::agrees(derivative, testing::differences(force, 2, 1e-3)));
  }
}

TEST_P(CompliantLawOfKind, is_a_spring_that_gives_back_what_it_holds_and_never_pulls) {
  const CompliantLaw compliant(law(GetParam()), 0.1);
  const auto energy = [&](const VecX& x) {
    return VecX::Constant(1, compliant.energy(0.2 + x[0])).eval();
  };
  const CompliantLaw::Normal still = compliant.normal(0.2, 0.0, compliant.damping(1.5, 2.0));
  EXPECT_EQ(still.force, still.spring);
  EXPECT_TRUE(
      testing::agrees(MatX::Constant(1, 1, still.spring), testing::differences(energy, 1, 1e-3)));
  EXPECT_EQ(compliant.normal(-0.1, 1.0, 1.0).force, 0.0);
  EXPECT_EQ(compliant.normal(0.01, -1e4, 1.0).force, 0.0);
  EXPECT_EQ(compliant.normal(0.01, -1e4, 1.0).by_speed, 0.0);
}

INSTANTIATE_TEST_SUITE_P(Kinds, CompliantLawOfKind,
                         ::testing::Values(NormalLawKind::hooke, NormalLawKind::hertz,
                                           NormalLawKind::kelvin_voigt, NormalLawKind::flores,
                                           NormalLawKind::exact));

TEST(CompliantLaw, damps_slow_impacts_as_if_they_were_as_fast_as_the_slow_speed) {
  const CompliantLaw compliant(law(NormalLawKind::flores), 0.1);
  EXPECT_NEAR(compliant.damping(2.0, 1.0), 1.0667 / 2.0, 1e-4);  // 8 (1 - e)/(5 e) over the speed
  EXPECT_EQ(compliant.damping(0.05, 1.0), compliant.damping(0.1, 1.0));
}

TEST(CompliantLaw, resists_sliding_against_its_velocity_up_to_the_coefficient) {
  const CompliantLaw compliant(law(NormalLawKind::hertz), 0.1);
  const FrictionBall ball{1, 2, 0.3};
  RowVector rates(3), friction(3);
  RowMatrix by_rates(3, 3);
  const auto resist = [&](double x, double y) {
    rates << 0.7, x, y;
    friction.setZero();
    by_rates.setZero();
    compliant.friction(ball, rates, friction, by_rates);
  };
  resist(300.0, -400.0);
  EXPECT_NEAR(friction[1], -0.3 * 0.6, 1e-8);
  EXPECT_NEAR(friction[2], 0.3 * 0.8, 1e-8);
  const auto of_rates = [&](const VecX& x) -> VecX {
    resist(0.2 + x[0], -0.15 + x[1]);
    return friction.tail(2);
  };
  const testing::Differences numeric = testing::differences(of_rates, 2, 1e-3);
  resist(0.2, -0.15);
  EXPECT_TRUE(testing::agrees(by_rates.bottomRightCorner(2, 2), numeric));
}

}  // namespace compliant_law_test
}  // namespace clatter
