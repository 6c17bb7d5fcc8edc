#include <algorithm>
#include <cassert>
#include <cmath>
#include <iterator>
#include <klu.h>
#include <new>
#include <numeric>
#include <tuple>
#include <utility>

#include <Eigen/LU>

#include <clatter/math/stopwatch.hpp>
#include <clatter/math/system_matrix.hpp>

namespace clatter {
namespace {

constexpr int largest_dense = 40;

}  // namespace

struct SystemMatrix::Sparse {
  std::vector<int> starts, row_of;  // compressed columns
  std::vector<int> column_of;       // of every value
  std::vector<double> scaled;
  klu_common common;
  std::vector<klu_symbolic*> orders;
  klu_symbolic* fixed = nullptr;  // with the pivots in use on the diagonal
  klu_numeric* numeric = nullptr;

  Sparse() {
    klu_defaults(&common);
    common.scale = -1;  // the weights have done it, and the pattern needs no check
    common.btf = 0;     // a permutation to block form would pair rows and columns anew
  }
  ~Sparse() {
    forget();
    for (klu_symbolic* order : orders) klu_free_symbolic(&order, &common);
  }
  Sparse(const Sparse&) = delete;
  Sparse& operator=(const Sparse&) = delete;

  void forget() {
    klu_free_numeric(&numeric, &common);
    klu_free_symbolic(&fixed, &common);
  }
};

SystemMatrix::SystemMatrix(int size) : size_(size), dense_(size <= largest_dense) {}
SystemMatrix::~SystemMatrix() = default;
SystemMatrix::SystemMatrix(SystemMatrix&&) noexcept = default;
SystemMatrix& SystemMatrix::operator=(SystemMatrix&&) noexcept = default;

SystemMatrix::Block SystemMatrix::reserve(
    std::span<const int> rows, std::span<const int> columns,
    const std::function<bool(int, int)>& may_differ_from_zero) {
  const Block block{blocks_++};
  for (std::size_t j = 0; j < columns.size(); ++j) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i] < 0 || columns[j] < 0) continue;
      if (may_differ_from_zero && !may_differ_from_zero(static_cast<int>(i), static_cast<int>(j)))
        continue;
      entries_.push_back(
          {block.number, static_cast<int>(j * rows.size() + i), rows[i], columns[j]});
    }
  }
  return block;
}

void SystemMatrix::set_multiplier(int multiplier, std::span<const int> held, bool at_times) {
  Multiplier& entry = multipliers_.emplace_back(Multiplier{multiplier, {}, at_times});
  std::copy_if(held.begin(), held.end(), std::back_inserter(entry.held),
               [](int i) { return i >= 0; });
}

void SystemMatrix::add_held(int multiplier, std::span<const int> held) {
  const auto entry =
      std::find_if(multipliers_.rbegin(), multipliers_.rend(),
                   [&](const Multiplier& other) { return other.unknown == multiplier; });
  assert(entry != multipliers_.rend());
  for (const int i : held) {
    const bool is_new = std::find(entry->held.begin(), entry->held.end(), i) == entry->held.end();
    if (i >= 0 && is_new) entry->held.push_back(i);
  }
}

void SystemMatrix::count_on_from(const SystemMatrix& other) {
  factorisations = other.factorisations;
  solves = other.solves;
  time = other.time;
  pivot_searches = other.pivot_searches;
  tape = other.tape;
}

void SystemMatrix::finish_pattern() {
  weights_ = scratch_ = VecX::Zero(size_);
  std::vector<int> slots(entries_.size());  // in values_
  if (dense_) {
    for (std::size_t k = 0; k < entries_.size(); ++k) {
      slots[k] = entries_[k].column * size_ + entries_[k].row;
    }
    values_.assign(static_cast<std::size_t>(size_) * static_cast<std::size_t>(size_), 0.0);
    scaled_.resize(size_, size_);
    lu_ = Eigen::PartialPivLU<MatX>(size_);
  } else {
    sparse_ = std::make_unique<Sparse>();
    Sparse& s = *sparse_;
    std::vector<std::size_t> order(entries_.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
      const Entry &a = entries_[left], &b = entries_[right];
      return std::pair(a.column, a.row) < std::pair(b.column, b.row);
    });
    s.starts.assign(static_cast<std::size_t>(size_) + 1, 0);
    int last_row = -1, last_column = -1;
    for (const std::size_t k : order) {
      if (entries_[k].row != last_row || entries_[k].column != last_column) {
        last_row = entries_[k].row;
        last_column = entries_[k].column;
        s.row_of.push_back(last_row);
        s.column_of.push_back(last_column);
        ++s.starts[static_cast<std::size_t>(last_column) + 1];
      }
      slots[k] = static_cast<int>(s.row_of.size()) - 1;
    }
    std::partial_sum(s.starts.begin(), s.starts.end(), s.starts.begin());
    values_.assign(s.row_of.size(), 0.0);
    s.scaled.assign(s.row_of.size(), 0.0);
    analyse();
  }
  for (std::size_t k = 0; k < entries_.size(); ++k) {
    const auto [block, source, row, column] = entries_[k];
    const bool begins_block = k == 0 || block != entries_[k - 1].block;
    // Blocks may be empty.
    if (begins_block) first_runs_.resize(block + 1, static_cast<int>(runs_.size()));
    if (!begins_block && source == runs_.back().source + runs_.back().length &&
        slots[k] == runs_.back().slot + runs_.back().length) {
      ++runs_.back().length;
    } else {
      runs_.push_back({source, slots[k], 1});
    }
  }
  first_runs_.resize(blocks_ + 1, static_cast<int>(runs_.size()));
  entries_ = {};
  multipliers_ = {};
}

