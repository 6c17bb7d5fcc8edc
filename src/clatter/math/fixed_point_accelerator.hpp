#pragma once

#include <array>
#include <span>
#include <vector>

#include <clatter/math/types.hpp>

namespace clatter {

/// Anderson's acceleration of a fixed-point iteration x <- G(x): the next x is that combination of
/// the last few for which the change G(x) - x would be smallest if G were linear. Iterations that
/// converge slowly, one direction after the other, converge much faster.
class FixedPointAccelerator {
 public:
  static constexpr int max_memory = 8;

  /// `memory`: differences to be combined. `most_growth`: of the change, over the smallest so far,
  /// before all is forgotten.
  explicit FixedPointAccelerator(int memory = max_memory, double most_growth = 2.0);

  void reserve(std::size_t size);
  /// Begins an iteration of `size` unknowns.
  void restart(std::size_t size);
  /// Given x and G(x), proposes the next x in place of x. False: G(x) was taken, for there is
  /// nothing to go by yet, or the last proposal was a bad one.
  bool extrapolate(std::span<double> x, std::span<const double> Gx);

 private:
  int memory_;
  double most_growth_;
  bool has_last_ = false;
  int count_ = 0;  // differences stored so far
  double smallest_ = 0.0;
  std::vector<double> f_, g_;  // of the last call: G(x) - x, G(x)
  std::vector<std::vector<double>> df_, dg_;
  Eigen::Matrix<double, max_memory, max_memory> products_;  // of the df with each other
};

}  // namespace clatter
