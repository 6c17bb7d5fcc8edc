#pragma once

#include <clatter/schemes/integrator.hpp>

namespace clatter {

/// The time-stepping method of Moreau and Jean, the baseline of the field: velocities and impulses
/// are the unknowns, joints and contacts hold at velocity level,
///
///   M (v+ - v) = h ((1 - theta) f + theta f+) + G^T La + W^T P,   q+ = q + h ((1 - theta) v +
///   theta v+),
///
/// with all rows, and what touches, at the middle of the step, q + h v/2. Joints drift and contacts
/// penetrate by what that misses, of the order of the step.
class Moreau final : public Integrator {
 public:
  Moreau(System& system, const IntegratorSpec& spec);

  bool has_joint_forces() const override { return false; }

 private:
  friend struct MoreauProbe;  // tests differentiate the step
  struct Step;

  bool try_step(double t, double h) override;
  void evaluate_middle();

  NodalVector f_start_;  // at the start of the step
};

}  // namespace clatter
