#pragma once

#include <optional>
#include <vector>

#include <clatter/model/specs.hpp>

namespace clatter {

/// The radius of the sphere, in the plane of the circle, around the origin of a body that has all
/// of its shapes inside. None for shapes without end, and for meshes and curves.
std::optional<double> radius_around(const std::vector<PlacedShape>& shapes, bool in_plane);

/// A body enlarged by a factor about its origin, of the same density; in the plane it stays as
/// thick as it is. Its shapes must have a radius around them.
void enlarge(BodySpec& body, double factor);

}  // namespace clatter
