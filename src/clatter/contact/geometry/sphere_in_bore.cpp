#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include <clatter/contact/geometry/sphere_in_bore.hpp>
#include <clatter/model/object_check.hpp>

namespace clatter {

void SphereInBore::check(const ObjectCheck& object, const ContactSpec& contact) {
  if (!object.knows("radius") || contact.radius < contact.face_radius) return;
  object.refuse("face", fmt::format("a sphere of radius {} m does not fit into a bore of {} m",
                                    contact.radius, contact.face_radius));
}

SphereInBore::SphereInBore(const ContactSpec& spec, int a, int b, bool planar)
    : SphereAboutAxis(spec, a, b, planar), radius_a_(spec.face_radius) {}

double SphereInBore::gap(const Configuration& q) const {
  return radius_a_ - radius_b_ - centre(q).from_axis.norm();
}

void SphereInBore::gap_hessian(const Configuration& q, Mat12& H) const {
  const ContactFrame f = frame(q, Vec3::Zero());
  normal_row_derivative(q[a_], q[b_], f, derivative(q, f), H);
}

ContactFrame SphereInBore::frame(const Configuration& q, const Vec3& tangent) const {
  const Centre c = centre(q);
  const double distance = c.from_axis.norm();
  ContactFrame f;
  // On the axis all directions across it are the same, and the gap is wide open.
  f.normal = distance > 0.0 ? Vec3(-c.from_axis / distance) : across(Vec3::Zero(), c.axis);
  carry_tangents(tangent, planar_, f);
  f.arm_a = c.lever_a + c.along * c.axis - radius_a_ * f.normal;
  f.arm_b = c.lever_b - radius_b_ * f.normal;
  return f;
}

FrameDerivative SphereInBore::derivative(const Configuration& q, const ContactFrame& f) const {
  const Centre c = centre(q);
  const CentreDerivative of = derivative_of(c, q);
  const double distance = c.from_axis.norm();
  FrameDerivative d;
  if (distance > 0.0) {
    const Mat3 across_normal = Mat3::Identity() - f.normal * f.normal.transpose();
    d.normal = -1.0 / distance * across_normal * of.from_axis;
  } else {
    d.normal.setZero();
  }
  carry_tangents(f, d);
  d.arm_a = of.lever_a + of.foot - radius_a_ * d.normal;
  d.arm_b = of.lever_b - radius_b_ * d.normal;
  return d;
}

Mesh SphereInBore::picture(const ContactSpec& spec, double size) {
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
    mesh.polygons.push_back({next, i, around + i, around + next});  // seen from inside
  }
  return mesh;
}

}  // namespace clatter
