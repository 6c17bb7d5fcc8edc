#include <clatter/contact/geometry/contact_frame.hpp>

namespace clatter {

Vec3 across(const Vec3& tangent, const Vec3& normal) {
  const Vec3 part = tangent - normal.dot(tangent) * normal;
  const double length = part.norm();
  if (length > 1e-3) return part / length;
  int smallest = 0;
  normal.cwiseAbs().minCoeff(&smallest);
  const Vec3 axis = Vec3::Unit(smallest);
  return (axis - normal.dot(axis) * normal).normalized();
}

void carry_tangents(const Vec3& tangent, bool planar, ContactFrame& frame) {
  if (planar) {
    frame.tangents = {frame.normal.cross(Vec3::UnitZ()).normalized(), Vec3::UnitZ()};
  } else {
    frame.tangents[0] = across(tangent, frame.normal);
    frame.tangents[1] = frame.normal.cross(frame.tangents[0]);
  }
}

FrameDerivative::Of turning(const Mat3& R, const Vec3& fixed, int first) {
  FrameDerivative::Of of = FrameDerivative::Of::Zero();
  of.middleCols<3>(first) = -R * skew(fixed);
  return of;
}

void add_displacement(FrameDerivative::Of& of) {
  of.middleCols<3>(XA) -= Mat3::Identity();
  of.middleCols<3>(XB) += Mat3::Identity();
}

void wrench_derivative(const NodeState& A, const NodeState& B, const ContactFrame& frame,
                       const FrameDerivative& d, const Wrench& wrench, Mat12& derivative) {
  const auto about = [&](const Mat3& R, const Vec3& arm, const FrameDerivative::Of& of_arm,
                         int first, auto&& rows) {
    const Vec3 moment = arm.cross(wrench.force) + wrench.torque;
    rows.noalias() = R.transpose() *
                     (skew(arm) * wrench.of_force - skew(wrench.force) * of_arm + wrench.of_torque);
    rows.template middleCols<3>(first) += skew(R.transpose() * moment);
  };
  derivative.middleRows<3>(XA) = -wrench.of_force;
  about(A.R, frame.arm_a, d.arm_a, TA, derivative.middleRows<3>(TA));
  derivative.middleRows<3>(TA) = -derivative.middleRows<3>(TA).eval();
  derivative.middleRows<3>(XB) = wrench.of_force;
  about(B.R, frame.arm_b, d.arm_b, TB, derivative.middleRows<3>(TB));
}

void normal_row_derivative(const NodeState& A, const NodeState& B, const ContactFrame& frame,
                           const FrameDerivative& d, Mat12& derivative) {
  Wrench unit;
  unit.force = frame.normal;
  unit.of_force = d.normal;
  wrench_derivative(A, B, frame, d, unit, derivative);
}

}  // namespace clatter
