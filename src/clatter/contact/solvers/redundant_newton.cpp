#include <algorithm>
#include <array>
#include <cmath>

#include <clatter/contact/solvers/redundant_newton.hpp>
#include <clatter/math/newton.hpp>

namespace clatter {
namespace {

constexpr int max_updates = 30;
/// Of the rows. Rates that contradict each other by round-off shift reactions by as much over this,
/// which is to be little; and each update leaves as much of the residual. Where masses differ by
/// much only the least converges; where many contacts hardly bear, only more of it does.
constexpr std::array row_compliances{1e-7, 1e-5, 1e-4};
constexpr double finest_motion = 1e-15;  // of what precision can be asked for
/// Times the precision: where to stop, and what is good enough where round-off ends it before.
constexpr double to_stop = 10.0, good_enough = 100.0;

using Line = Eigen::Map<const Vec6>;
using ContactOf = BodyContacts::Contact;

Line half(const std::vector<double>& lines, const ContactOf& contact, int row, int side) {
  return Line(lines.data() + 12 * (contact.first_row + row) + 6 * side);
}

}  // namespace

void RedundantNewton::reserve(std::size_t all_nodes, std::size_t nodes, std::size_t rows) {
  unknown_.assign(all_nodes, -1);
  const auto n = static_cast<Eigen::Index>(6 * std::min<std::size_t>(nodes, max_nodes));
  if (A_.rows() < n) {
    A_.resize(n, n);
    x_.resize(n);
    dx_.resize(n);
  }
  lu_.reserve(n);
  p_.reserve(rows);
  dp_.reserve(rows);
  stiffness_.reserve(rows);
}

void RedundantNewton::number_nodes(const BodyContacts& contacts, std::span<const int> island) {
  unknown_.resize(contacts.compliances.size());
  for (const int k : island) {
    for (const int node : {contacts[k].a, contacts[k].b}) {
      unknown_[static_cast<std::size_t>(node)] = -1;
    }
  }
  n_ = 0;
  for (const int k : island) {
    for (const int node : {contacts[k].a, contacts[k].b}) {
      int& first = unknown_[static_cast<std::size_t>(node)];
      if (first >= 0 || !contacts.moves(node)) continue;
      first = static_cast<int>(n_);
      n_ += 6;
    }
  }
}

bool RedundantNewton::suits(const BodyContacts& contacts, std::span<const int> island) {
  Eigen::Index rows = 0;
  for (const int k : island) {
    if (contacts[k].moved > 0) return false;
    rows += contacts[k].rows;
  }
  number_nodes(contacts, island);
  return rows > n_ && n_ <= 6 * max_nodes;
}

/// C x of a contact; with `free`, b + C x.
RowVector RedundantNewton::rates(const BodyContacts& contacts, const ContactOf& contact,
                                 const VecX& x, bool free) const {
  RowVector g(contact.rows);
  for (int i = 0; i < contact.rows; ++i) {
    g[i] = free ? contacts.b[static_cast<std::size_t>(contact.first_row + i)] : 0.0;
    for (const int side : {0, 1}) {
      const int at = unknown_[static_cast<std::size_t>(side == 0 ? contact.a : contact.b)];
      if (at >= 0) g[i] += half(contacts.changes, contact, i, side).dot(x.segment<6>(at));
    }
  }
  return g;
}

void RedundantNewton::move_nodes(const BodyContacts& contacts, std::span<const int> island) {
  x_.head(n_).setZero();
  const double* p = p_.data();
  for (const int k : island) {
    const ContactOf& contact = contacts[k];
    for (const int side : {0, 1}) {
      const int at = unknown_[static_cast<std::size_t>(side == 0 ? contact.a : contact.b)];
      if (at < 0) continue;
      for (int i = 0; i < contact.rows; ++i) {
        x_.segment<6>(at) += p[i] * half(contacts.motions, contact, i, side);
      }
    }
    p += contact.rows;
  }
}

double RedundantNewton::evaluate_island(const BodyContacts& contacts, std::span<const int> island) {
  move_nodes(contacts, island);
  const double* p = p_.data();
  double square = 0.0, energy = 0.0;
  for (const int k : island) {
    const ContactOf& contact = contacts[k];
    const RowVector la = Eigen::Map<const VecX>(p, contact.rows);
    const RowVector g = rates(contacts, contact, x_, true);
    evaluate(contact.law, true, g, la, false, equations_);
    for (int i = 0; i < contact.rows; ++i) {
      const auto at = static_cast<std::size_t>(contact.first_row + i);
      const double noise = contacts.round_off[at];
      energy += la[i] * (g[i] - contacts.b[at]);
      const double excess = std::max(0.0, std::abs(equations_.residual[i]) - noise);
      square += excess * excess;
    }
    p += contact.rows;
  }
  motion_ = std::sqrt(std::max(0.0, energy));
  return std::sqrt(square);
}

/// A_ and dx_ := the equations of the motion; stiffness_, dp_ := what gives the reactions.
void RedundantNewton::linearise(const BodyContacts& contacts, std::span<const int> island) {
  A_.topLeftCorner(n_, n_).setIdentity();
  dx_.head(n_).setZero();
  stiffness_.clear();
  std::size_t row = 0;
  for (const int k : island) {
    const ContactOf& contact = contacts[k];
    const RowVector la = Eigen::Map<const VecX>(p_.data() + row, contact.rows);
    evaluate(contact.law, true, rates(contacts, contact, x_, true), la, true, equations_);
    RowMatrix own = equations_.dresidual_dla;
    own.diagonal().array() -= row_compliance_;
    const RowMatrix inverse = own.inverse();
    stiffness_.emplace_back(inverse * equations_.dresidual_dg);
    const RowVector push = -inverse * equations_.residual;
    std::copy_n(push.data(), contact.rows, dp_.begin() + static_cast<std::ptrdiff_t>(row));
    add_contact(contacts, contact, stiffness_.back(), push);
    row += static_cast<std::size_t>(contact.rows);
  }
}

void RedundantNewton::add_contact(const BodyContacts& contacts, const ContactOf& contact,
                                  const RowMatrix& stiffness, const RowVector& push) {
  const int rows = contact.rows;
  for (const int side : {0, 1}) {
    const int at = unknown_[static_cast<std::size_t>(side == 0 ? contact.a : contact.b)];
    if (at < 0) continue;
    for (int i = 0; i < rows; ++i) {
      dx_.segment<6>(at) += push[i] * half(contacts.motions, contact, i, side);
    }
    for (const int other : {0, 1}) {
      const int from = unknown_[static_cast<std::size_t>(other == 0 ? contact.a : contact.b)];
      if (from < 0) continue;
      for (int i = 0; i < rows; ++i) {
        Vec6 line = Vec6::Zero();
        for (int j = 0; j < rows; ++j) {
          line += stiffness(i, j) * half(contacts.changes, contact, j, other);
        }
        A_.block<6, 6>(at, from) += half(contacts.motions, contact, i, side) * line.transpose();
      }
    }
  }
}

/// dp_ -= B C dx.
void RedundantNewton::find_changes(const BodyContacts& contacts, std::span<const int> island) {
  std::size_t row = 0, c = 0;
  for (const int k : island) {
    const ContactOf& contact = contacts[k];
    const RowVector change = stiffness_[c++] * rates(contacts, contact, dx_, false);
    for (int i = 0; i < contact.rows; ++i) dp_[row++] -= change[i];
  }
}

/// As solve_by_newton sees it.
struct RedundantNewton::Iteration {
  RedundantNewton& s;
  const BodyContacts& contacts;
  std::span<const int> island;
  double precision;
  IslandNewton::Counts& counts;
  double residual = 0.0;

