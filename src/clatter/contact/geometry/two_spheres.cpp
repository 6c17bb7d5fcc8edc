#include <clatter/contact/geometry/two_spheres.hpp>

namespace clatter {

TwoSpheres::TwoSpheres(const ContactSpec& spec, double sign, int a, int b, bool planar)
    : SurfacePair(spec, a, b, planar),
      sign_(sign),
      radius_a_(sign * spec.face_radius),
      radius_b_(spec.radius),
      distance_(PairCoordinate::distance(a, point_a_, b, point_b_)) {}

void TwoSpheres::gap_hessian(const Configuration& q, Mat12& H) const {
  distance_.hessian(q, H);
  if (sign_ < 0.0) H = -H;
}

ContactFrame TwoSpheres::frame(const Configuration& q, const Vec3& tangent) const {
  const NodeState &A = q[a_], &B = q[b_];
  const Vec3 lever_a = A.R * point_a_, lever_b = B.R * point_b_;
  const Vec3 centre_b = B.x + lever_b;
  const Vec3 between = centre_b - A.x - lever_a;
  const double distance = between.norm();
  ContactFrame f;
  // Concentric: inside a hollow sphere all directions are the same, and the gap is wide open.
  f.normal = distance > 0.0 ? Vec3(sign_ / distance * between) : Vec3::UnitX();
  carry_tangents(tangent, planar_, f);
  f.arm_a = lever_a + radius_a_ * f.normal;
  f.arm_b = lever_b - radius_b_ * f.normal;
  return f;
}

FrameDerivative TwoSpheres::derivative(const Configuration& q, const ContactFrame& f) const {
  const FrameDerivative::Of lever_a = turning(q[a_].R, point_a_, TA);
  const FrameDerivative::Of lever_b = turning(q[b_].R, point_b_, TB);
  FrameDerivative::Of between = lever_b - lever_a;
  add_displacement(between);
  const double distance = distance_.value(q);
  FrameDerivative d;
  if (distance > 0.0) {
    d.normal = sign_ / distance * (Mat3::Identity() - f.normal * f.normal.transpose()) * between;
  } else {
    d.normal.setZero();
  }
  carry_tangents(f, d);
  d.arm_a = lever_a + radius_a_ * d.normal;
  d.arm_b = lever_b - radius_b_ * d.normal;
  return d;
}

}  // namespace clatter
