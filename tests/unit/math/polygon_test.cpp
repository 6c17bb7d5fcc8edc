#include <algorithm>

#include <gtest/gtest.h>

#include <clatter/math/polygon.hpp>

namespace clatter {
namespace polygon_test {

using Corners = std::vector<Vec3>;

const Corners square = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
const Corners comb = {{0, 0, 0}, {5, 0, 0}, {5, 3, 0}, {4, 3, 0}, {4, 1, 0}, {3, 1, 0},
                      {3, 3, 0}, {2, 3, 0}, {2, 1, 0}, {1, 1, 0}, {1, 3, 0}, {0, 3, 0}};

TEST(Polygon, area_has_the_sign_of_the_sense) {
  EXPECT_EQ(signed_area(square), 1.0);
  Corners clockwise = square;
  std::reverse(clockwise.begin(), clockwise.end());
  EXPECT_EQ(signed_area(clockwise), -1.0);
  EXPECT_EQ(signed_area(comb), 11.0);
}

TEST(Polygon, sides_that_cross_touch_or_fold_back_are_found) {
  EXPECT_FALSE(crossing_sides(square));
  EXPECT_FALSE(crossing_sides(comb));
  EXPECT_FALSE(crossing_sides({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {1, 1, 0}}));  // a straight corner
  const Corners bow = {{0, 0, 0}, {1, 1, 0}, {1, 0, 0}, {0, 1, 0}};
  EXPECT_EQ(crossing_sides(bow), (std::array<std::size_t, 2>{0, 2}));
  EXPECT_TRUE(crossing_sides({{0, 0, 0}, {2, 0, 0}, {1, 0, 0}, {1, 1, 0}}));  // folds back
  EXPECT_TRUE(crossing_sides({{0, 0, 0}, {2, 0, 0}, {2, 1, 0}, {1, 0, 0}, {0, 1, 0}}));  // touches
  EXPECT_TRUE(crossing_sides({{0, 0, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}));  // a corner twice
}

TEST(Polygon, triangles_fill_it) {
  Corners clockwise = comb;
  std::reverse(clockwise.begin(), clockwise.end());
  const Corners with_straight_corners = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {2, 1, 0},
                                         {2, 2, 0}, {1, 2, 0}, {0, 2, 0}, {0, 1, 0}};
  for (const Corners& corners : {square, comb, clockwise, with_straight_corners}) {
    const auto triangles = triangulate(corners);
    EXPECT_EQ(triangles.size(), corners.size() - 2);
    double sum = 0.0;
    for (const auto& [a, b, c] : triangles) {
      const double area = signed_area({corners[a], corners[b], corners[c]});
      EXPECT_GE(area, 0.0);
      sum += area;
    }
    EXPECT_NEAR(sum, std::abs(signed_area(corners)), 1e-14);
  }
}

}  // namespace polygon_test
}  // namespace clatter
