#pragma once

#include <span>
#include <utility>
#include <vector>

#include <clatter/math/dense_lu.hpp>

namespace clatter {

/// LU factorisation of a sparse matrix of 6 x 6 blocks whose pattern is symmetric, as contacts of
/// bodies make it: block (i, k) is there if (k, i) is, and all of the diagonal. Rows are eliminated
/// in an order of little fill (minimum degree), and pivots are sought within the blocks of the
/// diagonal only, which serves matrices that differ from positive definite ones by friction. Small
/// matrices are factorised as dense ones, with free pivots.
class BlockLu {
 public:
  using Pair = std::pair<int, int>;

  /// Prepares for `count` rows of blocks, with blocks at the pairs and their mirror images besides
  /// the diagonal. Pairs may come in any order, and more than once.
  void set_pattern(int count, std::span<const Pair> pairs);
  void set_zero();
  /// One of the pattern.
  Mat6& block(int i, int k);

  /// In place. False when a pivot vanishes.
  bool factorise();
  /// Solves in place; `x` has six entries a row, and maybe others after them.
  void solve(VecX& x);

 private:
  /// So few rows are.
  bool is_dense() const { return count_ <= 3; }
  void write_out();
  void find_order();
  void find_fill();
  /// The place of row i in column k of the lower triangle.
  std::size_t find(int i, int k) const;

  int count_ = 0;
  std::vector<Pair> pairs_;  // sorted, the smaller first
  // From here on rows are numbered in the order in which they are eliminated.
  std::vector<int> number_;  // row: its number
  // Column k of the lower triangle has rows_[starts_[k]] to rows_[starts_[k + 1]], ascending, and
  // so has row k of the upper one.
  std::vector<std::size_t> starts_;
  std::vector<int> rows_;
  std::vector<Mat6, Eigen::aligned_allocator<Mat6>> diagonal_, lower_, upper_;
  MatX dense_;
  DenseLu dense_lu_;
  VecX y_;
  // Scratch when the pattern changes.
  std::vector<Pair> scratch_;
  std::vector<int> heads_, neighbours_, order_, seen_in_, first_child_, next_child_;
};

}  // namespace clatter
