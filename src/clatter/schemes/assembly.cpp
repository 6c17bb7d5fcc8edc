#include <clatter/schemes/assembly.hpp>
#include <clatter/schemes/contact_stage_solve.hpp>
#include <clatter/schemes/position_correction.hpp>
#include <clatter/schemes/velocity_jump.hpp>

namespace clatter {

std::string assemble(const Machine& machine, const IntegratorSpec& spec, State& state) {
  StepWork w(machine, spec);
  w.contacts.show(state);
  w.set_time(state, state.time);
  w.begin(state, 0.0);
  w.q = state.q;
  w.joint_forces.setZero();
  SmoothEnd smooth(machine);
  smooth.v = state.v;
  ContactStage stage(w);
  PositionCorrection position(w, smooth);
  VelocityJump jump(w, smooth);
  int iterations = 0;
  if (!stage.solve(position, state.solver.position, iterations, "assembly") ||
      !stage.solve(jump, state.solver.velocity, iterations, "assembly of velocities")) {
    return w.failure;
  }
  state.q = w.q;
  state.v = w.v;
  return {};
}

std::string part(const Machine& machine, const IntegratorSpec& spec, State& state) {
  StepWork w(machine, spec);
  w.contacts.show(state);
  w.contacts.reach_all();
  w.set_time(state, state.time);
  for (std::size_t c = 0; c < w.contacts.count(); ++c) {
    const Contact& contact = w.contacts.contact(c);
    state.contacts[c].gap = contact.gap(state.q, state.turns);
  }
  w.begin(state, 0.0);
  w.q = state.q;
  w.joint_forces.setZero();
  w.contacts.let_positions_slide();
  for (const std::size_t c : w.contacts.near()) {
    const Contact& contact = w.contacts.contact(c);
    w.contacts.work[c].candidate = contact.is_placeless() || contact.over_face(state.q);
  }
  SmoothEnd smooth(machine);
  smooth.v = state.v;
  ContactStage stage(w);
  PositionCorrection position(w, smooth);
  int iterations = 0;
  if (!stage.solve(position, state.solver.position, iterations, "parting of bodies")) {
    return w.failure;
  }
  state.q = w.q;
  return {};
}

}  // namespace clatter
