#include <algorithm>
#include <cmath>
#include <numeric>

#include <clatter/contact/solvers/body_contacts.hpp>

namespace clatter {
namespace {

template <int Rows>
using Lines = BodyContacts::Lines<Rows>;

/// F Y of the rows of a contact.
template <int Rows>
Lines<Rows> motions_of(const Lines<Rows>& force, const BodyContacts::Compliance& of_a,
                       const BodyContacts::Compliance& of_b) {
  Lines<Rows> motion(force.rows(), 12);
  const auto move = [&](const BodyContacts::Compliance& own, Eigen::Index i, Eigen::Index first) {
    if (own.is_held) {
      motion.row(i).template segment<6>(first) =
          own.held * force.row(i).template segment<6>(first).transpose();
      return;
    }
    motion.row(i).template segment<3>(first) =
        force.row(i).template segment<3>(first).cwiseProduct(own.translation.transpose());
    motion.row(i).template segment<3>(first + 3) =
        (own.rotation * force.row(i).template segment<3>(first + 3).transpose());
  };
  for (Eigen::Index i = 0; i < force.rows(); ++i) {
    move(of_a, i, 0);
    move(of_b, i, 6);
  }
  return motion;
}

template <int Rows>
bool is_planar(const Lines<Rows>& lines) {
  return lines.template middleCols<3>(2).isZero(0.0) && lines.template middleCols<3>(8).isZero(0.0);
}

/// No rate of the ball grows faster with its reaction than the inverse of this, by Gershgorin or by
/// the trace.
template <class Own>
double step_of(const FrictionBall& ball, const Own& own) {
  double trace = 0.0, widest = 0.0;
  for (int i = ball.first_row; i < ball.first_row + ball.rows; ++i) {
    trace += own(i, i);
    double sum = 0.0;
    for (int j = ball.first_row; j < ball.first_row + ball.rows; ++j) sum += std::abs(own(i, j));
    widest = std::max(widest, sum);
  }
  const double bound = std::min(trace, widest);
  return bound > 0.0 ? 1.0 / bound : 0.0;
}

}  // namespace

void BodyContacts::reserve(std::size_t nodes, std::size_t contacts, std::size_t rows) {
  compliances.resize(nodes);
  x.resize(6 * static_cast<Eigen::Index>(nodes));
  list.reserve(contacts);
  for (std::vector<double>* each : {&changes, &motions}) each->reserve(12 * rows);
  for (std::vector<double>* each : {&b, &p, &round_off}) each->reserve(rows);
  own_blocks.reserve(rows * max_contact_rows);
}

void BodyContacts::clear(std::size_t nodes) {
  compliances.resize(nodes);
  x.setZero(6 * static_cast<Eigen::Index>(nodes));
  list.clear();
  for (std::vector<double>* each :
       {&changes, &motions, &b, &p, &round_off, &own_blocks, &moved_lines}) {
    each->clear();
  }
  moved.clear();
  links.clear();
  bends.clear();
}

void BodyContacts::add(int node_a, int node_b, const ContactLaw& law, const PairRows& change,
                       const PairRows& force, const RowVector& rates, const RowVector& noise,
                       const RowVector& guess) {
  if (rates.size() == 3) {  // most contacts
    add_rows<3>(node_a, node_b, law, change, force);
  } else {
    add_rows<Eigen::Dynamic>(node_a, node_b, law, change, force);
  }
  const Eigen::Index rows = rates.size();
  b.insert(b.end(), rates.data(), rates.data() + rows);
  round_off.insert(round_off.end(), noise.data(), noise.data() + rows);
  p.insert(p.end(), guess.data(), guess.data() + rows);
}

template <int Rows>
void BodyContacts::add_rows(int node_a, int node_b, const ContactLaw& law, const PairRows& change,
                            const PairRows& force) {
  using Given = Eigen::Map<const Eigen::Matrix<double, Rows, 12>>;
  const Eigen::Index rows = change.rows();
  const Lines<Rows> lines = Given(change.data(), rows, 12), forces = Given(force.data(), rows, 12);
  Lines<Rows> motion = motions_of<Rows>(forces, compliances[static_cast<std::size_t>(node_a)],
                                        compliances[static_cast<std::size_t>(node_b)]);
  const std::size_t first_moved = moved.size();
  add_moved<Rows>(node_a, node_b, forces, motion);
  using Own = Eigen::Matrix<double, Rows, Rows, 0, Lines<Rows>::MaxRowsAtCompileTime,
                            Lines<Rows>::MaxRowsAtCompileTime>;
  const Own own = lines * motion.transpose();
  Contact contact{node_a,
                  node_b,
                  static_cast<int>(p.size()),
                  static_cast<int>(rows),
                  first_moved,
                  moved.size() - first_moved,
                  static_cast<int>(own_blocks.size()),
                  is_planar<Rows>(lines) && is_planar<Rows>(motion),
                  law,
                  1.0 / own(0, 0),
                  {}};
  for (int k = 0; k < law.ball_count; ++k) contact.ball_steps[k] = step_of(law.balls[k], own);
  list.push_back(contact);
  changes.insert(changes.end(), lines.data(), lines.data() + lines.size());
  motions.insert(motions.end(), motion.data(), motion.data() + motion.size());
  own_blocks.insert(own_blocks.end(), own.data(), own.data() + own.size());
}

void BodyContacts::add_bend(const Mat12& D, const Vec12& otherwise) {
  if (bends.empty()) bent.setZero(x.size());
  const Contact& contact = list.back();
  Mat12 bend;
  for (const auto& [node, first] : {std::pair(contact.a, 0), std::pair(contact.b, 6)}) {
    const Compliance& own = compliances[static_cast<std::size_t>(node)];
    bend.middleRows<3>(first) = own.translation.asDiagonal() * D.middleRows<3>(first);
    bend.middleRows<3>(first + 3) = own.rotation * D.middleRows<3>(first + 3);
    bent.segment<6>(6 * node) += bend.middleRows<6>(first) * otherwise;
  }
  bends.push_back(bend);
}

/// Adds what forces on the nodes of a contact do to nodes that these are tied to.
template <int Rows>
void BodyContacts::add_moved(int node_a, int node_b, const Lines<Rows>& force,
                             Lines<Rows>& motion) {
  if (links.empty()) return;
  for (const auto& [from, at] : {std::pair(node_a, 0), std::pair(node_b, 6)}) {
    const auto first =
        std::lower_bound(links.begin(), links.end(), from,
                         [](const Link& link, int node) { return link.from < node; });
    for (auto link = first; link != links.end() && link->from == from; ++link) {
      const bool is_a = link->to == node_a, is_b = link->to == node_b;
      if (!is_a && !is_b) moved.push_back({link->to, moved_lines.size()});
      for (Eigen::Index i = 0; i < force.rows(); ++i) {
        const Vec6 line = link->compliance * force.row(i).template segment<6>(at).transpose();
        if (is_a || is_b) {
          motion.row(i).template segment<6>(is_a ? 0 : 6) += line.transpose();
        } else {
          moved_lines.insert(moved_lines.end(), line.data(), line.data() + 6);
        }
      }
    }
  }
}

void BodyContacts::move_others(const Contact& contact, const double* change) {
  for (const Moved& other : moved_by(contact)) {
    const double* line = moved_lines.data() + other.first;
    double* motion = x.data() + 6 * other.node;
    for (int i = 0; i < contact.rows; ++i, line += 6) {
      for (int k = 0; k < 6; ++k) motion[k] += change[i] * line[k];
    }
  }
}

void BodyContacts::add_motion(const Contact& contact, const double* change) {
  const double* line = motions.data() + 12 * contact.first_row;
  double *x_a = x.data() + 6 * contact.a, *x_b = x.data() + 6 * contact.b;
  for (int i = 0; i < contact.rows; ++i, line += 12) {
    if (contact.planar) {
      move<true>(line, change[i], x_a, x_b);
    } else {
      move<false>(line, change[i], x_a, x_b);
    }
  }
  move_others(contact, change);
}

void BodyContacts::set_reaction(const Contact& contact, const RowVector& reaction) {
  Eigen::Map<VecX> now(p_of(contact), contact.rows);
  const RowVector change = reaction - now;
  add_motion(contact, change.data());
  now = reaction;
}

void BodyContacts::set_reactions(std::span<const int> island, const double* reactions) {
  for (const int k : island) {
    const Contact& contact = (*this)[k];
    set_reaction(contact, Eigen::Map<const VecX>(reactions, contact.rows));
    reactions += contact.rows;
  }
}

void BodyContacts::get_reactions(std::span<const int> island, double* reactions) const {
  for (const int k : island) {
    reactions = std::copy_n(p_of((*this)[k]), (*this)[k].rows, reactions);
  }
}

ContactProblem BodyContacts::problem() const {
  std::vector<int> all(list.size());
  std::iota(all.begin(), all.end(), 0);
  return problem(all);
}

ContactProblem BodyContacts::problem(std::span<const int> island) const {
  ContactProblem problem;
  std::vector<std::vector<std::pair<std::size_t, int>>> at_node(compliances.size());  // place, side
  std::vector<int> rows;  // of the island's contacts
  int count = 0;
  for (const int k : island) {
    const Contact& contact = (*this)[k];
    problem.contacts.push_back({count, contact.rows, contact.law});
    for (const int side : {0, 1}) {
      const int node = side == 0 ? contact.a : contact.b;
      if (moves(node)) at_node[static_cast<std::size_t>(node)].emplace_back(rows.size(), side);
    }
    rows.push_back(count);
    count += contact.rows;
  }
  const auto contact_at = [&](std::size_t place) -> const Contact& {
    return (*this)[island[place]];
  };
  problem.b.resize(count);
  std::vector<Eigen::Triplet<double>> entries;
  // Rates of one contact, whose side is at a node that reactions of another move by these lines.
  const auto add_block = [&](std::size_t at, int side, std::size_t by, const double* lines,
                             int width) {
    for (int i = 0; i < contact_at(at).rows; ++i) {
      const double* change = changes.data() + 12 * (contact_at(at).first_row + i) + 6 * side;
      for (int j = 0; j < contact_at(by).rows; ++j) {
        entries.emplace_back(
            rows[at] + i, rows[by] + j,
            Eigen::Map<const Vec6>(change).dot(Eigen::Map<const Vec6>(lines + width * j)));
      }
    }
  };
  for (const auto& sides : at_node) {
    for (const auto& [at, side] : sides) {
      for (const auto& [by, other] : sides) {
        add_block(at, side, by, motions.data() + 12 * contact_at(by).first_row + 6 * other, 12);
      }
    }
  }
  for (std::size_t place = 0; place < island.size(); ++place) {
    const Contact& contact = contact_at(place);
    problem.b.segment(rows[place], contact.rows) =
        Eigen::Map<const VecX>(b.data() + contact.first_row, contact.rows);
    for (const Moved& other : moved_by(contact)) {
      for (const auto& [at, side] : at_node[static_cast<std::size_t>(other.node)]) {
        add_block(at, side, place, moved_lines.data() + other.first, 6);
      }
    }
  }
  problem.W.resize(count, count);
  problem.W.setFromTriplets(entries.begin(), entries.end());
  return problem;
}

}  // namespace clatter
