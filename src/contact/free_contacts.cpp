#include "contact/free_contacts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace clatter {
namespace {

constexpr int recovery_sweeps = 500;  // when Newton's method failed: they find the active sets
constexpr int max_newton = 30;
constexpr int max_halvings = 6;
constexpr int max_local = 20;
constexpr double regularisation = 1e-9;

}  // namespace

void FreeContacts::clear(std::size_t nodes) {
  compliances_.resize(nodes);
  x_.setZero(6 * static_cast<Eigen::Index>(nodes));
  items_.clear();
  changes_.clear();
  motions_.clear();
  rates_.clear();
  p_.clear();
  local_.clear();
  local_begin_.clear();
}

void FreeContacts::add(int a, int b, const ContactLaw& law, const PairRows& changes,
                       const PairRows& forces, const RowVector& rates, const RowVector& p) {
  const auto rows = static_cast<int>(rates.size());
  const auto first = static_cast<int>(p_.size());
  const Compliance &of_a = compliances_[static_cast<std::size_t>(a)],
                   &of_b = compliances_[static_cast<std::size_t>(b)];
  Lines motion(rows, 12);
  for (int i = 0; i < rows; ++i) {
    motion.row(i).segment<3>(0) =
        forces.row(i).segment<3>(0).cwiseProduct(of_a.translation.transpose());
    motion.row(i).segment<3>(3) = (of_a.rotation * forces.row(i).segment<3>(3).transpose());
    motion.row(i).segment<3>(6) =
        forces.row(i).segment<3>(6).cwiseProduct(of_b.translation.transpose());
    motion.row(i).segment<3>(9) = (of_b.rotation * forces.row(i).segment<3>(9).transpose());
  }
  const Lines change = changes;
  changes_.insert(changes_.end(), change.data(), change.data() + 12 * rows);
  motions_.insert(motions_.end(), motion.data(), motion.data() + 12 * rows);
  rates_.insert(rates_.end(), rates.data(), rates.data() + rows);
  p_.insert(p_.end(), p.data(), p.data() + rows);
  const RowMatrix local = change * motion.transpose();
  local_begin_.push_back(static_cast<int>(local_.size()));
  local_.insert(local_.end(), local.data(), local.data() + local.size());
  items_.push_back({a, b, first, rows, law});
}

RowVector FreeContacts::reaction(std::size_t contact) const {
  const Item& item = items_[contact];
  return Eigen::Map<const VecX>(p_.data() + item.first_row, item.rows);
}

int FreeContacts::root(int node) {
  while (parent_[static_cast<std::size_t>(node)] != node) {
    int& up = parent_[static_cast<std::size_t>(node)];
    up = parent_[static_cast<std::size_t>(up)];
    node = up;
  }
  return node;
}

/// order_ := contacts sorted by islands, which begin at island_begin_.
void FreeContacts::find_islands() {
  parent_.resize(compliances_.size());
  std::iota(parent_.begin(), parent_.end(), 0);
  for (const Item& item : items_) {
    if (!moves(item.a) || !moves(item.b)) continue;
    const int one = root(item.a), two = root(item.b);
    parent_[static_cast<std::size_t>(std::max(one, two))] = std::min(one, two);
  }
  const auto island_of = [&](int k) {
    const Item& item = items_[static_cast<std::size_t>(k)];
    return root(moves(item.a) ? item.a : item.b);
  };
  order_.resize(items_.size());
  std::iota(order_.begin(), order_.end(), 0);
  row_of_item_.resize(items_.size());
  for (std::size_t k = 0; k < items_.size(); ++k) {
    row_of_item_[k] = island_of(static_cast<int>(k));
  }
  std::sort(order_.begin(), order_.end(), [&](int k, int l) {
    const int one = row_of_item_[static_cast<std::size_t>(k)];
    const int two = row_of_item_[static_cast<std::size_t>(l)];
    return one != two ? one < two : k < l;
  });
  island_begin_.clear();
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const auto island = [&](std::size_t at) {
      return row_of_item_[static_cast<std::size_t>(order_[at])];
    };
    if (i == 0 || island(i) != island(i - 1)) island_begin_.push_back(static_cast<int>(i));
  }
  island_begin_.push_back(static_cast<int>(order_.size()));
}

FreeContacts::Result FreeContacts::solve(double tolerance, int max_sweeps) {
  Result result;
  find_islands();
  for (const Item& item : items_) {
    add_motion(item, Eigen::Map<const VecX>(p_.data() + item.first_row, item.rows));
  }
  for (std::size_t i = 0; i + 1 < island_begin_.size(); ++i) {
    const std::span<const int> island(order_.data() + island_begin_[i],
                                      order_.data() + island_begin_[i + 1]);
    int rows = 0, sweeps = 0;
    for (const int k : island) rows += items_[static_cast<std::size_t>(k)].rows;
    bool solved = false;
    if (rows <= max_newton_rows) {
      // From no reactions at all, so that redundant contacts share the load evenly.
      solved = newton(island, true, result);
      if (!solved) {
        ++result.recovered;
        sweep(island, sweeps, recovery_sweeps, 1e-12);
        solved = newton(island, false, result);
      }
    }
    if (!solved) {
      result.all_exact = false;
      solved = sweep(island, sweeps, max_sweeps, tolerance) <= tolerance;
      result.sweeps = std::max(result.sweeps, sweeps);
    }
    result.solved = result.solved && solved;
  }
  return result;
}