void SystemMatrix::analyse() {
  Sparse& s = *sparse_;
  const auto add_order = [&](bool all_multipliers_late) {
    std::vector<int> order = elimination_order(all_multipliers_late);
    s.orders.push_back(klu_analyze_given(size_, s.starts.data(), s.row_of.data(), order.data(),
                                         order.data(), &s.common));
    if (s.orders.back() == nullptr) throw std::bad_alloc();
  };
  add_order(true);
  if (std::any_of(multipliers_.begin(), multipliers_.end(),
                  [](const Multiplier& multiplier) { return !multiplier.at_times; })) {
    add_order(false);
  }
}

/// A good order of all others, with the late ones put in as soon as they may come.
std::vector<int> SystemMatrix::elimination_order(bool all_multipliers_late) const {
  Sparse& s = *sparse_;
  std::vector<char> is_late(static_cast<std::size_t>(size_), 0);
  for (const Multiplier& multiplier : multipliers_) {
    if (multiplier.at_times || all_multipliers_late) is_late[multiplier.unknown] = 1;
  }
  std::vector<int> others, number(static_cast<std::size_t>(size_), -1);
  for (int i = 0; i < size_; ++i) {
    if (is_late[i] != 0) continue;
    number[i] = static_cast<int>(others.size());
    others.push_back(i);
  }
  std::vector<int> starts{0}, row_of;
  for (const int column : others) {
    for (int k = s.starts[column]; k < s.starts[column + 1]; ++k) {
      if (number[s.row_of[k]] >= 0) row_of.push_back(number[s.row_of[k]]);
    }
    starts.push_back(static_cast<int>(row_of.size()));
  }
  // Minimum degree trusts in pivots on the diagonal, which are zero for multipliers that are not
  // late: the fill can be a hundred times what it expects. The other order bounds it for any
  // pivots.
  constexpr int amd = 0, colamd = 1;
  s.common.ordering = all_multipliers_late ? amd : colamd;
  klu_symbolic* symbolic =
      klu_analyze(static_cast<int>(others.size()), starts.data(), row_of.data(), &s.common);
  if (symbolic == nullptr) throw std::bad_alloc();
  std::vector<int> place(static_cast<std::size_t>(size_), 0);  // in the order of the others
  for (int k = 0; k < static_cast<int>(others.size()); ++k) place[others[symbolic->Q[k]]] = k;
  klu_free_symbolic(&symbolic, &s.common);

  for (const Multiplier& multiplier : multipliers_) {
    if (is_late[multiplier.unknown] == 0) continue;
    for (const int i : multiplier.held) {
      place[multiplier.unknown] = std::max(place[multiplier.unknown], place[i]);
    }
  }
  std::vector<int> order(static_cast<std::size_t>(size_));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int left, int right) {
    return std::tuple(place[left], is_late[left], left) <
           std::tuple(place[right], is_late[right], right);
  });
  return order;
}

/// Factorises in each order; the one of the fewest operations.
int SystemMatrix::cheapest_order() {
  Sparse& s = *sparse_;
  double fewest = INFINITY;
  int cheapest = 0;
  for (std::size_t k = 0; s.orders.size() > 1 && k < s.orders.size(); ++k) {
    klu_numeric* numeric =
        klu_factor(s.starts.data(), s.row_of.data(), s.scaled.data(), s.orders[k], &s.common);
    if (numeric == nullptr) continue;
    klu_flops(s.orders[k], numeric, &s.common);
    if (s.common.flops < fewest) {
      fewest = s.common.flops;
      cheapest = static_cast<int>(k);
    }
    klu_free_numeric(&numeric, &s.common);
  }
  return cheapest;
}

MatX SystemMatrix::entries() const {
  if (dense_) return Eigen::Map<const MatX>(values_.data(), size_, size_);
  MatX m = MatX::Zero(size_, size_);
  for (std::size_t k = 0; k < values_.size(); ++k) {
    m(sparse_->row_of[k], sparse_->column_of[k]) = values_[k];
  }
  return m;
}

VecX SystemMatrix::multiply(const VecX& x) const {
  if (dense_) return Eigen::Map<const MatX>(values_.data(), size_, size_) * x;
  VecX y = VecX::Zero(size_);
  for (std::size_t k = 0; k < values_.size(); ++k) {
    y[sparse_->row_of[k]] += values_[k] * x[sparse_->column_of[k]];
  }
  return y;
}

