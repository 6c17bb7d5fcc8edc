#pragma once

#include <clatter/schemes/contact_stage.hpp>
#include <clatter/schemes/nsga/smooth_motion.hpp>
#include <clatter/schemes/position_correction.hpp>
#include <clatter/schemes/scheme.hpp>
#include <clatter/schemes/velocity_jump.hpp>

namespace clatter {

/// The smooth motion alone: the generalized-alpha method, or Newmark's, for machines without
/// contacts and for those whose surfaces give way, which are forces like all others. Joints hold at
/// both levels, as with Nsga.
class Newmark final : public Scheme {
 public:
  Newmark(const Machine& machine, const IntegratorSpec& spec, const GeneralizedAlpha& coefficients);

  SchemeTimes times() const override;
  bool separates_forces() const override { return w_.machine.is_compliant(); }
  bool visit_contact_problems(std::function<void(const ContactProblem&)> visit) override;

 private:
  friend struct NewmarkProbe;  // tests differentiate the problem

  bool try_step(double t, double h) override;
  void size_contacts() override { stage_.size_contacts(); }
  void begin_solving(const SolverMemory& memory) override { stage_.begin_step(memory); }
  void end_solving(SolverMemory& memory) const override { stage_.end_step(memory); }
  bool move_smoothly();
  /// Where friction turns light bodies by far more than its slow speed within the step, Newton's
  /// method goes to and fro: from friction that gives in at once to that of the model.
  bool ease_into_friction();
  /// Brings positions and velocities back to the joints.
  bool hold_joints();

  SmoothMotion smooth_;
  PositionCorrection position_;
  VelocityJump velocity_;
  ContactStage stage_;
};

}  // namespace clatter
