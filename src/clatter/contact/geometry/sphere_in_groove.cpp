#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include <clatter/contact/geometry/sphere_in_groove.hpp>
#include <clatter/model/object_check.hpp>

namespace clatter {

void SphereInGroove::check(const ObjectCheck& object, const ContactSpec& contact) {
  if (!object.number("tube_radius", contact.tube_radius, ranges::positive)) return;
  if (contact.tube_radius >= contact.face_radius) {
    object.refuse("tube_radius",
                  fmt::format("the tube of a groove, {} m, must be thinner than its circle of {} m",
                              contact.tube_radius, contact.face_radius));
  } else if (object.knows("radius") && contact.radius >= contact.tube_radius) {
    object.refuse("tube_radius",
                  fmt::format("a sphere of radius {} m does not fit into a groove of {} m",
                              contact.radius, contact.tube_radius));
  }
}

SphereInGroove::SphereInGroove(const ContactSpec& spec, int a, int b, bool planar)
    : SphereAboutAxis(spec, a, b, planar), circle_(spec.face_radius), tube_(spec.tube_radius) {}

SphereInGroove::FromCircle SphereInGroove::from_circle(const Configuration& q) const {
  FromCircle from;
  const Centre& c = from.centre = centre(q);
  from.from_axis = c.from_axis.norm();
  // On the axis all of the circle is as near.
  from.outward =
      from.from_axis > 0.0 ? Vec3(c.from_axis / from.from_axis) : across(Vec3::Zero(), c.axis);
  from.way = c.from_point - circle_ * from.outward;
  from.off = from.way.norm();
  return from;
}

double SphereInGroove::gap(const Configuration& q) const {
  return tube_ - radius_b_ - from_circle(q).off;
}

void SphereInGroove::gap_hessian(const Configuration& q, Mat12& H) const {
  const ContactFrame f = frame(q, Vec3::Zero());
  normal_row_derivative(q[a_], q[b_], f, derivative(q, f), H);
}

ContactFrame SphereInGroove::frame(const Configuration& q, const Vec3& tangent) const {
  const FromCircle from = from_circle(q);
  ContactFrame f;
  // On the circle itself all directions across it are the same, and the gap is wide open.
  f.normal = from.off > 0.0 ? Vec3(-from.way / from.off) : from.centre.axis;
  carry_tangents(tangent, planar_, f);
  f.arm_a = from.centre.lever_a + circle_ * from.outward - tube_ * f.normal;
  f.arm_b = from.centre.lever_b - radius_b_ * f.normal;
  return f;
}

FrameDerivative SphereInGroove::derivative(const Configuration& q, const ContactFrame& f) const {
  const FromCircle from = from_circle(q);
  const CentreDerivative of = derivative_of(from.centre, q);
  FrameDerivative::Of outward = FrameDerivative::Of::Zero();
  if (from.from_axis > 0.0) {
    outward = 1.0 / from.from_axis * (Mat3::Identity() - from.outward * from.outward.transpose()) *
              of.from_axis;
  }
  FrameDerivative d;
  if (from.off > 0.0) {
    d.normal = -1.0 / from.off * (Mat3::Identity() - f.normal * f.normal.transpose()) *
               (of.foot + of.from_axis - circle_ * outward);
  } else {
    d.normal.setZero();
  }
  carry_tangents(f, d);
  d.arm_a = of.lever_a + circle_ * outward - tube_ * d.normal;
  d.arm_b = of.lever_b - radius_b_ * d.normal;
  return d;
}

Mesh SphereInGroove::picture(const ContactSpec& spec, double /*size*/) {
  constexpr int around = 48, across_tube = 12;
  const Vec3 axis = spec.direction.normalized();
  const Vec3 u = axis.unitOrthogonal(), w = axis.cross(u);
  Mesh mesh;
  for (int i = 0; i < around; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / around;
    const Vec3 outward = std::cos(angle) * u + std::sin(angle) * w;
    for (int k = 0; k < across_tube; ++k) {
      const double turn = 2.0 * std::numbers::pi * k / across_tube;
      mesh.points.emplace_back(spec.face.point + spec.face_radius * outward +
                               spec.tube_radius *
                                   (std::cos(turn) * outward + std::sin(turn) * axis));
    }
  }
  for (int i = 0; i < around; ++i) {
    for (int k = 0; k < across_tube; ++k) {
      const int here = i * across_tube, next = (i + 1) % around * across_tube;
      const int up = (k + 1) % across_tube;
      mesh.polygons.push_back({here + k, here + up, next + up, next + k});  // seen from inside
    }
  }
  return mesh;
}

}  // namespace clatter
