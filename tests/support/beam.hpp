#pragma once

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include <clatter/analysis/statics.hpp>
#include <clatter/io/model_reader.hpp>
#include <clatter/machine/machine.hpp>

#include "support/source_folder.hpp"

namespace clatter::testing {

/// A model of examples/, changed as on the command line.
inline Model example(const std::string& file, const std::vector<std::string>& changes = {}) {
  return read_model(source_folder() / "examples" / file, changes);
}

/// The static equilibrium of a model under its loads at the start.
inline Configuration equilibrium_of(const Model& model) {
  Machine machine(model);
  return find_equilibrium(machine, machine.instant_at_start(), machine.initial_configuration()).q;
}

/// A straight beam between two points.
inline BeamSpec straight_beam(std::string name, const Vec3& from, const Vec3& to, int elements,
                              const BeamSection& section) {
  BeamSpec beam;
  beam.name = std::move(name);
  beam.points = {from, to};
  beam.elements = elements;
  beam.section = section;
  return beam;
}

/// Holds a node of a beam to the ground where it is at the start; `axis` that of a revolute joint.
inline JointSpec hold(const std::string& node, JointKind kind, const NodeState& state,
                      const Vec3& axis = Vec3::UnitZ()) {
  JointSpec joint;
  joint.name = node;
  joint.kind = kind;
  joint.a.point = state.x;
  joint.b.body = node;
  joint.axes_a.col(2) = axis;
  joint.axes_a.col(0) = axis.unitOrthogonal();
  joint.axes_a.col(1) = axis.cross(joint.axes_a.col(0));
  joint.axes_b = state.R.transpose() * joint.axes_a;
  return joint;
}

/// Slope of log(error) over log(size of elements) by least squares.
inline double order_of(const std::vector<int>& elements, const std::vector<double>& errors) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const double x = -std::log(elements[i]), y = std::log(std::abs(errors[i]));
    n += 1, sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

/// The largest strain of all elements, without dimension: curvatures times `length`.
inline double largest_strain(const Machine& machine, const Configuration& q, double length) {
  const NodalVector at_rest = NodalVector::Zero(machine.nodal_size());
  double largest = 0.0;
  for (const BeamElement& element : machine.beam_elements()) {
    const SectionVector strain = element.section(q, at_rest).strain;
    largest = std::max({largest, strain.head<3>().cwiseAbs().maxCoeff(),
                        length * strain.tail<3>().cwiseAbs().maxCoeff()});
  }
  return largest;
}

}  // namespace clatter::testing
