#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <clatter/math/types.hpp>

namespace clatter {

/// A factorisation and what was solved with it: enough to do both again.
struct SolvedSystem {
  std::vector<double> values;  ///< as the matrix keeps them
  VecX weights;
  double smallest_pivot_ratio = 0.0;
  std::vector<VecX> right_sides;
};

/// The pivots of a sparse factorisation, and what they were good for. Which are chosen depends on
/// the matrix that they were searched for, and decides how all later ones are rounded: so that
/// equal states have equal futures, they are part of a state.
struct Pivots {
  int order = -1;                  ///< of elimination, of those that the matrix knows
  std::vector<int> rows, columns;  ///< in the order of elimination
  double rcond = 0.0;              ///< of the matrix that they were searched for

  bool operator==(const Pivots&) const = default;
};

/// A square matrix with a fixed pattern: blocks are reserved once, filled and solved many times.
/// Small ones are dense, larger ones sparse (KLU: analysed once, refactored while the pivots hold).
/// Row and column i are scaled by weight i before the factorisation, so that the pivots of a
/// mechanical system are comparable whatever its units.
class SystemMatrix {
 public:
  /// A reserved block.
  struct Block {
    int number = -1;
  };

  explicit SystemMatrix(int size);
  ~SystemMatrix();
  SystemMatrix(const SystemMatrix&) = delete;
  SystemMatrix& operator=(const SystemMatrix&) = delete;
  SystemMatrix(SystemMatrix&&) noexcept;
  SystemMatrix& operator=(SystemMatrix&&) noexcept;

  int size() const { return size_; }

  /// Reserves a block; entries with a negative row or column are dropped when it is added to, and
  /// so are those (row and column in the block) that `may_differ_from_zero` denies.
  Block reserve(std::span<const int> rows, std::span<const int> columns,
                const std::function<bool(int, int)>& may_differ_from_zero = {});
  /// Tells sparse matrices that unknown `multiplier` holds the unknowns `held`. Its pivot differs
  /// from zero if it is eliminated after them. One that holds them at times and stands alone at
  /// others is always eliminated so, for then one choice of pivots lasts; for the others this is
  /// one of two orders, of which the first factorisation finds the cheaper.
  void set_multiplier(int multiplier, std::span<const int> held, bool at_times);
  /// More unknowns that a multiplier holds.
  void add_held(int multiplier, std::span<const int> held);
  /// To be called once after all blocks are reserved.
  void finish_pattern();

  void set_zero() { std::fill(values_.begin(), values_.end(), 0.0); }
  /// Adds to a block of the shape that was reserved; stored by columns, as Eigen does by default.
  template <class Plain>
  void add(Block block, const Plain& entries) {
    static_assert(!Plain::IsRowMajor || Plain::RowsAtCompileTime == 1);
    if constexpr (Plain::SizeAtCompileTime == 1) {
      for (int k = first_runs_[block.number]; k < first_runs_[block.number + 1]; ++k) {
        values_[static_cast<std::size_t>(runs_[k].slot)] += entries(0, 0);
      }
      return;
    }
    const double* source = entries.data();
    for (int k = first_runs_[block.number]; k < first_runs_[block.number + 1]; ++k) {
      const Run& run = runs_[k];
      double* target = values_.data() + run.slot;
      const double* from = source + run.source;
      if (run.length == 12) {  // most often, for beams in space
        std::array<double, 12> sum;
        for (int i = 0; i < 12; ++i) sum[i] = target[i] + from[i];
        std::copy(sum.begin(), sum.end(), target);
      } else {
        for (int i = 0; i < run.length; ++i) target[i] += from[i];
      }
    }
  }

  /// The matrix written out, unscaled; for tests and diagnosis.
  MatX entries() const;
  /// The matrix, unscaled, times a vector.
  VecX multiply(const VecX& x) const;
  VecX diagonal() const;  ///< of the matrix, unscaled

  /// Factorises; false when the smallest pivot is less than `smallest_pivot_ratio` of the largest,
  /// that is when the matrix is singular as far as the caller cares.
  bool factorise(const VecX& weights, double smallest_pivot_ratio = 1e-11);
  /// Solves in place with the last factorisation.
  void solve(VecX& x);

  /// The pivots in use; none for dense matrices, or before the first factorisation.
  const std::shared_ptr<const Pivots>& pivots() const { return pivots_; }
  /// Goes on with these, or with a new search if there are none.
  void use_pivots(std::shared_ptr<const Pivots> pivots);

  /// While this is set, all that is factorised and solved is also written there.
  std::vector<SolvedSystem>* tape = nullptr;
  /// Puts in the values of a taped system of the same pattern, and gives out those of now.
  void exchange_values(SolvedSystem& system) { values_.swap(system.values); }
  std::span<const double> values() const { return values_; }

  // Counters for the benchmarks: calls, and wall time [s] spent in them.
  long factorisations = 0;
  long solves = 0;
  double time = 0.0;
  long pivot_searches = 0;  ///< sparse factorisations that could not use the pivots of the last
  /// Goes on counting from where another matrix, which this one replaces, has come to, and with
  /// its tape.
  void count_on_from(const SystemMatrix& other);

 private:
  void analyse();
  std::vector<int> elimination_order(bool all_multipliers_late) const;
  int cheapest_order();
  bool factorise_dense(double smallest_pivot_ratio);
  bool factorise_sparse(double smallest_pivot_ratio);
  bool search_pivots(double smallest_pivot_ratio);
  bool factorise_with_pivots();

  struct Sparse;
  int size_;
  bool dense_;
  /// Entries that follow each other in the block that is added, and in values_.
  struct Run {
    int source, slot, length;
  };
  std::vector<Run> runs_;
  std::vector<int> first_runs_;  // of each block, and the end
  /// An entry of a block until the pattern is finished.
  struct Entry {
    int block, source, row, column;
  };
  std::vector<Entry> entries_;
  int blocks_ = 0;
  struct Multiplier {
    int unknown;
    std::vector<int> held;
    bool at_times;
  };
  std::vector<Multiplier> multipliers_;
  std::vector<double> values_;
  VecX weights_;
  VecX scratch_;
  Eigen::PartialPivLU<MatX> lu_;
  MatX scaled_;
  std::unique_ptr<Sparse> sparse_;
  std::shared_ptr<const Pivots> pivots_;
};

}  // namespace clatter
