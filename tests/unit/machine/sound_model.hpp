#pragma once

// A model in which check(model) finds nothing wrong, and the pieces that it is made of.

#include <string>
#include <utility>

#include <clatter/contact/geometry/contact_pair.hpp>
#include <clatter/machine/model.hpp>

namespace clatter::testing::sound {

inline BodySpec body(std::string name, BodyKind kind, const Vec3& position) {
  BodySpec body;
  body.name = std::move(name);
  body.kind = kind;
  body.mass = 2.0;
  if (kind != BodyKind::point) body.inertia = inertia_of(SphereShape{0.5}, body.mass);
  body.position = position;
  return body;
}

inline BeamSpec beam(std::string name, bool planar, const Vec3& start) {
  BeamSpec beam;
  beam.name = std::move(name);
  beam.planar = planar;
  beam.points = {start, start + Vec3(1, 0, 0)};
  beam.elements = 4;
  beam.section = section_of(RectangleSection{0.02, 0.01});
  beam.youngs_modulus = 2.1e11;
  beam.shear_modulus = 8e10;
  beam.density = 7850;
  return beam;
}

inline SpringSpec spring(std::string name, SpringKind kind, std::string a, std::string b,
                         const Vec3& axis = Vec3::UnitZ()) {
  SpringSpec spring;
  spring.name = std::move(name);
  spring.kind = kind;
  spring.a.body = std::move(a);
  spring.b.body = std::move(b);
  spring.axis = axis;
  spring.stiffness = 10.0;
  return spring;
}

inline LoadSpec load(std::string name, std::string on) {
  LoadSpec load;
  load.name = std::move(name);
  load.at.body = std::move(on);
  return load;
}

inline JointSpec joint(std::string name, JointKind kind, std::string a, std::string b) {
  JointSpec joint;
  joint.name = std::move(name);
  joint.kind = kind;
  joint.a.body = std::move(a);
  joint.b.body = std::move(b);
  return joint;
}

// A frame whose z is x of space.
inline Mat3 along_x() {
  Mat3 axes;
  axes << Vec3::UnitZ(), -Vec3::UnitY(), Vec3::UnitX();
  return axes;
}

inline ContactSpec contact(std::string name, ContactGeometry geometry, std::string of,
                           std::string with) {
  ContactSpec contact;
  contact.name = std::move(name);
  contact.geometry = geometry;
  contact.point.body = std::move(of);
  contact.face.body = std::move(with);
  contact.radius = 0.5;
  contact.face_radius = geometry == SphereInSphere::geometry ? 2.0 : 0.5;
  contact.friction = 0.3;
  return contact;
}

enum Bodies { ball, brick, bead, disc, plate };
enum Beams { rod, strip };
enum Springs { coil, guide, twist, hairspring };
enum Loads { push, turn, pull };
enum Joints { hinge, link, pin, slide, skid, wheel };
enum Contacts { corner, bounce, clash, cup, ledge, edge };

// Something of everything; not a machine that could run.
inline Model sound_model() {
  Model m;
  m.gravity = {0, 0, -9.81};
  m.bodies = {body("ball", BodyKind::rigid, {0, 0, 0}), body("brick", BodyKind::rigid, {2, 0, 0}),
              body("bead", BodyKind::point, {0, 3, 0}), body("disc", BodyKind::planar, {5, 0, 0}),
              body("plate", BodyKind::planar, {6, 0, 0})};
  m.bodies[ball].shapes = {PlacedShape{SphereShape{0.5}}};
  m.beams = {beam("rod", false, {0, 10, 0}), beam("strip", true, {0, 11, 0})};
  m.springs = {spring("coil", SpringKind::axial, "ball", "brick"),
               spring("guide", SpringKind::linear, "ball", "rod.end"),
               spring("twist", SpringKind::torsional, "ball", "brick"),
               spring("hairspring", SpringKind::torsional, "disc", "plate")};
  CableSpec rope;
  rope.name = "rope";
  rope.through = {{"ball", {0, 0, 0}}, {"", {0, 0, 5}}, {"bead", {0, 0, 0}}};
  rope.stiffness = 100;
  m.cables = {rope};
  m.loads = {load("push", "rod.2"), load("turn", "disc"), load("pull", "bead")};
  m.joints = {joint("hinge", JointKind::revolute, "ball", "brick"),
              joint("link", JointKind::distance, "brick", "bead"),
              joint("pin", JointKind::revolute, "disc", "plate"),
              joint("slide", JointKind::prismatic, "", "disc"),
              joint("skid", JointKind::skate, "ground", "strip.start"),
              joint("wheel", JointKind::rolling, "", "ball")};
  m.joints[slide].axes_a = m.joints[slide].axes_b = along_x();
  m.joints[skid].axes_a = m.joints[skid].axes_b = along_x();
  m.joints[wheel].radius = 0.5;
  m.contacts = {contact("corner", PointOnFace::geometry, "bead", ""),
                contact("bounce", SphereOnFace::geometry, "ball", ""),
                contact("clash", SphereOnSphere::geometry, "ball", "brick"),
                contact("cup", SphereInSphere::geometry, "ball", "brick"),
                contact("ledge", PointOnFace::geometry, "brick", ""),
                contact("edge", PointOnFace::geometry, "disc", "")};
  m.contacts[ledge].outline = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  m.contacts[edge].direction = Vec3::UnitY();
  m.contacts[edge].outline = {{0, 0, 0}, {1, 0, 0}};
  ContactGroupSpec heap;
  heap.contact = contact("heap", SphereOnFace::geometry, "", "");
  heap.spheres = {{{"ball", Vec3::Zero()}, 0.5}, {{"brick", Vec3::Zero()}, 0.5}};
  ContactGroupSpec crowd = heap;
  crowd.contact = contact("crowd", SphereOnSphere::geometry, "", "");
  crowd.partners = crowd.spheres;
  crowd.among_themselves = true;
  m.contact_groups = {heap, crowd};
  VerifySpec figure;
  figure.quantity = "bodies/ball/position/x";
  m.verify = {figure};
  return m;
}

}  // namespace clatter::testing::sound
