#pragma once

#include <array>
#include <cmath>
#include <vector>

#include <clatter/math/types.hpp>

namespace clatter {

using Vec2 = Eigen::Vector2d;

/// Of two vectors in the plane: positive when b is to the left of a.
inline double cross(const Vec2& a, const Vec2& b) { return a.x() * b.y() - a.y() * b.x(); }
inline Vec2 turned(const Vec2& v, double angle) {
  return {std::cos(angle) * v.x() - std::sin(angle) * v.y(),
          std::sin(angle) * v.x() + std::cos(angle) * v.y()};
}
/// A quarter turn to the right.
inline Vec2 right_of(const Vec2& v) { return {v.y(), -v.x()}; }

/// A straight line or an arc of a circle in the plane, from its begin to its end. A line may have
/// no length: a point.
struct Arc {
  Vec2 begin = Vec2::Zero(), end = Vec2::Zero();
  double turn = 0.0;  ///< [rad] of its direction, positive to the left; 0: straight
  Vec2 centre = Vec2::Zero();
  double radius = 0.0;
  Vec2 middle = Vec2::UnitX();  ///< from the centre to the middle of the arc; along a line
  Vec2 ball_centre = Vec2::Zero();
  double ball = 0.0;  ///< radius of a ball around it

  bool is_straight() const { return turn == 0.0; }
  double length() const;
  /// By the share of the way, 0 at the begin and 1 at the end.
  Vec2 at(double share) const;
  Vec2 direction(double share) const;
  /// Of the foot of a point on its line or circle; beyond the ends less than 0 or more than 1.
  double share_of(const Vec2& point) const;
  Arc reversed() const;
};

Arc make_line(const Vec2& begin, const Vec2& end);
/// 0 < |turn| < 2 pi, or 0 for a line.
Arc make_arc(const Vec2& begin, const Vec2& end, double turn);
/// All around, to the left or (`turn` < 0) to the right.
Arc make_circle(const Vec2& centre, double radius, double turn);
Arc placed(const Arc& arc, const Mat3& turn, const Vec3& shift);

double distance(const Arc& arc, const Vec2& point);
double distance(const Arc& a, const Arc& b);

/// Where two cross or touch: shares of the ways of both; at most two.
struct Crossings {
  std::array<double, 2> of_a{}, of_b{};
  int count = 0;
};
Crossings crossings(const Arc& a, const Arc& b);

/// One after the other.
using ArcChain = std::vector<Arc>;

ArcChain reversed(const ArcChain& chain);
/// Area and its first and second moments about a point, of what a closed chain encloses;
/// negative when it runs clockwise.
struct PlaneMoments {
  double area = 0.0;
  Vec2 first = Vec2::Zero();
  Eigen::Matrix2d second = Eigen::Matrix2d::Zero();
};
PlaneMoments moments_of(const ArcChain& closed, const Vec2& about);
/// How often a closed chain runs around a point, counter-clockwise.
int turns_around(const ArcChain& closed, const Vec2& point);
double distance(const ArcChain& chain, const Vec2& point);
/// How far it goes along a unit vector.
double furthest(const ArcChain& chain, const Vec2& direction);
/// How far its points are from each other, about.
double extent_of(const ArcChain& chain);

/// The first two pieces that meet elsewhere than where neighbours join.
struct Meeting {
  std::size_t first, second;
};
std::vector<Meeting> first_meeting_of(const ArcChain& chain, bool closed);

}  // namespace clatter
