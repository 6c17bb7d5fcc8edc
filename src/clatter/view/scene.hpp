#pragma once

#include <Eigen/Geometry>
#include <nlohmann/json.hpp>

#include <clatter/machine/model.hpp>

namespace clatter {

/// What a page draws of a model, as JSON. Movers are what has a position of its own: the bodies in
/// the order of the model, then the nodes of the beams; -1 is the ground.
///
///   meshes   points (flat), polygons and lines; shapes that are alike share one
///   bodies   name, mover, mass, centre of mass unless zero, parts: [mesh, scale, x, y, z]; of
///   those
///            without a shape sticks: the points by which they are held or touch
///   beams    name, first mover, nodes, outline of the section (y, z), frames of the elements' ends
///   ground   parts, and faces of contacts with their movers
///   links    joints, springs and the like: kind, name, points as [mover, x, y, z]
///   contacts names of those that the model lists, with their movers
/// `motion`: where movers go. What has no edge is drawn so far.
nlohmann::json scene_of(const Model& model, const Eigen::AlignedBox3d& motion);

/// To which multiples [m] places of movers in this box are rounded: 2^`exponent` of its size, which
/// is at least `least`, unless doubles and the page's numbers cannot tell these apart so far from
/// the origin.
double place_quantum(const Eigen::AlignedBox3d& motion, double least, int exponent);

/// How many movers a model has.
std::size_t count_movers(const Model& model);

}  // namespace clatter
