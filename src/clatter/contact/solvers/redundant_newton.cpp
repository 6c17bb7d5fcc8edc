#include <algorithm>
#include <array>
#include <cmath>

#include <clatter/contact/solvers/redundant_newton.hpp>
#include <clatter/math/newton.hpp>

namespace clatter {
namespace {

constexpr int max_updates = 30, newton_halvings = 4;
/// Of the rows. Rates that contradict each other by round-off shift reactions by as much over this,
/// which is to be little; and each update leaves as much of the residual. Where masses differ by
/// much only the least converges; where many contacts hardly bear, only more of it does.
constexpr std::array row_compliances{1e-5, 1e-7, 1e-6, 1e-4};
/// So little of the motion may round-off shift reactions by.
constexpr double little_shift = 1e-3;
constexpr double finest_motion = 1e-15;  // of what precision can be asked for
/// Times the precision: where to stop, and what is good enough where round-off ends it before.
constexpr double to_stop = 10.0, good_enough = 100.0;
/// So many updates that do not halve the residual are enough.
constexpr int patience = 8;
/// Times the round-off of the rates: what is as good as zero, for many rows add up in the motion,
/// and how far places that stick at different times may contradict each other.
constexpr double part_of_noise = 0.1, much_noise = 10.0;

using ContactOf = BodyContacts::Contact;

RowMatrix inverse_of(const RowMatrix& rows) {
  if (rows.rows() == 3) return Mat3(Mat3(rows).inverse());  // most contacts
  return rows.inverse();
}

template <int Rows>
constexpr int most_rows = Rows == Eigen::Dynamic ? max_contact_rows : Rows;
/// Rows of C or F Y of a contact, for one of its sides.
template <int Rows>
using HalfLines =
    Eigen::Map<const Eigen::Matrix<double, Rows, 6, Eigen::RowMajor, most_rows<Rows>, 6>, 0,
               Eigen::OuterStride<12>>;
template <int Rows = Eigen::Dynamic>
HalfLines<Rows> half(const std::vector<double>& lines, const ContactOf& contact, int side) {
  return HalfLines<Rows>(lines.data() + 12 * contact.first_row + 6 * side, contact.rows, 6);
}

}  // namespace

void RedundantNewton::reserve(std::size_t nodes, std::size_t rows) {
  node_.assign(nodes, -1);
  nodes_.reserve(nodes);
  p_.reserve(rows);
  dp_.reserve(rows);
  stiffness_.reserve(rows);
  touching_.reserve(rows);
}

void RedundantNewton::number_nodes(const BodyContacts& contacts, std::span<const int> island) {
  node_.resize(contacts.compliances.size());
  for (const int k : island) {
    for (const int node : {contacts[k].a, contacts[k].b}) {
      node_[static_cast<std::size_t>(node)] = -1;
    }
  }
  nodes_.clear();
  for (const int k : island) {
    for (const int node : {contacts[k].a, contacts[k].b}) {
      int& number = node_[static_cast<std::size_t>(node)];
      if (number >= 0 || !contacts.moves(node)) continue;
      number = static_cast<int>(nodes_.size());
      nodes_.push_back(node);
    }
  }
  count_ = static_cast<int>(nodes_.size());
}

bool RedundantNewton::suits(const BodyContacts& contacts, std::span<const int> island) const {
  return std::all_of(island.begin(), island.end(), [&](int k) { return contacts[k].moved == 0; });
}

bool RedundantNewton::is_redundant(const BodyContacts& contacts, std::span<const int> island) {
  int rows = 0;
  for (const int k : island) rows += contacts[k].rows;
  number_nodes(contacts, island);
  return rows > 6 * count_;
}

/// C x of a contact; with `free`, b + C x.
RowVector RedundantNewton::rates(const BodyContacts& contacts, const ContactOf& contact,
                                 const VecX& x, bool free) const {
  RowVector g = RowVector::Zero(contact.rows);
  if (free) g = Eigen::Map<const VecX>(contacts.b.data() + contact.first_row, contact.rows);
  for (const int side : {0, 1}) {
    const int node = node_of(contact, side);
    if (node >= 0) g.noalias() += half(contacts.changes, contact, side) * x.segment<6>(6 * node);
  }
  return g;
}

void RedundantNewton::move_nodes(const BodyContacts& contacts, std::span<const int> island) {
  x_.head(6 * count_).setZero();
  const double* p = p_.data();
  for (const int k : island) {
    const ContactOf& contact = contacts[k];
    const Eigen::Map<const VecX> reaction(p, contact.rows);
    for (const int side : {0, 1}) {
      const int node = node_of(contact, side);
      if (node < 0) continue;
      x_.segment<6>(6 * node).noalias() +=
          half(contacts.motions, contact, side).transpose() * reaction;
    }
    p += contact.rows;
  }
  if (!is_bent_) return;
  // (I - Y D) x = Y F^T p + Y D (what moves the bodies otherwise)
  for (int i = 0; i < count_; ++i) {
    x_.segment<6>(6 * i) += contacts.bent.segment<6>(6 * nodes_[static_cast<std::size_t>(i)]);
  }
  unbent_.solve(x_);
}

void RedundantNewton::evaluate_island(const BodyContacts& contacts, std::span<const int> island) {
  move_nodes(contacts, island);
  const double* p = p_.data();
  double square = 0.0, rest_square = 0.0, energy = 0.0;
  for (const int k : island) {
    const ContactOf& contact = contacts[k];
    const RowVector la = Eigen::Map<const VecX>(p, contact.rows);
    const RowVector g = rates(contacts, contact, x_, true);
    evaluate(contact.law, true, g, la, false, equations_);
    for (int i = 0; i < contact.rows; ++i) {
      const auto at = static_cast<std::size_t>(contact.first_row + i);
      const double noise = contacts.round_off[at], size = std::abs(equations_.residual[i]);
      energy += la[i] * (g[i] - contacts.b[at]);
      const double excess = std::max(0.0, size - part_of_noise * noise);
      const double rest = std::max(0.0, size - much_noise * noise);
      square += excess * excess;
      rest_square += rest * rest;
    }
    p += contact.rows;
  }
  motion_ = std::sqrt(std::max(0.0, energy));
  residual_ = std::sqrt(square);
  rest_ = std::sqrt(rest_square);
}

void RedundantNewton::set_bends(const BodyContacts& contacts, std::span<const int> island,
                                BlockLu& A) const {
  A.set_zero();
  for (int i = 0; i < count_; ++i) A.block(i, i).setIdentity();
  if (!is_bent_) return;
  for (const int k : island) {
    const Mat12& bend = contacts.bends[static_cast<std::size_t>(k)];
    for (const int side : {0, 1}) {
      for (const int other : {0, 1}) {
        const int node = node_of(contacts[k], side), from = node_of(contacts[k], other);
        if (node >= 0 && from >= 0) A.block(node, from) -= bend.block<6, 6>(6 * side, 6 * other);
      }
    }
  }
}

/// A_ and dx_ := the equations of the motion; stiffness_, dp_ := what gives the reactions.
void RedundantNewton::linearise(const BodyContacts& contacts, std::span<const int> island) {
  set_bends(contacts, island, A_);
  dx_.head(6 * count_).setZero();
  stiffness_.clear();
  std::size_t row = 0;
  for (const int k : island) {
    const ContactOf& contact = contacts[k];
    const RowVector la = Eigen::Map<const VecX>(p_.data() + row, contact.rows);
    evaluate(contact.law, true, rates(contacts, contact, x_, true), la, true, equations_);
    RowMatrix own = equations_.dresidual_dla;
    own.diagonal().array() -= row_compliance_;
    const RowMatrix inverse = inverse_of(own);
    stiffness_.emplace_back(inverse * equations_.dresidual_dg);
    const RowVector push = -inverse * equations_.residual;
    std::copy_n(push.data(), contact.rows, dp_.begin() + static_cast<std::ptrdiff_t>(row));
    if (contact.rows == 3) {
      add_contact<3>(contacts, contact, stiffness_.back(), push);
    } else {
      add_contact<Eigen::Dynamic>(contacts, contact, stiffness_.back(), push);
    }
    row += static_cast<std::size_t>(contact.rows);
  }
}

template <int Rows>
void RedundantNewton::add_contact(const BodyContacts& contacts, const ContactOf& contact,
                                  const RowMatrix& stiffness, const RowVector& push) {
  using Matrix = Eigen::Matrix<double, Rows, Rows, 0, most_rows<Rows>, most_rows<Rows>>;
  using Change = Eigen::Matrix<double, Rows, 6, 0, most_rows<Rows>, 6>;
  const Matrix B = stiffness;
  const bool is_open = B.isZero(0.0);
  for (const int side : {0, 1}) {
    const int node = node_of(contact, side);
    if (node < 0) continue;
    const HalfLines<Rows> motions = half<Rows>(contacts.motions, contact, side);
    dx_.segment<6>(6 * node).noalias() += motions.transpose() * push;
    if (is_open) continue;
    for (const int other : {0, 1}) {
      const int from = node_of(contact, other);
      if (from < 0) continue;
      const Change change = B * half<Rows>(contacts.changes, contact, other);
      A_.block(node, from).noalias() += motions.transpose() * change;
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
  double halved = INFINITY;  // the residual that was halved last
  int halved_at = 0;         // and when

  /// Of the motion that the reactions make.
  double allowed(double factor) const {
    return factor * std::max(precision, finest_motion) * s.motion_;
  }
  bool is_good_enough() const { return s.rest_ <= allowed(good_enough); }

  double merit() const { return s.residual_; }
  bool accepts(double largest) const { return s.residual_ <= largest; }
  NewtonVerdict judge(int updates, const RecentMerits& recent) {
    if (updates == 0 || s.residual_ < 0.5 * halved) halved = s.residual_, halved_at = updates;
    const bool stands = updates > 1 && s.residual_ > 0.5 * recent.smallest();
    if (!(s.residual_ > allowed(to_stop)) || (stands && is_good_enough())) {
      return NewtonVerdict::solved;
    }
    const bool goes_on =
        updates < max_updates && updates < halved_at + patience && std::isfinite(s.residual_);
    return goes_on ? NewtonVerdict::go_on : NewtonVerdict::given_up;
  }
  bool find_update() {
    s.linearise(contacts, island);
    ++counts.regularised;
    if (!s.A_.factorise()) return false;
    s.A_.solve(s.dx_);
    s.find_changes(contacts, island);
    return true;
  }
  void move(double from, double to) {
    for (std::size_t i = 0; i < s.p_.size(); ++i) s.p_[i] += (to - from) * s.dp_[i];
    s.evaluate_island(contacts, island);
  }
};

void RedundantNewton::begin(const BodyContacts& contacts, std::span<const int> island,
                            bool from_zero) {
  number_nodes(contacts, island);
  if (x_.size() < 6 * count_) {
    x_.resize(6 * count_);
    dx_.resize(6 * count_);
  }
  p_.clear();
  touching_.clear();
  noise_ = 0.0;
  for (const int k : island) {
    const ContactOf& contact = contacts[k];
    for (int i = 0; i < contact.rows; ++i) {
      p_.push_back(from_zero ? 0.0 : contacts.p_of(contact)[i]);
      noise_ =
          std::max(noise_, contacts.round_off[static_cast<std::size_t>(contact.first_row + i)]);
    }
    const int a = node_of(contact, 0), b = node_of(contact, 1);
    if (a >= 0 && b >= 0) touching_.emplace_back(a, b);
  }
  A_.set_pattern(count_, touching_);
  dp_.resize(p_.size());
}

void RedundantNewton::set_row_compliance(double least) {
  const double size = std::max(motion_, residual_);
  row_compliance_ = std::max(least, size > 0.0 ? noise_ / (little_shift * size) : 0.0);
}

double RedundantNewton::solve(BodyContacts& contacts, std::span<const int> island, bool from_zero,
                              bool patiently, double precision, IslandNewton::Counts& counts) {
  is_bent_ = false;
  begin(contacts, island, from_zero);
  Iteration iteration{*this, contacts, island, precision, counts};
  evaluate_island(contacts, island);
  double best = INFINITY, used = 0.0;
  for (const double compliance : row_compliances) {
    set_row_compliance(compliance);
    if (row_compliance_ == used) continue;
    used = row_compliance_;
    int updates = 0;
    solve_by_newton(iteration, newton_halvings, updates);
    counts.updates = std::max(counts.updates, updates);
    const double left = iteration.is_good_enough() ? 0.0 : rest_ / motion_;
    if (left < best) {
      best = left;
      contacts.set_reactions(island, p_.data());
    }
    if (best <= fair || !patiently) break;
  }
  return best;
}

bool RedundantNewton::solve_bent(BodyContacts& contacts, std::span<const int> island,
                                 double precision, IslandNewton::Counts& counts) {
  is_bent_ = true;
  begin(contacts, island, false);
  unbent_.set_pattern(count_, touching_);
  set_bends(contacts, island, unbent_);
  if (!unbent_.factorise()) return false;
  evaluate_island(contacts, island);
  set_row_compliance(row_compliances[0]);
  Iteration iteration{*this, contacts, island, precision, counts};
  int updates = 0;
  solve_by_newton(iteration, newton_halvings, updates);
  if (!iteration.is_good_enough()) return false;
  counts.updates = std::max(counts.updates, updates);
  contacts.set_reactions(island, p_.data());
  for (int i = 0; i < count_; ++i) {
    contacts.x.segment<6>(6 * nodes_[static_cast<std::size_t>(i)]) = x_.segment<6>(6 * i);
  }
  return true;
}

}  // namespace clatter
