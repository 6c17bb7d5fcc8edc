#pragma once

#include <array>

#include <clatter/elements/node.hpp>

namespace clatter {

/// Where two surfaces are nearest, in space axes.
struct ContactFrame {
  Vec3 normal;                   ///< from a to b
  std::array<Vec3, 2> tangents;  ///< T_1, T_2, N right-handed; in the plane T_1, N, T_2 = z
  Vec3 arm_a, arm_b;  ///< from the nodes to where they touch; b on a face: to the point of b
  /// On a chord between two nodes: how far along it from the first to the second; then the arm is
  /// from there.
  double share_a = 0.0, share_b = 0.0;
};

/// Derivatives of a contact frame with respect to variations of the two nodes, in the order of
/// PairCoordinate. Tangents follow the normal without turning about it.
struct FrameDerivative {
  using Of = Eigen::Matrix<double, 3, 12>;
  Of normal;
  std::array<Of, 2> tangents;
  Of arm_a, arm_b;
};

/// The same for four nodes, in the order a, b, second of a, second of b; see ChordPair.
struct ChordDerivative {
  using Of = Eigen::Matrix<double, 3, 24>;
  using OfShare = Eigen::Matrix<double, 1, 24>;
  Of normal;
  std::array<Of, 2> tangents;
  Of arm_a, arm_b;
  OfShare share_a, share_b;
};

/// The part of `tangent` across the normal; when there is none, any.
Vec3 across(const Vec3& tangent, const Vec3& normal);

/// Tangents across the normal that turn as little as they can from `tangent`; in the plane T_1 = N
/// turned by -90 degrees, so that (T_1, N) is right-handed about z.
void carry_tangents(const Vec3& tangent, bool planar, ContactFrame& frame);
/// The derivatives of such tangents, from that of the normal.
template <class Derivative>
void carry_tangents(const ContactFrame& frame, Derivative& d) {
  for (std::size_t i = 0; i < 2; ++i) {
    d.tangents[i] = -frame.normal * (frame.tangents[i].transpose() * d.normal);
  }
}

/// Derivative of R times a vector fixed in the node whose rotation begins at column `first`.
FrameDerivative::Of turning(const Mat3& R, const Vec3& fixed, int first);
/// Adds the derivative of x_b - x_a.
void add_displacement(FrameDerivative::Of& of);

/// A force at the place of contact and a torque, on b, and their derivatives.
struct Wrench {
  Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
  FrameDerivative::Of of_force = FrameDerivative::Of::Zero(), of_torque = of_force;
};
/// Derivative of the generalised forces of a wrench on b, and its opposite on a.
void wrench_derivative(const NodeState& A, const NodeState& B, const ContactFrame& frame,
                       const FrameDerivative& d, const Wrench& wrench, Mat12& derivative);
/// Derivative of the row of the normal: the hessian of the gap of any pair.
void normal_row_derivative(const NodeState& A, const NodeState& B, const ContactFrame& frame,
                           const FrameDerivative& d, Mat12& derivative);

}  // namespace clatter
