#pragma once

#include <array>
#include <functional>

#include <clatter/math/vector_table.hpp>

namespace clatter {

/// Where two sets of points, each with its convex hull, are nearest.
struct NearestPoints {
  double distance = 0.0;  ///< zero when the hulls meet
  Vec3 on_a = Vec3::Zero(), on_b = Vec3::Zero();
  /// The points of either set that these lie between, each once: one a corner, two an edge.
  std::array<int, 3> corners_a{}, corners_b{};
  int count_a = 0, count_b = 0;
};

/// The algorithm of Gilbert, Johnson and Keerthi (1988): from simplex to simplex of differences of
/// points, each nearer to the origin. Exact up to round-off. Begins with the points that are
/// nearest along a direction from a to b.
NearestPoints find_nearest_points(const VectorTable& a, const VectorTable& b, const Vec3& towards);

/// The point of a convex solid that is furthest along a unit vector.
using Support = std::function<Vec3(const Vec3& direction)>;

/// By the same algorithm, for solids that may be round: not more than their distance, and less by
/// at most a share of `precision`; zero when they meet.
double least_distance(const Support& a, const Support& b, double precision);

}  // namespace clatter
