#pragma once

#include <array>
#include <cmath>
#include <vector>

#include <Eigen/Dense>

#include <clatter/math/types.hpp>

namespace clatter::testing {

/// Bounds of a distance: of two points that are as near as `most`, and along a direction in which
/// the sets are `least` apart.
struct BoundsOfDistance {
  double least, most;
};

/// Distance of two convex sets by Wolfe's method for the point of least norm among the differences
/// of their points. `furthest(n)` is the difference b - a that is furthest along n. Stops when the
/// bounds agree to `exact`, or nothing changes any more: sets that meet have `least` <= 0.
template <class Furthest>
BoundsOfDistance bounds_of_distance(const Furthest& furthest, double exact) {
  std::vector<Vec3> corners{furthest(Vec3::UnitX())};
  std::vector<double> shares{1.0};
  Vec3 nearest = corners.front();
  BoundsOfDistance bounds{-INFINITY, nearest.norm()};
  for (int i = 0; i < 500; ++i) {
    const double distance = nearest.norm();
    if (distance < exact) return {0.0, distance};
    const Vec3 n = nearest / distance;
    const Vec3 next = furthest(-n);
    bounds.most = std::min(bounds.most, distance);
    bounds.least = std::max(bounds.least, n.dot(next));
    if (bounds.most - bounds.least < exact) return bounds;
    corners.push_back(next);
    shares.push_back(0.0);
    // The point of least norm of the plane through the corners, or on the way there the one where
    // a corner is left.
    for (;;) {
      const auto count = static_cast<Eigen::Index>(corners.size());
      // Of corners[0] + D x, with least |.|: D^T D x = -D^T corners[0], by QR.
      VecX affine(count);
      if (count == 1) {
        affine[0] = 1.0;
      } else {
        Eigen::Matrix<double, 3, Eigen::Dynamic> D(3, count - 1);
        for (Eigen::Index k = 1; k < count; ++k) {
          D.col(k - 1) = corners[static_cast<std::size_t>(k)] - corners[0];
        }
        affine.tail(count - 1) = D.colPivHouseholderQr().solve(-corners[0]);
        affine[0] = 1.0 - affine.tail(count - 1).sum();
      }
      double way = 1.0;
      std::size_t leaves = corners.size();
      for (std::size_t k = 0; k < corners.size(); ++k) {
        const double to = affine[static_cast<Eigen::Index>(k)];
        if (to > 0.0 || shares[k] <= to) continue;
        const double until = shares[k] / (shares[k] - to);
        if (until >= way) continue;
        way = until;
        leaves = k;
      }
      nearest.setZero();
      for (std::size_t k = 0; k < corners.size(); ++k) {
        shares[k] += way * (affine[static_cast<Eigen::Index>(k)] - shares[k]);
        nearest += shares[k] * corners[k];
      }
      if (leaves == corners.size()) break;
      corners.erase(corners.begin() + static_cast<std::ptrdiff_t>(leaves));
      shares.erase(shares.begin() + static_cast<std::ptrdiff_t>(leaves));
      if (corners.size() == 1) {
        shares[0] = 1.0;
        nearest = corners[0];
        break;
      }
    }
    if (corners.size() > 4) return bounds;  // round-off
    if (nearest.norm() >= distance) return bounds;
  }
  return bounds;
}

}  // namespace clatter::testing
