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
    : SurfacePair(spec, a, b, planar),
      axis_(spec.direction.normalized()),
      circle_(spec.face_radius),
      tube_(spec.tube_radius),
      radius_b_(spec.radius) {}

SphereInGroove::Centre SphereInGroove::centre(const Configuration& q) const {
  const NodeState &A = q[a_], &B = q[b_];
  Centre c;
  c.lever_a = A.R * point_a_;
  c.lever_b = B.R * point_b_;
  c.axis = A.R * axis_;
  c.from_centre = B.x + c.lever_b - A.x - c.lever_a;
  const Vec3 across_axis = c.from_centre - c.axis.dot(c.from_centre) * c.axis;
  c.from_axis = across_axis.norm();
  // On the axis all of the circle is as near.
  c.outward = c.from_axis > 0.0 ? Vec3(across_axis / c.from_axis) : across(Vec3::Zero(), c.axis);
  c.from_circle = c.from_centre - circle_ * c.outward;
  c.off = c.from_circle.norm();
  return c;
}

double SphereInGroove::gap(const Configuration& q) const {
  return tube_ - radius_b_ - centre(q).off;
}

void SphereInGroove::gap_hessian(const Configuration& q, Mat12& H) const {
  const ContactFrame f = frame(q, Vec3::Zero());
  normal_row_derivative(q[a_], q[b_], f, derivative(q, f), H);
}

ContactFrame SphereInGroove::frame(const Configuration& q, const Vec3& tangent) const {
  const Centre c = centre(q);
  ContactFrame f;
  // On the circle itself all directions across it are the same, and the gap is wide open.
  f.normal = c.off > 0.0 ? Vec3(-c.from_circle / c.off) : c.axis;
  carry_tangents(tangent, planar_, f);
  f.arm_a = c.lever_a + circle_ * c.outward - tube_ * f.normal;
  f.arm_b = c.lever_b - radius_b_ * f.normal;
  return f;
}

FrameDerivative SphereInGroove::derivative(const Configuration& q, const ContactFrame& f) const {
  const Centre c = centre(q);
  const FrameDerivative::Of lever_a = turning(q[a_].R, point_a_, TA);
  const FrameDerivative::Of lever_b = turning(q[b_].R, point_b_, TB);
  const FrameDerivative::Of axis = turning(q[a_].R, axis_, TA);
  FrameDerivative::Of from_centre = lever_b - lever_a;
  add_displacement(from_centre);
  FrameDerivative::Of outward = FrameDerivative::Of::Zero();
  if (c.from_axis > 0.0) {
    const Eigen::Matrix<double, 1, 12> along =
        c.axis.transpose() * from_centre + c.from_centre.transpose() * axis;
    const FrameDerivative::Of across_axis =
        from_centre - c.axis * along - c.axis.dot(c.from_centre) * axis;
    outward =
        1.0 / c.from_axis * (Mat3::Identity() - c.outward * c.outward.transpose()) * across_axis;
  }
  FrameDerivative d;
  if (c.off > 0.0) {
    d.normal = -1.0 / c.off * (Mat3::Identity() - f.normal * f.normal.transpose()) *
               (from_centre - circle_ * outward);
  } else {
    d.normal.setZero();
  }
  carry_tangents(f, d);
  d.arm_a = lever_a + circle_ * outward - tube_ * d.normal;
  d.arm_b = lever_b - radius_b_ * d.normal;
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
