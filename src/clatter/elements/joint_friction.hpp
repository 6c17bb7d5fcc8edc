#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>

#include <clatter/elements/joint.hpp>
#include <clatter/elements/quantity.hpp>

namespace clatter {

/// What presses the friction of a joint, clutch or brake, which is a contact: [N], or [N m] where
/// it resists rotations alone.
struct JointFriction {
  std::size_t contact;  ///< among those of the machine
  DriveFormula formula;
  /// Whose reaction presses, besides; none: nothing but the preload does.
  std::optional<std::size_t> joint = {};
  double by_force = 0.0, by_torque = 0.0;  ///< factors on the sizes of its force and torque

  double preload(const Configuration& q, const NodalVector& v, const DriveInput& in) const {
    return std::max(0.0, formula.value(q, v, in));
  }
  /// `on_b`: what the joint does to b's node.
  double pressure(const Joint& of, const Vec6& on_b, const Configuration& q) const {
    Vec3 force, torque;
    of.reaction(on_b, q, force, torque);
    return by_force * force.norm() + by_torque * torque.norm();
  }
};

}  // namespace clatter
