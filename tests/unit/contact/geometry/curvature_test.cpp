// Curvatures of patches where they touch.

#include <Eigen/Eigenvalues>
#include <gtest/gtest.h>

#include <clatter/contact/geometry/patch_pair.hpp>

#include "support/random_state.hpp"

namespace clatter {
namespace curvature_test {

using testing::Random;
using Kind = Patch::Kind;

Patch patch(Kind kind, const Vec3& size = Vec3::Zero(), double radius = 0.0) {
  Patch made;
  made.kind = kind;
  made.size = size;
  made.radius = radius;
  return made;
}

/// Least and largest, of the patch at a foot where its normal is given; tangents turned at random.
Eigen::Vector2d principal(const Patch& of, const Foot& foot, const Vec3& normal) {
  const Vec3 t = across(Vec3(0.3, 0.7, -0.4), normal);
  const auto C = curvature_of(of, foot, normal, {t, normal.cross(t)});
  return Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d>(*C).eigenvalues();
}

void expect_two(const Eigen::Vector2d& found, double least, double most) {
  const double error = 1e-12 * std::max(std::abs(least), std::abs(most)) + 1e-15;
  EXPECT_NEAR(found[0], least, error);
  EXPECT_NEAR(found[1], most, error);
}

TEST(Curvature, of_balls_and_cylinders_is_one_over_their_radius) {
  expect_two(principal(patch(Kind::point, Vec3::Zero(), 0.2), Vec3::Zero(), Vec3::UnitX()), 5, 5);
  expect_two(principal(patch(Kind::line, Vec3::Zero(), 0.2), Vec3::Zero(), Vec3::UnitX()), 0, 5);
  // Hollow: the solid is outside, and its normal points to the axis.
  expect_two(principal(patch(Kind::line, Vec3::Zero(), -0.2), Vec3::Zero(), -Vec3::UnitX()), -5, 0);
  expect_two(principal(patch(Kind::plane), Vec3::Zero(), Vec3::UnitZ()), 0, 0);
}

TEST(Curvature, of_a_torus_is_that_of_its_equators) {
  const Patch torus = patch(Kind::circle, Vec3(0.5, 0, 0), 0.2);
  const Foot foot = Vec3::UnitX();
  expect_two(principal(torus, foot, Vec3::UnitX()), 1.0 / 0.7, 5.0);    // outside
  expect_two(principal(torus, foot, -Vec3::UnitX()), -1.0 / 0.3, 5.0);  // inside
  expect_two(principal(torus, foot, Vec3::UnitZ()), 0.0, 5.0);          // on top
}

TEST(Curvature, of_an_ellipsoid_at_its_vertex_is_that_of_its_two_ellipses) {
  const Patch ellipsoid = patch(Kind::ellipsoid, Vec3(0.2, 0.3, 0.5));
  // c/a^2 and c/b^2 at the end of c.
  expect_two(principal(ellipsoid, Vec3::UnitZ(), Vec3::UnitZ()), 0.5 / 0.09, 0.5 / 0.04);
  // Rounded by r the radii of curvature grow by r.
  const Patch rounded = patch(Kind::ellipsoid, Vec3(0.2, 0.3, 0.5), 0.1);
  expect_two(principal(rounded, Vec3::UnitZ(), Vec3::UnitZ()), 1.0 / (0.09 / 0.5 + 0.1),
             1.0 / (0.04 / 0.5 + 0.1));
}

TEST(Curvature, of_a_cone_is_one_over_the_distance_to_its_axis_along_the_normal) {
  const double half_angle = 0.4, from_tip = 0.7;
  const Patch cone = patch(Kind::cone, Vec3(half_angle, 0, 0));
  const Vec3 normal(std::cos(half_angle), 0, -std::sin(half_angle));
  expect_two(principal(cone, Vec3(1, 0, from_tip), normal), 0.0,
             1.0 / (from_tip * std::tan(half_angle)));
}

TEST(Curvature, of_what_is_sharp_is_none) {
  const std::array<Vec3, 2> tangents{Vec3::UnitY(), Vec3::UnitZ()};
  EXPECT_FALSE(curvature_of(patch(Kind::point), Vec3::Zero(), Vec3::UnitX(), tangents));
  EXPECT_FALSE(curvature_of(patch(Kind::line), Vec3::Zero(), Vec3::UnitX(), tangents));
}

/// The gap of a pair of patches is stationary where they touch, and its second derivatives by
/// shifts of b along the tangents tell the curvatures too: with tensors a and b the gap of b
/// shifted by s is s.(a^-1 + b^-1)^-1 s/2 more. An independent way to the same numbers.
TEST(Curvature, of_two_patches_is_what_their_gap_tells) {
  const std::vector<Patch> patches{patch(Kind::ellipsoid, Vec3(0.2, 0.3, 0.5)),
                                   patch(Kind::ellipsoid, Vec3(0.4, 0.25, 0.3), 0.05),
                                   patch(Kind::point, Vec3::Zero(), 0.2)};
  for (unsigned seed = 0; seed < 10; ++seed) {
    for (const Patch& one : patches) {
      for (const Patch& two : patches) {
        Random random(seed);
        Configuration q = random.configuration(2);
        q[1].x = Vec3::Zero();
        q[2].x = 2.0 * random.direction();
        const PatchPair pair(one, two, 1, 2, false);
        const ContactFrame frame = pair.frame(q, Vec3::UnitX());
        // Let them touch.
        q[2].x -= pair.gap(q) * frame.normal;
        const ContactFrame touch = pair.frame(q, frame.tangents[0]);
        const PatchPair::Nearest at = pair.nearest(q[1], q[2]);
        const auto of = [&](const Patch& each, const Foot& foot, const Mat3& R, double sign) {
          return *curvature_of(
              each, foot, sign * (R.transpose() * touch.normal),
              {R.transpose() * touch.tangents[0], R.transpose() * touch.tangents[1]});
        };
        const Eigen::Matrix2d a = of(one, at.foot_a, q[1].R, 1.0),
                              b = of(two, at.foot_b, q[2].R, -1.0);
        EXPECT_LT((*pair.curvature(q, touch) - a - b).norm(), 1e-9 * (a + b).norm());
        const Eigen::Matrix2d expected = (a.inverse() + b.inverse()).inverse();
        const double step = 1e-3;
        const auto gap = [&](double x, double y) {
          Configuration shifted = q;
          shifted[2].x += x * touch.tangents[0] + y * touch.tangents[1];
          return pair.gap(shifted);
        };
        const double xx = (gap(step, 0) + gap(-step, 0) - 2.0 * gap(0, 0)) / (step * step);
        const double yy = (gap(0, step) + gap(0, -step) - 2.0 * gap(0, 0)) / (step * step);
        const double xy =
            (gap(step, step) + gap(-step, -step) - gap(step, -step) - gap(-step, step)) /
            (4.0 * step * step);
        // Truncation: the square of step over a radius of curvature of 0.1 at least, and round-off
        // over the square of the step.
        const double error = 1e-3 * expected.norm();
        EXPECT_NEAR(xx, expected(0, 0), error);
        EXPECT_NEAR(yy, expected(1, 1), error);
        EXPECT_NEAR(xy, expected(0, 1), error);
      }
    }
  }
}

}  // namespace curvature_test
}  // namespace clatter
