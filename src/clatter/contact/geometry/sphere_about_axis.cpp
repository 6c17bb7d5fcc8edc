#include <clatter/contact/geometry/sphere_about_axis.hpp>

namespace clatter {

SphereAboutAxis::SphereAboutAxis(const ContactSpec& spec, int a, int b, bool planar)
    : SurfacePair(spec, a, b, planar), axis_(spec.direction.normalized()), radius_b_(spec.radius) {}

SphereAboutAxis::Centre SphereAboutAxis::centre(const Configuration& q) const {
  const NodeState &A = q[a_], &B = q[b_];
  Centre c;
  c.lever_a = A.R * point_a_;
  c.lever_b = B.R * point_b_;
  c.axis = A.R * axis_;
  c.from_point = B.x + c.lever_b - A.x - c.lever_a;
  c.along = c.axis.dot(c.from_point);
  c.from_axis = c.from_point - c.along * c.axis;
  return c;
}

SphereAboutAxis::CentreDerivative SphereAboutAxis::derivative_of(const Centre& c,
                                                                 const Configuration& q) const {
  CentreDerivative d;
  d.lever_a = turning(q[a_].R, point_a_, TA);
  d.lever_b = turning(q[b_].R, point_b_, TB);
  const FrameDerivative::Of axis = turning(q[a_].R, axis_, TA);
  FrameDerivative::Of from_point = d.lever_b - d.lever_a;
  add_displacement(from_point);
  const Eigen::Matrix<double, 1, 12> along =
      c.axis.transpose() * from_point + c.from_point.transpose() * axis;
  d.foot = c.axis * along + c.along * axis;
  d.from_axis = from_point - d.foot;
  return d;
}

}  // namespace clatter
