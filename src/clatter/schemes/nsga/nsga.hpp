#pragma once

#include <clatter/schemes/contact_stage.hpp>
#include <clatter/schemes/impact_process.hpp>
#include <clatter/schemes/nsga/smooth_motion.hpp>
#include <clatter/schemes/position_correction.hpp>
#include <clatter/schemes/scheme.hpp>
#include <clatter/schemes/velocity_jump.hpp>

namespace clatter {

/// Decoupled nonsmooth generalized-alpha scheme (001): a step is the smooth motion without
/// contacts, a position correction U and a velocity jump V, each a semismooth Newton on its own.
/// Without contacts it is the second-order Lie-group generalized-alpha method with joints at both
/// levels.
class Nsga final : public Scheme {
 public:
  Nsga(const Machine& machine, const IntegratorSpec& spec);

  SchemeTimes times() const override;
  /// The systems of the smooth motion, and of position correction and velocity jump.
  SystemMatrix& smooth_matrix() { return smooth_K_.matrix(); }
  SystemMatrix& contact_matrix() { return stage_.matrix().K.matrix(); }

 private:
  friend struct NsgaProbe;  // tests differentiate the problems

  bool try_step(double t, double h) override;
  void size_contacts() override { stage_.size_contacts(); }
  void begin_solving(const SolverMemory& memory) override { stage_.begin_step(memory); }
  void end_solving(SolverMemory& memory) const override { stage_.end_step(memory); }
  bool move_smoothly();
  bool correct_positions();
  bool jump();
  /// Contacts react one after the other, while any closes: 004 section 4, 000 annex B.
  bool jump_in_sequence();
  void choose_candidates();
  void close_contacts();
  void follow_normals();
  double slowest_impact() const;

  SmoothMotion smooth_;
  PositionCorrection position_;
  VelocityJump velocity_;
  NodalVector before_;  // velocities before an impact of a sequence
  ContactStage stage_;
  ImpactProcess impacts_;
};

}  // namespace clatter