/// g = b + C x
RowVector FreeContacts::rates_of(const Item& item) const {
  RowVector g(item.rows);
  const auto x_a = x_.segment<6>(6 * item.a), x_b = x_.segment<6>(6 * item.b);
  const double* line = changes_.data() + 12 * item.first_row;
  for (int i = 0; i < item.rows; ++i, line += 12) {
    g[i] = rates_[static_cast<std::size_t>(item.first_row + i)] +
           Eigen::Map<const Vec6>(line).dot(x_a) + Eigen::Map<const Vec6>(line + 6).dot(x_b);
  }
  return g;
}

void FreeContacts::add_motion(const Item& item, const RowVector& change) {
  const double* line = motions_.data() + 12 * item.first_row;
  for (int i = 0; i < item.rows; ++i, line += 12) {
    x_.segment<6>(6 * item.a) += change[i] * Eigen::Map<const Vec6>(line);
    x_.segment<6>(6 * item.b) += change[i] * Eigen::Map<const Vec6>(line + 6);
  }
}

double FreeContacts::sweep(std::span<const int> island, int& sweeps, int max_sweeps,
                           double tolerance) {
  double relative = 0.0;
  for (int s = 0; s < max_sweeps; ++s) {
    ++sweeps;
    double change = 0.0, size = 0.0;
    for (const int k : island) {
      const Item& item = items_[static_cast<std::size_t>(k)];
      const RowVector step = solve_one(item, local_begin_[static_cast<std::size_t>(k)]);
      if (step.squaredNorm() > 0.0) add_motion(item, step);
      Eigen::Map<VecX> p(p_.data() + item.first_row, item.rows);
      p += step;
      change += step.squaredNorm();
      size += p.squaredNorm();
    }
    relative = change == 0.0 ? 0.0 : std::sqrt(change / std::max(size, 1e-300));
    if (relative <= tolerance) break;
  }
  return relative;
}

/// The change of its reaction that makes one contact obey its law, the others given.
RowVector FreeContacts::solve_one(const Item& item, int local_begin) const {
  const Eigen::Map<const RowMatrix> D(local_.data() + local_begin, item.rows, item.rows);
  const RowVector before = Eigen::Map<const VecX>(p_.data() + item.first_row, item.rows);
  RowVector g = rates_of(item);  // with the reaction of now
  RowVector now = before;
  const auto change = [&](Eigen::Index row, double by) {
    now[row] += by;
    g += by * D.col(row);
  };
  for (int k = 0; k < max_local; ++k) {
    const RowVector last = now;
    change(0, std::max(0.0, now[0] - g[0] / D(0, 0)) - now[0]);
    for (const FrictionBall& ball : item.law.all_balls()) {
      const Eigen::Index first = ball.first_row, count = ball.rows;
      double trace = 0.0;
      for (Eigen::Index i = first; i < first + count; ++i) trace = std::max(trace, D(i, i));
      if (trace == 0.0) continue;
      if (count > 1) {  // the largest eigenvalue is at most the trace
        double sum = 0.0, off = 0.0;
        for (Eigen::Index i = first; i < first + count; ++i) {
          sum += D(i, i);
          for (Eigen::Index j = first; j < first + count; ++j)
            off += i != j ? std::abs(D(i, j)) : 0;
        }
        trace = std::min(sum, trace + off);
      }
      RowVector trial = now.segment(first, count) - g.segment(first, count) / trace;
      const double length = trial.norm(), radius = ball.coefficient * now[0];
      if (length > radius) trial *= radius / length;
      for (Eigen::Index i = 0; i < count; ++i) change(first + i, trial[i] - now[first + i]);
    }
    if ((now - last).squaredNorm() <= 1e-6 * (now - before).squaredNorm()) break;
  }
  return now - before;
}

