#include <algorithm>
#include <cmath>

#include <clatter/contact/solvers/island_newton.hpp>
#include <clatter/math/newton.hpp>

namespace clatter {
namespace {

constexpr int max_island_updates = 30;
constexpr int max_island_halvings = 8;
constexpr double compliance_of_redundant_rows = 1e-9;
/// Of the round-off of the rates, which need not be smaller; many rows add up.
constexpr double share_of_noise = 0.1;
constexpr double finest = 1e-14;             // of what precision can be asked for
constexpr double as_round_off_lets = 1e-12;  // of the largest reaction

}  // namespace

void IslandNewton::reserve(std::size_t contacts, Eigen::Index rows) {
  row_of_.reserve(contacts);
  resize(rows);
}

void IslandNewton::resize(Eigen::Index n) {
  if (W_.rows() >= n) return;
  W_.resize(n, n);
  J_.resize(n, n);
  for (VecX* each : {&b_, &residual_, &p_, &start_, &update_}) each->resize(n);
  lu_.reserve(n);
}

double IslandNewton::misfit(const BodyContacts& contacts, std::span<const int> island) {
  double square = 0.0, energy = 0.0;
  for (const int k : island) {
    const BodyContacts::Contact& contact = contacts[k];
    const auto first = static_cast<std::size_t>(contact.first_row);
    const double *p = contacts.p_of(contact), *b = contacts.b.data() + first;
    RowVector la(contact.rows), g(contact.rows);
    for (int i = 0; i < contact.rows; ++i) {
      const double rate = contacts.rate_of_motion(contact, i);
      la[i] = p[i];
      g[i] = b[i] + rate;
      energy += p[i] * rate;
    }
    evaluate(contact.law, true, g, la, false, equations_);
    for (int i = 0; i < contact.rows; ++i) {
      const double noise = contacts.round_off[first + static_cast<std::size_t>(i)];
      const double excess =
          std::max(0.0, std::abs(equations_.residual[i]) - share_of_noise * noise);
      square += excess * excess;
    }
  }
  if (square == 0.0) return 0.0;
  return energy > 0.0 ? std::sqrt(square / energy) : INFINITY;
}

/// The block of W of contacts k and l: what reactions of l do to the rates of k.
void IslandNewton::add_block(const BodyContacts& contacts, int k, int l) {
  const BodyContacts::Contact &one = contacts[k], &two = contacts[l];
  const double* change = contacts.changes.data() + 12 * one.first_row;
  const double* motion = contacts.motions.data() + 12 * two.first_row;
  const int row = row_of_[static_cast<std::size_t>(k)],
            column = row_of_[static_cast<std::size_t>(l)];
  for (const int side : {0, 1}) {
    for (const int other : {0, 1}) {
      const int node = side == 0 ? one.a : one.b;
      if (node != (other == 0 ? two.a : two.b) || !contacts.moves(node)) continue;
      for (int i = 0; i < one.rows; ++i) {
        for (int j = 0; j < two.rows; ++j) {
          W_(row + i, column + j) += Eigen::Map<const Vec6>(change + 12 * i + 6 * side)
                                         .dot(Eigen::Map<const Vec6>(motion + 12 * j + 6 * other));
        }
      }
    }
    for (const BodyContacts::Moved& moved : contacts.moved_by(two)) {
      if (moved.node != (side == 0 ? one.a : one.b)) continue;
      const double* line = contacts.moved_lines.data() + moved.first;
      for (int i = 0; i < one.rows; ++i) {
        for (int j = 0; j < two.rows; ++j) {
          W_(row + i, column + j) += Eigen::Map<const Vec6>(change + 12 * i + 6 * side)
                                         .dot(Eigen::Map<const Vec6>(line + 6 * j));
        }
      }
    }
  }
}

/// W_, b_ and start_ := those of the island.
void IslandNewton::fill(const BodyContacts& contacts, std::span<const int> island) {
  row_of_.resize(contacts.list.size());
  n_ = 0;
  for (const int k : island) {
    row_of_[static_cast<std::size_t>(k)] = static_cast<int>(n_);
    n_ += contacts[k].rows;
  }
  resize(n_);
  W_.topLeftCorner(n_, n_).setZero();
  for (const int k : island) {
    for (const int l : island) add_block(contacts, k, l);
  }
  for (const int k : island) {
    const BodyContacts::Contact& contact = contacts[k];
    const Eigen::Index row = row_of_[static_cast<std::size_t>(k)];
    b_.segment(row, contact.rows) =
        Eigen::Map<const VecX>(contacts.b.data() + contact.first_row, contact.rows);
    start_.segment(row, contact.rows) =
        Eigen::Map<const VecX>(contacts.p_of(contact), contact.rows);
  }
}

/// residual_ := that of the contact laws at p_, and on request J_ its derivative. Returns its norm.
double IslandNewton::evaluate_island(const BodyContacts& contacts, std::span<const int> island,
                                     bool with_derivative) {
  const Eigen::Index n = n_;
  for (const int k : island) {
    const Eigen::Index row = row_of_[static_cast<std::size_t>(k)], count = contacts[k].rows;
    const RowVector la = p_.segment(row, count);
    RowVector g = b_.segment(row, count);
    for (Eigen::Index i = 0; i < count; ++i) g[i] += W_.row(row + i).head(n).dot(p_.head(n));
    evaluate(contacts[k].law, true, g, la, with_derivative, equations_);
    residual_.segment(row, count) = equations_.residual;
    if (!with_derivative) continue;
    for (Eigen::Index i = 0; i < count; ++i) {
      auto line = J_.row(row + i).head(n);
      line.setZero();
      for (Eigen::Index j = 0; j < count; ++j) {
        const double factor = equations_.dresidual_dg(i, j);
        if (factor != 0.0) line += factor * W_.row(row + j).head(n);
      }
    }
    J_.block(row, row, count, count) += equations_.dresidual_dla;
  }
  return residual_.head(n).norm();
}

/// As solve_by_newton sees it.
struct IslandNewton::Iteration {
  IslandNewton& s;
  const BodyContacts& contacts;
  std::span<const int> island;
  double precision;
  Counts& counts;
  double residual = 0.0;
  bool singular = false;

