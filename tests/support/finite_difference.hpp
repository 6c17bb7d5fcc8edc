#pragma once

#include <array>
#include <limits>

#include <gtest/gtest.h>

#include <clatter/math/types.hpp>

namespace clatter::testing {

/// Derivatives by differences, and how far they may be off.
struct Differences {
  MatX derivative;  ///< column k: with respect to displacement k
  double error;     ///< bound of the error of every entry
};

/// d f / d x at x = 0 for a function from VecX to VecX, by eighth-order central differences.
///
/// With the default spacing the truncation, spacing^8/630 times the ninth derivative, is below
/// 1e-10 of the derivative for every function that changes over lengths of 0.1 or more, and the
/// round-off is a few units in the last place of f over the spacing.
template <class Function>
Differences differences(const Function& f, Eigen::Index unknowns, double spacing = 2e-3) {
  static constexpr std::array<double, 4> weight{4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0};
  VecX x = VecX::Zero(unknowns);
  const VecX centre = f(x);
  double largest = centre.size() > 0 ? centre.cwiseAbs().maxCoeff() : 0.0;
  MatX derivative = MatX::Zero(centre.size(), unknowns);
  for (Eigen::Index k = 0; k < unknowns; ++k) {
    for (int i = 1; i <= 4; ++i) {
      x[k] = i * spacing;
      const VecX ahead = f(x);
      x[k] = -i * spacing;
      const VecX behind = f(x);
      x[k] = 0.0;
      derivative.col(k) += weight[static_cast<std::size_t>(i - 1)] / spacing * (ahead - behind);
      largest = std::max({largest, ahead.cwiseAbs().maxCoeff(), behind.cwiseAbs().maxCoeff()});
    }
  }
  const double unit = std::numeric_limits<double>::epsilon();
  return {derivative,
          20.0 * unit * (1.0 + largest) / spacing + 1e-10 * derivative.cwiseAbs().maxCoeff()};
}

/// EXPECT_TRUE(agrees(analytic, differences(f, n)))
inline ::testing::AssertionResult agrees(const MatX& analytic, const Differences& numeric) {
  if (analytic.rows() != numeric.derivative.rows() ||
      analytic.cols() != numeric.derivative.cols()) {
    return ::testing::AssertionFailure() << "sizes differ";
  }
  Eigen::Index row = 0, column = 0;
  const MatX off = (analytic - numeric.derivative).cwiseAbs();
  const double worst = off.maxCoeff(&row, &column);
  if (worst <= numeric.error) return ::testing::AssertionSuccess();  // also refuses NaN
  return ::testing::AssertionFailure()
         << "entry (" << row << ", " << column << ") is " << analytic(row, column)
         << " but differences give " << numeric.derivative(row, column) << ", allowed error "
         << numeric.error;
}

}  // namespace clatter::testing
