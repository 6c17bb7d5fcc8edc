#include <cmath>

#include <fmt/format.h>

#include <clatter/model/part_checks.hpp>

namespace clatter {
namespace {

// How far, as a part of their length, axes between planar bodies may be off the plane: round-off.
constexpr double plane_slack = 1e-9;

/// One joint while it is checked.
struct JointCheck {
  const ObjectCheck& object;
  const JointSpec& joint;
  const BodyChoice &a, &b;
  bool planar;
};

bool fits_points(const JointTraits& kind) { return kind.on_points; }
bool fits_plane(const JointTraits& kind) { return kind.in_plane != InPlane::never; }

void check_joined_bodies(const JointCheck& c) {
  if (c.a.same_as(c.b)) {
    c.object.refuse("b", c.a.is_ground()
                             ? "a joint needs a body: 'a' and 'b' are both the ground"
                             : fmt::format("'a' and 'b' are the same body '{}'", c.a.name()));
    return;
  }
  const JointTraits& kind = traits_of(c.joint.kind);
  for (const auto& [key, body] : {std::pair{"a", &c.a}, std::pair{"b", &c.b}}) {
    if (!body->is(BodyKind::point) || kind.on_points) continue;
    c.object.refuse(key,
                    fmt::format("point body '{}' does not turn, so it cannot have a {} joint; "
                                "use {}",
                                body->name(), kind.name, names_of_joints(fits_points, "'", "or")));
  }
  if (c.planar && !fits_plane(kind)) {
    c.object.refuse("kind", fmt::format("a {} joint has no meaning between planar bodies; use {}",
                                        kind.name, names_of_joints(fits_plane, "'", "or")));
  }
}

// An axis of a joint between planar bodies.
void check_planar_axis(const JointCheck& c, std::string_view key, const Vec3& axis) {
  const std::string written = c.object.written(key);
  const bool is_about_z = axis.head<2>().isZero(plane_slack);
  const bool is_in_plane = std::abs(axis[2]) <= plane_slack;
  const JointTraits& kind = traits_of(c.joint.kind);
  if (kind.in_plane == InPlane::about && !is_about_z) {
    c.object.refuse(key, fmt::format("'{}': between planar bodies a {} joint turns about z, "
                                     "so the axis must be [0, 0, 1] or [0, 0, -1]",
                                     written, kind.name));
  }
  if (kind.in_plane == InPlane::along && !is_in_plane) {
    c.object.refuse(key, fmt::format("'{}': between planar bodies a {} joint slides in the "
                                     "x-y plane, so the z component must be 0",
                                     written, kind.name));
  }
  const bool is_of_a = key == "axis_a";
  const bool counts = (c.joint.kind == JointKind::skate && !is_of_a) ||
                      (c.joint.kind == JointKind::rolling && is_of_a);
  if (counts && !is_in_plane) {
    c.object.refuse(key,
                    fmt::format("'{}': between planar bodies the z component must be 0", written));
  }
}

void check_axes(const JointCheck& c) {
  for (const auto& [key, axes] :
       {std::pair{"axis_a", &c.joint.axes_a}, std::pair{"axis_b", &c.joint.axes_b}}) {
    if (c.object.frame(key, *axes) && c.planar) check_planar_axis(c, key, axes->col(2));
  }
  if (c.planar && c.joint.is_disc) {
    c.object.refuse("axis_b", "'axis_b': between planar bodies a disc turns about z; leave it out");
  }
}

void check_distance(const JointCheck& c) {
  const JointSpec& joint = c.joint;
  c.object.number("length", joint.length, ranges::positive);
  if (joint.length && joint.motor) {
    c.object.refuse_key("length", "'length' conflicts with 'motor': give one of them");
  }
  if (!c.a.is_known() || !c.b.is_known() || c.a.same_as(c.b)) return;
  if (!c.object.knows("point_a") || !c.object.knows("point_b")) return;
  if (c.a.point_to_space(joint.a.point) != c.b.point_to_space(joint.b.point)) return;
  c.object.refuse_object(
      "the two points of the distance joint coincide at the start; move one of them, or use a ball "
      "joint");
}

void check_motor(const JointCheck& c) {
  if (!c.joint.motor) return;
  const JointTraits& kind = traits_of(c.joint.kind);
  if (can_be_driven(kind)) {
    c.object.formula("motor", *c.joint.motor);
  } else {
    c.object.refuse_key("motor", fmt::format("a {} joint cannot have a motor; {} joints can",
                                             kind.name, names_of_joints(can_be_driven, "", "and")));
  }
}

}  // namespace

void check_joint(const JointSpec& joint, BodyLookup& bodies, std::vector<Mistake>& mistakes) {
  const ObjectCheck object(fmt::format("joint '{}'", joint.name), joint.place, joint.keys,
                           mistakes);
  const BodyChoice a = find_body(object, "a", joint.a.body, bodies);
  const BodyChoice b = find_body(object, "b", joint.b.body, bodies);
  if (!object.knows("kind")) return;
  const JointCheck c{object, joint, a, b, is_planar_pair(a, b)};
  check_joined_bodies(c);
  check_point(object, "point_a", joint.a.point, a, c.planar);
  check_point(object, "point_b", joint.b.point, b, c.planar);
  check_axes(c);
  if (joint.kind == JointKind::distance) {
    check_distance(c);
  } else if (joint.length) {
    object.refuse_key("length",
                      fmt::format("'length' has no meaning for a {} joint", to_string(joint.kind)));
  }
  if (joint.kind == JointKind::rolling) object.number("radius", joint.radius, ranges::positive);
  check_motor(c);
}

}  // namespace clatter