  double largest_reaction() const { return s.p_.head(s.n_).cwiseAbs().maxCoeff(); }
  double allowed() const {
    return std::max(precision, finest) *
           (s.b_.head(s.n_).cwiseAbs().maxCoeff() + largest_reaction());
  }
  /// A little more than what is allowed is as good as round-off lets it be.
  bool is_good_enough() const {
    return residual <= std::max(allowed(), as_round_off_lets * largest_reaction());
  }

  double merit() const { return residual; }
  bool accepts(double largest) const { return residual <= largest; }
  NewtonVerdict judge(int updates, const RecentMerits& /*recent*/) const {
    if (!(residual > allowed())) return NewtonVerdict::solved;
    const bool goes_on = updates < max_island_updates && std::isfinite(residual);
    return goes_on ? NewtonVerdict::go_on : NewtonVerdict::given_up;
  }
  bool find_update() {
    const Eigen::Index n = s.n_;
    s.evaluate_island(contacts, island, true);
    if (singular || !s.lu_.factorise(s.J_, n, 1e-13)) {
      if (!singular) s.evaluate_island(contacts, island, true);  // what was factorised is spoilt
      singular = true;
      s.J_.topLeftCorner(n, n).diagonal().array() -= compliance_of_redundant_rows;
      ++counts.regularised;
      if (!s.lu_.factorise(s.J_, n, 1e-17)) return false;
    }
    s.update_.head(n) = -s.residual_.head(n);
    s.lu_.solve(s.J_, n, s.update_);
    return true;
  }
  void move(double from, double to) {
    s.p_.head(s.n_) += (to - from) * s.update_.head(s.n_);
    residual = s.evaluate_island(contacts, island, false);
  }
};

bool IslandNewton::solve(BodyContacts& contacts, std::span<const int> island, bool from_zero,
                         double precision, Counts& counts) {
  fill(contacts, island);
  if (from_zero) {
    p_.head(n_).setZero();
  } else {
    p_.head(n_) = start_.head(n_);
  }
  Iteration iteration{*this, contacts, island, precision, counts};
  iteration.residual = evaluate_island(contacts, island, false);
  int updates = 0;
  solve_by_newton(iteration, max_island_halvings, updates);
  counts.updates = std::max(counts.updates, updates);
  if (!iteration.is_good_enough()) return false;
  for (const int k : island) {
    const RowVector reaction = p_.segment(row_of_[static_cast<std::size_t>(k)], contacts[k].rows);
    contacts.set_reaction(contacts[k], reaction);
  }
  return true;
}

}  // namespace clatter
