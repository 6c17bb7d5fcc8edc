#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include <clatter/contact/shapes/polytope_pair.hpp>
#include <clatter/contact/shapes/surface.hpp>

#include "support/meshes.hpp"
#include "support/random_cases.hpp"

namespace clatter {
namespace surface_test {

using testing::Triangles;

Surface surface_of(const Triangles& triangles) {
  Surface surface{triangles.points, {}};
  for (const auto& [a, b, c] : triangles.corners) surface.faces.push_back({a, b, c});
  return surface;
}

std::vector<Polytope> parts_of(const Triangles& triangles) {
  return std::get<std::vector<Polytope>>(make_solid_parts(merge_faces(surface_of(triangles))));
}

double from_line(const Vec3& x, const Vec3& begin, const Vec3& way) {
  const double s = std::clamp(way.dot(x - begin) / way.squaredNorm(), 0.0, 1.0);
  return (x - begin - s * way).norm();
}

double from_triangle(const Vec3& x, const Vec3& p, const Vec3& q, const Vec3& r) {
  const Vec3 normal = (q - p).cross(r - p).normalized();
  const bool inside = normal.dot((q - p).cross(x - p)) >= 0.0 &&
                      normal.dot((r - q).cross(x - q)) >= 0.0 &&
                      normal.dot((p - r).cross(x - r)) >= 0.0;
  if (inside) return std::abs(normal.dot(x - p));
  return std::min({from_line(x, p, q - p), from_line(x, q, r - q), from_line(x, r, p - r)});
}

/// Distance from the nearest of all triangles; negative inside, told by the angles under which
/// they are seen.
double distance_from(const Triangles& mesh, const Vec3& x) {
  double least = INFINITY, angle = 0.0;
  for (std::size_t t = 0; t < mesh.corners.size(); ++t) {
    const Vec3 &p = mesh.at(t, 0), &q = mesh.at(t, 1), &r = mesh.at(t, 2);
    least = std::min(least, from_triangle(x, p, q, r));
    const Vec3 a = (p - x).normalized(), b = (q - x).normalized(), c = (r - x).normalized();
    angle += 2.0 * std::atan2(a.dot(b.cross(c)), 1.0 + a.dot(b) + b.dot(c) + c.dot(a));
  }
  return angle > 2.0 * std::numbers::pi ? -least : least;
}

TEST(Surface, of_twelve_triangles_is_the_box_of_six_faces) {
  const Triangles mesh = testing::box_of_triangles({1, 2, 3});
  EXPECT_EQ(merge_faces(surface_of(mesh)).faces.size(), 6U);
  const std::vector<Polytope> parts = parts_of(mesh);
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_FALSE(parts[0].is_part);
  EXPECT_EQ(parts[0].faces.size(), 6U);
  EXPECT_EQ(parts[0].edges.size(), 12U);
}

TEST(Surface, of_an_l_has_all_edges_and_corners_once_but_those_in_its_hollow) {
  std::size_t ridges = 0;
  int tips = 0;
  const std::vector<Polytope> parts = parts_of(testing::l_of_triangles(1.0));
  EXPECT_EQ(parts.size(), 10U);  // six around, two on either L
  for (const Polytope& part : parts) {
    EXPECT_TRUE(part.is_part);
    EXPECT_EQ(std::count_if(part.faces.begin(), part.faces.end(),
                            [](const Polytope::Face& face) { return face.is_surface; }),
              1);
    ridges += part.ridges.size();
    for (const char tip : part.is_tip) tips += tip;
  }
  EXPECT_EQ(ridges, 17U);  // one of 18 is in the hollow
  EXPECT_EQ(tips, 10);     // two of 12 are at its ends
}

TEST(Surface, that_cuts_through_itself_is_no_solid) {
  Triangles two = testing::box_of_triangles({1, 1, 1});
  const Triangles other = two;
  for (const Vec3& point : other.points) two.points.emplace_back(point + Vec3(0.3, 0.2, 0.4));
  for (const auto& [a, b, c] : other.corners) two.corners.push_back({a + 8, b + 8, c + 8});
  EXPECT_TRUE(std::holds_alternative<NoRoomBehind>(make_solid_parts(merge_faces(surface_of(two)))));
}

class RoughBall : public ::testing::TestWithParam<double> {};
INSTANTIATE_TEST_SUITE_P(Surface, RoughBall, ::testing::Values(0.0, 0.1, 0.3));

// What touches a sphere is what is nearest to it: no hole between the parts, and nothing besides.
TEST_P(RoughBall, is_as_far_from_spheres_as_the_nearest_of_its_triangles) {
  std::mt19937 generator(3);
  std::uniform_real_distribution<> any(-1.0, 1.0);
  const Triangles mesh = testing::rough_ball(9, 12, GetParam(), 5);
  const std::vector<Polytope> parts = parts_of(mesh);
  ASSERT_GT(parts.size(), 1U);
  PolytopePair pair;
  std::vector<Touch> touches;
  int outside = 0, over_edges = 0;
  for (int k = 0; k < (testing::looks_at_numbers ? 1000 : 20); ++k) {
    NodeState at;
    at.x = 1.6 * Vec3(any(generator), any(generator), any(generator));
    const double distance = distance_from(mesh, at.x);
    if (distance < 1e-3) continue;
    ++outside;
    const double radius = 0.5 * distance;
    const Polytope sphere = make_core(std::array{Vec3(Vec3::Zero())}, radius, false);
    double gap = INFINITY, touch_gap = INFINITY;
    for (const Polytope& part : parts) {
      pair.place(part, {}, sphere, at);
      gap = std::min(gap, pair.gap());
      pair.find_touches(1.1 * radius, false, touches);
      for (const Touch& touch : touches) {
        if (touch.gap < touch_gap) over_edges += touch.a.kind != Feature::Kind::face ? 1 : 0;
        touch_gap = std::min(touch_gap, touch.gap);
      }
    }
    EXPECT_NEAR(gap, distance - radius, 1e-11);
    EXPECT_NEAR(touch_gap, distance - radius, 1e-11);
  }
  EXPECT_GT(outside, 10);
  EXPECT_GT(over_edges, 1);
}

TEST_P(RoughBall, has_no_part_that_reaches_out_of_it) {
  std::mt19937 generator(4);
  std::uniform_real_distribution<> any(0.0, 1.0);
  const Triangles mesh = testing::rough_ball(9, 12, GetParam(), 6);
  for (const Polytope& part : parts_of(mesh)) {
    for (int k = 0; k < 5; ++k) {
      Vec3 within = Vec3::Zero();
      double total = 0.0;
      for (const Vec3& corner : part.corners) {
        const double share = any(generator);
        within += share * corner;
        total += share;
      }
      EXPECT_LT(distance_from(mesh, within / total), 1e-12);
    }
  }
}

}  // namespace surface_test
}  // namespace clatter
