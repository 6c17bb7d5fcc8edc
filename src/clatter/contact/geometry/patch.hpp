#pragma once

#include <array>
#include <numbers>
#include <optional>

#include <clatter/math/types.hpp>

namespace clatter {

/// A smooth surface fixed in a node: what lies at a distance `radius` from a core, on the side that
/// its normal points to. Cores have no ends: whoever chooses patches sees to it that they touch
/// where they exist.
///
///   sphere          point  and radius       hollow sphere  point  and radius < 0
///   cylinder side   line   and radius       bore           line   and radius < 0
///   torus           circle and radius       ring groove    circle and radius < 0
///   sharp edge      line   and outward      sharp rim      circle and outward
struct Patch {
  enum class Kind {
    point,     ///< the origin
    line,      ///< along z
    circle,    ///< about z, of radius size.x
    plane,     ///< across z, which points out of it
    cone,      ///< about z, opens from the origin towards +z by the half angle size.x [rad]
    ellipse,   ///< semi-axes size.x, size.y, drawn out along z; for planar bodies a curve
    ellipsoid  ///< semi-axes size
  };

  Kind kind = Kind::point;
  Vec3 origin = Vec3::Zero();    ///< in the frame of the node
  Mat3 axes = Mat3::Identity();  ///< x, y, z of the core as columns, in the frame of the node
  Vec3 size = Vec3::Zero();
  double half_arc = std::numbers::pi;  ///< circle: how far it goes from x either way [rad]
  double arc_middle = 0.0;  ///< ellipse: from where its half_arc counts [rad], as feet do
                            ///< half of a wall: 0 or pi
  double radius = 0.0;      ///< negative: hollow; the other is inside
  bool hollow = false;  ///< cone, ellipse and ellipsoid, whatever their radius: the other is inside
  /// Out of the solid that a sharp line or circle is the edge of, between the normals of the faces
  /// that meet there: along x, y, z of a line; radial, along the circle and along z of a circle.
  /// Zero: there is none, and the distance of cores is positive, or negative inside what is hollow.
  /// Of a hollow point: the half of its sphere where the other is to touch it; zero: all of it.
  Vec3 outward = Vec3::Zero();

  int parameters() const;
  /// The core has a normal of its own.
  bool is_surface() const { return parameters() == 2; }
  bool is_part() const { return half_arc < std::numbers::pi; }
  /// Half of a line with radius, a cone or an ellipsoid around another ellipsoid, which may lie on
  /// two places of it: that on either side of the plane in which it is wide for the other.
  void be_half(int side) {
    half_arc = 0.5 * std::numbers::pi;
    arc_middle = side > 0 ? 0.0 : std::numbers::pi;
  }
  /// 1 or -1; 0: all of it, where it is nearest.
  int half() const {
    if (!is_part() || kind == Kind::circle || kind == Kind::ellipse) return 0;
    return arc_middle == 0.0 ? 1 : -1;
  }
  /// What touches it is inside.
  bool has_other_inside() const { return is_surface() ? hollow : radius < 0.0; }
};

/// A point of a core by its coordinates, without places where they fail but for the tip of a cone:
/// line (0, 0, z), plane (x, y, 0), circle (cos, sin, 0), ellipse (cos, sin, z), cone (cos, sin,
/// distance from the tip), ellipsoid the unit vector that its semi-axes stretch.
using Foot = Vec3;

/// A point of a core in its axes and the derivatives there with respect to parameters that are
/// zero at this foot: lengths, or angles where the core is round.
struct CorePoint {
  Vec3 position = Vec3::Zero();
  std::array<Vec3, 2> first{Vec3::Zero(), Vec3::Zero()};
  /// With respect to parameters 0 0, 0 1, 1 1: second[i + j].
  std::array<Vec3, 3> second{Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};
};

Vec3 core_position(const Patch& patch, const Foot& foot);
CorePoint core_point(const Patch& patch, const Foot& foot);
/// The foot whose parameters, counted from `foot`, are `by`.
Foot moved_foot(const Patch& patch, const Foot& foot, const std::array<double, 2>& by);

/// Curvature of the patch at a foot, positive where it bulges [1/m], over two tangents across its
/// normal out of the solid, all of them in its axes; none where it is sharp.
std::optional<Eigen::Matrix2d> curvature_of(const Patch& patch, const Foot& foot,
                                            const Vec3& normal,
                                            const std::array<Vec3, 2>& tangents);

/// Of a surface, out of the solid, in its axes.
Vec3 surface_normal(const Patch& patch, const Foot& foot);
/// Out of the solid at a sharp line or circle, in its axes.
Vec3 outward_at(const Patch& patch, const Foot& foot);

/// The foot where a surface or circle has the normal n, in its axes; along a straight line on the
/// surface the foot with coordinate 0.
Foot foot_of_normal(const Patch& patch, const Vec3& n);
/// The foot nearest to a point, which is in the axes of the core.
Foot foot_of_point(const Patch& patch, const Vec3& point);
/// That of a circle, ellipse or ellipsoid which is furthest from it.
Foot foot_furthest_from(const Patch& patch, const Vec3& point);

}  // namespace clatter