void FreeContacts::fill_dense(std::span<const int> island, Eigen::Index n) {
  if (D_.rows() < n) {
    D_.resize(n, n);
    J_.resize(n, n);
    for (VecX* x : {&b_, &residual_, &trial_p_, &start_, &update_}) x->resize(n);
  }
  D_.topLeftCorner(n, n).setZero();
  int row = 0;
  for (const int k : island) {
    row_of_item_[static_cast<std::size_t>(k)] = row;
    row += items_[static_cast<std::size_t>(k)].rows;
  }
  for (const int k : island) {
    const Item& one = items_[static_cast<std::size_t>(k)];
    const double* change = changes_.data() + 12 * one.first_row;
    for (const int l : island) {
      const Item& two = items_[static_cast<std::size_t>(l)];
      const double* motion = motions_.data() + 12 * two.first_row;
      for (const int side : {0, 1}) {
        for (const int other : {0, 1}) {
          const int node = side == 0 ? one.a : one.b;
          if (node != (other == 0 ? two.a : two.b) || !moves(node)) continue;
          for (int i = 0; i < one.rows; ++i) {
            for (int j = 0; j < two.rows; ++j) {
              D_(row_of_item_[static_cast<std::size_t>(k)] + i,
                 row_of_item_[static_cast<std::size_t>(l)] + j) +=
                  Eigen::Map<const Vec6>(change + 12 * i + 6 * side)
                      .dot(Eigen::Map<const Vec6>(motion + 12 * j + 6 * other));
            }
          }
        }
      }
    }
  }
}

/// residual_ := that of the contact laws at reactions p, and on request its derivative.
double FreeContacts::evaluate_island(std::span<const int> island, Eigen::Index n,
                                     bool with_derivative) {
  double largest = 0.0;
  for (const int k : island) {
    const Item& item = items_[static_cast<std::size_t>(k)];
    const Eigen::Index row = row_of_item_[static_cast<std::size_t>(k)], count = item.rows;
    const RowVector la = trial_p_.segment(row, count);
    const RowVector g = b_.segment(row, count) + D_.block(row, 0, count, n) * trial_p_.head(n);
    evaluate(item.law, true, g, la, with_derivative, equations_);
    residual_.segment(row, count) = equations_.residual;
    largest = std::max(largest, equations_.residual.cwiseAbs().maxCoeff());
    if (!with_derivative) continue;
    J_.block(row, 0, count, n).noalias() = equations_.dresidual_dg * D_.block(row, 0, count, n);
    J_.block(row, row, count, count) += equations_.dresidual_dla;
  }
  return largest;
}

bool FreeContacts::newton(std::span<const int> island, bool from_zero, Result& result) {
  Eigen::Index n = 0;
  for (const int k : island) n += items_[static_cast<std::size_t>(k)].rows;
  fill_dense(island, n);
  for (const int k : island) {
    const Item& item = items_[static_cast<std::size_t>(k)];
    const Eigen::Index row = row_of_item_[static_cast<std::size_t>(k)];
    b_.segment(row, item.rows) = Eigen::Map<const VecX>(rates_.data() + item.first_row, item.rows);
    start_.segment(row, item.rows) = Eigen::Map<const VecX>(p_.data() + item.first_row, item.rows);
  }
  if (from_zero) {
    trial_p_.head(n).setZero();
  } else {
    trial_p_.head(n) = start_.head(n);
  }
  double residual = evaluate_island(island, n, true);
  int updates = 0;
  VecX& p = trial_p_;
  const auto allowed = [&] {
    return 1e-14 * (b_.head(n).cwiseAbs().maxCoeff() + p.head(n).cwiseAbs().maxCoeff());
  };
  bool singular = false;
  for (; residual > allowed(); ++updates) {
    if (updates == max_newton || !std::isfinite(residual)) break;
    bool factorised = !singular && lu_.factorise(J_, n, 1e-13);
    if (!factorised) {
      if (!singular) {
        evaluate_island(island, n, true);
        singular = true;
      }
      J_.topLeftCorner(n, n).diagonal().array() -= regularisation;
      ++result.regularised;
      if (!lu_.factorise(J_, n, 1e-17)) break;
    }
    update_.head(n) = -residual_.head(n);
    lu_.solve(J_, n, update_);
    const double before = residual;
    p.head(n) += update_.head(n);
    double length = 1.0;
    residual = evaluate_island(island, n, false);
    for (int k = 0; k < max_halvings && !(residual < before); ++k) {
      length *= 0.5;
      p.head(n) -= length * update_.head(n);
      residual = evaluate_island(island, n, false);
    }
    if (!(residual < before)) {
      if (before <= 100.0 * allowed()) {  // as good as round-off lets it be
        p.head(n) -= length * update_.head(n);
        residual = 0.0;
        ++updates;
        break;
      }
      p.head(n) += (1.0 - length) * update_.head(n);
    }
    residual = evaluate_island(island, n, true);
  }
  result.updates = std::max(result.updates, updates);
  if (!(residual <= allowed())) return false;
  for (const int k : island) {
    const Item& item = items_[static_cast<std::size_t>(k)];
    const Eigen::Index row = row_of_item_[static_cast<std::size_t>(k)];
    const RowVector change = p.segment(row, item.rows) - start_.segment(row, item.rows);
    add_motion(item, change);
    Eigen::Map<VecX>(p_.data() + item.first_row, item.rows) = p.segment(row, item.rows);
  }
  return true;
}

}  // namespace clatter
