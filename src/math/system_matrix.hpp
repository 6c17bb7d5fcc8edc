#pragma once

#include <memory>
#include <span>
#include <vector>

#include "math/types.hpp"

namespace clatter {

/// A square matrix with a fixed pattern: blocks are reserved once, filled and solved many times.
/// Small ones are dense, larger ones sparse (KLU: analysed once, refactored while the pivots hold).
/// Row and column i are scaled by weight i before the factorisation, so that the pivots of a
/// mechanical system are comparable whatever its units.
class SystemMatrix {
 public:
  /// A reserved block; index of its first entry in the slot table.
  using Block = int;

  explicit SystemMatrix(int size);
  ~SystemMatrix();
  SystemMatrix(SystemMatrix&&) noexcept;
  SystemMatrix& operator=(SystemMatrix&&) noexcept;

  int size() const { return size_; }

  /// Reserves a block; entries with a negative row or column are dropped when added to.
  Block reserve(std::span<const int> rows, std::span<const int> columns);
  /// To be called once after all blocks are reserved.
  void finish_pattern();

  void set_zero() { std::fill(values_.begin(), values_.end(), 0.0); }
  template <class Derived>
  void add(Block block, const Eigen::MatrixBase<Derived>& entries) {
    const int* slot = slots_.data() + block;
    for (Eigen::Index i = 0; i < entries.rows(); ++i) {
      for (Eigen::Index j = 0; j < entries.cols(); ++j) values_[*slot++] += entries(i, j);
    }
  }

  /// The matrix written out, unscaled; for tests and diagnosis.
  MatX entries() const;

  /// Factorises; false when the matrix is singular to working precision (pivot ratio < 1e-11).
  bool factorise(const VecX& weights);
  /// Solves in place with the last factorisation.
  void solve(VecX& x);

  // Counters for the benchmarks: calls, and wall time [s] spent in them.
  long factorisations = 0;
  long solves = 0;
  double time = 0.0;

 private:
  bool factorise_dense();
  bool factorise_sparse();

  struct Sparse;
  int size_;
  bool dense_;
  std::vector<int> slots_;  // index into values_ of each reserved entry; the last value is a bin
  std::vector<int> rows_, columns_;  // of each reserved entry until the pattern is finished
  std::vector<double> values_;
  VecX weights_;
  VecX scratch_;
  Eigen::PartialPivLU<MatX> lu_;
  MatX scaled_;
  std::unique_ptr<Sparse> sparse_;
};

}  // namespace clatter
