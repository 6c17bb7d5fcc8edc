#pragma once

#include <clatter/schemes/contact_stage.hpp>
#include <clatter/schemes/position_correction.hpp>
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
    const double theta = w_.spec.theta;
    const Vec6 mean = (1.0 - theta) * of_node(smooth_.v, n) + theta * of_node(w_.v, n);
    return compliance_over(n, theta * w_.h, mean.tail<3>());
  }
  /// Impulses are all that joints do.
  void find_joint_reactions(VecX& impulses) const {
    impulses = w_.joints.scale().cwiseProduct(w_.joint_impulses);
  }
  Residual evaluate();
  void assemble(KktMatrix& K);
  void assemble_free(KktMatrix& K);
  void assemble_without_contacts(KktMatrix& K);
  /// V over the step.
  const NodalVector& change() const { return V_; }

 private:
  friend struct MoreauProbe;  // tests differentiate the step

  /// Gyroscopic torques of the mean velocity instead of the mean of those of both ends, which do
  /// work: -Om x J Om is quadratic, so that they differ by theta (1 - theta) V x J V.
  void turn_at_mean_velocity();

  NodalVector f_start_;
};

/// The time-stepping method of Moreau and Jean, the baseline of the field: velocities and impulses
/// are the unknowns, joints and contacts hold at velocity level,
///
///   M (v+ - v) = h ((1 - theta) f + theta f+) + G^T La + G_c^T P,   q+ = q + h ((1 - theta) v +
///   theta v+),
///
/// with all rows, and what touches, at the middle of the step, q + h v/2. Joints drift and contacts
/// penetrate by what that misses, of the order of the step; but for solids, which a least
/// correction of the positions keeps apart.
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
  /// Velocities and impulses, and where these lead.
  bool jump(double t, double h);
  void evaluate_middle();
  bool loses_what_is_inside();
  bool loses_joints();
  bool is_of_solids(const Contact& contact) const {
    return contact.group == w_.machine.group_of_solids();
  }
  /// Of two solids, with the rows at the middle: whether they meet before or after it.
  void look_at_solids(std::size_t c, double touching);
  /// When they first meet on the predicted way, as a part of it; over a face, whether they do: 1.
  /// More than one: never.
  double meeting_of(const Contact& contact, double longest, double touching);
  /// place_ of the two := that part of their way.
  void place_pair(const Contact& contact, double part);
  /// Moves bodies that end the step inside each other apart. False: it cannot.
  bool separate_solids();
  void press_together();
  /// Contacts that separated bodies without taking part in the jump. True: there are any; the next
  /// one holds them off.
  bool finds_more_to_hold();

  SmoothEnd start_;  // only its velocities: those at the start of the step
  SmoothEnd end_;    // where the velocities lead
  MoreauStep step_;
  PositionCorrection position_;
  ContactStage stage_;
  std::vector<char> held_;  // contact: to be held off, whatever is predicted
  Configuration place_;     // of a pair on its way
  NodalVector way_;         // predicted
  VecX joint_rates_;        // residuals
  bool is_separated_ = false;
  std::vector<double> deepest_;  // island: how far bodies are inside each other
  std::vector<char> is_drawn_;   // node: down, by its weight
};

}  // namespace clatter
