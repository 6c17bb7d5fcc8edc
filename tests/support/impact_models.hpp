#pragma once

#include <string>
#include <utility>

#include <clatter/contact/geometry/contact_pair.hpp>

#include "support/run.hpp"

namespace clatter::testing {

/// A point above the ground; without gravity.
inline Model falling_on_ground(double step, double duration, double height, const Vec3& velocity) {
  Model model = timed(step, duration);
  model.bodies = {point("ball", 2.0, Vec3(0.0, 0.0, height), velocity)};
  ContactSpec contact;
  contact.name = "floor";
  contact.point.body = "ball";
  contact.direction = Vec3::UnitZ();
  model.contacts = {contact};
  return model;
}

/// A solid ball, or a disc in the plane.
inline BodySpec ball(std::string name, BodyKind kind, double mass, double radius,
                     const Vec3& position, const Vec3& velocity = Vec3::Zero()) {
  BodySpec body;
  body.name = std::move(name);
  body.kind = kind;
  body.mass = mass;
  body.inertia = kind == BodyKind::planar ? inertia_of(DiscShape{radius, 0.1}, mass)
                                          : inertia_of(SphereShape{radius}, mass);
  body.position = position;
  body.velocity = velocity;
  return body;
}

inline constexpr double ball_mass = 2.0, ball_radius = 0.25;

/// A ball that lies on the ground, under gravity.
inline Model ball_on_ground(BodyKind kind, double step, double duration) {
  Model model = timed(step, duration);
  const Vec3 up = kind == BodyKind::planar ? Vec3::UnitY() : Vec3::UnitZ();
  model.gravity = -9.81 * up;
  model.bodies = {ball("ball", kind, ball_mass, ball_radius, ball_radius * up)};
  ContactSpec contact;
  contact.name = "floor";
  contact.geometry = SphereOnFace::geometry;
  contact.point.body = "ball";
  contact.radius = ball_radius;
  contact.direction = up;
  model.contacts = {contact};
  return model;
}

/// Three equal balls in a row along `way`; the first hits the other two, which touch.
inline Model chain(BodyKind kind, const Vec3& way, double restitution, bool multi_impact) {
  Model model = timed(1e-3, 0.2);
  const double mass = 1.0, radius = 0.125;
  model.bodies = {ball("a", kind, mass, radius, -0.1 * way, way),
                  ball("b", kind, mass, radius, 0.25 * way),
                  ball("c", kind, mass, radius, 0.5 * way)};
  for (const auto* pair : {"ab", "bc"}) {
    ContactSpec contact;
    contact.name = pair;
    contact.geometry = SphereOnSphere::geometry;
    contact.point.body = std::string(1, pair[0]);
    contact.face.body = std::string(1, pair[1]);
    contact.radius = contact.face_radius = radius;
    contact.restitution = restitution;
    model.contacts.push_back(contact);
  }
  model.integrator.multi_impact = multi_impact;
  return model;
}

}  // namespace clatter::testing
