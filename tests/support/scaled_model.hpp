#pragma once

#include <fmt/format.h>

#include <clatter/machine/model.hpp>

namespace clatter::testing {

inline Expression times(const Expression& e, double factor) {
  return e.is_constant() ? Expression(factor * e(0.0))
                         : Expression(fmt::format("{:.17g}*({})", factor, e.text()));
}

/// The same machine in other units: lengths are `length` times, masses `mass` times as large in
/// numbers, times stay. Every number of its motion must scale accordingly.
inline Model scaled(Model m, double length, double mass) {
  const double force = mass * length, torque = force * length;
  m.gravity *= length;
  for (BodySpec& b : m.bodies) {
    b.mass *= mass;
    b.inertia *= mass * length * length;
    b.centre_of_mass *= length;
    b.position *= length;
    b.velocity *= length;
    b.shapes.clear();
  }
  for (SpringSpec& s : m.springs) {
    const bool torsional = s.kind == SpringKind::torsional;
    s.a.point *= length;
    s.b.point *= length;
    s.stiffness *= torsional ? torque : mass;
    s.damping *= torsional ? torque : mass;
    if (s.rest && !torsional) *s.rest *= length;
  }
  for (LoadSpec& l : m.loads) {
    l.at.point *= length;
    for (Expression& e : l.force) e = times(e, force);
    for (Expression& e : l.torque) e = times(e, torque);
  }
  for (JointSpec& j : m.joints) {
    j.a.point *= length;
    j.b.point *= length;
    if (j.length) *j.length *= length;
    j.radius *= length;
    if (j.motor && j.kind != JointKind::revolute) j.motor = times(*j.motor, length);
  }
  for (ContactSpec& c : m.contacts) {
    c.point.point *= length;
    c.face.point *= length;
    for (Vec3& corner : c.outline) corner *= length;
    for (double* size :
         {&c.radius, &c.face_radius, &c.patch_radius, &c.rolling_friction, &c.drilling_friction}) {
      *size *= length;
    }
  }
  if (m.integrator.impact_tolerance) *m.integrator.impact_tolerance *= length;
  if (m.integrator.characteristic_mass) *m.integrator.characteristic_mass *= mass;
  return m;
}

}  // namespace clatter::testing
