#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include <clatter/math/types.hpp>

namespace clatter {

// Polygons in the x-y plane as lists of their corners in order; z is not looked at.

/// Positive when the corners run counter-clockwise.
double signed_area(const std::vector<Vec3>& corners);

/// Two sides that cross or touch anywhere but in the corner that neighbours share. Side i begins at
/// corner i.
std::optional<std::array<std::size_t, 2>> crossing_sides(const std::vector<Vec3>& corners);

/// Triangles that fill a polygon without crossing sides, counter-clockwise.
std::vector<std::array<int, 3>> triangulate(const std::vector<Vec3>& corners);

}  // namespace clatter
