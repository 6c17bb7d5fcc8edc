#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <clatter/io/joint_reader.hpp>

namespace clatter {
namespace {

// How far, relative to the coordinates, a joint may miss the only point of a point body: round-off
// of numbers that were written with ten digits or more.
constexpr double point_slack = 1e-9;
// Cosine below which two axes count as perpendicular: six digits, as people write them.
constexpr double perpendicular_slack = 1e-6;

constexpr std::array<std::pair<std::string_view, JointKind>, 10> joint_kinds = {{
    {"fixed", JointKind::fixed},
    {"ball", JointKind::ball},
    {"revolute", JointKind::revolute},
    {"prismatic", JointKind::prismatic},
    {"cylindrical", JointKind::cylindrical},
    {"universal", JointKind::universal},
    {"planar", JointKind::planar},
    {"distance", JointKind::distance},
    {"skate", JointKind::skate},
    {"rolling", JointKind::rolling},
}};

JointKind joint_kind(const std::string& word) {
  for (const auto& [name, kind] : joint_kinds) {
    if (name == word) return kind;
  }
  return JointKind::fixed;
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

void check_bodies(const Reading& r) {
  if (r.a.same_as(r.b)) {
    r.table.refuse("b", r.a.is_ground()
                            ? "a joint needs a body: 'a' and 'b' are both the ground"
                            : fmt::format("'a' and 'b' are the same body '{}'", r.a.name()));
    return;
  }
  const JointKind kind = r.joint.kind;
  const bool turns_freely = kind == JointKind::ball || kind == JointKind::distance;
  for (const auto& [key, body] : {std::pair{"a", r.a}, std::pair{"b", r.b}}) {
    if (!body.is(BodyKind::point) || turns_freely) continue;
    r.table.refuse(key, fmt::format("point body '{}' does not turn, so it cannot have a {} joint; "
                                    "use 'ball' or 'distance'",
                                    body.name(), r.table.kind()));
  }
  const bool fits_plane = kind != JointKind::ball && kind != JointKind::cylindrical &&
                          kind != JointKind::universal && kind != JointKind::planar;
  if (is_planar(r) && !fits_plane) {
    r.table.refuse("kind",
                   fmt::format("a {} joint has no meaning between planar bodies; use 'fixed', "
                               "'revolute', 'prismatic', 'distance', 'skate' or 'rolling'",
                               r.table.kind()));
  }
}

void read_shared_point(const Reading& r) {
  const std::optional<Vec3> point = r.table.vector("point", r.pair);
  if (!point) return;
  for (const auto& [body, attachment] : {std::pair{r.a, &r.joint.a}, std::pair{r.b, &r.joint.b}}) {
    attachment->point = body.point_to_body(*point);
    if (!body.is(BodyKind::point)) continue;
    const double miss = attachment->point.cwiseAbs().maxCoeff();
    attachment->point.setZero();
    const double scale = 1.0 + point->cwiseAbs().maxCoeff();
    if (r.assemble || miss <= point_slack * scale) continue;
    r.table.refuse("point", fmt::format("'point' is not where point body '{}' is", body.name()));
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
    return;
  }
  if (table.has("point")) return read_shared_point(r);
  if (!both) {
    table.refuse_table(distance ? "missing keys 'point_a' and 'point_b' in [[joint]]"
                                : "missing key 'point' in [[joint]]: give 'point' in space, or "
                                  "'point_a' and 'point_b' in the body frames");
    return;
  }
  r.joint.a.point = read_point(table, "point_a", r.a, r.pair);
  r.joint.b.point = read_point(table, "point_b", r.b, r.pair);
}

// Axes of a planar revolute joint leave the plane, and are looked at by check_planar_axis instead.
Dimension axis_dimension(const Reading& r) { return is_planar(r) ? Dimension::either : r.pair; }

// Whether an axis suits a joint between planar bodies.
bool check_planar_axis(const Reading& r, std::string_view key, const Vec3& axis) {
  if (!is_planar(r)) return true;
  if (r.joint.kind == JointKind::revolute && !axis.head<2>().isZero(0.0)) {
    r.table.refuse(key,
                   fmt::format("'{}': between planar bodies a revolute joint turns about z, so "
                               "the axis must be [0, 0, 1] or [0, 0, -1]",
                               key));
    return false;
  }
  if (r.joint.kind == JointKind::revolute || axis[2] == 0.0) return true;
  if (r.joint.kind == JointKind::prismatic) {
    r.table.refuse(key,
                   fmt::format("'{}': between planar bodies a prismatic joint slides in the x-y "
                               "plane, so the z component must be 0",
                               key));
    return false;
  }
  if (r.joint.kind == JointKind::skate || r.joint.kind == JointKind::rolling) {
    r.table.refuse(key, fmt::format("'{}': between planar bodies the z component must be 0", key));
    return false;
  }
  return true;
}

// Both sides see the same frame in space at the start.
void set_axes_in_space(const Reading& r, const Mat3& frame) {
  r.joint.axes_a = r.a.rotation().transpose() * frame;
  r.joint.axes_b = r.b.rotation().transpose() * frame;
}

void read_axes_in_bodies(const Reading& r) {
  const std::optional<Vec3> axis_a = r.table.direction("axis_a", axis_dimension(r));
  const std::optional<Vec3> axis_b = r.table.direction("axis_b", axis_dimension(r));
  if (!axis_a || !axis_b) return;
  const bool a_fits = check_planar_axis(r, "axis_a", *axis_a);
  const bool b_fits = check_planar_axis(r, "axis_b", *axis_b);
  if (!a_fits || !b_fits) return;
  r.joint.axes_a = frame_along(*axis_a);
  r.joint.axes_b = frame_along(*axis_b);
  // In the plane x is normal to it on both sides already.
  if (is_planar(r) && r.joint.kind == JointKind::prismatic) return;
  // The coordinate is 0 at the start: carry x of a over to b by the shortest turn between the axes.
  const Mat3 a_to_b = r.b.rotation().transpose() * r.a.rotation();
  const Vec3 a_in_b = a_to_b * *axis_a;
  const Vec3 x = Quaternion::FromTwoVectors(a_in_b, *axis_b) * (a_to_b * r.joint.axes_a.col(0));
  const Vec3 across = x - x.dot(*axis_b) * *axis_b;
  r.joint.axes_b.col(0) = across.normalized();
  r.joint.axes_b.col(1) = axis_b->cross(r.joint.axes_b.col(0));
}

void read_universal_axes(const Reading& r) {
  const std::optional<Vec3> z = r.table.direction("axis", r.pair);
  const std::optional<Vec3> second = r.table.direction("axis2", r.pair);
  if (!r.table.has("axis")) r.table.refuse_table("missing key 'axis' in [[joint]]");
  if (!z || !second) return;
  if (std::abs(z->dot(*second)) > perpendicular_slack) {
    r.table.refuse("axis2", "'axis2' must be perpendicular to 'axis'");
    return;
  }
  const Vec3 x = (*second - second->dot(*z) * *z).normalized();
  Mat3 frame;
  frame << x, z->cross(x), *z;
  set_axes_in_space(r, frame);
}

void read_axes(const Reading& r) {
  const TomlTable& table = r.table;
  switch (r.joint.kind) {
    case JointKind::fixed:
    case JointKind::ball:
    case JointKind::distance:
      return set_axes_in_space(r, Mat3::Identity());
    case JointKind::universal:
      return read_universal_axes(r);
    default:
      break;
  }
  table.refuse_together("axis_a", "axis");
  table.refuse_together("axis_b", "axis");
  if (table.has("axis")) {
    const std::optional<Vec3> axis = table.direction("axis", axis_dimension(r));
    if (axis && check_planar_axis(r, "axis", *axis)) set_axes_in_space(r, frame_along(*axis));
  } else if (table.has("axis_a") && table.has("axis_b")) {
    read_axes_in_bodies(r);
  } else if (table.has("axis_a") || table.has("axis_b")) {
    table.refuse_table(
        fmt::format("missing key '{}' in [[joint]]: 'axis_a' and 'axis_b' go together",
                    table.has("axis_a") ? "axis_b" : "axis_a"));
  } else if (r.joint.kind == JointKind::revolute && r.pair != Dimension::three) {
    set_axes_in_space(r, Mat3::Identity());
  } else {
    table.refuse_table(
        "missing key 'axis' in [[joint]]: give 'axis' in space, or 'axis_a' and "
        "'axis_b' in the body frames");
  }
}

void read_length(const Reading& r) {
  r.table.refuse_together("length", "motor");
  r.joint.length = r.table.number("length");
  if (r.joint.kind != JointKind::distance || r.table.has("length") || r.table.has("motor")) return;
  if (!r.a.is_known() || !r.b.is_known()) return;
  if (!r.table.has_usable("point_a") || !r.table.has_usable("point_b")) return;
  const Vec3 between = r.b.point_to_space(r.joint.b.point) - r.a.point_to_space(r.joint.a.point);
  if (between.isZero(0.0)) {
    r.table.refuse_table(
        "the two points of the distance joint coincide at the start; give 'length'");
  }
}

// The point of b that does not slip, and the direction along which it does not.
void read_skate(const Reading& r) {
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
  }
  const char* key = table.has("axis") ? "axis" : "axis_b";
  if (!table.has(key)) {
    table.refuse_table(
        "missing key 'axis' in [[joint]]: give 'axis' in space, or 'axis_b' in the frame of 'b', "
        "along which the point must not slip");
    return;
  }
  const std::optional<Vec3> axis = table.direction(key, axis_dimension(r));
  if (!axis || !check_planar_axis(r, key, *axis)) return;
  if (table.has("axis")) {
    set_axes_in_space(r, frame_along(*axis));
  } else {
    r.joint.axes_b = frame_along(*axis);
    r.joint.axes_a = r.a.rotation().transpose() * r.b.rotation() * r.joint.axes_b;
  }
}

// The plane of a and what of b rolls on it.
void read_rolling(const Reading& r) {
  const TomlTable& table = r.table;
  const std::optional<double> radius = table.number("radius");
  const std::optional<Vec3> normal = table.direction("axis_a", axis_dimension(r));
  const std::optional<Vec3> axle = table.direction("axis_b", Dimension::either);
  r.joint.b.point = read_point(table, "point_b", r.b, r.pair);
  r.joint.a.point = read_point(table, "point_a", r.a, r.pair);
  if (is_planar(r) && table.has("axis_b")) {
    table.refuse("axis_b", "'axis_b': between planar bodies a disc turns about z; leave it out");
    return;
  }
  if (!normal || !check_planar_axis(r, "axis_a", *normal)) return;
  if (!radius || (table.has("axis_b") && !axle)) return;
  r.joint.radius = *radius;
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

JointSpec read_joint(const TomlTable& table, const BodyLookup& bodies, bool assemble) {
  JointSpec joint;
  joint.place = table.place();
  const BodyChoice a = table.has("a") ? bodies.find(table, "a") : BodyChoice::unknown();
  const BodyChoice b = table.has("b") ? bodies.find(table, "b") : BodyChoice::unknown();
  joint.a.body = a.name();
  joint.b.body = b.name();
  if (!table.kind_is_known()) return joint;
  joint.kind = joint_kind(table.kind());
  const Reading reading{table, a, b, dimension_of_pair(a, b), assemble, joint};
  check_bodies(reading);
  if (joint.kind == JointKind::skate) {
    read_skate(reading);
  } else if (joint.kind == JointKind::rolling) {
    read_rolling(reading);
  } else {
    read_points(reading);
    read_axes(reading);
    read_length(reading);
  }
  joint.motor = table.formula("motor");
  return joint;
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

std::vector<JointSpec> read_joints(const std::vector<TomlTable>& tables, const BodyLookup& bodies,
                                   bool assemble) {
  std::vector<JointSpec> joints;
  NameReader names("joint");
  for (const TomlTable& table : tables) {
    joints.push_back(read_joint(table, bodies, assemble));
    joints.back().name = names.read(table);
    names.claim(table, joints.back().name);
  }
  return joints;
}

}  // namespace clatter
