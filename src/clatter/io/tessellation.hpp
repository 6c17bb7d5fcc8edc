#pragma once

#include <clatter/math/mesh.hpp>
#include <clatter/model/specs.hpp>

namespace clatter {

/// The surface of a shape in its own axes, see axes_of, coarse enough for thousands of bodies. A
/// half space is a square about the origin with sides of one.
Mesh tessellate(const Shape& shape);

/// The same in the frame of its body, with its rounding where it is convex. `size` [m] is that of
/// the model, to draw half spaces.
Mesh tessellate(const PlacedShape& placed, bool in_plane, double size);

/// The outline of a beam's section in the y-z plane, counter-clockwise seen against x, and polygons
/// that fill it: of a tube the outer circle, without a shape a square of the same area.
Mesh tessellate(const BeamSection& section);

}  // namespace clatter
