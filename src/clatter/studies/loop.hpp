#pragma once

#include <span>

namespace clatter {

/// A hysteresis loop of y over x, with straight lines between samples and from the last to the
/// first.
struct Loop {
  double area = 0.0;       ///< integral of y dx: positive where y lags
  double half_x = 0.0;     ///< half of the way from the least x to the largest
  double y_at_tips = 0.0;  ///< half of the difference of y between these two
  /// Part of the energy held at the tips that a cycle takes, over 4 pi: D = A/(4 pi A_T), with A_T
  /// the triangle under the tip; 003 (7.2).
  double damping() const;
};

Loop loop_of(std::span<const double> x, std::span<const double> y);

}  // namespace clatter
