#pragma once

#include <limits>
#include <vector>

#include <clatter/contact/geometry/patch.hpp>
#include <clatter/contact/shapes/polytope.hpp>

namespace clatter {

/// Part of the surface of a solid: a smooth patch, and where it ends.
struct Piece {
  Patch patch;  ///< in the frame of the node
  /// A line and a cone end here along z and from the tip; a round plane at `end` from its centre.
  double begin = -std::numeric_limits<double>::infinity(),
         end = std::numeric_limits<double>::infinity();
  std::vector<Vec3> outline;  ///< of a plane: corners in its axes, counter-clockwise
  /// One of some points of a round edge, which bear the solid where it stands flat on a plane.
  bool is_mark = false;
  bool is_arc() const { return patch.kind == Patch::Kind::circle && patch.is_part(); }
  bool can_touch = true;  ///< false: it only tells how far the solid goes
  Vec3 centre = Vec3::Zero();
  double extent = std::numeric_limits<double>::infinity();  ///< of a ball about `centre` around it

  /// Whether it goes as far as a foot of its patch, but for `margin`.
  bool holds(const Foot& foot, double margin) const;
  /// Convex solids go furthest at points, circles and ellipsoids; at the others not further.
  bool is_extreme() const;
};

/// A convex solid, a ring, the walls around a convex space, or a groove, as the pieces of its
/// surface.
using Pieces = std::vector<Piece>;

/// About z, half of the length on either side.
Pieces make_cylinder(double radius, double length);
/// About z, with its base at z = -length / 4.
Pieces make_cone(double radius, double length);
Pieces make_ellipsoid(const Vec3& semi_axes);
/// All within `tube_radius` of a circle about z: the circle with a radius, its marks and its arcs.
Pieces make_ring(double radius, double tube_radius);
Pieces pieces_of(const Polytope& polytope);
/// The line along an edge, without radius.
Patch line_patch(const Polytope::Edge& edge, const Vec3& origin);

/// The walls around a solid.
Pieces hollowed(const Pieces& pieces);
/// With a radius that is added all around.
Pieces rounded(Pieces pieces, double radius);
/// Turned and then shifted.
Pieces placed(Pieces pieces, const Mat3& turn, const Vec3& shift);

/// Nothing is extreme: what touches it is in the convex space that it leaves free, as over a
/// half-space and in a bore.
bool is_container(const Pieces& pieces);
/// It has a hole: nothing but a round edge with a radius.
bool is_ring(const Pieces& pieces);
/// The hollow in which the balls of a bearing run.
bool is_groove(const Pieces& pieces);
/// The point furthest along a unit vector, of what is no container.
Vec3 furthest_point(const Pieces& pieces, const Vec3& direction);
/// How far its points are from the origin, at most; infinite for a half-space.
double extent_of(const Pieces& pieces);

}  // namespace clatter
