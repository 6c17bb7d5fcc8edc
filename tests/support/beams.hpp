#pragma once

#include <utility>

#include <clatter/machine/model.hpp>

namespace clatter::testing {

/// A steel rod along x from the origin, of rectangular section: bending about y and z differ.
inline BeamSpec rod(int elements, double length = 1.0) {
  BeamSpec beam;
  beam.name = "rod";
  beam.points = {Vec3::Zero(), Vec3(length, 0, 0)};
  beam.elements = elements;
  beam.section = section_of(RectangleSection{0.02, 0.01});
  beam.youngs_modulus = 2.1e11;
  beam.shear_modulus = 8e10;
  beam.density = 7850;
  return beam;
}

inline JointSpec fixed_to_ground(std::string name, const std::string& node, const Vec3& point) {
  JointSpec joint;
  joint.name = std::move(name);
  joint.kind = JointKind::fixed;
  joint.a.point = point;
  joint.b.body = node;
  return joint;
}

inline Model clamped_rod(int elements) {
  Model model;
  model.beams = {rod(elements)};
  model.joints = {fixed_to_ground("clamp", "rod.0", Vec3::Zero())};
  return model;
}

inline LoadSpec force_on(const std::string& node, const Vec3& force) {
  LoadSpec load;
  load.name = "load";
  load.at.body = node;
  for (int i = 0; i < 3; ++i) load.force[static_cast<std::size_t>(i)] = Expression(force[i]);
  return load;
}

}  // namespace clatter::testing