  /// Of the motion that the reactions make.
  double allowed(double factor) const {
    return factor * std::max(precision, finest_motion) * s.motion_;
  }
  bool is_good_enough() const { return residual <= allowed(good_enough); }

  double merit() const { return residual; }
  bool accepts(double largest) const { return residual <= largest; }
  NewtonVerdict judge(int updates, const RecentMerits& recent) const {
    const bool stands = updates > 1 && residual > 0.5 * recent.smallest();
    if (!(residual > allowed(stands ? good_enough : to_stop))) return NewtonVerdict::solved;
    const bool goes_on = updates < max_updates && std::isfinite(residual);
    return goes_on ? NewtonVerdict::go_on : NewtonVerdict::given_up;
  }
  bool find_update() {
    s.linearise(contacts, island);
    ++counts.regularised;
    if (!s.lu_.factorise(s.A_, s.n_, 1e-17)) return false;
    s.lu_.solve(s.A_, s.n_, s.dx_);
    s.find_changes(contacts, island);
    return true;
  }
  void move(double from, double to) {
    for (std::size_t i = 0; i < s.p_.size(); ++i) s.p_[i] += (to - from) * s.dp_[i];
    residual = s.evaluate_island(contacts, island);
  }
};

bool RedundantNewton::solve(BodyContacts& contacts, std::span<const int> island, bool from_zero,
                            double precision, IslandNewton::Counts& counts) {
  number_nodes(contacts, island);
  if (A_.rows() < n_) reserve(unknown_.size(), static_cast<std::size_t>(n_ / 6), 0);
  Iteration iteration{*this, contacts, island, precision, counts};
  p_.clear();
  for (const int k : island) {
    const ContactOf& contact = contacts[k];
    for (int i = 0; i < contact.rows; ++i) {
      p_.push_back(from_zero ? 0.0 : contacts.p_of(contact)[i]);
    }
  }
  dp_.resize(p_.size());
  iteration.residual = evaluate_island(contacts, island);
  constexpr int halvings = 8;
  for (const double compliance : row_compliances) {
    row_compliance_ = compliance;
    int updates = 0;
    solve_by_newton(iteration, halvings, updates);
    counts.updates = std::max(counts.updates, updates);
    if (iteration.is_good_enough()) break;
  }
  if (!iteration.is_good_enough()) return false;
  const double* p = p_.data();
  for (const int k : island) {
    const RowVector reaction = Eigen::Map<const VecX>(p, contacts[k].rows);
    contacts.set_reaction(contacts[k], reaction);
    p += contacts[k].rows;
  }
  return true;
}

}  // namespace clatter
