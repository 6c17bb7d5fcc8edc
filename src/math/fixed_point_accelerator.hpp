#pragma once

#include <array>

#include "math/types.hpp"

namespace clatter {

/// Anderson's acceleration of a fixed-point iteration x <- G(x): the next x is that combination of
/// the last few for which the change G(x) - x would be smallest if G were linear. Iterations that
/// converge slowly, one direction after the other, converge much faster.
class FixedPointAccelerator {
 public:
  static constexpr int memory = 8;

  void restart();
  /// Given x and G(x), proposes the next x. False: take G(x), for there is nothing to go by yet, or
  /// the last proposal was a bad one.
  bool extrapolate(const VecX& x, const VecX& Gx, VecX& next);

 private:
  int count_ = 0;  // differences stored so far
  double smallest_ = 0.0;
  VecX x_, f_, g_;  // of the last call: x, G(x) - x, G(x)
  std::array<VecX, memory> df_, dg_;
  Eigen::Matrix<double, memory, memory> products_;  // of the df with each other
};

}  // namespace clatter
