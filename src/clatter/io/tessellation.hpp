#pragma once

#include <clatter/math/mesh.hpp>
#include <clatter/model/specs.hpp>

namespace clatter {

/// The surface of a shape in the body frame, coarse enough for thousands of bodies.
Mesh tessellate(const Shape& shape);

/// The outline of a beam's section in the y-z plane, counter-clockwise seen against x, and polygons
/// that fill it: of a tube the outer circle, without a shape a square of the same area.
Mesh tessellate(const BeamSection& section);

}  // namespace clatter
