#include "math/fixed_point_accelerator.hpp"

#include <gtest/gtest.h>

namespace clatter {
namespace {

/// Applications of a contraction of six variables, of which the slowest loses a thousandth of its
/// error each time, until a change of 1e-12.
int applications(bool accelerated) {
  VecX rates(6), target(6);
  rates << 0.999, 0.99, 0.9, 0.7, 0.3, 0.0;
  target << 1.0, -2.0, 3.0, -4.0, 5.0, -6.0;
  const auto G = [&](const VecX& x) -> VecX { return target + rates.cwiseProduct(x - target); };
  FixedPointAccelerator accelerator;
  accelerator.restart();
  VecX x = VecX::Zero(6), next;
  for (int k = 1; k < 100'000; ++k) {
    const VecX Gx = G(x);
    if ((Gx - x).norm() < 1e-12) {
      EXPECT_LT((Gx - target).norm(), 1e-8);  // change over 1 - 0.999, and some
      return k;
    }
    x = accelerated && accelerator.extrapolate(x, Gx, next) ? next : Gx;
  }
  return 100'000;
}

TEST(FixedPointAccelerator, solves_a_linear_iteration_in_about_as_many_steps_as_it_has_unknowns) {
  EXPECT_GT(applications(false), 10'000);
  EXPECT_LT(applications(true), 20);
}

TEST(FixedPointAccelerator, forgets_what_made_things_worse) {
  FixedPointAccelerator accelerator;
  accelerator.restart();
  VecX next;
  const auto vector = [](double value) -> VecX { return VecX::Constant(3, value); };
  EXPECT_FALSE(accelerator.extrapolate(vector(0.0), vector(1.0), next));  // the first
  EXPECT_FALSE(accelerator.extrapolate(vector(1.0), vector(4.0), next));  // three times the change
}

}  // namespace
}  // namespace clatter
