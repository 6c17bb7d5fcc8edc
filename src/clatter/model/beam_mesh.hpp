#pragma once

#include <numbers>
#include <string>
#include <vector>

#include <clatter/math/types.hpp>
#include <clatter/model/specs.hpp>

namespace clatter {

/// Where the nodes of a beam are at the start, and what lies between them.
///
/// Axes of a section: x along the centre line; y as given by BeamSpec::y_axis, made perpendicular
/// to x; without it, in the plane for planar beams (z is out of it), else horizontal (z x x), or
/// the y axis of space for a beam along z.
struct BeamMesh {
  struct Node {
    Vec3 position;
    Mat3 orientation;  ///< section axes; at a corner those of the leg that ends there
  };
  /// Between nodes e and e + 1. `frame_a`, `frame_b`: its section axes at its ends in the frames of
  /// these nodes; the identity but for an element that begins at a corner.
  struct Element {
    double length;
    Mat3 frame_a = Mat3::Identity(), frame_b = Mat3::Identity();
  };
  std::vector<Node> nodes;
  std::vector<Element> elements;
};

/// The angle [rad] by which curvature and twist may turn the sections from one end of an element to
/// the other at the start or without stress: elements lose their meaning near half a turn.
constexpr double largest_element_turn = 2.0 / 3.0 * std::numbers::pi;

/// Elements are shared out to the legs by length, at least one each. A leg with curvature is the
/// helix of that constant curvature and twist. Throws Error with the beam's place when there are
/// fewer elements than legs, when a leg has no length, when `y_axis` lies along a leg, when there
/// is curvature and more than one leg, or when elements turn by more than largest_element_turn.
BeamMesh mesh_of(const BeamSpec& beam);

/// "rod.3"
std::string beam_node_name(const BeamSpec& beam, int node);

/// The total length of the centre line.
double length_of(const BeamSpec& beam);

}  // namespace clatter
