#include <cmath>

#include <gtest/gtest.h>

#include <clatter/contact/shapes/nearest_points.hpp>

#include "support/convex_distance.hpp"
#include "support/core_shapes.hpp"
#include "support/random_cases.hpp"

namespace clatter {
namespace nearest_points_test {

using testing::BoundsOfDistance;
using testing::CoreKind;
using testing::CoreShape;
using testing::Dice;

/// Solids that are near each other, as seen by Wolfe's method.
TEST(NearestPoints, solids_that_nearly_touch_are_apart_by_what_is_told_or_a_thousandth_more) {
  constexpr double precision = 1e-3;
  Dice dice;
  const int cases = testing::cases_of(testing::looks_at_numbers ? 20000 : 200);
  for (int i = 0; i < cases; ++i) {
    const CoreShape a = make_core_shape(CoreKind::hull, dice),
                    b = make_core_shape(testing::convex_kinds[i % 7], dice);
    const NodeState at = dice.place(0.0);
    Vec3 shift = 5.0 * dice.vector().normalized();
    const auto furthest_of_a = [&](const Vec3& n) -> Vec3 {
      return a.furthest(n) + a.radius * n.normalized();
    };
    const auto furthest_of_b = [&](const Vec3& n) -> Vec3 {
      return shift + at.R * b.furthest(at.R.transpose() * n) + b.radius * n.normalized();
    };
    const auto bounds = [&] {
      return testing::bounds_of_distance(
          [&](const Vec3& n) -> Vec3 { return furthest_of_b(n) - furthest_of_a(-n); }, 1e-11,
          shift);
    };
    // Nearer along the way to the middle, which no way from apart to inside can miss.
    const Vec3 way = shift.normalized();
    const double wanted = std::pow(10.0, -4.0 + dice.number());
    BoundsOfDistance right = bounds();
    for (int k = 0; k < 100 && right.least > 1.5 * wanted; ++k) {
      shift -= (right.least - wanted) * way;
      right = bounds();
    }
    if (right.most - right.least > 1e-9) continue;  // round-off
    const double told = least_distance(furthest_of_a, furthest_of_b, precision);
    ASSERT_LT(told, right.most + 1e-12) << "case " << i;
    ASSERT_GT(told, (1.0 - precision) * right.least - 1e-12) << "case " << i;
  }
}

}  // namespace nearest_points_test
}  // namespace clatter
