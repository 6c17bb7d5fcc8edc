#include <clatter/contact/geometry/pair_products.hpp>
#include <clatter/simulation/body_accelerations.hpp>

namespace clatter {

BodyAccelerations::BodyAccelerations(const Machine& machine, IntegratorKind kind)
    : machine_(machine),
      joints_are_apart_(kind == IntegratorKind::nsga),
      contacts_are_apart_(kind == IntegratorKind::nsga ||
                          kind == IntegratorKind::energy_consistent),
      only_lasting_(kind == IntegratorKind::nsga),
      sum_(NodalVector::Zero(machine.nodal_size())),
      impulse_(sum_) {}

const NodalVector& BodyAccelerations::read(const State& state) {
  sum_ = state.acceleration;
  const double h = state.sums.last_step_size;
  if (!contacts_are_apart_ || !(h > 0.0)) return sum_;
  impulse_.setZero();
  if (joints_are_apart_) add_joints(state);
  add_contacts(state);
  for (std::size_t n = 1; n < machine_.nodes().size(); ++n) {
    const Node& node = machine_.nodes()[n];
    const Vec6 of = of_node(impulse_, static_cast<Eigen::Index>(n)) / h;
    of_node(sum_, static_cast<Eigen::Index>(n)).head<3>() +=
        node.inverse_mass * node.translations().cwiseProduct(of.head<3>());
    of_node(sum_, static_cast<Eigen::Index>(n)).tail<3>() += node.inverse_inertia * of.tail<3>();
  }
  return sum_;
}

void BodyAccelerations::add_joints(const State& state) {
  Vec12 g;
  for (std::size_t j = 0; j < machine_.joints().size(); ++j) {
    if (clatter::is_struck(machine_, state, j)) continue;
    const Joint& joint = machine_.joints()[j];
    for (std::size_t i = 0; i < joint.rows().size(); ++i) {
      joint.rows()[i].row(state.q, g);
      add_to_pair(impulse_, joint.a(), joint.b(),
                  state.joint_impulses[joint.first_row + static_cast<Eigen::Index>(i)] * g);
    }
  }
}

void BodyAccelerations::add_contacts(const State& state) {
  const std::size_t own = machine_.own_contacts().size();
  for (std::size_t c = 0; c < state.contacts.size(); ++c) {
    const ContactState& did = state.contacts[c];
    if (did.status == ContactStatus::open || (only_lasting_ && !did.persistent)) continue;
    if (c < own) {
      add_contact(machine_.own_contacts()[c], did, state);
    } else {
      add_contact(machine_.contact_of(state.search.keys[c - own]), did, state);
    }
  }
}

void BodyAccelerations::add_contact(const Contact& contact, const ContactState& did,
                                    const State& state) {
  if (only_lasting_ && (is_struck(state, contact.a()) || is_struck(state, contact.b()))) return;
  const ContactFrame frame = contact.frame(state.q, did.tangent);
  PairRows rows(contact.rows(), 12);
  if (contact.has_chord()) {
    PairRows second(contact.rows(), 12);
    contact.rates(state.q, frame, rows, second);
    add_forces_of(second, did.impulse, contact.second_a(), contact.second_b(), impulse_);
  } else {
    contact.rates(state.q, frame, rows);
  }
  add_forces_of(rows, did.impulse, contact.a(), contact.b(), impulse_);
}

}  // namespace clatter
