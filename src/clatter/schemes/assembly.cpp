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

}  // namespace clatter
