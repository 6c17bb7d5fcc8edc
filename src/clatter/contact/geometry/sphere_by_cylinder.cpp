#include <cmath>
#include <numbers>

#include <clatter/contact/geometry/sphere_by_cylinder.hpp>

namespace clatter {

SphereByCylinder::SphereByCylinder(const ContactSpec& spec, int a, int b, bool planar, double side)
    : SphereAboutAxis(spec, a, b, planar), radius_a_(spec.face_radius), side_(side) {}

double SphereByCylinder::gap(const Configuration& q) const {
  return side_ * (centre(q).from_axis.norm() - radius_a_) - radius_b_;
}

void SphereByCylinder::gap_hessian(const Configuration& q, Mat12& H) const {
  const ContactFrame f = frame(q, Vec3::Zero());
  normal_row_derivative(q[a_], q[b_], f, derivative(q, f), H);
}

ContactFrame SphereByCylinder::frame(const Configuration& q, const Vec3& tangent) const {
  const Centre c = centre(q);
  const double distance = c.from_axis.norm();
  ContactFrame f;
  // On the axis all directions across it are the same: of a bore, whose gap is wide open there.
  f.normal = distance > 0.0 ? Vec3(side_ / distance * c.from_axis) : across(Vec3::Zero(), c.axis);
  carry_tangents(tangent, planar_, f);
  f.arm_a = c.lever_a + c.along * c.axis + side_ * radius_a_ * f.normal;
  f.arm_b = c.lever_b - radius_b_ * f.normal;
  return f;
}

FrameDerivative SphereByCylinder::derivative(const Configuration& q, const ContactFrame& f) const {
  const Centre c = centre(q);
  const CentreDerivative of = derivative_of(c, q);
  const double distance = c.from_axis.norm();
  FrameDerivative d;
  if (distance > 0.0) {
    const Mat3 across_normal = Mat3::Identity() - f.normal * f.normal.transpose();
    d.normal = side_ / distance * across_normal * of.from_axis;
  } else {
    d.normal.setZero();
  }
  carry_tangents(f, d);
  d.arm_a = of.lever_a + of.foot + side_ * radius_a_ * d.normal;
  d.arm_b = of.lever_b - radius_b_ * d.normal;
  return d;
}

Mesh SphereByCylinder::picture(const ContactSpec& spec, double size) {
  constexpr int around = 24;
  const Vec3 axis = spec.direction.normalized();
  const Vec3 u = axis.unitOrthogonal(), w = axis.cross(u);
  Mesh mesh;
  for (const double end : {-0.5, 0.5}) {
    for (int i = 0; i < around; ++i) {
      const double angle = 2.0 * std::numbers::pi * i / around;
      mesh.points.emplace_back(spec.face.point + end * size * axis +
                               spec.face_radius * (std::cos(angle) * u + std::sin(angle) * w));
    }
  }
  for (int i = 0; i < around; ++i) {
    const int next = (i + 1) % around;
    if (spec.geometry.inside) {
      mesh.polygons.push_back({next, i, around + i, around + next});  // seen from there
    } else {
      mesh.polygons.push_back({i, next, around + next, around + i});
    }
  }
  return mesh;
}

}  // namespace clatter
