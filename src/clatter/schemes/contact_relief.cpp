#include <algorithm>

#include <clatter/contact/solvers/least_reactions.hpp>
#include <clatter/schemes/contact_relief.hpp>

namespace clatter {

ContactRelief::ContactRelief(StepWork& work)
    : w_(work), pushes_(NodalVector::Zero(work.machine.nodal_size())) {}

void ContactRelief::find_pushes() {
  const auto reacts = [&](std::size_t c) {
    return w_.contacts.work[c].equations.status != ContactStatus::open;
  };
  const std::span<const std::size_t> near = w_.contacts.near();
  if (std::none_of(near.begin(), near.end(), reacts)) return;  // nothing is far larger than nothing
  pushes_.setZero();
  w_.contacts.add_reactions(pushes_);
  pushes_ += w_.residual;
  if (w_.joints.count() == 0) return;
  w_.joint_total = w_.joints.scale().cwiseProduct(w_.joint_impulses);
  w_.joints.add_reactions(w_.joint_total, pushes_);
}

void ContactRelief::find_overloaded() {
  // Levers and wedges make larger forces of small ones; more than this is looked into.
  constexpr double far_larger = 3.0;
  const auto count = static_cast<std::size_t>(w_.islands.count());
  overloaded_.clear();
  largest_.assign(count, 0.0);
  for (const std::size_t c : w_.contacts.near()) {
    const ContactWork& work = w_.contacts.work[c];
    if (work.equations.status == ContactStatus::open) continue;
    const Contact& contact = w_.contacts.contact(c);
    double& own = largest_[static_cast<std::size_t>(w_.islands.of_pair(contact.a(), contact.b()))];
    own = std::max(own, work.scale[0] * work.equations.phi[0]);
  }
  together_.assign(count, 0.0);
  for (std::size_t n = 1; n < w_.machine.nodes().size(); ++n) {
    const auto push = of_node(pushes_, static_cast<Eigen::Index>(n));
    together_[static_cast<std::size_t>(w_.islands.of_node(static_cast<int>(n)))] +=
        push.head<3>().norm() + push.tail<3>().norm() / w_.machine.length();
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (largest_[i] > far_larger * together_[i]) overloaded_.push_back(static_cast<int>(i));
  }
}

int ContactRelief::list_rows(int island, HeldLoad& load) {
  const double least_slip = unnoticed * w_.islands.kinetic_norm(island, w_.v);
  closed_.clear();
  int rows = 0;
  for (const std::size_t c : w_.contacts.near()) {
    const ContactWork& work = w_.contacts.work[c];
    const Contact& contact = w_.contacts.contact(c);
    if (work.equations.status == ContactStatus::open) continue;
    if (w_.islands.of_pair(contact.a(), contact.b()) != island) continue;
    if (contact.has_chord()) return 0;
    closed_.push_back(c);
    load.contacts.push_back({rows, contact.rows(), work.law});
    auto& slips = load.slips.emplace_back();
    for (std::size_t b = 0; b < work.law.all_balls().size(); ++b) {
      const FrictionBall& ball = work.law.balls[b];
      slips[b] = work.ghat.segment(ball.first_row, ball.rows).norm() > least_slip;
    }
    rows += contact.rows();
  }
  // Joints that are coupled share a row.
  column_of_joint_row_.assign(static_cast<std::size_t>(w_.machine.joint_rows()), -1);
  for (const int j : w_.islands.joints(island)) {
    const Joint& joint = w_.joints.joint(static_cast<std::size_t>(j));
    for (std::size_t i = 0; i < joint.rows().size(); ++i) {
      int& column = column_of_joint_row_[static_cast<std::size_t>(joint.first_row) + i];
      if (column < 0) column = rows++;
    }
  }
  return rows;
}

/// Weighted as residuals are, so that forces and torques have one unit.
void ContactRelief::fill_wrenches(int island, int rows, HeldLoad& load) {
  const NodalVector& weights = w_.machine.weights();
  const std::span<const int> nodes = w_.islands.nodes(island);
  const auto size = static_cast<Eigen::Index>(6 * nodes.size());
  load.wrenches = MatX::Zero(size, rows);
  load.wrench.resize(size);
  place_.assign(w_.machine.nodes().size(), -1);
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const auto first = static_cast<Eigen::Index>(6 * k);
    place_[static_cast<std::size_t>(nodes[k])] = first;
    load.wrench.segment<6>(first) =
        of_node(weights, nodes[k]).cwiseProduct(of_node(pushes_, nodes[k]));
  }
  const auto add = [&](int node, int column, const Vec6& unit) {
    const Eigen::Index first = place_[static_cast<std::size_t>(node)];
    if (first < 0) return;
    load.wrenches.block<6, 1>(first, column) += of_node(weights, node).cwiseProduct(unit);
  };
  for (std::size_t k = 0; k < closed_.size(); ++k) {
    const Contact& contact = w_.contacts.contact(closed_[k]);
    const ContactWork& work = w_.contacts.work[closed_[k]];
    const CondensedContact& own = load.contacts[k];
    for (int i = 0; i < own.rows; ++i) {
      const Vec12 unit = work.scale[i] * work.G.row(i).transpose();
      add(contact.a(), own.first_row + i, unit.head<6>());
      add(contact.b(), own.first_row + i, unit.tail<6>());
    }
  }
  for (const int j : w_.islands.joints(island)) {
    const Joint& joint = w_.joints.joint(static_cast<std::size_t>(j));
    for (Eigen::Index i = 0; i < w_.joints.rows(static_cast<std::size_t>(j)).rows(); ++i) {
      const Eigen::Index row = joint.first_row + i;
      const Vec12 unit =
          w_.joints.scale()[row] * w_.joints.rows(static_cast<std::size_t>(j)).row(i).transpose();
      const int column = column_of_joint_row_[static_cast<std::size_t>(row)];
      add(joint.a(), column, unit.head<6>());
      add(joint.b(), column, unit.tail<6>());
    }
  }
}

bool ContactRelief::relieve_island(int island, VecX& of_contacts, VecX& of_joints) {
  constexpr std::size_t most_contacts = 100;  // of a dense matrix
  HeldLoad load;
  const int rows = list_rows(island, load);
  const bool has_joints = !w_.islands.joints(island).empty();
  if (closed_.size() < (has_joints ? 1u : 2u) || closed_.size() > most_contacts || rows == 0) {
    return false;
  }
  fill_wrenches(island, rows, load);
  load.reactions.resize(rows);
  for (std::size_t k = 0; k < closed_.size(); ++k) {
    const CondensedContact& own = load.contacts[k];
    load.reactions.segment(own.first_row, own.rows) = w_.contacts.work[closed_[k]].equations.phi;
  }
  for (std::size_t row = 0; row < column_of_joint_row_.size(); ++row) {
    if (column_of_joint_row_[row] < 0) continue;
    load.reactions[column_of_joint_row_[row]] = of_joints[static_cast<Eigen::Index>(row)];
  }
  if (!relieve(load)) return false;
  for (std::size_t k = 0; k < closed_.size(); ++k) {
    const CondensedContact& own = load.contacts[k];
    of_contacts.segment(w_.contacts.contact(closed_[k]).first_row, own.rows) =
        load.reactions.segment(own.first_row, own.rows);
  }
  for (std::size_t row = 0; row < column_of_joint_row_.size(); ++row) {
    if (column_of_joint_row_[row] < 0) continue;
    of_joints[static_cast<Eigen::Index>(row)] = load.reactions[column_of_joint_row_[row]];
  }
  return true;
}

}  // namespace clatter
