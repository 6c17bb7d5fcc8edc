#include <cmath>
#include <numbers>

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <clatter/contact/geometry/sphere_in_bore.hpp>
#include <clatter/contact/geometry/sphere_in_groove.hpp>
#include <clatter/contact/geometry/sphere_in_sphere.hpp>
#include <clatter/contact/geometry/sphere_on_face.hpp>
#include <clatter/contact/geometry/sphere_on_shaft.hpp>
#include <clatter/contact/geometry/sphere_on_sphere.hpp>
#include <clatter/io/bearing_reader.hpp>
#include <clatter/io/contact_reader.hpp>
#include <clatter/io/joint_reader.hpp>
#include <clatter/io/material_reader.hpp>

namespace clatter {
namespace {

/// A body that has a race, and how it moves at the start.
struct Race {
  BodyChoice body = BodyChoice::unknown();
  double radius = 0.0;                                ///< at the bottom of its groove
  Vec3 velocity = Vec3::Zero(), spin = Vec3::Zero();  ///< of the centre; space axes
};

/// A place along a roller where it touches a race, for a part of the line there.
struct Station {
  double at;    ///< from the middle, over half the length
  double part;  ///< of the line
};

// Lobatto's rule, which has the ends, where a hard roller that tilts touches, and from three
// stations on the stiffness against tilting of a law that is linear.
std::vector<Station> stations_along(int count) {
  switch (count) {
    case 2:
      return {{-1.0, 0.5}, {1.0, 0.5}};
    case 3:
      return {{-1.0, 1.0 / 6.0}, {0.0, 2.0 / 3.0}, {1.0, 1.0 / 6.0}};
    case 4: {
      const double at = std::sqrt(0.2);
      return {{-1.0, 1.0 / 12.0}, {-at, 5.0 / 12.0}, {at, 5.0 / 12.0}, {1.0, 1.0 / 12.0}};
    }
    default: {
      const double at = std::sqrt(3.0 / 7.0);
      return {
          {-1.0, 0.05}, {-at, 49.0 / 180.0}, {0.0, 16.0 / 45.0}, {at, 49.0 / 180.0}, {1.0, 0.05}};
    }
  }
}

/// One bearing while it is read.
struct BearingTable {
  explicit BearingTable(const TomlTable& from) : table(from) {}

  const TomlTable& table;
  std::string name;
  Race inner, outer;
  Vec3 centre = Vec3::Zero();
  Mat3 axes = Mat3::Identity();  ///< z is the axis, balls are counted from x
  bool planar = false, rollers = false;
  int count = 0;
  double radius = 0.0;  ///< of a ball
  std::optional<double> length;
  std::optional<double> groove;
  std::vector<Station> stations;  ///< of rollers in space; else none
  double angle = 0.0;             ///< of the first ball

