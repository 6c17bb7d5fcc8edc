#include <cmath>

#include <gtest/gtest.h>

#include <clatter/contact/shapes/shortest_shift.hpp>

namespace clatter {
namespace shortest_shift_test {

Support box_at(const Vec3& centre, const Vec3& half) {
  return [=](const Vec3& n) -> Vec3 {
    return centre + half.cwiseProduct(n.unaryExpr([](double x) { return x < 0.0 ? -1.0 : 1.0; }));
  };
}
Support ball_at(const Vec3& centre, double radius) {
  return [=](const Vec3& n) -> Vec3 { return centre + radius * n; };
}

TEST(ShortestShift, of_boxes_along_their_axes_is_across_the_face_that_is_nearest) {
  ShortestShift shift;
  const Support a = box_at(Vec3::Zero(), {1.0, 2.0, 3.0});
  EXPECT_NEAR(shift.find(a, box_at({1.0, 3.75, 0.5}, {1.0, 2.0, 3.0}), 1e-12), -0.25, 1e-12);
  EXPECT_NEAR(shift.find(a, box_at({-1.9, 0.0, 0.0}, {1.0, 1.0, 1.0}), 1e-12), -0.1, 1e-12);
}

/// Of balls it is known to the precision that is asked for, in few rounds.
TEST(ShortestShift, of_balls_is_along_their_centres) {
  ShortestShift shift;
  const Support a = ball_at(Vec3::Zero(), 1.0);
  const Vec3 way = Vec3(0.3, -0.5, 0.8).normalized();
  for (const double depth : {1e-1, 1e-3, 1e-5}) {
    const double told = shift.find(a, ball_at((1.5 - depth) * way, 0.5), 1e-9);
    EXPECT_NEAR(told, -depth, 1e-9);
    EXPECT_LE(told, -depth + 1e-14);
  }
}

}  // namespace shortest_shift_test
}  // namespace clatter
