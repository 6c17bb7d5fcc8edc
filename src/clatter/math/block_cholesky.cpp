#include <algorithm>
#include <numeric>

#include <Eigen/Cholesky>
#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>

#include <clatter/math/block_cholesky.hpp>

namespace clatter {
namespace {

// A front takes in its last child if that adds no more zeros than this, as a share of its entries:
// fewer and larger fronts are quicker.
constexpr double zeros_allowed = 0.25;

/// Minimum degree on the groups: group at each position. The result is a postorder, too: children
/// before parents.
std::vector<int> order_of_elimination(std::span<const int> begins,
                                      std::span<const int> neighbours) {
  const auto groups = static_cast<int>(begins.size()) - 1;
  Eigen::SparseMatrix<double> graph(groups, groups);
  graph.resizeNonZeros(static_cast<Eigen::Index>(neighbours.size()));
  std::copy(begins.begin(), begins.end(), graph.outerIndexPtr());
  std::copy(neighbours.begin(), neighbours.end(), graph.innerIndexPtr());
  std::fill_n(graph.valuePtr(), neighbours.size(), 1.0);
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> inverse;
  Eigen::AMDOrdering<int>()(graph, inverse);
  // The order maps positions to groups.
  return {inverse.indices().data(), inverse.indices().data() + groups};
}

/// What is below the diagonal in each column of the factor, by positions of groups.
struct Columns {
  std::vector<std::vector<int>> below;
  std::vector<int> parent;  // the first of them, or -1
};

/// All but the first entry of a column goes on to the column of its parent.
Columns find_columns(std::span<const int> begins, std::span<const int> neighbours,
                     const std::vector<int>& group_at) {
  const auto groups = static_cast<int>(group_at.size());
  std::vector<int> position(group_at.size());
  for (int i = 0; i < groups; ++i) position[group_at[i]] = i;
  Columns columns{std::vector<std::vector<int>>(group_at.size()),
                  std::vector<int>(group_at.size(), -1)};
  std::vector<std::vector<int>> children(group_at.size());
  std::vector<int> mark(group_at.size(), -1);
  for (int j = 0; j < groups; ++j) {
    std::vector<int>& column = columns.below[j];
    mark[j] = j;
    const auto add = [&](int i) {
      if (i > j && mark[i] != j) {
        mark[i] = j;
        column.push_back(i);
      }
    };
    for (int k = begins[group_at[j]]; k < begins[group_at[j] + 1]; ++k) {
      add(position[neighbours[k]]);
    }
    for (const int child : children[j]) {
      for (const int i : columns.below[child]) add(i);
    }
    std::sort(column.begin(), column.end());
    if (!column.empty()) {
      columns.parent[j] = column.front();
      children[column.front()].push_back(j);
    }
  }
  return columns;
}

/// First columns of the fronts, and the end: a column joins the one before it when that is its
/// child and nearly as long.
std::vector<int> find_fronts(const Columns& columns) {
  const auto groups = static_cast<int>(columns.parent.size());
  std::vector<int> first_of_front;
  double zeros = 0.0;
  for (int j = 0; j < groups; ++j) {
    bool joins = j > 0 && columns.parent[j - 1] == j;
    if (joins) {
      const int first = first_of_front.back();
      const double pivots = j - first;
      const auto rows = static_cast<double>(columns.below[j].size());
      const double more = rows + 1.0 - static_cast<double>(columns.below[j - 1].size());
      const double total = (pivots + 1.0) * (pivots + 1.0 + 2.0 * rows) / 2.0;
      joins = zeros + more * pivots <= zeros_allowed * total;
      if (joins) zeros += more * pivots;
    }
    if (!joins) {
      first_of_front.push_back(j);
      zeros = 0.0;
    }
  }
  first_of_front.push_back(groups);
  return first_of_front;
}

}  // namespace

void BlockCholesky::analyse(std::span<const int> first_rows, std::span<const int> begins,
                            std::span<const int> neighbours) {
  size_ = first_rows.back();
  const std::vector<int> group_at = order_of_elimination(begins, neighbours);
  const Columns columns = find_columns(begins, neighbours, group_at);
  const std::vector<int> first_of_front = find_fronts(columns);
  const std::vector<int> first_place = place_rows(first_rows, group_at);
  fronts_.clear();
  rows_.clear();
  front_of_.resize(static_cast<std::size_t>(size_));
  for (std::size_t f = 0; f + 1 < first_of_front.size(); ++f) {
    const int first = first_of_front[f], end = first_of_front[f + 1];
    // The last column has all rows that remain.
    add_front(first, end, columns.below[end - 1], first_place);
  }
  finish_fronts();
}

/// place_ and row_at_ := the order of the rows. Returns the first place of the group at each
/// position, and the end.
std::vector<int> BlockCholesky::place_rows(std::span<const int> first_rows,
                                           std::span<const int> group_at) {
  place_.resize(static_cast<std::size_t>(size_));
  row_at_.resize(static_cast<std::size_t>(size_));
  std::vector<int> first_place(group_at.size() + 1, 0);
  for (std::size_t j = 0; j < group_at.size(); ++j) {
    const int first_row = first_rows[group_at[j]], count = first_rows[group_at[j] + 1] - first_row;
    for (int i = 0; i < count; ++i) {
      place_[first_row + i] = first_place[j] + i;
      row_at_[first_place[j] + i] = first_row + i;
    }
    first_place[j + 1] = first_place[j] + count;
  }
  return first_place;
}

/// A front of the columns from `first` to `end` (positions of groups), with what is below them.
void BlockCholesky::add_front(int first, int end, std::span<const int> below,
                              std::span<const int> first_place) {
  Front front;
  front.first_pivot = first_place[first];
  front.pivots = first_place[end] - first_place[first];
  front.rows_begin = static_cast<int>(rows_.size());
  for (int i = first_place[first]; i < first_place[end]; ++i) {
    rows_.push_back(i);
    front_of_[i] = static_cast<int>(fronts_.size());
  }
  for (const int at : below) {
    for (int i = first_place[at]; i < first_place[at + 1]; ++i) rows_.push_back(i);
  }
  front.rows = static_cast<int>(rows_.size()) - front.rows_begin;
  fronts_.push_back(front);
}

/// Parents of all fronts, and memory.
void BlockCholesky::finish_fronts() {
  std::size_t total = 0;
  int largest = 0;
  for (Front& front : fronts_) {
    if (front.rows > front.pivots) {
      front.parent = front_of_[rows_[front.rows_begin + front.pivots]];
    }
    front.factor = total;
    total += static_cast<std::size_t>(front.rows) * static_cast<std::size_t>(front.pivots);
    largest = std::max(largest, front.rows);
  }
  factors_.resize(total);
  updates_.resize(fronts_.size());
  local_.assign(static_cast<std::size_t>(size_), 0);
  work_.resize(largest, largest);
  y_.resize(size_);
  gathered_.resize(largest);
}

bool BlockCholesky::factorise(const int* starts, const int* columns, const double* values) {
  std::vector<std::vector<int>> children(fronts_.size());
  for (std::size_t f = 0; f < fronts_.size(); ++f) {
    if (fronts_[f].parent >= 0) children[fronts_[f].parent].push_back(static_cast<int>(f));
  }
  for (std::size_t f = 0; f < fronts_.size(); ++f) {
    const Front& front = fronts_[f];
    const Eigen::Index m = front.rows, p = front.pivots, rest = m - p;
    auto F = work_.topLeftCorner(m, m);
    F.triangularView<Eigen::Lower>().setZero();
    for (int i = 0; i < front.rows; ++i) local_[rows_[front.rows_begin + i]] = i;
    for (int j = 0; j < front.pivots; ++j) {
      const int row = row_at_[front.first_pivot + j];
      for (int k = starts[row]; k < starts[row + 1]; ++k) {
        const int at = place_[columns[k]];
        if (at >= front.first_pivot + j) F(local_[at], j) = values[k];
      }
    }
    for (const int c : children[f]) {
      const Front& child = fronts_[c];
      const int n = child.rows - child.pivots;
      const int* rows = rows_.data() + child.rows_begin + child.pivots;
      const double* update = updates_[c].data();
      for (int j = 0; j < n; ++j) {
        const int column = local_[rows[j]];
        double* target = &work_(0, column);
        for (int i = j; i < n; ++i) target[local_[rows[i]]] += update[static_cast<long>(j) * n + i];
      }
    }
    auto pivot = F.topLeftCorner(p, p);
    const Eigen::Index failed = Eigen::internal::llt_inplace<double, Eigen::Lower>::blocked(pivot);
    if (failed >= 0) return false;
    Eigen::Map<MatX> factor(factors_.data() + front.factor, m, p);
    if (rest > 0) {
      auto below = F.bottomLeftCorner(rest, p);
      pivot.triangularView<Eigen::Lower>().transpose().solveInPlace<Eigen::OnTheRight>(below);
      updates_[f].resize(static_cast<std::size_t>(rest * rest));
      Eigen::Map<MatX> update(updates_[f].data(), rest, rest);
      update.triangularView<Eigen::Lower>() = F.bottomRightCorner(rest, rest);
      update.selfadjointView<Eigen::Lower>().rankUpdate(below, -1.0);
    }
    factor = F.leftCols(p);
  }
  return true;
}

void BlockCholesky::solve(double* x) {
  for (int i = 0; i < size_; ++i) y_[i] = x[row_at_[i]];
  for (const Front& front : fronts_) {
    const Eigen::Map<const MatX> L(factors_.data() + front.factor, front.rows, front.pivots);
    auto own = y_.segment(front.first_pivot, front.pivots);
    L.topRows(front.pivots).triangularView<Eigen::Lower>().solveInPlace(own);
    const int rest = front.rows - front.pivots;
    if (rest == 0) continue;
    gathered_.head(rest).noalias() = L.bottomRows(rest) * own;
    const int* rows = rows_.data() + front.rows_begin + front.pivots;
    for (int i = 0; i < rest; ++i) y_[rows[i]] -= gathered_[i];
  }
  for (std::size_t f = fronts_.size(); f-- > 0;) {
    const Front& front = fronts_[f];
    const Eigen::Map<const MatX> L(factors_.data() + front.factor, front.rows, front.pivots);
    auto own = y_.segment(front.first_pivot, front.pivots);
    const int rest = front.rows - front.pivots;
    const int* rows = rows_.data() + front.rows_begin + front.pivots;
    for (int i = 0; i < rest; ++i) gathered_[i] = y_[rows[i]];
    own.noalias() -= L.bottomRows(rest).transpose() * gathered_.head(rest);
    L.topRows(front.pivots).triangularView<Eigen::Lower>().transpose().solveInPlace(own);
  }
  for (int i = 0; i < size_; ++i) x[row_at_[i]] = y_[i];
}

}  // namespace clatter
