#pragma once

#include <vector>

#include <clatter/math/mesh.hpp>

namespace clatter {

/// The closed surface of what lies below heights along z over a grid about the origin, whose rows
/// are along x and follow each other along y: plane from a point to the next, with walls around it
/// and a floor as deep below the lowest height.
Mesh make_height_field(const std::vector<std::vector<double>>& heights, double spacing,
                       double depth);

}  // namespace clatter