VecX SystemMatrix::diagonal() const {
  if (dense_) return Eigen::Map<const MatX>(values_.data(), size_, size_).diagonal();
  VecX d = VecX::Zero(size_);
  for (std::size_t k = 0; k < values_.size(); ++k) {
    if (sparse_->row_of[k] == sparse_->column_of[k]) d[sparse_->row_of[k]] += values_[k];
  }
  return d;
}

bool SystemMatrix::factorise(const VecX& weights, double smallest_pivot_ratio) {
  const Stopwatch stopwatch(time);
  ++factorisations;
  if (tape != nullptr) tape->push_back({values_, weights, smallest_pivot_ratio, {}});
  weights_ = weights;
  return dense_ ? factorise_dense(smallest_pivot_ratio) : factorise_sparse(smallest_pivot_ratio);
}

bool SystemMatrix::factorise_dense(double smallest_pivot_ratio) {
  const Eigen::Map<const MatX> values(values_.data(), size_, size_);
  scaled_.noalias() = weights_.asDiagonal() * values * weights_.asDiagonal();
  lu_.compute(scaled_);
  double smallest = INFINITY, largest = 0.0;
  for (int i = 0; i < size_; ++i) {
    const double pivot = std::abs(lu_.matrixLU()(i, i));
    if (std::isnan(pivot)) return false;
    smallest = std::min(smallest, pivot);
    largest = std::max(largest, pivot);
  }
  return size_ == 0 || smallest > smallest_pivot_ratio * largest;
}

bool SystemMatrix::factorise_sparse(double smallest_pivot_ratio) {
  Sparse& s = *sparse_;
  for (std::size_t k = 0; k < s.scaled.size(); ++k) {
    s.scaled[k] = weights_[s.row_of[k]] * values_[k] * weights_[s.column_of[k]];
  }
  // The pivots of an earlier factorisation are good for this one as long as they stay well away
  // from zero; otherwise choose them anew.
  if (pivots_ && factorise_with_pivots()) return true;
  return search_pivots(smallest_pivot_ratio) && factorise_with_pivots();
}

/// False: the matrix is singular.
bool SystemMatrix::search_pivots(double smallest_pivot_ratio) {
  Sparse& s = *sparse_;
  ++pivot_searches;
  s.forget();
  Pivots found;
  found.order = pivots_ ? pivots_->order : cheapest_order();
  pivots_.reset();
  klu_symbolic* order = s.orders[static_cast<std::size_t>(found.order)];
  klu_numeric* numeric =
      klu_factor(s.starts.data(), s.row_of.data(), s.scaled.data(), order, &s.common);
  if (numeric == nullptr) return false;
  klu_rcond(order, numeric, &s.common);
  found.rcond = s.common.rcond;
  found.rows.assign(numeric->Pnum, numeric->Pnum + size_);
  found.columns.assign(order->Q, order->Q + size_);
  klu_free_numeric(&numeric, &s.common);
  if (!(found.rcond > smallest_pivot_ratio)) return false;
  pivots_ = std::make_shared<const Pivots>(std::move(found));
  return true;
}

/// With the pivots on the diagonal, where KLU takes them whatever they are: the factors, and the
/// order of operations, then depend on nothing but the pivots and the matrix. False: too near to
/// zero.
bool SystemMatrix::factorise_with_pivots() {
  Sparse& s = *sparse_;
  if (s.numeric == nullptr) {
    std::vector<int> rows = pivots_->rows, columns = pivots_->columns;
    s.fixed = klu_analyze_given(size_, s.starts.data(), s.row_of.data(), rows.data(),
                                columns.data(), &s.common);
    if (s.fixed == nullptr) throw std::bad_alloc();
    const double tolerance = std::exchange(s.common.tol, 0.0);
    s.numeric = klu_factor(s.starts.data(), s.row_of.data(), s.scaled.data(), s.fixed, &s.common);
    s.common.tol = tolerance;
    if (s.numeric == nullptr) return false;
  }
  const int done = klu_refactor(s.starts.data(), s.row_of.data(), s.scaled.data(), s.fixed,
                                s.numeric, &s.common);
  return done == 1 && klu_rcond(s.fixed, s.numeric, &s.common) == 1 &&
         s.common.rcond > 1e-2 * pivots_->rcond;
}

void SystemMatrix::use_pivots(std::shared_ptr<const Pivots> pivots) {
  if (dense_ || pivots == pivots_) return;
  const bool same = pivots && pivots_ && *pivots == *pivots_;
  pivots_ = std::move(pivots);
  if (!same) sparse_->forget();
}

void SystemMatrix::solve(VecX& x) {
  const Stopwatch stopwatch(time);
  ++solves;
  if (tape != nullptr) tape->back().right_sides.push_back(x);
  if (dense_) {
    scratch_ = weights_.cwiseProduct(x);
    x.noalias() = lu_.permutationP() * scratch_;
    lu_.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(x);
    lu_.matrixLU().triangularView<Eigen::Upper>().solveInPlace(x);
  } else {
    x.array() *= weights_.array();
    klu_solve(sparse_->fixed, sparse_->numeric, size_, 1, x.data(), &sparse_->common);
  }
  x.array() *= weights_.array();
}

}  // namespace clatter
