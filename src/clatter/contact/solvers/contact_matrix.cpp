#include <cmath>
#include <klu.h>
#include <new>
#include <numeric>

#include <clatter/contact/solvers/contact_matrix.hpp>

namespace clatter {
namespace {

// A dense factorisation has six times the speed of a sparse one, and more fill; the sparse one
// gains where less than about a third of the entries differ from zero.
constexpr int always_dense = 100;
constexpr int never_dense = 1200;
constexpr double dense_share = 0.3;

}  // namespace

struct ContactMatrix::Sparse {
  klu_common common;
  klu_symbolic* symbolic = nullptr;
  klu_numeric* numeric = nullptr;

  Sparse() {
    klu_defaults(&common);
    common.btf = 0;
    common.ordering = 0;  // minimum degree of A + A^T: the pattern is symmetric
    common.tol = 1e-6;    // of the diagonal, on which the contacts' own blocks lie
    common.scale = 0;
  }
  ~Sparse() { clear(); }
  Sparse(const Sparse&) = delete;
  Sparse& operator=(const Sparse&) = delete;
  void clear() {
    klu_free_numeric(&numeric, &common);
    klu_free_symbolic(&symbolic, &common);
  }
};

ContactMatrix::ContactMatrix() = default;
ContactMatrix::~ContactMatrix() = default;

void ContactMatrix::attach(const ContactSystem& system) {
  system_ = system;
  const auto n = static_cast<std::size_t>(system.rows);
  const auto entries = static_cast<double>(system.entries());
  const double size = system.rows;
  values_.resize(static_cast<std::size_t>(system.entries()));
  dense_ = system.rows <= always_dense ||
           (system.rows <= never_dense && entries > dense_share * size * size);
  if (sparse_) sparse_->clear();
  if (dense_) {
    if (dense_matrix_.rows() < system.rows) dense_matrix_.resize(system.rows, system.rows);
    place_.resize(n);
    cost_ = size * size * size / 3.0;
    return;
  }
  if (!sparse_) sparse_ = std::make_unique<Sparse>();
  // Rows of the matrix are columns of its transpose, which is what KLU is given.
  sparse_->symbolic = klu_analyze(system.rows, const_cast<int*>(system.starts),
                                  const_cast<int*>(system.columns), &sparse_->common);
  if (sparse_->symbolic == nullptr) throw std::bad_alloc();
  cost_ = 6.0 * sparse_->symbolic->est_flops / 2.0;
}

bool ContactMatrix::factorise() {
  kept_rows_.resize(static_cast<std::size_t>(system_.rows));
  std::iota(kept_rows_.begin(), kept_rows_.end(), 0);
  return dense_ ? factorise_dense() : factorise_sparse();
}

bool ContactMatrix::factorise(const std::vector<char>& kept) {
  if (dense_) {
    kept_rows_.clear();
    for (int i = 0; i < system_.rows; ++i) {
      if (kept[static_cast<std::size_t>(i)] != 0) kept_rows_.push_back(i);
    }
    return factorise_dense();
  }
  for (int i = 0; i < system_.rows; ++i) {
    const bool is_kept = kept[static_cast<std::size_t>(i)] != 0;
    for (int k = system_.starts[i]; k < system_.starts[i + 1]; ++k) {
      const int column = system_.columns[k];
      if (!is_kept || kept[static_cast<std::size_t>(column)] == 0) {
        values_[static_cast<std::size_t>(k)] = column == i ? 1.0 : 0.0;
      }
    }
  }
  kept_rows_.resize(static_cast<std::size_t>(system_.rows));
  return factorise_sparse();
}

bool ContactMatrix::factorise_dense() {
  const auto n = static_cast<Eigen::Index>(kept_rows_.size());
  if (n == 0) return true;
  std::fill(place_.begin(), place_.end(), -1);
  for (Eigen::Index i = 0; i < n; ++i) {
    place_[static_cast<std::size_t>(kept_rows_[static_cast<std::size_t>(i)])] = static_cast<int>(i);
  }
  auto A = dense_matrix_.topLeftCorner(n, n);
  A.setZero();
  for (Eigen::Index i = 0; i < n; ++i) {
    const int row = kept_rows_[static_cast<std::size_t>(i)];
    for (int k = system_.starts[row]; k < system_.starts[row + 1]; ++k) {
      const int column = place_[static_cast<std::size_t>(system_.columns[k])];
      if (column >= 0) A(i, column) = values_[static_cast<std::size_t>(k)];
    }
  }
  lu_.emplace(A);  // in place
  double smallest = INFINITY;
  for (Eigen::Index i = 0; i < n; ++i) smallest = std::min(smallest, std::abs(A(i, i)));
  return smallest > 0.0;  // false for what is not a number, too
}

bool ContactMatrix::factorise_sparse() {
  Sparse& s = *sparse_;
  if (s.numeric != nullptr) {
    const int done =
        klu_refactor(const_cast<int*>(system_.starts), const_cast<int*>(system_.columns),
                     values_.data(), s.symbolic, s.numeric, &s.common);
    // The pivots of the last factorisation serve as long as they do not grow.
    if (done == 1 && klu_rcond(s.symbolic, s.numeric, &s.common) == 1 && s.common.rcond > 1e-14 &&
        klu_rgrowth(const_cast<int*>(system_.starts), const_cast<int*>(system_.columns),
                    values_.data(), s.symbolic, s.numeric, &s.common) == 1 &&
        s.common.rgrowth > 1e-8) {
      return true;
    }
    klu_free_numeric(&s.numeric, &s.common);
  }
  s.numeric = klu_factor(const_cast<int*>(system_.starts), const_cast<int*>(system_.columns),
                         values_.data(), s.symbolic, &s.common);
  return s.numeric != nullptr;
}

void ContactMatrix::solve(double* x) {
  if (!dense_) {
    klu_tsolve(sparse_->symbolic, sparse_->numeric, system_.rows, 1, x, &sparse_->common);
    return;
  }
  const auto n = static_cast<Eigen::Index>(kept_rows_.size());
  if (n == 0) return;
  if (scratch_.size() < n) scratch_.resize(system_.rows);
  for (Eigen::Index i = 0; i < n; ++i) scratch_[i] = x[kept_rows_[static_cast<std::size_t>(i)]];
  auto y = scratch_.head(n);
  y = lu_->permutationP() * y;
  lu_->matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(y);
  lu_->matrixLU().triangularView<Eigen::Upper>().solveInPlace(y);
  for (Eigen::Index i = 0; i < n; ++i) x[kept_rows_[static_cast<std::size_t>(i)]] = scratch_[i];
}

}  // namespace clatter
