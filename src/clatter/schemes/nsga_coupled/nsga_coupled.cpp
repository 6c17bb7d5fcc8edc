#include <algorithm>

#include <fmt/format.h>

#include <clatter/math/stopwatch.hpp>
#include <clatter/schemes/nsga_coupled/nsga_coupled.hpp>

namespace clatter {
namespace {

/// Of a step: what the step that gives the first accelerations and forces takes.
constexpr double first_step = 1e-2;
/// Beyond so many radians in a step the order of the scheme tells nothing of its errors.
constexpr double furthest_turn = 0.1;

}  // namespace

NsgaCoupled::NsgaCoupled(const Machine& machine, const IntegratorSpec& spec)
    : Scheme(machine, spec),
      c_(spec.rho_inf, spec.coefficients),
      step_(w_, c_),
      matrix_(w_),
      impacts_(w_),
      opened_(NodalVector::Zero(machine.nodal_size())),
      is_free_(is_free(machine) && machine.loads().empty()) {}

void NsgaCoupled::size_contacts() {
  matrix_.renew();
  step_.size_contacts();
}

bool NsgaCoupled::visit_contact_problems(std::function<void(const ContactProblem&)> /*visit*/) {
  return false;
}

SchemeTimes NsgaCoupled::times() const {
  SchemeTimes times = Scheme::times();
  times.linear_algebra += matrix_.K.matrix().time;
  times.factorisations += matrix_.K.matrix().factorisations;
  times.solves += matrix_.K.matrix().solves;
  return times;
}

bool NsgaCoupled::start(State& state) {
  if (!Scheme::start(state)) return false;
  find_forces(state);
  return true;
}

void NsgaCoupled::take_over(State& state) {
  if (w_.contacts.show(state)) size_contacts();
  w_.set_time(state, state.time);
  find_forces(state);
}

/// Those at the end of a very short step, of which nothing else is kept.
void NsgaCoupled::find_forces(State& state) {
  w_.begin(state, first_step * w_.spec.step);
  begin_solving(state.solver);
  bool solved = solve_step();
  for (int k = 0; solved && k < ContactSet::most_renewals; ++k) {
    copy_contacts();
    if (!w_.contacts.renew_friction(w_.v)) break;
    solved = solve_step();
  }
  end_solving(state.solver);
  if (!solved) return;
  const double h = w_.h;
  state.acceleration = state.algorithmic_acceleration = step_.scaled_acceleration() / h;
  state.joint_forces = w_.joints.scale().cwiseProduct(step_.joint_forces()) / h;
  for (std::size_t c = 0; c < w_.contacts.count(); ++c) {
    ContactState& of = state.contacts[c];
    of.force = w_.contacts.work[c].scale.cwiseProduct(step_.contact(c).force) / h;
    of.mean_force = of.force;
  }
}

bool NsgaCoupled::try_step(double t, double h) {
  const Stopwatch stopwatch(times_.velocity);
  w_.set_time(*w_.state, t + h);
  w_.begin(*w_.state, h);
  if (turns_far() || !solve_step()) return false;
  if (!find_impacts()) return false;
  for (int renewals = 0; breaks_a_law();) {
    if (w_.counts.lessened == 0 && ++renewals == ContactSet::most_renewals) {
      w_.failure = "friction that depends on the speed did not settle; take a shorter step";
      return false;
    }
    if (!solve_step()) return false;
  }
  if (!w_.contacts.far_ones_stay_open(*w_.state, w_.q, w_.total, w_.failure)) return false;
  if (!w_.contacts.edges_stay_open(*w_.state, w_.q, w_.failure)) return false;
  if (!contacts_are_followed() || !moves_as_fast_as_it_goes() || !keeps_energy()) return false;
  const State& state = *w_.state;
  w_.vd = step_.scaled_acceleration() / h;
  w_.momentum = (c_.af * state.acceleration + (1.0 - c_.af) * w_.vd -
                 c_.am * state.algorithmic_acceleration) /
                (1.0 - c_.am);
  w_.joint_forces = w_.joints.scale().cwiseProduct(step_.joint_forces()) / h;
  w_.joint_impulses = step_.joint_impulses();
  w_.joints.residual = step_.joint_rates_residual();
  accept_contacts();
  forget_opened(w_.momentum);
  accept(w_.momentum);
  return true;
}

/// Whether a free body turns so far in the step that forces at its end tell nothing of the way.
bool NsgaCoupled::turns_far() {
  w_.far_turns.find(w_.state->v, w_.h);
  if (w_.far_turns.nodes().empty()) return false;
  const auto node = static_cast<std::size_t>(w_.far_turns.nodes().front());
  w_.failure = fmt::format("'{}' turns far in the step", w_.machine.nodes()[node].name);
  return true;
}

/// Auxiliary accelerations contain what contacts did, as these remember of themselves. Where one
/// opens, nothing of it may be left in the motion of its bodies: it would ring on in their flight.
void NsgaCoupled::forget_opened(NodalVector& accelerations) {
  if (opened_.isZero(0.0) || !factorise_masses(*w_.state)) return;
  smooth_K_.gather(opened_, smooth_rhs_);
  smooth_rhs_.tail(smooth_rhs_.size() - smooth_K_.dofs()).setZero();
  smooth_K_.solve(smooth_rhs_);
  smooth_K_.scatter(smooth_rhs_, -1.0, accelerations);
}

bool NsgaCoupled::find_impacts() {
  copy_contacts();
  const auto touches = [](const ContactWork& work) {
    return work.equations.status != ContactStatus::open;
  };
  if (!impacts_.run(w_.state->v, touches, false)) return false;
  return !impacts_.has_happened() || solve_step();
}

void NsgaCoupled::copy_contacts() {
  for (const std::size_t c : w_.contacts.near()) {
    ContactEquations& equations = w_.contacts.work[c].equations;
    equations.status = step_.contact(c).velocity.status;
    equations.block_status = step_.contact(c).velocity.block_status;
    equations.phi = step_.contact(c).impulse;
  }
}

/// Whether coefficients that depend on the speed are others, or restitution had to be lessened, for
/// what impulses do.
bool NsgaCoupled::breaks_a_law() {
  copy_contacts();
  if (w_.contacts.renew_friction(w_.v)) return true;
  if (!w_.contacts.lessen_rebound(w_.state->v, w_.v)) return false;
  w_.counts.lessened = 1;
  return true;
}

/// Contacts that stay closed have rates that change smoothly, without an impact. That holds no more
/// when the place of contact runs around a body within the step, as along the rim of a plate that
/// slams down in a bowl.
bool NsgaCoupled::contacts_are_followed() {
  constexpr double least_cosine = 0.7;
  for (const std::size_t c : w_.contacts.near()) {
    const ContactWork& work = w_.contacts.work[c];
    const Contact& contact = w_.contacts.contact(c);
    const bool stays =
        !work.open_at_start && step_.contact(c).position.status != ContactStatus::open;
    if (!stays || contact.has_face() || contact.has_chord()) continue;
    const Vec3 before = work.start_rows.row(0).segment<3>(6), now = work.G.row(0).segment<3>(6);
    if (before.dot(now) >= least_cosine) continue;
    w_.failure = fmt::format("contact '{}' ran around a body", contact.name());
    return false;
  }
  return true;
}

/// Bodies may fit together elsewhere as well, and Newton's method may end there. Free bodies go no
/// further than their velocities before and after tell, but for what others push them, which shows
/// in these too.
bool NsgaCoupled::moves_as_fast_as_it_goes() {
  constexpr double much = 10.0;
  if (!is_free_ || w_.contacts.near().empty()) return true;
  const Machine& machine = w_.machine;
  for (std::size_t n = 1; n < machine.nodes().size(); ++n) {
    const auto size = [&](const NodalVector& of) {
      const auto own = of_node(of, static_cast<Eigen::Index>(n));
      return own.head<3>().norm() + machine.extent(n) * own.tail<3>().norm();
    };
    const double gone = w_.h * (size(w_.state->v) + size(w_.v) + w_.h * machine.gravity().norm());
    if (size(w_.total) <= much * gone + w_.spec.tolerance * w_.span) continue;
    w_.failure = fmt::format("'{}' would leap", machine.nodes()[n].name);
    return false;
  }
  return true;
}

/// Free bodies have no other source of energy than errors of second order in the angles by which
/// they, and the normals of contacts, turn in the step. Where contacts run along bodies faster than
/// that the scheme does not follow them.
bool NsgaCoupled::keeps_energy() {
  const Machine& machine = w_.machine;
  if (!is_free_ || w_.contacts.near().empty()) return true;
  const State& state = *w_.state;
  const double kinetic = machine.kinetic_energy(state.v), now = machine.kinetic_energy(w_.v);
  const double fall = machine.gravity_energy(state.q) - machine.gravity_energy(w_.q);
  double angle = 0.0, lifts = 0.0;  // of all bodies by their own size
  for (std::size_t n = 1; n < machine.nodes().size(); ++n) {
    const auto node = static_cast<Eigen::Index>(n);
    angle = std::max({angle, w_.h * of_node(state.v, node).tail<3>().norm(),
                      w_.h * of_node(w_.v, node).tail<3>().norm()});
    lifts += machine.nodes()[n].mass * machine.gravity().norm() * machine.extent(n);
  }
  for (const std::size_t c : w_.contacts.near()) {
    const ContactWork& work = w_.contacts.work[c];
    if (step_.contact(c).velocity.status == ContactStatus::open) continue;
    const Vec3 turned = work.G.row(0).segment<3>(6) - work.start_rows.row(0).segment<3>(6);
    angle = std::max(angle, turned.norm());
  }
  const double most = std::max(kinetic, now);
  angle = std::min(angle, furthest_turn);
  const double unsure = angle * angle * (most + lifts);
  const double left = most + machine.total_mass() * machine.gravity().norm() * w_.span;
  const double unsolved =
      2.0 * w_.spec.tolerance * left;  // momentum is solved to so much of itself
  if (now - kinetic - fall <= unsure + unsolved) return true;
  w_.failure = "contacts added energy";
  return false;
}

bool NsgaCoupled::solve_from_guess(double at_least, bool with_contacts) {
  double eps = std::max(w_.state->solver.coupled, at_least);
  int updates = 0;
  step_.guess();
  if (!with_contacts) step_.forget_contacts();
  const bool solved = solve_by_newton(step_, matrix_.K, matrix_.rhs, eps, updates, w_, "coupled");
  w_.counts.velocity += updates;
  if (at_least == 0.0) w_.state->solver.coupled = eps;
  return solved;
}

bool NsgaCoupled::solve_step() {
  if (!solve_as_pressed()) return false;
  if (!w_.machine.has_pressing_joints()) return true;
  const VecX& scale = w_.joints.scale();
  for (int k = 0; k < most_pressings; ++k) {
    VecX& what_joints_do = w_.joint_total;
    what_joints_do = scale.cwiseProduct(step_.joint_forces()) / w_.h;
    const bool changes = w_.press_joints_at_end(what_joints_do);
    what_joints_do = 0.5 * w_.h * (w_.state->joint_forces + what_joints_do) +
                     scale.cwiseProduct(step_.joint_impulses());
    if (!w_.press_joints(what_joints_do, false) && !changes) return true;
    if (!solve_as_pressed()) return false;
  }
  w_.failure = w_.pressing_failure();
  return false;
}

bool NsgaCoupled::solve_as_pressed() {
  matrix_.prepare();
  if (solve_from_guess(0.0, true)) return true;
  const std::string reason = w_.failure;
  // Redundant contacts want more regularisation the further the guess is off: without it an update
  // goes far along what does not matter.
  for (const double at_least : {1e-6, 1e-3}) {
    // The solution does not depend on the scaling; the way to it does.
    w_.contacts.evaluate_rows(*w_.state, w_.state->q);
    w_.contacts.scale_rows(Scaling::delassus, 1.0);
    if (solve_from_guess(at_least, true)) return true;
  }
  // Contacts that stand on the edges of their laws are left more easily from afar.
  ++w_.counts.recovered;
  if (solve_from_guess(1e-8, false)) return true;
  w_.failure = reason;
  return false;
}

void NsgaCoupled::accept_contacts() {
  opened_.setZero();
  for (std::size_t k = 0; k < w_.contacts.count(); ++k) {
    const CoupledContact& coupled = step_.contact(k);
    ContactWork& work = w_.contacts.work[k];
    ContactState& state = w_.state->contacts[k];
    const RowVector before = state.force;
    if (!work.near) {
      state.force.setZero();
      state.mean_force.setZero();
      state.percussion.setZero();
      continue;
    }
    const Contact& contact = w_.contacts.contact(k);
    state.force = work.scale.cwiseProduct(coupled.force) / w_.h;
    state.mean_force =
        (c_.af * before + (1.0 - c_.af) * state.force - c_.am * state.mean_force) / (1.0 - c_.am);
    if (coupled.velocity.status == ContactStatus::open) {
      w_.contacts.add_reaction(k, state.mean_force, opened_);
      state.force.setZero();
      state.mean_force.setZero();
    }
    state.percussion = work.scale.cwiseProduct(coupled.percussion);
    work.closed = coupled.position.status != ContactStatus::open;
    work.status = coupled.velocity.status;
    work.block_status = coupled.velocity.block_status;
    work.equations.status = work.status;  // islands are made of these
    work.impulse = work.scale.cwiseProduct(coupled.impulse);
    if (work.parts) {
      work.impulse += work.passed;
      state.percussion += work.passed;
      if (coupled.velocity.status == ContactStatus::open && work.passed[0] > 0.0) {
        work.status = ContactStatus::slip;
      }
    }
    RowVector twice_mean = work.G * (of_pair(w_.v, contact.a(), contact.b()) +
                                     of_pair(w_.state->v, contact.a(), contact.b()));
    if (contact.has_chord()) {
      twice_mean = w_.contacts.rates(k, w_.v) + w_.contacts.rates(k, w_.state->v);
    }
    work.done = 0.5 * work.impulse.cwiseProduct(twice_mean);
    work.met_at = -work.rate_at_start[0];
  }
}

}  // namespace clatter
