#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include <clatter/model/grain_sizes.hpp>

namespace clatter {
namespace grain_sizes_test {

/// Part of all mass, or of all grains, with radii up to r.
double part_below(const std::vector<double>& radii, double r, int power) {
  double below = 0.0, all = 0.0;
  for (const double radius : radii) {
    const double mass = std::pow(radius, power);
    all += mass;
    if (radius <= r) below += mass;
  }
  return below / all;
}

TEST(GrainSizes, of_a_curve_pass_as_it_says_by_mass_in_plane_and_space) {
  GrainSizes sizes;
  sizes.kind = GrainSizes::Kind::curve;
  sizes.radii = {1e-4, 2e-4, 5e-4, 1e-3};
  sizes.passing = {0.0, 0.2, 0.7, 1.0};
  sizes.by_mass = true;
  for (const int dimensions : {2, 3}) {
    const std::vector<double> radii = grain_radii(sizes, 20000, dimensions, 5);
    // One grain in each of so many parts: the largest grains carry some 1e-3 of the mass each part
    // of the curve has, and the sum is off by the one that stands across the radius.
    for (std::size_t i = 0; i < sizes.radii.size(); ++i) {
      EXPECT_NEAR(part_below(radii, sizes.radii[i], dimensions), sizes.passing[i], 2e-3)
          << dimensions << " " << i;
    }
    // Straight over the logarithm between its points.
    EXPECT_NEAR(part_below(radii, std::sqrt(2e-4 * 5e-4), dimensions), 0.45, 2e-3);
  }
}

TEST(GrainSizes, of_a_curve_with_jumps_are_discrete) {
  GrainSizes sizes;
  sizes.kind = GrainSizes::Kind::curve;
  sizes.radii = {1.0, 1.0, 2.0, 2.0};
  sizes.passing = {0.0, 0.5, 0.5, 1.0};
  const std::vector<double> radii = grain_radii(sizes, 1000, 3, 1);
  EXPECT_EQ(std::count(radii.begin(), radii.end(), 1.0), 500);
  EXPECT_EQ(std::count(radii.begin(), radii.end(), 2.0), 500);
  sizes.by_mass = true;  // eight small ones weigh as much as a large one
  const std::vector<double> by_mass = grain_radii(sizes, 900, 3, 1);
  EXPECT_EQ(std::count(by_mass.begin(), by_mass.end(), 2.0), 100);
}

TEST(GrainSizes, uniform_and_log_normal_have_their_moments) {
  GrainSizes uniform;
  uniform.smallest = 1.0;
  uniform.largest = 3.0;
  const std::size_t count = 4000;
  const std::vector<double> even = grain_radii(uniform, count, 3, 2);
  // The mean of one random number in each of n equal parts is off by their width over sqrt(12 n).
  const double mean = std::accumulate(even.begin(), even.end(), 0.0) / count;
  EXPECT_NEAR(mean, 2.0, 6.0 * 2.0 / count / std::sqrt(12.0 * count));
  GrainSizes normal;
  normal.kind = GrainSizes::Kind::log_normal;
  normal.median = 0.5;
  normal.deviation = 0.3;
  double sum = 0.0, squares = 0.0;
  for (const double r : grain_radii(normal, count, 3, 2)) {
    const double z = std::log(r / 0.5) / 0.3;
    sum += z / count;
    squares += z * z / count;
  }
  EXPECT_NEAR(sum, 0.0, 1e-3);
  EXPECT_NEAR(squares, 1.0, 5e-3);  // the ends of the bell: the last part is wide
  normal.smallest = 0.45;
  normal.largest = 0.6;
  for (const double r : grain_radii(normal, count, 3, 2)) {
    EXPECT_GE(r, 0.45);
    EXPECT_LE(r, 0.6);
  }
  // By mass: the median of all mass is what was given.
  normal.smallest = normal.largest = std::nullopt;
  normal.by_mass = true;
  EXPECT_NEAR(part_below(grain_radii(normal, count, 3, 2), 0.5, 3), 0.5, 5e-3);
}

TEST(GrainSizes, depend_on_the_seed_alone) {
  GrainSizes uniform;
  uniform.smallest = 1.0;
  uniform.largest = 3.0;
  EXPECT_EQ(grain_radii(uniform, 50, 3, 2), grain_radii(uniform, 50, 3, 2));
  EXPECT_NE(grain_radii(uniform, 50, 3, 2), grain_radii(uniform, 50, 3, 3));
}

}  // namespace grain_sizes_test
}  // namespace clatter
