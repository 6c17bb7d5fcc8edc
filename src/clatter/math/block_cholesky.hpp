#pragma once

#include <span>
#include <vector>

#include <clatter/math/types.hpp>

namespace clatter {

/// Cholesky factorisation of a sparse symmetric positive definite matrix whose unknowns come in
/// small groups with dense blocks. Groups are ordered by minimum degree and put together in fronts,
/// which are dense: multifrontal.
class BlockCholesky {
 public:
  /// The pattern: `first_rows` of the groups and the end; `neighbours` of group k (itself among
  /// them, in both directions) are those from `begins[k]` to `begins[k + 1]`.
  void analyse(std::span<const int> first_rows, std::span<const int> begins,
               std::span<const int> neighbours);
  /// Entries by compressed rows; those left of the diagonal are not looked at. False when the
  /// matrix is not positive definite.
  bool factorise(const int* starts, const int* columns, const double* values);
  /// Solves in place.
  void solve(double* x);

 private:
  struct Front {
    int first_pivot = 0, pivots = 0;  // rows in the order of elimination
    int rows_begin = 0, rows = 0;     // of all its rows, pivots first, in rows_
    std::size_t factor = 0;           // its pivots' columns in factors_, `rows` by `pivots`
    int parent = -1;
  };

  std::vector<int> place_rows(std::span<const int> first_rows, std::span<const int> group_at);
  void add_front(int first, int end, std::span<const int> below, std::span<const int> first_place);
  void finish_fronts();

  int size_ = 0;
  std::vector<int> place_;  // of a row in the order of elimination
  std::vector<int> row_at_;
  std::vector<int> front_of_;  // of a row in that order
  std::vector<Front> fronts_;
  std::vector<int> rows_;
  std::vector<double> factors_;
  std::vector<std::vector<double>> updates_;  // of fronts that wait for their parents
  std::vector<int> local_;
  MatX work_;
  VecX y_, gathered_;
};

}  // namespace clatter
