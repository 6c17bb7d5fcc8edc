#pragma once

// Models with one of everything at random places, for tests that all derivatives are right.

#include <string>
#include <utility>
#include <vector>

#include <clatter/contact/geometry/contact_pair.hpp>
#include <clatter/machine/model.hpp>

#include "support/random_state.hpp"

namespace clatter::testing {

inline BodySpec body_anywhere(std::string name, BodyKind kind, Random& random) {
  BodySpec body;
  body.name = std::move(name);
  body.kind = kind;
  body.mass = random.number(0.5, 2.0);
  body.inertia = random.inertia();
  body.centre_of_mass = random.vector(0.2);
  body.position = random.vector();
  body.orientation = random.rotation();
  if (kind == BodyKind::planar) {
    body.centre_of_mass.z() = body.position.z() = 0.0;
    body.angle = random.number(-3.0, 3.0);
  }
  return body;
}

inline Attachment at(std::string body, Random& random, bool planar = false) {
  Vec3 point = random.vector(0.5);
  if (planar) point.z() = 0.0;
  return {std::move(body), point};
}

inline JointSpec joint_anywhere(std::string name, JointKind kind, Attachment a, Attachment b,
                                Random& random) {
  JointSpec joint;
  joint.name = std::move(name);
  joint.kind = kind;
  joint.a = std::move(a);
  joint.b = std::move(b);
  joint.axes_a = random.axes();
  joint.axes_b = random.axes();
  return joint;
}

inline std::vector<ContactSpec> points_on_faces(Random& random) {
  ContactSpec contact;
  contact.name = "between bodies";
  contact.point = at("C", random);
  contact.face = at("A", random);
  contact.direction = random.direction();
  contact.friction = 0.4;
  contact.restitution = 0.5;
  contact.tangential_restitution = -0.3;
  ContactSpec on_ground = contact;
  on_ground.name = "on the ground";
  on_ground.point = at("P", random);
  on_ground.face = at("", random);
  ContactSpec frictionless = contact;
  frictionless.name = "point of the ground, frictionless";
  frictionless.point = at("", random);
  frictionless.face = at("B", random);
  frictionless.friction = 0.0;
  return {contact, on_ground, frictionless};
}

/// Three bodies and a point with one of everything between them; the ground takes part.
inline Model everything_in_space(Random& random) {
  Model model;
  model.gravity = random.vector(9.0);
  for (const char* name : {"A", "B", "C"}) {
    model.bodies.push_back(body_anywhere(name, BodyKind::rigid, random));
  }
  model.bodies.push_back(body_anywhere("P", BodyKind::point, random));

  SpringSpec axial;
  axial.name = "axial";
  axial.a = at("A", random);
  axial.b = {"C", Vec3(3.0, 3.0, 3.0)};  // long: differences err with one over the length
  axial.stiffness = 5.0;
  axial.damping = 0.7;
  axial.rest = 1.0;
  SpringSpec linear = axial;
  linear.name = "linear";
  linear.kind = SpringKind::linear;
  linear.a = at("", random);
  linear.b = at("P", random);
  linear.axis = random.direction();
  SpringSpec torsional = axial;
  torsional.name = "torsional";
  torsional.kind = SpringKind::torsional;
  torsional.a.body = "B";
  torsional.b.body = "";
  torsional.axis = random.direction();
  model.springs = {axial, linear, torsional};

  LoadSpec follower;
  follower.name = "follower";
  follower.at = at("B", random);
  follower.force = {Expression("2+sin(t)"), 1.0, -1.5};
  follower.torque = {0.5, Expression("t"), -1.0};
  follower.axes = LoadAxes::body;
  LoadSpec dead = follower;
  dead.name = "dead";
  dead.axes = LoadAxes::space;
  model.loads = {follower, dead};

  model.joints = {
      joint_anywhere("ball", JointKind::ball, at("", random), at("A", random), random),
      joint_anywhere("revolute", JointKind::revolute, at("A", random), at("B", random), random),
      joint_anywhere("slide", JointKind::prismatic, at("B", random), at("C", random), random),
      joint_anywhere("link", JointKind::distance, at("C", random), at("P", random), random)};
  model.joints[1].motor = Expression("0.3*t");
  model.joints[2].motor = Expression("0.1+t^2");

  model.contacts = points_on_faces(random);
  return model;
}

inline Model everything_in_the_plane(Random& random) {
  Model model;
  model.gravity = Vec3(1.0, -9.0, 0.0);
  for (const char* name : {"A", "B"}) {
    model.bodies.push_back(body_anywhere(name, BodyKind::planar, random));
  }
  SpringSpec axial;
  axial.name = "axial";
  axial.a = at("A", random, true);
  axial.b = {"B", Vec3(3.0, 4.0, 0.0)};
  axial.stiffness = 5.0;
  axial.damping = 0.7;
  axial.rest = 1.0;
  SpringSpec torsional = axial;
  torsional.name = "torsional";
  torsional.kind = SpringKind::torsional;
  torsional.axis = Vec3::UnitZ();
  model.springs = {axial, torsional};
  LoadSpec follower;
  follower.name = "follower";
  follower.at = at("B", random, true);
  follower.force = {2.0, 1.0, 0.0};
  follower.axes = LoadAxes::body;
  model.loads = {follower};
  JointSpec hinge = joint_anywhere("hinge", JointKind::revolute, at("A", random, true),
                                   at("B", random, true), random);
  hinge.axes_a = hinge.axes_b = Mat3::Identity();
  hinge.motor = Expression("t");
  model.joints = {hinge};
  ContactSpec contact;
  contact.name = "tip";
  contact.point = at("B", random, true);
  contact.face = at("A", random, true);
  contact.direction = Vec3(0.6, 0.8, 0.0);
  contact.friction = 0.4;
  ContactSpec on_ground = contact;
  on_ground.name = "on the ground";
  on_ground.face = at("", random, true);
  model.contacts = {contact, on_ground};
  return model;
}

/// Rows that hold velocities only, beside others, on bodies that move and turn.
inline Model rolling_in_space(Random& random) {
  Model model;
  model.gravity = random.vector(9.0);
  for (const char* name : {"A", "B", "C"}) {
    model.bodies.push_back(body_anywhere(name, BodyKind::rigid, random));
  }
  JointSpec sphere =
      joint_anywhere("sphere", JointKind::rolling, at("A", random), at("B", random), random);
  sphere.radius = 0.4;
  JointSpec disc =
      joint_anywhere("disc", JointKind::rolling, at("", random), at("C", random), random);
  disc.radius = 0.3;
  disc.is_disc = true;
  JointSpec skate =
      joint_anywhere("skate", JointKind::skate, at("B", random), at("C", random), random);
  skate.motor = Expression("0.3+t");
  model.joints = {sphere, disc, skate,
                  joint_anywhere("link", JointKind::distance, at("", random),
                                 {"A", Vec3(4.0, 3.0, 2.0)}, random)};
  ContactSpec contact;
  contact.name = "between bodies";
  contact.point = at("C", random);
  contact.face = at("A", random);
  contact.direction = random.direction();
  contact.friction = 0.4;
  model.contacts = {contact};
  return model;
}

inline BushingSpec bushing_anywhere(std::string a, std::string b, Random& random,
                                    bool planar = false) {
  BushingSpec bushing;
  bushing.name = "bushing";
  bushing.a = at(std::move(a), random, planar);
  bushing.b = at(std::move(b), random, planar);
  bushing.stiffness = Vec3(2.0, 5.0, planar ? 0.0 : 3.0);
  bushing.damping = Vec3(0.5, 0.2, planar ? 0.0 : 0.4);
  bushing.rotational_stiffness = Vec3(1.0, 0.4, 2.0);
  bushing.rotational_damping = Vec3(0.1, 0.7, 0.3);
  bushing.preload = Vec3(1.0, -2.0, planar ? 0.0 : 3.0);
  if (!planar) {
    bushing.axes_a = random.axes();
    bushing.axes_b = random.axes();
  }
  return bushing;
}

/// Taut, through three bodies, one of them twice.
inline CableSpec cable_anywhere(Random& random, bool planar = false) {
  CableSpec cable;
  cable.name = "cable";
  for (const char* body : {"A", "", "B", "A"}) cable.through.push_back(at(body, random, planar));
  cable.stiffness = 3.0;
  cable.damping = 0.02;
  cable.rest_length = 0.1;
  return cable;
}

/// With a condition over all joints that have a coordinate, which share bodies, and one over two.
inline Model geared_in_space(Random& random) {
  Model model = everything_in_space(random);
  model.couplers = {{"all", {"revolute", "slide", "link"}, {1.0, -2.0, 0.5}, 0.3, {}, {}},
                    {"two", {"slide", "revolute"}, {0.7, 0.2}, {}, {}, {}}};
  model.bushings = {bushing_anywhere("A", "C", random), bushing_anywhere("", "B", random)};
  model.cables = {cable_anywhere(random)};
  return model;
}

/// Joints with friction, limits, a clutch, a freewheel and a rope with friction.
inline Model resisting_joints(Random& random) {
  using Kind = JointContactSpec::Kind;
  Model model = everything_in_space(random);
  model.contacts.clear();
  const auto add = [&](Kind kind, std::vector<std::string> joints, std::vector<double> ratios) {
    ContactSpec& contact = model.contacts.emplace_back();
    contact.name = "joint contact " + std::to_string(model.contacts.size());
    contact.of_joints.emplace();
    contact.of_joints->kind = kind;
    contact.of_joints->coupler.joints = std::move(joints);
    contact.of_joints->coupler.ratios = std::move(ratios);
    contact.of_joints->shaft_radius = 0.4;
    return &contact;
  };
  add(Kind::friction, {"ball"}, {1.0});
  add(Kind::friction, {"revolute"}, {1.0});
  add(Kind::friction, {"slide"}, {1.0});
  add(Kind::clutch, {"slide", "revolute"}, {0.7, -0.2});
  add(Kind::one_way, {"slide", "revolute"}, {-0.3, 0.5});
  add(Kind::limit, {"revolute"}, {1.0})->restitution = 0.5;
  ContactSpec* rope = add(Kind::rope, {}, {});
  rope->of_joints->through = {
      at("A", random), {"", Vec3(3.0, 2.0, 4.0)}, {"C", Vec3(-2.0, 3.0, 3.0)}};
  rope->of_joints->drum = 1;
  rope->of_joints->drum_friction = 0.3;
  return model;
}

inline Model geared_in_the_plane(Random& random) {
  Model model = everything_in_the_plane(random);
  JointSpec pin = joint_anywhere("wheel", JointKind::revolute, at("", random, true),
                                 at("A", random, true), random);
  pin.axes_a = pin.axes_b = Mat3::Identity();
  JointSpec other = pin;
  other.name = "other";
  other.a = at("A", random, true);
  other.b = at("B", random, true);
  model.joints = {pin, other};
  model.couplers = {{"gear", {"wheel", "other"}, {1.0, -3.0}, {}, {}, {}}};
  model.bushings = {bushing_anywhere("A", "B", random, true)};
  model.cables = {cable_anywhere(random, true)};
  return model;
}

inline Model rolling_in_the_plane(Random& random) {
  Model model = everything_in_the_plane(random);
  JointSpec disc = joint_anywhere("disc", JointKind::rolling, at("", random, true),
                                  at("A", random, true), random);
  disc.radius = 0.4;
  disc.axes_a << 0.0, -0.8, 0.6, 0.0, 0.6, 0.8, -1.0, 0.0, 0.0;
  JointSpec skate = joint_anywhere("skate", JointKind::skate, at("A", random, true),
                                   at("B", random, true), random);
  skate.axes_b = disc.axes_a;
  model.joints = {disc, skate};
  return model;
}

/// Beams with a corner, natural curvature, both dampings and a load that turns with the sections,
/// hinged to the ground and against it. Stiffness and mass near one, so that differences are sharp.
inline Model beams(Random& random, bool planar) {
  Model model;
  model.gravity = Vec3(1.0, -9.0, planar ? 0.0 : 2.0);
  BeamSpec beam;
  beam.name = "beam";
  beam.planar = planar;
  beam.points = {Vec3::Zero(), Vec3(1.0, 0.0, 0.0), Vec3(1.0, 2.0, 0.0)};
  beam.elements = 3;
  beam.section.area = 1.3;
  beam.section.I_y = 0.3;
  beam.section.I_z = 0.2;
  beam.section.J = 0.4;
  beam.section.shear_y = 0.8;
  beam.section.shear_z = 0.7;
  beam.unstressed_curvature = planar ? Vec3(0.0, 0.0, 0.2) : Vec3(0.1, -0.2, 0.3);
  beam.youngs_modulus = 2.0;
  beam.shear_modulus = 1.0;
  beam.density = 1.0;
  beam.mass_damping = 0.4;
  beam.stiffness_damping = 0.3;
  beam.line_force = {0.5, -1.0, 0.0};
  beam.line_torque = {0.0, 0.0, 0.3};
  beam.line_axes = LoadAxes::body;
  BeamSpec undamped = beam;
  undamped.name = "undamped";
  undamped.mass_damping = undamped.stiffness_damping = 0.0;
  model.beams = {beam, undamped};
  JointSpec hinge =
      joint_anywhere("hinge", JointKind::revolute, at("", random, planar), {"beam.0"}, random);
  hinge.axes_a = hinge.axes_b = Mat3::Identity();
  model.joints = {hinge};
  ContactSpec contact;
  contact.name = "tip";
  contact.point.body = "undamped.3";
  contact.direction = Vec3(0.6, 0.8, 0.0);
  contact.friction = 0.4;
  model.contacts = {contact};
  return model;
}
inline Model beams_in_space(Random& random) { return beams(random, false); }
inline Model beams_in_the_plane(Random& random) { return beams(random, true); }

inline ContactSpec friction_of_all_kinds(std::string name, ContactGeometry geometry) {
  ContactSpec contact;
  contact.name = std::move(name);
  contact.geometry = geometry;
  contact.friction = 0.4;
  contact.rolling_friction = 0.5;
  contact.drilling_friction = 0.6;
  contact.restitution = 0.5;
  contact.tangential_restitution = -0.3;
  return contact;
}

/// Sliding and drilling together: Coulomb-Contensou.
inline ContactSpec with_patch(ContactSpec contact) {
  contact.name += " with patch";
  contact.drilling_friction = 0.0;
  contact.patch_radius = 0.7;
  return contact;
}

/// Spheres whose centres are off their nodes, on moving faces, on each other and within each other.
/// Centres are metres apart: differences err with one over their distance.
inline Model spheres_in_space(Random& random) {
  Model model;
  model.gravity = random.vector(9.0);
  for (const char* name : {"A", "B", "C"}) {
    model.bodies.push_back(body_anywhere(name, BodyKind::rigid, random));
  }
  model.bodies.push_back(body_anywhere("P", BodyKind::point, random));

  ContactSpec on_face = friction_of_all_kinds("on face", SphereOnFace::geometry);
  on_face.point = at("B", random);
  on_face.radius = 0.3;
  on_face.face = at("A", random);
  on_face.direction = random.direction();
  ContactSpec on_sphere = friction_of_all_kinds("on sphere", SphereOnSphere::geometry);
  on_sphere.point = at("C", random);
  on_sphere.radius = 0.4;
  on_sphere.face = {"B", Vec3(2.0, 4.0, -2.0)};
  on_sphere.face_radius = 0.7;
  ContactSpec in_sphere = friction_of_all_kinds("in sphere", SphereInSphere::geometry);
  in_sphere.point = {"A", Vec3(-3.0, 3.0, 3.0)};
  in_sphere.radius = 0.4;
  in_sphere.face = at("C", random);
  in_sphere.face_radius = 9.0;
  ContactSpec in_ground = in_sphere;
  in_ground.name = "in a sphere of the ground";
  in_ground.face = at("", random);
  ContactSpec in_bore = in_sphere;
  in_bore.name = "in bore";
  in_bore.geometry = SphereInBore::geometry;
  in_bore.direction = Vec3(1.0, 1.0, 1.0);
  ContactSpec on_shaft = on_sphere;
  on_shaft.name = "on shaft";
  on_shaft.geometry = SphereOnShaft::geometry;
  on_shaft.direction = Vec3(1.0, -1.0, 0.5);
  ContactSpec point_body = on_sphere;  // only one of the two turns
  point_body.name = "of a point body";
  point_body.point = {"P", Vec3::Zero()};
  point_body.face = {"A", Vec3(4.0, -4.0, 1.0)};
  ContactSpec neither_turns = on_face;  // rolling and drilling move nothing
  neither_turns.name = "neither turns";
  neither_turns.point = {"P", Vec3::Zero()};
  neither_turns.face = at("", random);
  ContactSpec point_on_face = on_face;
  point_on_face.name = "point";
  point_on_face.geometry = PointOnFace::geometry;
  point_on_face.radius = 0.0;
  ContactSpec rolls_only = on_sphere;
  rolls_only.name = "rolls only";
  rolls_only.friction = rolls_only.tangential_restitution = rolls_only.drilling_friction = 0.0;
  model.contacts = {on_face,  on_sphere,  in_sphere,     in_ground,     in_bore,
                    on_shaft, point_body, neither_turns, point_on_face, rolls_only};
  return model;
}

inline Model spheres_with_patches(Random& random) {
  Model model = spheres_in_space(random);
  for (ContactSpec& contact : model.contacts) {
    if (contact.friction > 0.0) contact = with_patch(contact);
  }
  return model;
}

inline Model discs_in_the_plane(Random& random) {
  Model model;
  model.gravity = Vec3(1.0, -9.0, 0.0);
  for (const char* name : {"A", "B"}) {
    model.bodies.push_back(body_anywhere(name, BodyKind::planar, random));
  }
  ContactSpec on_line = friction_of_all_kinds("on line", SphereOnFace::geometry);
  on_line.drilling_friction = 0.0;
  on_line.point = at("B", random, true);
  on_line.radius = 0.3;
  on_line.face = at("A", random, true);
  on_line.direction = Vec3(0.6, 0.8, 0.0);
  ContactSpec on_disc = on_line;
  on_disc.name = "on disc";
  on_disc.geometry = SphereOnSphere::geometry;
  on_disc.face = {"A", Vec3(3.0, -4.0, 0.0)};
  on_disc.face_radius = 0.7;
  ContactSpec in_circle = on_disc;
  in_circle.name = "in circle";
  in_circle.geometry = SphereInSphere::geometry;
  in_circle.face = {"", Vec3(-5.0, 4.0, 0.0)};
  in_circle.face_radius = 9.0;
  model.contacts = {on_line, on_disc, in_circle};
  return model;
}

}  // namespace clatter::testing
