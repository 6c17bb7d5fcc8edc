#pragma once

#include <clatter/schemes/step_work.hpp>

namespace clatter {

/// Where a step would end without contacts, which the position correction and the velocity jump
/// start from.
struct SmoothEnd {
  explicit SmoothEnd(const Machine& machine)
      : increment(NodalVector::Zero(machine.nodal_size())),
        v(increment),
        f(increment),
        reaction(increment),
        joint_terms(VecX::Zero(static_cast<Eigen::Index>(machine.joints().size()))) {}

  NodalVector increment;    ///< from the start of the step
  NodalVector v;            ///< velocities
  NodalVector f, reaction;  ///< forces, and those of the joints
  VecX joint_terms;         ///< by joint: weighted size of its forces

  /// Size of the forces that hold a balance in an island.
  double terms(const Islands& islands, int island) const {
    return islands.weighted_norm(island, f) + islands.sum_of_joints(island, joint_terms);
  }
};

/// out := f(q, v) - f of the smooth end, which is zero unless something moved. Returns
/// ForceSizes::numbers.
double change_of_forces(StepWork& w, const SmoothEnd& smooth, bool moved, const NodalVector& v,
                        NodalVector& out);

}  // namespace clatter
