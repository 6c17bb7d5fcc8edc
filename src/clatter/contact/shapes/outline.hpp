#pragma once

#include <optional>
#include <vector>

#include <clatter/contact/geometry/patch.hpp>
#include <clatter/contact/shapes/polytope.hpp>
#include <clatter/math/arc.hpp>

namespace clatter {

/// A solid in the plane, convex or not, by lines and arcs around it, with a radius all around. On
/// their way around the solid is to the left. A wall is a way there and back; a disc a point.
struct Outline {
  /// What touches: a line, an arc that bulges out, a hollow arc, or a corner (an arc without
  /// radius) where the way turns to the left. An ellipse touches as a whole; where it is inside of
  /// something, or something inside of it, in each of its quarters.
  struct Element {
    enum class Kind { flat, round, hollow, ellipse, ellipse_part };
    Kind kind = Kind::flat;
    Patch patch;  ///< with the radius; in the frame of the node
    /// Of a flat one; of the others where they lie as seen from their centre, on an arc of
    /// `half_arc` either way of `middle`.
    Vec2 begin = Vec2::Zero(), end = Vec2::Zero();
    Vec2 centre = Vec2::Zero(), middle = Vec2::UnitX();
    double half_arc = 0.0;
    /// Lengths of the straight lines before and after a round one; 0: there is none.
    double before = 0.0, after = 0.0;
    Vec2 ball_centre = Vec2::Zero();
    double ball = 0.0;  ///< radius of a ball around it

    /// Whether a direction from the centre of a round or hollow one leads to it. What lies flat on
    /// a line touches also with what is round at its other end.
    bool leads_to(const Vec2& direction, double reach, double margin) const;
  };
  enum class Inside { region, nothing, half_space };

  ArcChain chain;  ///< without the radius; of a half-space a point of it
  std::vector<Element> elements;
  std::optional<Patch> ellipse;  ///< without the radius; instead of the chain
  double radius = 0.0;
  Inside inside = Inside::region;
  bool is_hollow = false;       ///< solid is what lies around it
  Vec2 normal = Vec2::UnitY();  ///< of a half-space

  bool is_empty() const { return chain.empty() && !ellipse; }
  /// What touches it is in the space that it leaves free.
  bool is_container() const { return is_hollow || inside == Inside::half_space; }
  /// How far it goes along a unit vector, with the radius.
  double reach(const Vec2& direction) const;
  /// How far its points are from each other, about; 0 for a half-space.
  double size() const;
  /// Whether a point is inside, without the radius.
  bool holds(const Vec2& point) const;
  /// How far its points are from the origin, at most; infinite for a half-space.
  double extent() const;
};

/// A closed chain that does not cross itself, in either sense. `touches`: pieces that are its
/// surface, and whether their begins can touch; all when empty.
struct PieceTouches {
  bool piece = true, begin = true;
};
Outline make_outline(ArcChain closed, double radius, bool hollow,
                     const std::vector<PieceTouches>& touches = {});
/// There and back.
Outline make_wall(const ArcChain& chain, double radius);
Outline make_ellipse(const Patch& ellipse, double radius, bool hollow);
/// From an ellipse; negative inside.
double signed_distance(const Patch& ellipse, const Vec2& point);
/// Convex, or a part of a polygon.
Outline make_outline(const Polytope& planar, bool hollow);

}  // namespace clatter
