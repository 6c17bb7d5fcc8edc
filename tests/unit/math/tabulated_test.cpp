#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include <clatter/math/tabulated.hpp>

namespace clatter {
namespace tabulated_test {

using Points = std::vector<Eigen::Vector2d>;
using Between = Tabulated::Between;
using Beyond = Tabulated::Beyond;

Points sampled(double (*f)(double), double from, double to, int pieces) {
  Points points;
  for (int i = 0; i <= pieces; ++i) {
    const double x = from + (to - from) * i / pieces;
    points.emplace_back(x, f(x));
  }
  return points;
}

TEST(Tabulated, is_straight_between_its_points) {
  const Tabulated table(Points{{0.0, 1.0}, {2.0, 5.0}, {3.0, 4.0}});
  EXPECT_DOUBLE_EQ(table(0.5), 2.0);
  EXPECT_DOUBLE_EQ(table.slope(0.5), 2.0);
  EXPECT_DOUBLE_EQ(table(2.0), 5.0);
  EXPECT_DOUBLE_EQ(table(2.25), 4.75);
  EXPECT_DOUBLE_EQ(table.slope(2.25), -1.0);
}

TEST(Tabulated, goes_on_beyond_its_ends_as_it_is_told) {
  const Points points{{1.0, 2.0}, {2.0, 4.0}, {4.0, 2.0}};
  const Tabulated hold(points), zero(points, Between::linear, Beyond::zero),
      repeat(points, Between::linear, Beyond::repeat);
  EXPECT_EQ(hold(0.0), 2.0);
  EXPECT_EQ(hold(9.0), 2.0);
  EXPECT_EQ(hold.slope(9.0), 0.0);
  EXPECT_EQ(zero(0.0), 0.0);
  EXPECT_EQ(zero(4.0), 2.0);
  EXPECT_DOUBLE_EQ(repeat(1.5 + 3.0 * 7), 3.0);
  EXPECT_DOUBLE_EQ(repeat(1.5 - 3.0 * 7), 3.0);
  EXPECT_DOUBLE_EQ(repeat.slope(3.0 - 3.0), -1.0);
}

// Natural at its ends, where cubes without a second derivative are met to the last digit.
TEST(Tabulated, spline_is_exact_for_what_is_a_natural_spline) {
  const auto f = [](double x) { return 2.0 + x * (3.0 - x * x); };  // bends nowhere at 0
  const Tabulated table(Points{{-1.0, f(-1.0)}, {0.0, f(0.0)}}, Between::spline);
  EXPECT_DOUBLE_EQ(table(-0.5), 0.5 * (f(-1.0) + f(0.0)));  // two points: a line
  const Tabulated line(Points{{0.0, 1.0}, {1.0, 3.0}, {3.0, 7.0}, {3.5, 8.0}}, Between::spline);
  EXPECT_NEAR(line(2.2), 5.4, 1e-14);
  EXPECT_NEAR(line.slope(2.2), 2.0, 1e-14);
}

// The error of a periodic cubic spline is of fourth order, that of its slope of third.
TEST(Tabulated, spline_that_repeats_converges_with_fourth_order) {
  const auto f = [](double x) { return std::sin(x); };
  const auto error = [&](int pieces, bool slope) {
    const Points points = sampled(f, 0.0, 2.0 * std::numbers::pi, pieces);
    Points closed = points;
    closed.back().y() = closed.front().y();
    const Tabulated table(closed, Between::spline, Beyond::repeat);
    double worst = 0.0;
    for (double x = -7.0; x < 14.0; x += 0.0137) {
      worst = std::fmax(worst, std::abs(slope ? table.slope(x) - std::cos(x) : table(x) - f(x)));
    }
    return worst;
  };
  EXPECT_NEAR(std::log2(error(16, false) / error(32, false)), 4.0, 0.2);
  EXPECT_NEAR(std::log2(error(16, true) / error(32, true)), 3.0, 0.2);
}

TEST(Tabulated, spline_is_smooth_where_pieces_meet) {
  const Tabulated table(Points{{0.0, 0.0}, {1.0, 2.0}, {1.5, -1.0}, {4.0, 0.5}}, Between::spline);
  for (const double x : {1.0, 1.5}) {
    constexpr double d = 1e-6;
    EXPECT_NEAR(table(x - 1e-12), table(x + 1e-12), 1e-10);
    EXPECT_NEAR(table.slope(x - 1e-12), table.slope(x + 1e-12), 1e-9);
    const double before = (table.slope(x) - table.slope(x - d)) / d,
                 after = (table.slope(x + d) - table.slope(x)) / d;
    EXPECT_NEAR(before, after, 1e-3 * std::abs(before));
  }
}

TEST(Tabulated, tells_what_is_no_number) {
  const Tabulated table(Points{{0.0, 0.0}, {1.0, 2.0}}, Between::linear, Beyond::repeat);
  EXPECT_TRUE(std::isnan(table(std::nan(""))));
}

}  // namespace tabulated_test
}  // namespace clatter
