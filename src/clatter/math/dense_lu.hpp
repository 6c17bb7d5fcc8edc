#pragma once

#include <vector>

#include <clatter/math/types.hpp>

namespace clatter {

/// LU factorisation with row pivots in the leading n x n part of a matrix, in place: for systems
/// whose size changes from one call to the next, without allocation once warm.
class DenseLu {
 public:
  /// For systems of up to this size.
  void reserve(Eigen::Index n) { pivots_.reserve(static_cast<std::size_t>(n)); }
  /// False when a pivot is less than `smallest_pivot` times the largest entry.
  bool factorise(MatX& A, Eigen::Index n, double smallest_pivot);
  /// Solves in place, with the matrix that was factorised.
  void solve(const MatX& A, Eigen::Index n, VecX& x) const;

 private:
  std::vector<Eigen::Index> pivots_;
};

}  // namespace clatter
