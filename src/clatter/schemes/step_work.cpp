#include <cmath>

#include <fmt/format.h>

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
  preloads.resize(machine.joint_frictions().size());
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
  begin_pressing();
  compliant.begin(from, h);
  joint_impulses.setZero();
  passed_on.setZero();
}

// ---- Pressed friction

void StepWork::begin_pressing() {
  const std::vector<JointFriction>& all = machine.joint_frictions();
  if (h > 0.0) joint_total = state->joint_forces + state->joint_impulses / h;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const JointFriction& friction = all[k];
    const auto preload_at = [&](double t) {
      return friction.preload(state->q, state->v,
                              machine.drive_input(t, state->turns, state->signals));
    };
    const std::size_t c = friction.contact;
    preloads[k] = preload_at(state->time + 0.5 * h);
    const bool was_pressed = friction.joint && state->contacts[c].impulse[0] > 0.0 && h > 0.0;
    const double by_joint =
        was_pressed ? joint_pressure(friction, 1.0, joint_total, state->q) : 0.0;
    contacts.press(c, false, preloads[k] + by_joint, h);
    contacts.press(c, true, preloads[k] + by_joint, h);
    contacts.work[c].pressing_force = preload_at(state->time + h) + by_joint;
  }
}

double StepWork::joint_pressure(const JointFriction& friction, double factor, const VecX& joints_do,
                                const Configuration& at) const {
  if (!friction.joint) return 0.0;
  const Joint& joint = joints.joint(*friction.joint);
  Vec12 on_pair = Vec12::Zero();
  for (std::size_t i = 0; i < joint.rows().size(); ++i) {
    if (joint.rows()[i].driven) continue;
    const auto row = static_cast<Eigen::Index>(i);
    on_pair += factor * joints_do[joint.first_row + row] *
               joints.rows(*friction.joint).row(row).transpose();
  }
  return friction.pressure(joint, on_pair.tail<6>(), at);
}

bool StepWork::change_pressing(std::size_t friction, double& force, double to) {
  // Solved to this part of themselves, and of what moves and weighs: its round-off presses, too.
  const double digits = 10.0 * spec.tolerance, mass = machine.total_mass();
  const JointFriction& of = machine.joint_frictions()[friction];
  const double motion = std::sqrt(2.0 * mass * machine.kinetic_energy(state->v));
  const double least = (of.by_force + of.by_torque * machine.length()) *
                       (mass * machine.gravity().norm() + motion / h);
  const bool changes = std::abs(to - force) > digits * (std::max(to, force) + least);
  force = to;
  if (changes) changed_friction = friction;
  return changes;
}

bool StepWork::press_joints(const VecX& impulses, bool position_level) {
  if (h == 0.0) return false;
  bool any = false;
  const std::vector<JointFriction>& all = machine.joint_frictions();
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (!all[k].joint) continue;
    const ContactWork& work = contacts.work[all[k].contact];
    double force = position_level ? 2.0 / (h * h) * work.pressing_push : work.pressing_impulse / h;
    const double to = preloads[k] + joint_pressure(all[k], 1.0 / h, impulses, q);
    any = change_pressing(k, force, to) || any;
    contacts.press(all[k].contact, position_level, force, h);
  }
  return any;
}

bool StepWork::press_joints_at_end(const VecX& forces) {
  bool any = false;
  const std::vector<JointFriction>& all = machine.joint_frictions();
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (!all[k].joint) continue;
    const double preload = all[k].preload(
        state->q, state->v, machine.drive_input(state->time + h, state->turns, state->signals));
    double& force = contacts.work[all[k].contact].pressing_force;
    any = change_pressing(k, force, preload + joint_pressure(all[k], 1.0, forces, q)) || any;
  }
  return any;
}

std::string StepWork::pressing_failure() const {
  return fmt::format(
      "the friction of joint '{}' grows with what it does to the joint: it jams; lessen its "
      "coefficient or its radius",
      joints.joint(*machine.joint_frictions()[changed_friction].joint).name());
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
