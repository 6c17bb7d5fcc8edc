#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include <clatter/studies/loop.hpp>

namespace clatter {
namespace loop_test {

using std::numbers::pi;

/// 003 (7.2) and dossier 2.19: y = t0 sin(wt + delta) over x = g0 sin(wt).
TEST(Loop, of_a_lagging_sine_has_its_area_and_damping) {
  const double g0 = 0.1, t0 = 7e3, delta = 0.3;
  const int n = 20000;
  std::vector<double> x, y;
  for (int i = 0; i < n; ++i) {
    const double phase = 2.0 * pi * i / n;
    x.push_back(g0 * std::sin(phase));
    y.push_back(t0 * std::sin(phase + delta));
  }
  const Loop loop = loop_of(x, y);
  // Chords of a circle: the square of the spacing over 6.
  const double chords = 2e-8;
  EXPECT_NEAR(loop.area, pi * g0 * t0 * std::sin(delta), chords * pi * g0 * t0);
  EXPECT_NEAR(loop.half_x, g0, 1e-7 * g0);
  EXPECT_NEAR(loop.damping(), std::tan(delta) / 2.0, 1e-6);
}

TEST(Loop, of_a_line_has_none) {
  const std::vector<double> x{-1.0, 0.0, 1.0, 0.0}, y{-3.0, 0.0, 3.0, 0.0};
  EXPECT_EQ(loop_of(x, y).area, 0.0);
  EXPECT_EQ(loop_of(x, y).damping(), 0.0);
}

TEST(Loop, of_a_block_that_slides_to_and_fro_is_a_rectangle) {
  const std::vector<double> x{0.0, 2.0, 2.0, -2.0, -2.0, 0.0}, y{5.0, 5.0, -5.0, -5.0, 5.0, 5.0};
  EXPECT_DOUBLE_EQ(loop_of(x, y).area, 40.0);
  EXPECT_NEAR(loop_of(x, y).damping(), 40.0 / (4.0 * pi * 0.5 * 2.0 * 5.0), 1e-15);
}

}  // namespace loop_test
}  // namespace clatter