  bool has_lines_in_space() const { return rollers && !planar; }
  double pitch() const { return 0.5 * (inner.radius + outer.radius); }
  std::string ball(int i) const {
    return fmt::format("{}.{}{}", name, rollers ? "roller" : "ball", i + 1);
  }
  Vec3 outward(int i) const {
    const double at = angle + 2.0 * std::numbers::pi * i / count;
    return axes * Vec3(std::cos(at), std::sin(at), 0.0);
  }
};

// Of a beam, which starts as if it were rigid, or of a body.
void read_motion(const NamedBodies& bodies, const Vec3& centre, Race& race) {
  const BodyChoice& body = race.body;
  if (const BodySpec* spec = body.spec()) {
    race.spin = body.rotation() * spec->angular_velocity;
    race.velocity = spec->velocity + race.spin.cross(centre - spec->position);
  } else if (const auto* beam = bodies.lookup.beam(split_at_last_dot(body.name()).first)) {
    race.spin = beam->spec->angular_velocity;
    race.velocity = beam->spec->velocity + race.spin.cross(centre - beam->nodes.front().position);
  }
}

// Whether the radii are known and make sense.
bool read_radii(BearingTable& b) {
  const TomlTable& table = b.table;
  const bool by_pitch = table.has("pitch_radius");
  if (by_pitch) {
    table.refuse_together("inner_radius", "pitch_radius");
    table.refuse_together("outer_radius", "pitch_radius");
  } else if (table.has("clearance")) {
    table.refuse_key("clearance",
                     "'clearance' goes with 'pitch_radius'; with 'inner_radius' and "
                     "'outer_radius' it follows from these");
    return false;
  }
  const std::optional<double> radius = table.number("radius");
  if (!radius) return false;
  b.radius = *radius;
  if (by_pitch) {
    const std::optional<double> pitch = table.number("pitch_radius");
    if (!pitch) return false;
    const double off = b.radius + 0.5 * table.number("clearance").value_or(0.0);
    b.inner.radius = *pitch - off;
    b.outer.radius = *pitch + off;
  } else if (!table.has("inner_radius") || !table.has("outer_radius")) {
    table.refuse_table(
        "the radii of the races are missing: give 'inner_radius' and 'outer_radius', or "
        "'pitch_radius'");
    return false;
  } else {
    const std::optional<double> inner = table.number("inner_radius"),
                                outer = table.number("outer_radius");
    if (!inner || !outer) return false;
    b.inner.radius = *inner;
    b.outer.radius = *outer;
  }
  const double clearance = b.outer.radius - b.inner.radius - 2.0 * b.radius;
  // What is left of the radii of a bearing without clearance by round-off.
  const bool overlaps = clearance < -1e-12 * b.outer.radius;
  if (!(b.inner.radius > 0.0)) {
    table.refuse("radius",
                 fmt::format("'radius': balls of {} m leave nothing of the inner race", b.radius));
    return false;
  }
  if (overlaps && !table.has("compliance")) {
    table.refuse(by_pitch ? "clearance" : "radius",
                 fmt::format("the balls are {} m too large for the races: hard ones do not fit; a "
                             "preload needs 'compliance'",
                             -clearance));
    return false;
  }
  const double least = b.radius / std::sin(std::numbers::pi / b.count);
  if (b.pitch() < least) {
    table.refuse("count",
                 fmt::format("{} balls of radius {} m overlap on a circle of {} m; they need {} m",
                             b.count, b.radius, b.pitch(), least));
    return false;
  }
  return true;
}

// Whether there is a groove where one is needed.
bool read_groove(BearingTable& b) {
  b.groove = b.table.number("groove_radius");
  if (b.table.has("groove_radius") && !b.groove) return false;
  if (!b.planar && !b.rollers && !b.groove) {
    b.table.refuse_table("'groove_radius' is missing: in space balls run in grooves");
    return false;
  }
  if (b.groove && *b.groove <= b.radius) {
    b.table.refuse(
        "groove_radius",
        fmt::format("balls of radius {} m do not fit into grooves of {} m", b.radius, *b.groove));
    return false;
  }
  return true;
}

// Whether rollers in space know where they touch; others have no such places.
bool read_stations(BearingTable& b) {
  const TomlTable& table = b.table;
  b.length = table.number("length");
  if (!b.has_lines_in_space()) {
    for (const char* key : {"stations", "ribs", "axial_play"}) {
      if (!table.has(key)) continue;
      table.refuse_key(key, fmt::format("'{}' is that of rollers in space", key));
      return false;
    }
    return true;
  }
  if (!table.has("length")) {
    table.refuse_table("missing key 'length': how long rollers in space are");
  }
  if (!b.length) return false;
  const std::optional<TomlTable> recover = table.table("recover");
  const bool by_stiffness =
      table.has("compliance") || (recover && recover->flag("share").value_or(false));
  const std::optional<int> count = table.integer("stations");
  if (table.has("stations") && !count) return false;
  b.stations = stations_along(count.value_or(by_stiffness ? 3 : 2));
  return true;
}

BodySpec read_ball(const BearingTable& b) {
  const TomlTable& table = b.table;
  BodySpec ball;
  ball.kind = b.planar ? BodyKind::planar : BodyKind::rigid;
  ball.place = table.place();
  ball.keys = table.key_places();
  const double length = table.number("length").value_or(2.0 * b.radius);
  const Shape shape =
      b.rollers ? Shape(CylinderShape{b.radius, length}) : Shape(SphereShape{b.radius});
  ball.shapes = {PlacedShape{shape}};
  ball.shapes.back().place = table.place();
  table.refuse_together("density", "mass");
  if (const auto density = table.number("density")) {
    if (b.rollers && !table.has("length")) {
      table.refuse("density", "'density' of rollers needs their 'length'");
    }
    ball.mass = *density * volume(shape);
  } else if (!table.has("density") && !table.has("mass")) {
    table.refuse_table("'density' or 'mass' is missing");
    ball.keys.doubt("mass");
  }
  ball.mass = table.number("mass").value_or(ball.mass);
  ball.inertia = inertia_of(shape, ball.mass);
  if (const auto inertia = table.number("inertia")) {
    if (b.has_lines_in_space()) {
      ball.inertia(2, 2) = *inertia;
    } else {
      ball.inertia = *inertia * Mat3::Identity();
    }
  }
  if (b.has_lines_in_space()) ball.orientation = Quaternion(b.axes);
  return ball;
}

// It rolls on both races, or as near to that as the clearance lets it: its points opposite to each
// other go with them.
void place_ball(const BearingTable& b, int i, BodySpec& ball) {
  const Vec3 outward = b.outward(i), axis = b.axes.col(2);
  const Vec3 at_inner = b.inner.velocity + b.inner.spin.cross(b.inner.radius * outward);
  const Vec3 at_outer = b.outer.velocity + b.outer.spin.cross(b.outer.radius * outward);
  ball.name = b.ball(i);
  ball.position = b.centre + b.pitch() * outward;
  ball.velocity = 0.5 * (at_inner + at_outer);
  ball.angular_velocity = outward.cross(at_outer - at_inner) / (2.0 * b.radius);
  if (!b.planar && !b.rollers) return;
  // A roller turns about its axis, and with the races across it.
  ball.angular_velocity = ball.angular_velocity.dot(axis) * axis;
  if (b.planar) return;
  const Vec3 with_races = 0.5 * (b.inner.spin + b.outer.spin);
  ball.angular_velocity += with_races - with_races.dot(axis) * axis;
  ball.angular_velocity = b.axes.transpose() * ball.angular_velocity;
}

// Rollers press on races along a line, balls at a point. `tells`: of what is wrong, once.
void read_lines(const BearingTable& b, bool tells, ContactSpec& contact) {
  const auto read = [&](const char* key, ForceLawSpec& law) {
    const std::optional<TomlTable> table = b.table.table(key);
    if (law.length && tells) {
      table->refuse_key("length", b.rollers ? "'length' is that of the bearing already"
                                            : "'length': balls touch races at a point");
    }
    if (!b.rollers || !table->has("materials")) return;
    law.length = b.table.number("length");
    if (b.table.has("length") || !tells) return;
    table->refuse_key("materials",
                      "'materials' of rollers, which touch along a line, need the 'length' of the "
                      "bearing");
  };
  if (contact.recovery) read("recover", *contact.recovery);
  if (contact.compliance) read("compliance", *contact.compliance);
}

// Ball and race, all but the ball.
ContactSpec read_race(const BearingTable& b, const Race& race, bool inner) {
  ContactSpec contact;
  contact.place = b.table.place();
  contact.keys = b.table.key_places();
  contact.keys.set_written("face.body", inner ? "inner" : "outer");
  contact.keys.set_written("face_radius", b.table.has("pitch_radius")
                                              ? "pitch_radius"
                                              : (inner ? "inner_radius" : "outer_radius"));
  contact.keys.set_written("tube_radius", "groove_radius");
  read_surface_law(b.table, contact);
  read_force_laws(b.table, contact);
  read_lines(b, inner, contact);
  contact.radius = b.radius;
  contact.face = {race.body.name(), race.body.point_to_body(b.centre)};
  const double along = (inner ? 1.0 : -1.0) / race.radius;
  const double across = b.groove ? -1.0 / *b.groove : 0.0;
  contact.face_curvature = {along, across};
  contact.direction = race.body.rotation().transpose() * b.axes.col(2);
  if (b.planar) {
    contact.geometry = inner ? SphereOnSphere::geometry : SphereInSphere::geometry;
    contact.face_radius = race.radius;
  } else if (b.rollers) {
    contact.geometry = inner ? SphereOnShaft::geometry : SphereInBore::geometry;
    contact.face_radius = race.radius;
  } else {
    contact.geometry = SphereInGroove::geometry;
    contact.tube_radius = *b.groove;
    contact.face_radius = inner ? race.radius + *b.groove : race.radius - *b.groove;
  }
  return contact;
}

// A part of the line along which a roller in space touches what `line` says.
ContactSpec contact_at(const BearingTable& b, const ContactSpec& line, const Station& station) {
  ContactSpec contact = line;
  contact.point.point = 0.5 * *b.length * station.at * Vec3::UnitZ();
  const auto take_part = [&](ForceLawSpec& law) {
    if (law.stiffness) *law.stiffness *= station.part;
    law.part = station.part;
  };
  if (contact.recovery) take_part(*contact.recovery);
  if (contact.compliance) take_part(*contact.compliance);
  return contact;
}

// All contacts of a ball with a race, or of a roller with the next one.
void add_line(const BearingTable& b, const ContactSpec& line, BearingReading& reading) {
  if (!b.has_lines_in_space()) {
    reading.contacts.push_back(line);
    return;
  }
  int number = 0;
  for (const Station& station : b.stations) {
    ContactSpec& contact = reading.contacts.emplace_back(contact_at(b, line, station));
    contact.name = fmt::format("{}.{}", line.name, ++number);
  }
}

// Between which a race holds a roller along the axis. Ends are rounded, as spheres of the radius of
// the roller that touch ribs with their middle; these are smooth.
void add_ribs(const BearingTable& b, const Race& race, const ContactSpec& line,
              BearingReading& reading) {
  const double half = 0.5 * *b.length,
               play =
                   b.table.number("axial_play")
                       .value_or(std::max(0.0, 0.5 * (b.outer.radius - b.inner.radius) - b.radius));
  for (const double side : {-1.0, 1.0}) {
    ContactSpec& rib = reading.contacts.emplace_back(line);
    rib.name = fmt::format("{}.rib{}", line.name, side < 0.0 ? 1 : 2);
    rib.geometry = SphereOnFace::geometry;
    rib.point.point = side * (half - b.radius) * Vec3::UnitZ();
    rib.face.point = race.body.point_to_body(b.centre + side * (half + play) * b.axes.col(2));
    rib.direction = -side * line.direction;
    rib.face_curvature.reset();
    rib.friction = rib.rolling_friction = rib.drilling_friction = rib.patch_radius = 0.0;
    rib.tangential_restitution = 0.0;
    if (rib.recovery) rib.recovery->length.reset();
    if (rib.compliance) rib.compliance->length.reset();
  }
}

// Springs of the cage from one ball to the next. Rollers in space are linked at their ends, along
// and across, so that none turns against the next, nor all of them together against the axis.
void add_cage(const BearingTable& b, const TomlTable& cage, int i, BearingReading& reading) {
  const bool lines = b.has_lines_in_space();
  const Vec3 end = lines ? Vec3(0.5 * *b.length * Vec3::UnitZ()) : Vec3::Zero();
  const double parts = lines ? 4.0 : 1.0;
  int number = 0;
  for (const double here : {-1.0, 1.0}) {
    for (const double there : {-1.0, 1.0}) {
      SpringSpec& spring = reading.springs.emplace_back();
      spring.name = fmt::format("{}.cage{}", b.name, i + 1);
      if (lines) spring.name += fmt::format(".{}", ++number);
      spring.a = {b.ball(i), here * end};
      spring.b = {b.ball((i + 1) % b.count), there * end};
      spring.stiffness = cage.number("stiffness").value_or(1.0) / parts;
      spring.damping = cage.number("damping").value_or(0.0) / parts;
      spring.place = cage.place();
      spring.keys = cage.key_places();
      if (!lines) return;
    }
  }
}

// What keeps a ball and the next apart: a part of the cage, or that they touch.
void add_neighbours(const BearingTable& b, const std::optional<TomlTable>& cage,
                    const ContactSpec& race, BearingReading& reading) {
  for (int i = 0; i < (b.count == 2 ? 1 : b.count); ++i) {
    if (cage) {
      add_cage(b, *cage, i, reading);
      continue;
    }
    ContactSpec next = race;
    next.name = fmt::format("{}.next", b.ball(i));
    next.geometry = b.has_lines_in_space() ? SphereOnShaft::geometry : SphereOnSphere::geometry;
    next.point = {b.ball(i)};
    next.face = {b.ball((i + 1) % b.count)};
    next.face_radius = b.radius;
    next.direction = Vec3::UnitZ();
    next.face_curvature.reset();
    next.recovery.reset();
    add_line(b, next, reading);
  }
}

void read_bearing(BearingTable& b, const NamedBodies& bodies, BearingReading& reading) {
  const TomlTable& table = b.table;
  if (!table.kind_is_known() || !table.has("inner") || !table.has("outer")) return;
  b.inner.body = bodies.find(table, "inner");
  b.outer.body = bodies.find(table, "outer");
  if (b.inner.body.same_as(b.outer.body)) {
    table.refuse("outer", "'outer': both races are on the same body");
    return;
  }
  b.rollers = table.kind() == "roller";
  const Dimension pair = dimension_of_pair(b.inner.body, b.outer.body);
  b.planar = pair == Dimension::two;
  b.centre = table.vector("point", notation(pair)).value_or(b.centre);
  const std::optional<Vec3> axis = table.direction("axis", Dimension::either);
  if (b.planar && axis && std::abs(axis->z()) < 1.0 - 1e-12) {
    table.refuse("axis", "'axis': that of a bearing between planar bodies is [0, 0, 1]");
    return;
  }
  if (!b.planar && !axis) {
    if (!table.has("axis")) table.refuse_table("missing key 'axis' in [[bearing]]");
    return;
  }
  if (!b.planar) b.axes = frame_along(*axis);
  b.angle = table.angle("angle").value_or(b.angle);
  const std::optional<int> count = table.integer("count");
  if (!count) return;
  b.count = *count;
  if (!read_radii(b) || !read_groove(b) || !read_stations(b)) return;
  const std::optional<TomlTable> cage = table.table("cage");
  if (table.has("cage") && !cage) return;

  for (Race* race : {&b.inner, &b.outer}) read_motion(bodies, b.centre, *race);
  const ContactSpec at_inner = read_race(b, b.inner, true), at_outer = read_race(b, b.outer, false);
  BearingSpec& bearing = reading.bearings.emplace_back();
  bearing.name = b.name;
  bearing.place = table.place();
  bearing.inner = at_inner.face;
  bearing.outer = at_outer.face;
  bearing.axis = b.outer.body.rotation().transpose() * b.axes.col(2);
  bearing.start = b.outer.body.rotation().transpose() * b.axes.col(0);
  for (const Station& station : b.stations) {
    bearing.stations.push_back(0.5 * *b.length * station.at);
  }
  const std::string ribs = table.text("ribs").value_or("outer");
  BodySpec ball = read_ball(b);
  for (int i = 0; i < b.count; ++i) {
    place_ball(b, i, ball);
    reading.balls.push_back(ball);
    bearing.balls.push_back(ball.name);
    for (const bool inner : {true, false}) {
      const char* race = inner ? "inner" : "outer";
      ContactSpec contact = inner ? at_inner : at_outer;
      contact.name = fmt::format("{}.{}", ball.name, race);
      contact.point = {ball.name};
      add_line(b, contact, reading);
      const bool has_ribs = b.has_lines_in_space() && (ribs == "both" || ribs == race);
      if (has_ribs) add_ribs(b, inner ? b.inner : b.outer, contact, reading);
    }
  }
  add_neighbours(b, cage, at_inner, reading);
}

}  // namespace

std::size_t count_balls(const std::vector<TomlTable>& tables) {
  std::size_t sum = 0;
  for (const TomlTable& table : tables) {
    sum += static_cast<std::size_t>(table.integer("count").value_or(0));
  }
  return sum;
}

BearingReading read_bearings(const std::vector<TomlTable>& tables, const NamedBodies& bodies) {
  BearingReading reading;
  NameReader names("bearing");
  for (const TomlTable& table : tables) {
    BearingTable bearing(table);
    bearing.name = names.read(table);
    read_bearing(bearing, bodies, reading);
  }
  return reading;
}

}  // namespace clatter
