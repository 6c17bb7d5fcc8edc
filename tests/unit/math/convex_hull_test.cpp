#include <map>
#include <random>

#include <gtest/gtest.h>

#include <clatter/math/convex_hull.hpp>

namespace clatter {
namespace convex_hull_test {

void expect_convex_and_closed(const ConvexHull& hull, const std::vector<Vec3>& points) {
  std::map<std::pair<int, int>, int> edges;
  for (const std::vector<int>& face : hull.faces) {
    ASSERT_GE(face.size(), 3u);
    for (std::size_t i = 0; i < face.size(); ++i) ++edges[{face[i], face[(i + 1) % face.size()]}];
    const Vec3 &a = hull.points[face[0]], &b = hull.points[face[1]], &c = hull.points[face[2]];
    const Vec3 normal = (b - a).cross(c - a).normalized();
    // Points are of size one; qhull merges faces that are flat to round-off.
    for (const Vec3& point : points) EXPECT_LT(normal.dot(point - a), 1e-12);
  }
  for (const auto& [edge, count] : edges) {
    EXPECT_EQ(count, 1);
    EXPECT_TRUE(edges.contains({edge.second, edge.first}));
  }
}

TEST(ConvexHull, of_a_cube_has_six_faces_of_four_corners) {
  std::vector<Vec3> points = {{0, 0, 0}, {0.2, 0.3, 0.4}, {1, 0, 0}};
  for (int i = 0; i < 8; ++i) points.emplace_back(i & 1, (i >> 1) & 1, i >> 2);
  const auto hull = convex_hull(points);
  ASSERT_TRUE(hull);
  EXPECT_EQ(hull->points.size(), 8u);
  EXPECT_EQ(hull->faces.size(), 6u);
  for (const std::vector<int>& face : hull->faces) EXPECT_EQ(face.size(), 4u);
  expect_convex_and_closed(*hull, points);
}

TEST(ConvexHull, of_random_points_has_all_of_them_inside) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  for (const int count : {4, 5, 10, 300}) {
    std::vector<Vec3> points;
    for (int i = 0; i < count; ++i) {
      points.emplace_back(number(random), number(random), number(random));
    }
    const auto hull = convex_hull(points);
    ASSERT_TRUE(hull);
    expect_convex_and_closed(*hull, points);
  }
}

TEST(ConvexHull, of_points_in_a_plane_is_none) {
  EXPECT_FALSE(convex_hull({}));
  EXPECT_FALSE(convex_hull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}));
  EXPECT_FALSE(convex_hull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {2, 3, 0}}));
  EXPECT_FALSE(convex_hull({{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3}}));
  EXPECT_FALSE(convex_hull(std::vector<Vec3>(5, Vec3(1, 2, 3))));
}

}  // namespace convex_hull_test
}  // namespace clatter
