#pragma once

#include <clatter/contact/geometry/patch.hpp>

namespace clatter {

/// A patch where it is in space.
struct PlacedPatch {
  Patch patch;
  Vec3 origin;
  Mat3 axes;

  Vec3 to_space(const Vec3& in_axes) const { return axes * in_axes; }
  Vec3 to_axes(const Vec3& in_space) const { return axes.transpose() * in_space; }
  Vec3 at(const Foot& foot) const { return origin + axes * core_position(patch, foot); }
  /// The foot nearest to a point of space.
  Foot below(const Vec3& point) const { return foot_of_point(patch, to_axes(point - origin)); }
  Foot opposite(const Vec3& point) const {
    return foot_furthest_from(patch, to_axes(point - origin));
  }
  /// The foot with a normal out of the solid.
  Foot facing(const Vec3& normal) const { return foot_of_normal(patch, to_axes(normal)); }
  Vec3 normal(const Foot& foot) const { return axes * surface_normal(patch, foot); }
};

/// Where two patches are nearest, about: good enough for Newton's method.
struct PatchStart {
  Foot a, b;
  Vec3 normal;          ///< from a to b
  bool in_half = true;  ///< false: there is no place in this half of a wall
};

/// Of two circles: whether places are sought along the first one, point by point. It is the smaller
/// of two, or that which is inside: on the larger one places may be close together.
bool is_first_walked(const Patch& first, const Patch& second);

PatchStart find_start(const PlacedPatch& a, const PlacedPatch& b, bool planar);

/// Where two sharp edges cross, in closed form: they are nearest along what is perpendicular to
/// both.
struct Crossing {
  double a = 0.0, b = 0.0;                         ///< how far along the lines
  Vec3 point_a = Vec3::Zero(), point_b = point_a;  ///< there, from the node of a
  Vec3 normal = Vec3::Zero();                      ///< from a to b
};
/// Of patches in frames that are turned as given, the second one shifted. False: they are parallel,
/// or not two sharp edges.
bool find_crossing(const Patch& a, const Mat3& R_a, const Patch& b, const Vec3& shift,
                   const Mat3& R_b, Crossing& crossing);

}  // namespace clatter
