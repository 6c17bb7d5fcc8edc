#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/Dense>

#include <clatter/math/types.hpp>

namespace clatter::testing {

/// Bounds of a distance: of two points that are as near as `most`, and along a direction in which
/// the sets are `least` apart.
struct BoundsOfDistance {
  double least = INFINITY, most = INFINITY;

  /// Of the nearer one of several.
  void take(const BoundsOfDistance& other) {
    least = std::min(least, other.least);
    most = std::min(most, other.most);
  }
};

/// Distance of two convex sets by Wolfe's method for the point of least norm among the differences
/// of their points. `furthest(n)` is the difference b - a that is furthest along n. Begins with a
/// guess of the direction from a to b. Stops when the bounds agree to `exact`, when it is more than
/// `enough`, or nothing changes any more: sets that meet have `least` <= 0.
template <class Furthest>
BoundsOfDistance bounds_of_distance(const Furthest& furthest, double exact, const Vec3& guess,
                                    double enough = INFINITY) {
  struct Corner {
    Vec3 point;
    double share;
  };
  std::array<Corner, 5> corners;
  std::size_t count = 1;
  Vec3 nearest = furthest(-guess);
  corners[0] = {nearest, 1.0};
  BoundsOfDistance bounds{guess.dot(nearest) / guess.norm(), nearest.norm()};
  for (int i = 0; i < 500; ++i) {
    const double distance = nearest.norm();
    if (distance < exact) return {0.0, distance};
    const Vec3 n = nearest / distance;
    const Vec3 next = furthest(-n);
    bounds.most = std::min(bounds.most, distance);
    bounds.least = std::max(bounds.least, n.dot(next));
    if (bounds.most - bounds.least < exact || bounds.least > enough) return bounds;
    if (count == corners.size()) return bounds;  // round-off
    corners[count++] = {next, 0.0};
    // The point of least norm of the plane through the corners, or on the way there the one where
    // a corner is left.
    for (;;) {
      // Of corners[0] + D x, with least |.|: D^T D x = -D^T corners[0], by QR.
      std::array<double, 5> affine{1.0};
      if (count > 1) {
        const auto columns = static_cast<Eigen::Index>(count - 1);
        Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::ColMajor, 3, 4> D(3, columns);
        for (Eigen::Index k = 0; k < columns; ++k) {
          D.col(k) = corners[static_cast<std::size_t>(k + 1)].point - corners[0].point;
        }
        const Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, 4, 1> x =
            D.colPivHouseholderQr().solve(-corners[0].point);
        for (Eigen::Index k = 0; k < columns; ++k) affine[static_cast<std::size_t>(k + 1)] = x[k];
        affine[0] -= x.sum();
      }
      double way = 1.0;
      std::size_t leaves = count;
      for (std::size_t k = 0; k < count; ++k) {
        const double to = affine[k], share = corners[k].share;
        if (to > 0.0 || share <= to) continue;
        const double until = share / (share - to);
        if (until >= way) continue;
        way = until;
        leaves = k;
      }
      nearest.setZero();
      for (std::size_t k = 0; k < count; ++k) {
        corners[k].share += way * (affine[k] - corners[k].share);
        nearest += corners[k].share * corners[k].point;
      }
      if (leaves == count) break;
      std::copy(corners.begin() + leaves + 1, corners.begin() + count, corners.begin() + leaves);
      --count;
      if (count == 1) {
        corners[0].share = 1.0;
        nearest = corners[0].point;
        break;
      }
    }
    if (nearest.norm() >= distance) return bounds;
  }
  return bounds;
}

}  // namespace clatter::testing
