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

}  // namespace

void BlockCholesky::analyse(std::span<const int> first_rows, std::span<const int> begins,
                            std::span<const int> neighbours) {
  const auto groups = static_cast<int>(begins.size()) - 1;
  size_ = first_rows.back();
  // Minimum degree on the groups. The result is a postorder, too: children before parents.
  Eigen::SparseMatrix<double> graph(groups, groups);
  graph.resizeNonZeros(static_cast<Eigen::Index>(neighbours.size()));
  std::copy(begins.begin(), begins.end(), graph.outerIndexPtr());
  std::copy(neighbours.begin(), neighbours.end(), graph.innerIndexPtr());
  std::fill_n(graph.valuePtr(), neighbours.size(), 1.0);
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> inverse;
  Eigen::AMDOrdering<int>()(graph, inverse);
  // The order maps positions to groups.
  std::vector<int> group_at(inverse.indices().data(), inverse.indices().data() + groups);
  std::vector<int> position(static_cast<std::size_t>(groups));
  for (int i = 0; i < groups; ++i) position[group_at[i]] = i;

  // Structures of the columns, by positions of groups; each but the first goes to the parent.
  std::vector<std::vector<int>> columns(static_cast<std::size_t>(groups));
  std::vector<std::vector<int>> children(static_cast<std::size_t>(groups));
  std::vector<int> mark(static_cast<std::size_t>(groups), -1);
  std::vector<int> parent(static_cast<std::size_t>(groups), -1);
  for (int j = 0; j < groups; ++j) {
    std::vector<int>& column = columns[j];
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
      for (const int i : columns[child]) add(i);
    }
    std::sort(column.begin(), column.end());
    if (!column.empty()) {
      parent[j] = column.front();
      children[column.front()].push_back(j);
    }
  }
  // Fronts: a column joins the one before it when that is its child and nearly as long.
  const auto size_of = [&](int at) {
    return first_rows[group_at[at] + 1] - first_rows[group_at[at]];
  };
  std::vector<int> first_of_front;
  double zeros = 0.0;
  for (int j = 0; j < groups; ++j) {
    bool joins = j > 0 && parent[j - 1] == j;
    if (joins) {
      const int first = first_of_front.back();
      const double pivots = j - first;
      const double more =
          static_cast<double>(columns[j].size() + 1) - static_cast<double>(columns[j - 1].size());
      const double total = (pivots + 1.0) * (pivots + 1.0 + 2.0 * columns[j].size()) / 2.0;
      joins = zeros + more * pivots <= zeros_allowed * total;
      if (joins) zeros += more * pivots;
    }
    if (!joins) {
      first_of_front.push_back(j);
      zeros = 0.0;
    }
  }
  first_of_front.push_back(groups);

  place_.resize(static_cast<std::size_t>(size_));
  row_at_.resize(static_cast<std::size_t>(size_));
  std::vector<int> first_place(static_cast<std::size_t>(groups) + 1, 0);
  for (int j = 0; j < groups; ++j) {
    for (int i = 0; i < size_of(j); ++i) {
      const int row = first_rows[group_at[j]] + i;
      place_[row] = first_place[j] + i;
      row_at_[first_place[j] + i] = row;
    }
    first_place[j + 1] = first_place[j] + size_of(j);
  }
  fronts_.clear();
  rows_.clear();
  front_of_.resize(static_cast<std::size_t>(size_));
  std::size_t total = 0;
  int largest = 0;
  for (std::size_t f = 0; f + 1 < first_of_front.size(); ++f) {
    const int first = first_of_front[f], end = first_of_front[f + 1];
    Front front;
    front.first_pivot = first_place[first];
    front.pivots = first_place[end] - first_place[first];
    front.rows_begin = static_cast<int>(rows_.size());
    for (int i = first_place[first]; i < first_place[end]; ++i) {
      rows_.push_back(i);
      front_of_[i] = static_cast<int>(f);
    }
    // The last column has all rows that remain.
    for (const int at : columns[end - 1]) {
      for (int i = first_place[at]; i < first_place[at + 1]; ++i) rows_.push_back(i);
    }
    front.rows = static_cast<int>(rows_.size()) - front.rows_begin;
    front.factor = total;
    total += static_cast<std::size_t>(front.rows) * static_cast<std::size_t>(front.pivots);
    largest = std::max(largest, front.rows);
    fronts_.push_back(front);
  }
  for (Front& front : fronts_) {
    if (front.rows > front.pivots) {
      front.parent = front_of_[rows_[front.rows_begin + front.pivots]];
    }
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
