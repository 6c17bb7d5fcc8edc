#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <clatter/contact/geometry/sphere_in_sphere.hpp>
#include <clatter/io/contact_reader.hpp>
#include <clatter/io/joint_reader.hpp>
#include <clatter/io/material_reader.hpp>

namespace clatter {
namespace {

// Cosine below which two axes count as perpendicular: six digits, as people write them.
constexpr double perpendicular_slack = 1e-6;

JointKind joint_kind(const std::string& word) {
  const auto found = std::find_if(joint_kinds.begin(), joint_kinds.end(),
                                  [&](const JointTraits& kind) { return kind.name == word; });
  return found == joint_kinds.end() ? JointKind::fixed : found->kind;
}

/// One joint while it is read.
struct Reading {
  const TomlTable& table;
  BodyChoice a, b;
  Dimension pair;
  bool assemble;
  JointSpec& joint;
};

bool is_planar(const Reading& r) { return r.pair == Dimension::two; }

// What is not read must not be checked.
void doubt_points(const Reading& r) {
  r.joint.keys.doubt("point_a");
  r.joint.keys.doubt("point_b");
}

void read_shared_point(const Reading& r) {
  r.joint.keys.set_written("point_a", "point");
  r.joint.keys.set_written("point_b", "point");
  const std::optional<Vec3> point = r.table.vector("point", notation(r.pair));
  if (!point) return doubt_points(r);
  for (const auto& [body, attachment] : {std::pair{r.a, &r.joint.a}, std::pair{r.b, &r.joint.b}}) {
    attachment->point = point_in_body(r.table, "point", *point, body, r.assemble);
  }
}

void read_points(const Reading& r) {
  const TomlTable& table = r.table;
  const bool distance = r.joint.kind == JointKind::distance;
  if (!distance) {
    table.refuse_together("point_a", "point");
    table.refuse_together("point_b", "point");
  }
  const bool both = table.has("point_a") && table.has("point_b");
  if (table.has("point_a") != table.has("point_b") && !table.has("point")) {
    table.refuse_table(
        fmt::format("missing key '{}' in [[joint]]: 'point_a' and 'point_b' go "
                    "together",
                    table.has("point_a") ? "point_b" : "point_a"));
    return doubt_points(r);
  }
  if (table.has("point")) return read_shared_point(r);
  if (!both) {
    table.refuse_table(distance ? "missing keys 'point_a' and 'point_b' in [[joint]]"
                                : "missing key 'point' in [[joint]]: give 'point' in space, or "
                                  "'point_a' and 'point_b' in the body frames");
    return doubt_points(r);
  }
  r.joint.a.point = read_point(table, "point_a", r.a, r.pair);
  r.joint.b.point = read_point(table, "point_b", r.b, r.pair);
}

// Both sides see the same frame in space at the start.
void set_axes_in_space(const Reading& r, const Mat3& frame) {
  r.joint.axes_a = r.a.rotation().transpose() * frame;
  r.joint.axes_b = r.b.rotation().transpose() * frame;
  r.joint.keys.set_written("axis_a", "axis");
  r.joint.keys.set_written("axis_b", "axis");
}

// The readers of axes say whether there are any.
bool read_axes_in_bodies(const Reading& r) {
  const std::optional<Vec3> axis_a = r.table.direction("axis_a", notation(r.pair));
  const std::optional<Vec3> axis_b = r.table.direction("axis_b", notation(r.pair));
  if (!axis_a || !axis_b) return false;
  r.joint.axes_a = frame_along(*axis_a);
  r.joint.axes_b = frame_along(*axis_b);
  // In the plane x is normal to it on both sides already.
  if (is_planar(r) && traits_of(r.joint.kind).in_plane == InPlane::along) return true;
  // The coordinate is 0 at the start: carry x of a over to b by the shortest turn between the axes.
  const Mat3 a_to_b = r.b.rotation().transpose() * r.a.rotation();
  const Vec3 a_in_b = a_to_b * *axis_a;
  const Vec3 x = Quaternion::FromTwoVectors(a_in_b, *axis_b) * (a_to_b * r.joint.axes_a.col(0));
  const Vec3 across = x - x.dot(*axis_b) * *axis_b;
  r.joint.axes_b.col(0) = across.normalized();
  r.joint.axes_b.col(1) = axis_b->cross(r.joint.axes_b.col(0));
  return true;
}

bool read_universal_axes(const Reading& r) {
  const std::optional<Vec3> z = r.table.direction("axis", notation(r.pair));
  const std::optional<Vec3> second = r.table.direction("axis2", notation(r.pair));
  if (!r.table.has("axis")) r.table.refuse_table("missing key 'axis' in [[joint]]");
  if (!z || !second) return false;
  if (std::abs(z->dot(*second)) > perpendicular_slack) {
    r.table.refuse("axis2", "'axis2' must be perpendicular to 'axis'");
    return false;
  }
  const Vec3 x = (*second - second->dot(*z) * *z).normalized();
  Mat3 frame;
  frame << x, z->cross(x), *z;
  set_axes_in_space(r, frame);
  return true;
}

bool read_axes(const Reading& r) {
  const TomlTable& table = r.table;
  const JointTraits& kind = traits_of(r.joint.kind);
  if (kind.axes == JointAxes::none) {
    set_axes_in_space(r, Mat3::Identity());
    return true;
  }
  if (kind.axes == JointAxes::z_and_x) return read_universal_axes(r);
  table.refuse_together("axis_a", "axis");
  table.refuse_together("axis_b", "axis");
  if (table.has("axis")) {
    const std::optional<Vec3> axis = table.direction("axis", notation(r.pair));
    if (axis) set_axes_in_space(r, frame_along(*axis));
    return axis.has_value();
  }
  if (table.has("axis_a") && table.has("axis_b")) return read_axes_in_bodies(r);
  if (kind.in_plane == InPlane::about && r.pair != Dimension::three && !table.has("axis_a") &&
      !table.has("axis_b")) {
    set_axes_in_space(r, Mat3::Identity());
    return true;
  }
  if (table.has("axis_a") || table.has("axis_b")) {
    table.refuse_table(
        fmt::format("missing key '{}' in [[joint]]: 'axis_a' and 'axis_b' go together",
                    table.has("axis_a") ? "axis_b" : "axis_a"));
  } else {
    table.refuse_table(
        "missing key 'axis' in [[joint]]: give 'axis' in space, or 'axis_a' and "
        "'axis_b' in the body frames");
  }
  return false;
}

// The point of b that does not slip, and the direction along which it does not.
bool read_skate(const Reading& r) {
  const TomlTable& table = r.table;
  table.refuse_together("point_b", "point");
  table.refuse_together("axis_b", "axis");
  if (table.has("point")) {
    read_shared_point(r);
  } else if (table.has("point_b")) {
    r.joint.b.point = read_point(table, "point_b", r.b, r.pair);
    r.joint.a.point = r.a.point_to_body(r.b.point_to_space(r.joint.b.point));
  } else {
    table.refuse_table(
        "missing key 'point' in [[joint]]: give 'point' in space, or 'point_b' in the frame of "
        "'b'");
    doubt_points(r);
  }
  const char* key = table.has("axis") ? "axis" : "axis_b";
  if (!table.has(key)) {
    table.refuse_table(
        "missing key 'axis' in [[joint]]: give 'axis' in space, or 'axis_b' in the frame of 'b', "
        "along which the point must not slip");
    return false;
  }
  const std::optional<Vec3> axis = table.direction(key, notation(r.pair));
  if (!axis) return false;
  if (table.has("axis")) {
    set_axes_in_space(r, frame_along(*axis));
  } else {
    r.joint.axes_b = frame_along(*axis);
    r.joint.axes_a = r.a.rotation().transpose() * r.b.rotation() * r.joint.axes_b;
  }
  return true;
}

// The plane of a and what of b rolls on it.
void read_rolling(const Reading& r) {
  const TomlTable& table = r.table;
  const std::optional<double> radius = table.number("radius");
  const std::optional<Vec3> normal = table.direction("axis_a", notation(r.pair));
  const std::optional<Vec3> axle = table.direction("axis_b", Dimension::either);
  r.joint.b.point = read_point(table, "point_b", r.b, r.pair);
  r.joint.a.point = read_point(table, "point_a", r.a, r.pair);
  r.joint.radius = radius.value_or(0.0);
  if (!normal) r.joint.keys.doubt("axis_a");
  if (!normal || !radius || (table.has("axis_b") && !axle)) return;
  r.joint.is_disc = axle.has_value();
  r.joint.axes_a = frame_along(*normal);
  if (axle) r.joint.axes_b = frame_along(*axle);
  if (table.has("point_a")) return;
  // The plane is where the lowest point is at the start.
  const Vec3 n = r.a.rotation() * *normal;
  Vec3 up = n;
  if (axle) {
    const Vec3 c = r.b.rotation() * *axle;
    up = (n - n.dot(c) * c).normalized();  // of a flat disc: zero, which is refused later
  }
  r.joint.a.point = r.a.point_to_body(r.b.point_to_space(r.joint.b.point) - *radius * up);
}

JointSpec read_joint(const TomlTable& table, const NamedBodies& bodies, bool assemble) {
  JointSpec joint;
  joint.place = table.place();
  joint.keys = table.key_places();
  const BodyChoice a = table.has("a") ? bodies.find(table, "a") : BodyChoice::unknown();
  const BodyChoice b = table.has("b") ? bodies.find(table, "b") : BodyChoice::unknown();
  joint.a.body = a.name();
  joint.b.body = b.name();
  if (!table.kind_is_known()) return joint;
  joint.kind = joint_kind(table.kind());
  const Reading reading{table, a, b, dimension_of_pair(a, b), assemble, joint};
  bool has_axes = true;
  if (joint.kind == JointKind::skate) {
    has_axes = read_skate(reading);
  } else if (joint.kind == JointKind::rolling) {
    read_rolling(reading);
  } else {
    read_points(reading);
    has_axes = read_axes(reading);
    joint.length = table.number("length");
  }
  if (!has_axes) {
    joint.keys.doubt("axis_a");
    joint.keys.doubt("axis_b");
  }
  joint.motor = table.formula("motor");
  joint.touch = table.flag("touch").value_or(joint.touch);
  return joint;
}

// ---- Clearance

// What cannot have any, or would be without effect.
void refuse_clearance(const JointSpec& joint, const TomlTable& table, Dimension pair) {
  if (joint.kind == JointKind::revolute && pair == Dimension::three) {
    table.refuse_key("clearance",
                     "'clearance': a revolute joint with clearance is between planar bodies; in "
                     "space take a ball joint, or a sphere in a bore");
  }
  table.refuse_together("motor", "clearance");
}

// The journal of b in the bearing of a.
ContactSpec journal_of(const JointSpec& joint, const TomlTable& clearance, double play) {
  ContactSpec contact;
  contact.name = joint.name;
  contact.place = joint.place;
  contact.keys = clearance.key_places();
  contact.keys.set_written("face_radius", "play");
  if (joint.keys.is_doubtful("point_a")) contact.keys.doubt("face.point");
  if (joint.keys.is_doubtful("point_b")) contact.keys.doubt("point.point");
  contact.geometry = SphereInSphere::geometry;
  contact.point = joint.b;
  contact.face = joint.a;
  contact.radius = clearance.number("radius").value_or(0.0);
  if (contact.radius == 0.0) contact.keys.doubt("radius");
  contact.face_radius = contact.radius + play;
  read_surface_law(clearance, contact);
  read_force_laws(clearance, contact);
  return contact;
}

// Of a beam all of it.
std::string part_of(const BodyChoice& body) {
  const bool is_node = !body.is_ground() && body.spec() == nullptr;
  return is_node ? std::string(split_at_last_dot(body.name()).first) : body.name();
}

}  // namespace

Mat3 frame_along(const Vec3& z) {
  int least = 2;
  for (const int i : {0, 1}) {
    if (std::abs(z[i]) < std::abs(z[least])) least = i;
  }
  const Vec3 start = Vec3::Unit(least);
  const Vec3 x = (start - start.dot(z) * z).normalized();
  Mat3 frame;
  frame << x, z.cross(x), z;
  return frame;
}

JointReading read_joints(const std::vector<TomlTable>& tables, const NamedBodies& bodies,
                         bool assemble) {
  JointReading reading;
  NameReader names("joint");
  for (const TomlTable& table : tables) {
    JointSpec joint = read_joint(table, bodies, assemble);
    joint.name = names.read(table);
    const std::optional<TomlTable> clearance = table.table("clearance");
    const double play = clearance ? clearance->number("play").value_or(0.0) : 0.0;
    if (!(play > 0.0)) {
      reading.joints.push_back(std::move(joint));
      continue;
    }
    const BodyChoice a = bodies.lookup.find(joint.a.body), b = bodies.lookup.find(joint.b.body);
    refuse_clearance(joint, table, dimension_of_pair(a, b));
    if (!joint.touch && a.is_known() && b.is_known()) {
      reading.exclusions.push_back({{part_of(a), part_of(b)}, joint.place, {}});
    }
    reading.contacts.push_back(journal_of(joint, *clearance, play));
  }
  return reading;
}

}  // namespace clatter
