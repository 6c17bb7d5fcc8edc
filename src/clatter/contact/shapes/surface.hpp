#pragma once

#include <variant>
#include <vector>

#include <clatter/contact/shapes/polytope.hpp>

namespace clatter {

/// A closed surface in space of plane, convex faces, whose corners are counter-clockwise seen from
/// outside. A side ends at every corner of a neighbour.
struct Surface {
  std::vector<Vec3> points;
  std::vector<std::vector<int>> faces;
};

/// Faces that lie in one plane become one where that is convex.
Surface merge_faces(Surface surface);

/// The surface has another piece of itself right behind it near this point.
struct NoRoomBehind {
  Vec3 point;
};

/// What a surface encloses, as one polytope if that is convex and has few faces. Otherwise there is
/// a pyramid behind each face: they hold all of the surface, but not all that is inside.
std::variant<std::vector<Polytope>, NoRoomBehind> make_solid_parts(const Surface& surface);

}  // namespace clatter
