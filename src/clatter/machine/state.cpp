#include <clatter/machine/state.hpp>

namespace clatter {

State state_at_start(const Machine& machine) {
  State state;
  state.q = machine.initial_configuration();
  state.v = machine.initial_velocity();
  state.acceleration = state.algorithmic_acceleration = NodalVector::Zero(machine.nodal_size());
  state.joint_forces = state.joint_impulses = VecX::Zero(machine.joint_rows());
  state.struck.assign(machine.nodes().size(), 0);
  state.sleep.calm.assign(machine.nodes().size(), 0);
  state.sleep.with.assign(machine.nodes().size(), ground);
  state.turns = machine.turns_at_start();
  state.signals = machine.signals().at_start();
  state.contacts.resize(machine.own_contacts().size());
  for (std::size_t c = 0; c < state.contacts.size(); ++c) {
    state.contacts[c].size_rows(machine.own_contacts()[c].rows());
  }
  return state;
}

RowVector rate_of(const Contact& contact, const ContactState& contact_state, const State& state) {
  if (contact_state.has_rate) return contact_state.rate;
  PairRows rows(contact.rows(), 12);
  const ContactFrame frame = contact.frame(state.q, contact_state.tangent);
  if (contact.has_chord()) {
    PairRows second(contact.rows(), 12);
    contact.rates(state.q, frame, rows, second);
    return rows * of_pair(state.v, contact.a(), contact.b()) +
           second * of_pair(state.v, contact.second_a(), contact.second_b());
  }
  contact.rates(state.q, frame, rows);
  return rows * of_pair(state.v, contact.a(), contact.b());
}

bool is_struck(const Machine& machine, const State& state, std::size_t joint) {
  const Joint& j = machine.joints()[joint];
  return state.struck[static_cast<std::size_t>(j.a())] != 0 ||
         state.struck[static_cast<std::size_t>(j.b())] != 0;
}

}  // namespace clatter
