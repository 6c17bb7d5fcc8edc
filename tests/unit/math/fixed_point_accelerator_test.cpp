#include <gtest/gtest.h>

#include <clatter/math/fixed_point_accelerator.hpp>

namespace clatter {
namespace fixed_point_accelerator_test {

std::span<double> all(VecX& x) { return {x.data(), static_cast<std::size_t>(x.size())}; }

/// Applications of a contraction of six variables, of which the slowest loses a thousandth of its
/// error each time, until a change of 1e-12.
int applications(bool accelerated) {
  VecX rates(6), target(6);
  rates << 0.999, 0.99, 0.9, 0.7, 0.3, 0.0;
  target << 1.0, -2.0, 3.0, -4.0, 5.0, -6.0;
  const auto G = [&](const VecX& x) -> VecX { return target + rates.cwiseProduct(x - target); };
  FixedPointAccelerator accelerator(8, 2.0);
  accelerator.restart(6);
  VecX x = VecX::Zero(6);
  for (int k = 1; k < 100'000; ++k) {
    VecX Gx = G(x);
    if ((Gx - x).norm() < 1e-12) {
      EXPECT_LT((Gx - target).norm(), 1e-8);  // change over 1 - 0.999, and some
      return k;
    }
    if (accelerated) {
      accelerator.extrapolate(all(x), all(Gx));
    } else {
      x = Gx;
    }
  }
  return 100'000;
}

TEST(FixedPointAccelerator, solves_a_linear_iteration_in_about_as_many_steps_as_it_has_unknowns) {
  EXPECT_GT(applications(false), 10'000);
  EXPECT_LT(applications(true), 20);
}

TEST(FixedPointAccelerator, forgets_what_made_things_worse) {
  FixedPointAccelerator accelerator(8, 2.0);
  accelerator.restart(3);
  const std::vector<double> one(3, 1.0), four(3, 4.0);
  std::vector<double> x(3, 0.0);
  EXPECT_FALSE(accelerator.extrapolate(x, one));  // the first
  EXPECT_EQ(x, one);
  EXPECT_FALSE(accelerator.extrapolate(x, four));  // three times the change
  EXPECT_EQ(x, four);
}

}  // namespace fixed_point_accelerator_test
}  // namespace clatter
