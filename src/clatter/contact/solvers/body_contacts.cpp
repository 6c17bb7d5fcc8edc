#include <algorithm>

#include <clatter/contact/solvers/body_contacts.hpp>

namespace clatter {
namespace {

/// By rows, as they are stored.
using Lines = Eigen::Matrix<double, Eigen::Dynamic, 12, Eigen::RowMajor, max_contact_rows, 12>;

/// F Y of the rows of a contact.
Lines motions_of(const PairRows& force, const BodyContacts::Compliance& of_a,
                 const BodyContacts::Compliance& of_b) {
  Lines motion(force.rows(), 12);
  const auto move = [&](const BodyContacts::Compliance& own, Eigen::Index i, Eigen::Index first) {
    if (own.is_held) {
      motion.row(i).segment<6>(first) = own.held * force.row(i).segment<6>(first).transpose();
      return;
    }
    motion.row(i).segment<3>(first) =
        force.row(i).segment<3>(first).cwiseProduct(own.translation.transpose());
    motion.row(i).segment<3>(first + 3) =
        (own.rotation * force.row(i).segment<3>(first + 3).transpose());
  };
  for (Eigen::Index i = 0; i < force.rows(); ++i) {
    move(of_a, i, 0);
    move(of_b, i, 6);
  }
  return motion;
}

bool is_planar(const Lines& lines) {
  return lines.middleCols<3>(2).isZero(0.0) && lines.middleCols<3>(8).isZero(0.0);
}

/// No rate of the ball grows faster with its reaction than the inverse of this, by Gershgorin or by
/// the trace.
double step_of(const FrictionBall& ball, const RowMatrix& own) {
  const auto block = own.block(ball.first_row, ball.first_row, ball.rows, ball.rows);
  const double bound = std::min(block.trace(), block.cwiseAbs().rowwise().sum().maxCoeff());
  return bound > 0.0 ? 1.0 / bound : 0.0;
}

}  // namespace

void BodyContacts::reserve(std::size_t nodes, std::size_t contacts, std::size_t rows) {
  compliances.resize(nodes);
  x.resize(6 * static_cast<Eigen::Index>(nodes));
  list.reserve(contacts);
  for (std::vector<double>* each : {&changes, &motions}) each->reserve(12 * rows);
  for (std::vector<double>* each : {&b, &p}) each->reserve(rows);
  own_blocks.reserve(rows * max_contact_rows);
}

void BodyContacts::clear(std::size_t nodes) {
  compliances.resize(nodes);
  x.setZero(6 * static_cast<Eigen::Index>(nodes));
  list.clear();
  for (std::vector<double>* each : {&changes, &motions, &b, &p, &own_blocks}) each->clear();
}

void BodyContacts::add(int node_a, int node_b, const ContactLaw& law, const PairRows& change,
                       const PairRows& force, const RowVector& rates, const RowVector& guess) {
  const auto rows = static_cast<int>(rates.size());
  const Lines lines = change;
  const Lines motion = motions_of(force, compliances[static_cast<std::size_t>(node_a)],
                                  compliances[static_cast<std::size_t>(node_b)]);
  const RowMatrix own = lines * motion.transpose();
  Contact contact{node_a,
                  node_b,
                  static_cast<int>(p.size()),
                  rows,
                  static_cast<int>(own_blocks.size()),
                  is_planar(lines) && is_planar(motion),
                  law,
                  1.0 / own(0, 0),
                  {}};
  for (int k = 0; k < law.ball_count; ++k) contact.ball_steps[k] = step_of(law.balls[k], own);
  list.push_back(contact);
  changes.insert(changes.end(), lines.data(), lines.data() + 12 * rows);
  motions.insert(motions.end(), motion.data(), motion.data() + 12 * rows);
  b.insert(b.end(), rates.data(), rates.data() + rows);
  p.insert(p.end(), guess.data(), guess.data() + rows);
  own_blocks.insert(own_blocks.end(), own.data(), own.data() + own.size());
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
}

void BodyContacts::set_reaction(const Contact& contact, const RowVector& reaction) {
  Eigen::Map<VecX> now(p_of(contact), contact.rows);
  const RowVector change = reaction - now;
  add_motion(contact, change.data());
  now = reaction;
}

ContactProblem BodyContacts::problem() const {
  ContactProblem problem;
  const auto rows = static_cast<Eigen::Index>(b.size());
  problem.b = Eigen::Map<const VecX>(b.data(), rows);
  std::vector<std::vector<std::pair<int, int>>> at_node(compliances.size());  // contact, side
  for (std::size_t k = 0; k < list.size(); ++k) {
    problem.contacts.push_back({list[k].first_row, list[k].rows, list[k].law});
    for (const int side : {0, 1}) {
      const int node = side == 0 ? list[k].a : list[k].b;
      if (moves(node)) at_node[static_cast<std::size_t>(node)].emplace_back(k, side);
    }
  }
  std::vector<Eigen::Triplet<double>> entries;
  for (const auto& sides : at_node) {
    for (const auto& [k, side] : sides) {
      const Contact& one = (*this)[k];
      for (const auto& [l, other] : sides) {
        const Contact& two = (*this)[l];
        for (int i = 0; i < one.rows; ++i) {
          const double* change = changes.data() + 12 * (one.first_row + i) + 6 * side;
          for (int j = 0; j < two.rows; ++j) {
            const double* motion = motions.data() + 12 * (two.first_row + j) + 6 * other;
            entries.emplace_back(
                one.first_row + i, two.first_row + j,
                Eigen::Map<const Vec6>(change).dot(Eigen::Map<const Vec6>(motion)));
          }
        }
      }
    }
  }
  problem.W.resize(rows, rows);
  problem.W.setFromTriplets(entries.begin(), entries.end());
  return problem;
}

}  // namespace clatter
