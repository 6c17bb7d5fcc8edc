#pragma once

#include <vector>

#include <clatter/machine/machine.hpp>

namespace clatter {

/// Free bodies in space that turn far within a step. There the gyroscopic torques of its ends, and
/// what is remembered of the steps before, do work without bound, as no order of a scheme tells
/// anything any more; that of the mean velocity does none, however far a body turns.
class FarTurns {
 public:
  explicit FarTurns(const Machine& machine);

  /// Finds those that do with velocities v in a step of size h.
  void find(const NodalVector& v, double h);
  const std::vector<int>& nodes() const { return nodes_; }
  bool has(int node) const { return is_far_[static_cast<std::size_t>(node)] != 0; }
  /// Bodies that nothing but contacts holds, whether they turn far or not.
  const std::vector<int>& free_nodes() const { return free_nodes_; }

 private:
  std::vector<int> free_nodes_, nodes_;
  std::vector<char> is_far_;
};

/// Om x J Om, which is minus the gyroscopic torque, and its derivative by Om.
inline Vec3 turning(const Node& node, const Vec3& spin) { return spin.cross(node.inertia * spin); }
inline Mat3 turning_derivative(const Node& node, const Vec3& spin) {
  return skew(spin) * node.inertia - skew(node.inertia * spin);
}

}  // namespace clatter
