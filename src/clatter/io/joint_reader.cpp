#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <clatter/contact/geometry/joint_contact.hpp>
#include <clatter/contact/geometry/sphere_in_bore.hpp>
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

// The axis of a about which b does not turn.
bool read_hold_turn(const Reading& r) {
  const TomlTable& table = r.table;
  if (!table.has("axis") && r.pair != Dimension::three) {
    set_axes_in_space(r, Mat3::Identity());
    return true;
  }
  if (!table.has("axis")) {
    table.refuse_table(
        "missing key 'axis' in [[joint]]: give the axis of 'a', in space at the start");
    return false;
  }
  const std::optional<Vec3> axis = table.direction("axis", notation(r.pair));
  if (axis) set_axes_in_space(r, frame_along(*axis));
  return axis.has_value();
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
  } else if (joint.kind == JointKind::hold_turn) {
    has_axes = read_hold_turn(reading);
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

/// A joint that becomes contacts of points and spheres of b with faces and holes of a.
struct PlayOfJoint {
  const JointSpec& joint;
  const TomlTable& table;  ///< `clearance` or `backlash`
  const BodyChoice& a;
  Dimension pair;
  double play;

  ContactSpec contact(const std::string& suffix) const;
};

ContactSpec PlayOfJoint::contact(const std::string& suffix) const {
  ContactSpec contact;
  contact.name = joint.name + suffix;
  contact.place = joint.place;
  contact.keys = table.key_places();
  contact.keys.set_written("face_radius", "play");
  if (joint.keys.is_doubtful("point_a")) contact.keys.doubt("face.point");
  if (joint.keys.is_doubtful("point_b")) contact.keys.doubt("point.point");
  contact.point = joint.b;
  contact.face = joint.a;
  read_surface_law(table, contact);
  read_force_laws(table, contact);
  return contact;
}

// A point of b and a face of a, in the axes of the joint.
ContactSpec stop_of(const PlayOfJoint& of, const std::string& suffix, const Vec3& point,
                    const Vec3& face, const Vec3& normal) {
  ContactSpec contact = of.contact(suffix);
  contact.point.point += of.joint.axes_b * point;
  contact.face.point += of.joint.axes_a * face;
  contact.direction = of.joint.axes_a * normal;
  return contact;
}

// A sphere in a hollow one, in the plane a pin in its hole.
ContactSpec journal_of(const PlayOfJoint& of, double radius) {
  ContactSpec contact = of.contact("");
  contact.geometry = SphereInSphere::geometry;
  contact.radius = radius;
  contact.face_radius = radius + of.play;
  return contact;
}

// The two ends of a journal in a bore: its rims tilt by so little that they are as spheres are. A
// revolute joint has shoulders besides.
void add_bore(const PlayOfJoint& of, double radius, double length,
              std::vector<ContactSpec>& contacts) {
  const Vec3 end = 0.5 * length * Vec3::UnitZ();
  for (const double side : {-1.0, 1.0}) {
    ContactSpec contact = of.contact(side < 0.0 ? ".1" : ".2");
    contact.geometry = SphereInBore::geometry;
    contact.point.point += of.joint.axes_b * (side * end);
    contact.direction = of.joint.axes_a.col(2);
    contact.radius = radius;
    contact.face_radius = radius + of.play;
    contacts.push_back(contact);
  }
  if (of.joint.kind != JointKind::revolute) return;
  const double axial = of.table.number("axial_play").value_or(of.play);
  for (const double side : {-1.0, 1.0}) {
    contacts.push_back(stop_of(of, side < 0.0 ? ".3" : ".4", side * end,
                               side * (end + axial * Vec3::UnitZ()), -side * Vec3::UnitZ()));
  }
}

// The corners of a block between the two sides of a slot.
void add_slot(const PlayOfJoint& of, double half, double length,
              std::vector<ContactSpec>& contacts) {
  int number = 0;
  constexpr std::array suffixes{".1", ".2", ".3", ".4"};
  for (const double side : {-1.0, 1.0}) {
    for (const double end : {-0.5, 0.5}) {
      contacts.push_back(stop_of(of, suffixes[static_cast<std::size_t>(number++)],
                                 Vec3(0.0, side * half, end * length),
                                 Vec3(0.0, side * (half + of.play), 0.0), Vec3(0.0, -side, 0.0)));
    }
  }
}

// The frame of a guide in the axes of the joint: x is where its block is as thick as it says.
std::optional<Mat3> read_guide(const PlayOfJoint& of) {
  if (!of.table.has("across")) return Mat3::Identity();
  const std::optional<Vec3> given = of.table.direction("across", Dimension::three);
  if (!given) return std::nullopt;
  Vec3 x = of.joint.axes_a.transpose() * of.a.rotation().transpose() * *given;
  x.z() = 0.0;
  if (x.norm() < perpendicular_slack) {
    of.table.refuse("across", "'across': a direction across the axis is expected");
    return std::nullopt;
  }
  x.normalize();
  Mat3 guide;
  guide << x, Vec3::UnitZ().cross(x), Vec3::UnitZ();
  return guide;
}

// The corners of a block between the four sides of a guide.
void add_guide(const PlayOfJoint& of, const Mat3& guide, const Vec3& half,
               std::vector<ContactSpec>& contacts) {
  int number = 0;
  for (const int across : {0, 1}) {
    for (const double side : {-1.0, 1.0}) {
      const Vec3 out = side * Vec3::Unit(across);
      for (const double other : {-1.0, 1.0}) {
        for (const double end : {-1.0, 1.0}) {
          Vec3 corner = half[across] * out + end * half.z() * Vec3::UnitZ();
          corner[1 - across] = other * half[1 - across];
          contacts.push_back(stop_of(of, fmt::format(".{}", ++number), guide * corner,
                                     guide * ((half[across] + of.play) * out), guide * -out));
        }
      }
    }
  }
}

void add_clearance(const PlayOfJoint& of, std::vector<ContactSpec>& contacts) {
  const TomlTable& table = of.table;
  const bool in_space = of.pair == Dimension::three;
  const JointKind kind = of.joint.kind;
  const bool is_long = kind == JointKind::prismatic || (in_space && kind != JointKind::ball);
  const bool is_guide = kind == JointKind::prismatic && in_space;
  if (table.has("length") && !is_long) {
    table.refuse_key("length", "'length' has no meaning for this joint");
  }
  if (table.has("axial_play") && !(in_space && kind == JointKind::revolute)) {
    table.refuse_key("axial_play", "'axial_play' is that of revolute joints in space");
  }
  for (const char* key : {"width", "across"}) {
    if (!table.has(key) || is_guide) continue;
    table.refuse_key(key, fmt::format("'{}' is that of prismatic joints in space", key));
  }
  if (is_long && !table.has("length")) {
    table.refuse_table("missing key 'length': how long the journal or block is along the axis");
  }
  const std::optional<double> radius = table.number("radius"), length = table.number("length");
  if (!radius || (is_long && !length)) return;
  if (!is_long) {
    contacts.push_back(journal_of(of, *radius));
  } else if (is_guide) {
    const std::optional<Mat3> guide = read_guide(of);
    const double width = table.number("width").value_or(2.0 * *radius);
    if (guide) add_guide(of, *guide, {*radius, 0.5 * width, 0.5 * *length}, contacts);
  } else if (kind == JointKind::prismatic) {
    add_slot(of, *radius, *length, contacts);
  } else {
    add_bore(of, *radius, *length, contacts);
  }
}

// A finger of b between two faces of a that meet at the axis, or between two across it.
void add_backlash(const PlayOfJoint& of, std::vector<ContactSpec>& contacts) {
  const TomlTable& table = of.table;
  const bool turns = of.joint.kind == JointKind::revolute;
  if (!turns && table.has("radius")) {
    table.refuse_key("radius", "'radius' has no meaning for a prismatic joint");
  }
  if (turns && !table.has("radius")) {
    table.refuse_table("missing key 'radius': how far from the axis the stops are");
  }
  if (turns && of.play >= 0.5 * std::numbers::pi) {
    table.refuse("play", "'play': an angle of less than pi/2 is expected");
  }
  const std::optional<double> radius = table.number("radius");
  if (turns && !radius) return;
  for (const double side : {-1.0, 1.0}) {
    const char* suffix = side < 0.0 ? ".1" : ".2";
    if (turns) {
      contacts.push_back(stop_of(of, suffix, Vec3(*radius, 0.0, 0.0), Vec3::Zero(),
                                 Vec3(std::sin(of.play), -side * std::cos(of.play), 0.0)));
    } else {
      contacts.push_back(
          stop_of(of, suffix, Vec3::Zero(), Vec3(0.0, 0.0, side * of.play), Vec3(0.0, 0.0, -side)));
    }
  }
}

// ---- Limits and friction

ContactSpec& add_joint_contact(const JointSpec& joint, const TomlTable& table,
                               JointContactSpec::Kind kind, const std::string& suffix,
                               std::vector<ContactSpec>& contacts) {
  ContactSpec& contact = contacts.emplace_back();
  contact.name = joint.name + suffix;
  contact.place = joint.place;
  contact.keys = table.key_places();
  contact.geometry = JointContact::geometry;
  contact.of_joints.emplace();
  contact.of_joints->kind = kind;
  contact.of_joints->coupler.name = joint.name;
  contact.of_joints->coupler.place = joint.place;
  contact.of_joints->coupler.joints = {joint.name};
  contact.of_joints->coupler.ratios = {1.0};
  return contact;
}

void add_limits(const JointSpec& joint, const TomlTable& table,
                std::vector<ContactSpec>& contacts) {
  const bool turns = joint.kind == JointKind::revolute;
  if (!turns && table.has("radius")) {
    table.refuse_key("radius", fmt::format("'radius' has no meaning for the limits of a {} joint",
                                           to_string(joint.kind)));
  }
  for (const char* key : {"lower_deg", "upper_deg"}) {
    if (!turns && table.has(key)) {
      table.refuse_key(key, fmt::format("'{}' is for angles; a {} joint has a displacement", key,
                                        to_string(joint.kind)));
    }
  }
  const auto bound = [&](const char* key) { return turns ? table.angle(key) : table.number(key); };
  const std::optional<double> lower = bound("lower"), upper = bound("upper");
  const bool has_lower = table.has("lower") || table.has("lower_deg"),
             has_upper = table.has("upper") || table.has("upper_deg");
  if (!has_lower && !has_upper) table.refuse_table("'limits' need 'lower' or 'upper', or both");
  if (lower && upper && !(*lower < *upper)) {
    table.refuse("upper", "'upper' must be more than 'lower'");
  }
  for (const auto& [limit, side] : {std::pair(lower, -1.0), std::pair(upper, 1.0)}) {
    if (!limit) continue;
    ContactSpec& contact = add_joint_contact(joint, table, JointContactSpec::Kind::limit,
                                             side < 0.0 ? ".lower" : ".upper", contacts);
    contact.of_joints->side = side;
    contact.of_joints->coupler.offset = *limit;
    contact.of_joints->radius = table.number("radius").value_or(1.0);
    contact.restitution = table.number("restitution").value_or(0.0);
    contact.recovery = read_recovery(table, contact.keys);
  }
}

void add_friction(const JointSpec& joint, const TomlTable& table, JointReading& reading) {
  using Kind = JointContactSpec::Kind;
  const std::optional<Formula> preload = table.drive("preload");
  const double coefficient = table.number("coefficient").value_or(0.0);
  if (table.has("preload") || table.has("coefficient")) {
    ContactSpec& contact =
        add_joint_contact(joint, table, Kind::friction, ".friction", reading.contacts);
    if (preload) contact.of_joints->pressure = *preload;
    contact.of_joints->coefficient = coefficient;
    contact.of_joints->shaft_radius = table.number("radius").value_or(0.0);
    contact.of_joints->length = table.number("length");
  }
  const double viscous = table.number("viscous").value_or(0.0);
  if (!table.has("preload") && !table.has("coefficient") && !table.has("viscous")) {
    table.refuse_table("'friction' needs 'preload', 'coefficient' or 'viscous'");
  }
  if (viscous == 0.0) return;
  BushingSpec& damper = reading.dampers.emplace_back();
  damper.name = joint.name + ".friction";
  damper.place = joint.place;
  damper.keys = table.key_places();
  damper.a = joint.a;
  damper.b = joint.b;
  damper.axes_a = joint.axes_a;
  damper.axes_b = joint.axes_b;
  switch (joint.kind) {
    case JointKind::revolute:
      damper.rotational_damping = Vec3(0.0, 0.0, viscous);
      break;
    case JointKind::prismatic:
      damper.damping = Vec3(0.0, 0.0, viscous);
      break;
    case JointKind::ball:
      damper.rotational_damping = Vec3::Constant(viscous);
      break;
    default:
      table.refuse_key("viscous", fmt::format("'viscous' is for revolute, prismatic and ball "
                                              "joints; give a {} joint a [[bushing]] with damping",
                                              to_string(joint.kind)));
  }
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
    const BodyChoice a = bodies.lookup.find(joint.a.body), b = bodies.lookup.find(joint.b.body);
    const Dimension pair = dimension_of_pair(a, b);
    if (const std::optional<TomlTable> backlash = table.table("backlash")) {
      table.refuse_together("motor", "backlash");
      table.refuse_together("clearance", "backlash");
      const double play = backlash->number("play").value_or(0.0);
      if (play > 0.0) add_backlash({joint, *backlash, a, pair, play}, reading.contacts);
    }
    const std::optional<TomlTable> limits = table.table("limits"),
                                   friction = table.table("friction");
    for (const char* key : {"limits", "friction"}) table.refuse_together(key, "clearance");
    if (limits) {
      table.refuse_together("limits", "motor");
      add_limits(joint, *limits, reading.contacts);
    }
    if (friction) add_friction(joint, *friction, reading);
    const std::optional<TomlTable> clearance = table.table("clearance");
    const double play = clearance ? clearance->number("play").value_or(0.0) : 0.0;
    if (!(play > 0.0)) {
      reading.joints.push_back(std::move(joint));
      continue;
    }
    table.refuse_together("motor", "clearance");
    if (!joint.touch && a.is_known() && b.is_known()) {
      reading.exclusions.push_back({{part_of(a), part_of(b)}, joint.place, {}});
    }
    add_clearance({joint, *clearance, a, pair, play}, reading.contacts);
  }
  return reading;
}

}  // namespace clatter
