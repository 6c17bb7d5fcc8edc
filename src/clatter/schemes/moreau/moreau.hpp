#pragma once

#include <clatter/schemes/contact_stage.hpp>
#include <clatter/schemes/scheme.hpp>
#include <clatter/schemes/velocity_jump.hpp>

namespace clatter {

/// The step of Moreau's method as a problem. Unknowns: the change V of the velocities, impulses of
/// joints and contacts.
class MoreauStep : public VelocityJump {
 public:
  MoreauStep(StepWork& work, const SmoothEnd& start);

  /// Takes the forces at the start of the step.
  void evaluate_start();

  FreeContacts::Compliance compliance(int n) const {
    return compliance_over(n, w_.spec.theta * w_.h);
  }
  Residual evaluate();
  void assemble(KktMatrix& K);
  void assemble_free(KktMatrix& K);
  void assemble_without_contacts(KktMatrix& K);
  /// V over the step.
  const NodalVector& change() const { return V_; }

 private:
  friend struct MoreauProbe;  // tests differentiate the step

  NodalVector f_start_;
};

/// The time-stepping method of Moreau and Jean, the baseline of the field: velocities and impulses
/// are the unknowns, joints and contacts hold at velocity level,
///
///   M (v+ - v) = h ((1 - theta) f + theta f+) + G^T La + G_c^T P,   q+ = q + h ((1 - theta) v +
///   theta v+),
///
/// with all rows, and what touches, at the middle of the step, q + h v/2. Joints drift and contacts
/// penetrate by what that misses, of the order of the step.
class Moreau final : public Scheme {
 public:
  Moreau(const Machine& machine, const IntegratorSpec& spec);

  SchemeTimes times() const override;
  bool has_joint_forces() const override { return false; }

 private:
  friend struct MoreauProbe;  // tests differentiate the step

  bool try_step(double t, double h) override;
  void size_contacts() override { stage_.size_contacts(); }
  void begin_solving(const SolverMemory& memory) override { stage_.begin_step(memory); }
  void end_solving(SolverMemory& memory) const override { stage_.end_step(memory); }
  void evaluate_middle();

  SmoothEnd start_;  // only its velocities: those at the start of the step
  MoreauStep step_;
  ContactStage stage_;
};

}  // namespace clatter
