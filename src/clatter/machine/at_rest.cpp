#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <clatter/machine/at_rest.hpp>

namespace clatter {
namespace {

void freeze(Expression& expression, double time, const Place& place, const std::string& what) {
  if (expression.is_constant()) return;
  const double value = expression(time);
  if (!std::isfinite(value))
    throw Error(place, fmt::format("{}: '{}' has no finite value at t = {:g} s", what,
                                   expression.text(), time));
  expression = Expression(value);
}

}  // namespace

Model at_rest(Model model, double time) {
  for (BodySpec& body : model.bodies) body.velocity = body.angular_velocity = Vec3::Zero();
  for (BeamSpec& beam : model.beams) {
    beam.velocity = beam.angular_velocity = Vec3::Zero();
    const std::string what = fmt::format("beam '{}'", beam.name);
    for (auto* load : {&beam.line_force, &beam.line_torque})
      for (Expression& component : *load) freeze(component, time, beam.place, what);
  }
  for (LoadSpec& load : model.loads) {
    const std::string what = fmt::format("load '{}'", load.name);
    for (auto* vector : {&load.force, &load.torque})
      for (Expression& component : *vector) freeze(component, time, load.place, what);
  }
  for (JointSpec& joint : model.joints) {
    // Motors of positions stand still, those of velocities stop.
    if (joint.kind == JointKind::skate || joint.kind == JointKind::hold_turn) joint.motor.reset();
    if (joint.motor)
      freeze(*joint.motor, time, joint.place, fmt::format("motor of joint '{}'", joint.name));
  }
  return model;
}

bool starts_moving(const Model& model) {
  const auto moves = [](const auto& part) {
    return !part.velocity.isZero(0.0) || !part.angular_velocity.isZero(0.0);
  };
  return std::any_of(model.bodies.begin(), model.bodies.end(), moves) ||
         std::any_of(model.beams.begin(), model.beams.end(), moves);
}

}  // namespace clatter
