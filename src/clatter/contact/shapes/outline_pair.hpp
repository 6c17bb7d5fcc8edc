#pragma once

#include <optional>
#include <vector>

#include <clatter/contact/shapes/outline.hpp>
#include <clatter/contact/shapes/polytope_pair.hpp>

namespace clatter {

/// Where two solids in the plane, at least one of them with arcs or a wall, are near each other.
/// They need not be convex: two elements touch where they have opposite normals. Holds scratch.
class OutlinePair {
 public:
  void place(const Outline& a, const NodeState& at_a, const Outline& b, const NodeState& at_b);

  /// Their distance; negative when they overlap: how deep points of one are in the other, at most.
  double gap();
  /// As those of PolytopePair.
  void find_touches(double reach, bool must_find, std::vector<Touch>& touches);

 private:
  double distance_of_chains(bool& cross) const;
  double deepest_point(const ArcChain& of, const ArcChain& chain, const Outline& in,
                       bool in_axes_of_a);
  double height_over_half_space() const;
  double gap_of_ellipse() const;
  void list_touches(double reach, double margin, std::vector<Touch>& touches);
  /// Normal from a to b, axes of a.
  struct Meeting {
    Vec2 normal;
    double gap;
  };
  /// A round element with another.
  std::optional<Meeting> meeting_of(const Outline::Element& a, const Outline::Element& b,
                                    double reach, double margin) const;
  /// ellipse_touches.cpp: one of them is an ellipse or a part of it.
  std::optional<Meeting> meeting_of_ellipse(const Outline::Element& a, const Outline::Element& b,
                                            double reach, double margin) const;
  bool is_known_corner(const Touch& touch, std::span<const Touch> touches, double margin) const;
  Vec2 to_a(const Vec2& point) const { return shift_ + axes_ * point; }
  double radii() const { return a_->radius + b_->radius; }

  const Outline *a_ = nullptr, *b_ = nullptr;
  Eigen::Matrix2d axes_;  // of b in those of a
  Vec2 shift_;            // from node a to node b, axes of a
  double size_ = 0.0;     // of the smaller
  NodeState at_a_, at_b_;
  ArcChain b_in_a_;
  std::vector<double> shares_;
};

}  // namespace clatter
