#include <algorithm>
#include <amd.h>
#include <array>
#include <cmath>
#include <new>
#include <numeric>

#include <clatter/math/block_lu.hpp>

namespace clatter {
namespace {

/// By Gauss and Jordan, with row pivots. False when one vanishes, and the block is spoilt.
bool invert(Mat6& block) {
  Eigen::Matrix<double, 6, 6, Eigen::RowMajor> A = block;
  std::array<int, 6> pivots{};
  for (int k = 0; k < 6; ++k) {
    int pivot = k;
    for (int i = k + 1; i < 6; ++i) {
      if (std::abs(A(i, k)) > std::abs(A(pivot, k))) pivot = i;
    }
    if (!(std::abs(A(pivot, k)) > 0.0)) return false;
    if (pivot != k) A.row(k).swap(A.row(pivot));
    pivots[static_cast<std::size_t>(k)] = pivot;
    const double inverse = 1.0 / A(k, k);
    A(k, k) = 1.0;
    A.row(k) *= inverse;
    for (int i = 0; i < 6; ++i) {
      if (i == k) continue;
      const double factor = A(i, k);
      A(i, k) = 0.0;
      A.row(i) -= factor * A.row(k);
    }
  }
  for (int k = 6; k-- > 0;) {
    const int pivot = pivots[static_cast<std::size_t>(k)];
    if (pivot != k) A.col(k).swap(A.col(pivot));
  }
  block = A;
  return true;
}

}  // namespace

void BlockLu::set_pattern(int count, std::span<const Pair> pairs) {
  std::vector<Pair>& sorted = scratch_;
  sorted.clear();
  for (const auto& [i, k] : pairs) {
    if (i != k) sorted.emplace_back(std::min(i, k), std::max(i, k));
  }
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  if (count == count_ && sorted == pairs_) return;
  count_ = count;
  pairs_.swap(sorted);
  find_order();
  find_fill();
  const std::size_t entries = rows_.size();
  diagonal_.resize(static_cast<std::size_t>(count));
  lower_.resize(entries);
  upper_.resize(entries);
  y_.resize(6 * count);
}

/// number_ := that of little fill.
void BlockLu::find_order() {
  const auto n = static_cast<std::size_t>(count_);
  heads_.assign(n + 1, 0);
  for (const auto& [i, k] : pairs_) {
    ++heads_[static_cast<std::size_t>(i) + 1];
    ++heads_[static_cast<std::size_t>(k) + 1];
  }
  for (std::size_t i = 0; i < n; ++i) heads_[i + 1] += heads_[i];
  neighbours_.resize(2 * pairs_.size());
  order_.assign(heads_.begin(), heads_.end() - 1);  // where the next neighbour goes
  for (const auto& [i, k] : pairs_) {
    neighbours_[static_cast<std::size_t>(order_[static_cast<std::size_t>(i)]++)] = k;
    neighbours_[static_cast<std::size_t>(order_[static_cast<std::size_t>(k)]++)] = i;
  }
  if (is_dense() || pairs_.empty()) {
    std::iota(order_.begin(), order_.end(), 0);
  } else if (amd_order(count_, heads_.data(), neighbours_.data(), order_.data(), nullptr, nullptr) <
             0) {
    throw std::bad_alloc();
  }
  number_.resize(n);
  for (std::size_t k = 0; k < n; ++k) {
    number_[static_cast<std::size_t>(order_[k])] = static_cast<int>(k);
  }
}

/// starts_, rows_ := the pattern of the factors. What a column has below its first row is also in
/// the column of that row, its parent.
void BlockLu::find_fill() {
  const auto n = static_cast<std::size_t>(count_);
  starts_.assign(1, 0);
  rows_.clear();
  seen_in_.assign(n, -1);
  first_child_.assign(n, -1);
  next_child_.assign(n, -1);
  for (int k = 0; k < count_; ++k) {
    const auto add = [&](int row) {
      if (row <= k || seen_in_[static_cast<std::size_t>(row)] == k) return;
      seen_in_[static_cast<std::size_t>(row)] = k;
      rows_.push_back(row);
    };
    const std::size_t begin = rows_.size();
    const auto node = static_cast<std::size_t>(order_[static_cast<std::size_t>(k)]);
    for (int at = heads_[node]; at < heads_[node + 1]; ++at) {
      add(number_[static_cast<std::size_t>(neighbours_[static_cast<std::size_t>(at)])]);
    }
    for (int child = first_child_[static_cast<std::size_t>(k)]; child >= 0;
         child = next_child_[static_cast<std::size_t>(child)]) {
      const auto c = static_cast<std::size_t>(child);
      for (std::size_t at = starts_[c]; at < starts_[c + 1]; ++at) add(rows_[at]);
    }
    std::sort(rows_.begin() + static_cast<std::ptrdiff_t>(begin), rows_.end());
    starts_.push_back(rows_.size());
    if (begin == rows_.size()) continue;
    const auto parent = static_cast<std::size_t>(rows_[begin]);
    next_child_[static_cast<std::size_t>(k)] = first_child_[parent];
    first_child_[parent] = k;
  }
}

std::size_t BlockLu::find(int i, int k) const {
  const auto column = static_cast<std::size_t>(k);
  const auto begin = rows_.begin() + static_cast<std::ptrdiff_t>(starts_[column]);
  const auto end = rows_.begin() + static_cast<std::ptrdiff_t>(starts_[column + 1]);
  return static_cast<std::size_t>(std::lower_bound(begin, end, i) - rows_.begin());
}

void BlockLu::set_zero() {
  for (auto* blocks : {&diagonal_, &lower_, &upper_}) {
    for (Mat6& each : *blocks) each.setZero();
  }
}

Mat6& BlockLu::block(int i, int k) {
  const int row = number_[static_cast<std::size_t>(i)],
            column = number_[static_cast<std::size_t>(k)];
  if (row == column) return diagonal_[static_cast<std::size_t>(row)];
  return row > column ? lower_[find(row, column)] : upper_[find(column, row)];
}

/// dense_ := all of it, in the order of elimination, which is that of the rows.
void BlockLu::write_out() {
  const Eigen::Index n = 6 * count_;
  if (dense_.rows() < n) dense_.resize(n, n);
  dense_.topLeftCorner(n, n).setZero();
  for (int k = 0; k < count_; ++k) {
    const auto column = static_cast<std::size_t>(k);
    dense_.block<6, 6>(6 * k, 6 * k) = diagonal_[column];
    for (std::size_t at = starts_[column]; at < starts_[column + 1]; ++at) {
      dense_.block<6, 6>(6 * rows_[at], 6 * k) = lower_[at];
      dense_.block<6, 6>(6 * k, 6 * rows_[at]) = upper_[at];
    }
  }
}

bool BlockLu::factorise() {
  if (is_dense()) {
    write_out();
    return dense_lu_.factorise(dense_, 6 * count_, 1e-17);
  }
  for (std::size_t k = 0; k < static_cast<std::size_t>(count_); ++k) {
    if (!invert(diagonal_[k])) return false;
    for (std::size_t at = starts_[k]; at < starts_[k + 1]; ++at) {
      lower_[at] = (lower_[at] * diagonal_[k]).eval();
    }
    // A_ij -= L_ik U_kj for all i and j of the column: the later rows of it are in column i, too.
    for (std::size_t i = starts_[k]; i < starts_[k + 1]; ++i) {
      const auto row = static_cast<std::size_t>(rows_[i]);
      diagonal_[row].noalias() -= lower_[i] * upper_[i];
      std::size_t at = starts_[row];
      for (std::size_t j = i + 1; j < starts_[k + 1]; ++j, ++at) {
        while (rows_[at] != rows_[j]) ++at;
        upper_[at].noalias() -= lower_[i] * upper_[j];
        lower_[at].noalias() -= lower_[j] * upper_[i];
      }
    }
  }
  return true;
}

void BlockLu::solve(VecX& x) {
  if (is_dense()) {
    dense_lu_.solve(dense_, 6 * count_, x);
    return;
  }
  const auto n = static_cast<std::size_t>(count_);
  const auto part = [](VecX& of, auto k) {
    return of.segment<6>(6 * static_cast<Eigen::Index>(k));
  };
  for (std::size_t i = 0; i < n; ++i) part(y_, number_[i]) = part(x, i);
  for (std::size_t k = 0; k < n; ++k) {
    const Vec6 y = part(y_, k);
    for (std::size_t at = starts_[k]; at < starts_[k + 1]; ++at) {
      part(y_, rows_[at]).noalias() -= lower_[at] * y;
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    Vec6 y = part(y_, k);
    for (std::size_t at = starts_[k]; at < starts_[k + 1]; ++at) {
      y.noalias() -= upper_[at] * part(y_, rows_[at]);
    }
    part(y_, k).noalias() = diagonal_[k] * y;
  }
  for (std::size_t i = 0; i < n; ++i) part(x, i) = part(y_, number_[i]);
}

}  // namespace clatter
