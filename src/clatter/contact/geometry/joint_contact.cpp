#include <algorithm>
#include <cassert>

#include <clatter/contact/geometry/joint_contact.hpp>

namespace clatter {

JointContact::JointContact(Normal normal, double at_zero, std::vector<Term> terms,
                           std::vector<Block> blocks)
    : SurfacePair(ground, ground, false, Vec3::Zero(), Vec3::Zero()),
      normal_(normal),
      blocks_(std::move(blocks)),
      at_zero_(at_zero) {
  const auto add_row = [&](const std::vector<Term>& from) {
    std::vector<Placed>& row = rows_.emplace_back();
    for (const Term& term : from) row.push_back(placed(term));
  };
  add_row(terms);
  for (const Block& block : blocks_) {
    for (const std::vector<Term>& row : block.rows) add_row(row);
  }
  a_ = nodes_[0];
  b_ = nodes_[1];
}

JointContact JointContact::stop(const JointContactSpec& spec, std::vector<Term> terms,
                                double middle) {
  for (Term& term : terms) term.factor *= -spec.side * spec.radius;
  return {Normal::stop, spec.radius * (spec.play + spec.side * middle), std::move(terms)};
}

JointContact::Placed JointContact::placed(const Term& term) {
  const auto column_of = [&](int node) {
    if (node == ground) return -1;
    const auto known = nodes_.begin() + static_cast<std::ptrdiff_t>(node_count_);
    const auto found = std::find(nodes_.begin(), known, node);
    if (found == known) {
      assert(node_count_ < most_nodes);
      nodes_[node_count_++] = node;
    }
    return 6 * static_cast<int>(found - nodes_.begin());
  };
  return std::visit(
      [&](const auto& held) {
        const int a = column_of(held.a()), b = column_of(held.b());
        return Placed{term, a, b};
      },
      term.held);
}

double JointContact::gap(const Configuration& q, std::span<const double> turns) const {
  if (normal_ == Normal::ratchet && turns.empty()) return 0.0;
  double sum = at_zero_;
  for (const Placed& each : rows_[0]) {
    const double reached = turns.empty() ? 0.0 : turns[each.term.counter];
    const double value = std::get<PairCoordinate>(each.term.held).value_near(q, reached);
    sum += each.term.factor * (normal_ == Normal::ratchet ? value - reached : value);
  }
  return sum;
}

void JointContact::row(const Configuration& q, int i, Vec24& g) const {
  g.setZero();
  Vec12 own;
  for (const Placed& each : rows_[static_cast<std::size_t>(i)]) {
    if (const auto* coordinate = std::get_if<PairCoordinate>(&each.term.held)) {
      coordinate->gradient(q, own);
    } else {
      std::get_if<PairSlip>(&each.term.held)->row(q, own);
    }
    if (each.a >= 0) g.segment<6>(each.a) += each.term.factor * own.head<6>();
    if (each.b >= 0) g.segment<6>(each.b) += each.term.factor * own.tail<6>();
  }
}

void JointContact::hessian(const Configuration& q, int i, Mat24& H) const {
  H.setZero();
  Mat12 own;
  for (const Placed& each : rows_[static_cast<std::size_t>(i)]) {
    if (const auto* coordinate = std::get_if<PairCoordinate>(&each.term.held)) {
      coordinate->hessian(q, own);
    } else {
      std::get_if<PairSlip>(&each.term.held)->row_derivative(q, own);
    }
    const std::array columns{each.a, each.b};
    for (int k = 0; k < 2; ++k) {
      for (int j = 0; j < 2; ++j) {
        const int row = columns[static_cast<std::size_t>(k)],
                  column = columns[static_cast<std::size_t>(j)];
        if (row < 0 || column < 0) continue;
        H.block<6, 6>(row, column) += each.term.factor * own.block<6, 6>(6 * k, 6 * j);
      }
    }
  }
}

ContactFrame JointContact::frame(const Configuration&, const Vec3&) const {
  return {Vec3::UnitX(), {Vec3::UnitY(), Vec3::UnitZ()}, Vec3::Zero(), Vec3::Zero()};
}

}  // namespace clatter
