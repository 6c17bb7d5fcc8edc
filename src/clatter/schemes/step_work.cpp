#include <cmath>

#include <clatter/machine/tangents.hpp>
#include <clatter/schemes/step_work.hpp>

namespace clatter {

StepWork::StepWork(const Machine& machine_, const IntegratorSpec& spec_)
    : machine(machine_),
      spec(spec_),
      instant(machine.instant_at_start()),
      joints(machine),
      contacts(machine, spec),
      compliant(machine, contacts),
      islands(machine),
      far_turns(machine),
      q(machine.initial_configuration()),
      T(machine.nodes().size(), Mat3::Identity()) {
  for (NodalVector* x : {&total, &v, &vd, &f, &reaction, &residual, &momentum, &passed_on}) {
    *x = NodalVector::Zero(machine.nodal_size());
  }
  residuals.resize(machine.nodes().size());
  progress.resize(machine.nodes().size());
  for (VecX* x : {&joint_forces, &joint_impulses, &joint_total}) {
    *x = VecX::Zero(machine.joint_rows());
  }
}

void StepWork::set_time(const State& of, double t) {
  std::fill(instant.is_given.begin(), instant.is_given.end(), 0);
  for (const GivenLoad& given : of.given_loads) {
    instant.is_given[given.load] = 1;
    instant.loads[given.load].force = given.force;
    instant.loads[given.load].torque = given.torque;
  }
  instant.signals = of.signals;
  machine.set_time(instant, t, spec.step / 16.0);
}

void StepWork::begin(State& from, double step_size) {
  state = &from;
  h = step_size;
  counts = {};
  instant.turns = from.turns;
  joint_forces = from.joint_forces;
  span = machine.length();
  for (const NodeState& node : from.q) span = std::max(span, node.x.norm());

  joints.evaluate(from.q);
  joints.find_scale();
  contacts.find_near(from, h);
  islands.find(contacts);
  contacts.evaluate_rows(from, from.q);
  contacts.begin_friction(from);
  contacts.scale_rows(spec.scaling, spec.penalty);
  contacts.begin_step(from);
  compliant.begin(from, h);
  joint_impulses.setZero();
  passed_on.setZero();
}

void StepWork::find_tangents(const NodalVector& increment) {
  for (std::size_t n = 1; n < T.size(); ++n) {
    if (machine.nodes()[n].rotates_in_space) {
      T[n] = tangent_so3(of_node(increment, static_cast<int>(n)).tail<3>());
    }
  }
}

ForceSizes StepWork::forces(const NodalVector& velocities, NodalVector& force) {
  ForceSizes sizes = machine.forces(q, velocities, instant, force);
  if (!machine.is_compliant()) return sizes;
  const double before = instant.terms.sum();
  contact_numbers = compliant.add_forces(*state, q, velocities, span, force, instant.terms);
  sizes.terms += instant.terms.sum() - before;
  sizes.numbers += contact_numbers;
  return sizes;
}

void StepWork::add_tangents(KktMatrix& K, const NodalVector& velocities,
                            const TangentFactors& factors) const {
  clatter::add_tangents(machine, q, velocities, instant, factors, T, K);
  if (machine.is_compliant()) compliant.add_tangents(q, velocities, factors, T, K);
}

std::string StepWork::culprit() const {
  const std::string contact = contacts.worst();
  return contact.empty() ? joints.worst() : contact;
}

}  // namespace clatter
