#pragma once

#include <compare>
#include <limits>
#include <vector>

#include <clatter/contact/shapes/nearest_points.hpp>
#include <clatter/contact/shapes/polytope.hpp>
#include <clatter/elements/node.hpp>

namespace clatter {

/// What a solid touches with: a polytope with its features; where one of two is round with a piece;
/// where one of two in the plane is curved with an element of its outline.
struct Feature {
  enum class Kind { corner, edge, face, piece, element };
  Kind kind = Kind::corner;
  int index = 0;
  auto operator<=>(const Feature&) const = default;

  /// As one number, and from it.
  int code() const { return static_cast<int>(kind) * most + index; }
  static Feature of(int code) { return {static_cast<Kind>(code / most), code % most}; }

 private:
  static constexpr int most = 1 << 28;
};

/// Relative to the size of the solids: what is beside a face by less is over it.
inline constexpr double edge_margin = 1e-7;
/// Sine of the angle under which edges must cross.
inline constexpr double smallest_sine = 1e-6;
inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// Two features that are near each other.
struct Touch {
  Feature a, b;
  double gap = 0.0;
};

/// Where two polytopes, each fixed in a node, are near each other. Holds scratch.
class PolytopePair {
 public:
  void place(const Polytope& a, const NodeState& at_a, const Polytope& b, const NodeState& at_b);

  /// Their distance; negative when they overlap: by how much they would have to be shifted apart.
  double gap();

  /// The features that carry contact when the two touch, with gaps of less than `reach`: corners on
  /// faces, edges that cross, and, of rounded solids, corners and edges near each other. Flat
  /// places that lie on each other give the corners of the area that they share. `must_find`: when
  /// sharp features meet such that there are none, those that separate the two best.
  void find_touches(double reach, bool must_find, std::vector<Touch>& touches);

 private:
  /// A direction from a to b, axes of a, and how far the two are apart along it.
  struct Axis {
    double separation;
    Vec3 normal;
    Feature a, b;  ///< that have this direction, if any does
  };
  const Polytope& a() const { return *a_; }
  const Polytope& b() const { return *b_; }
  double radii() const { return a_->radius + b_->radius; }
  bool has_half_space() const { return a_->is_half_space() || b_->is_half_space(); }
  /// The direction of the largest separation among those of faces and of pairs of edges, for solids
  /// that are at a distance or overlap.
  Axis find_axis(double distance);
  void look_at_edges(Axis& best) const;
  Axis axis_of_half_space() const;
  void list_corners(const Vec3& normal, double slack);
  void add_corners_on_faces(const Vec3& normal, double reach, std::vector<Touch>& touches) const;
  void add_crossing_edges(const Vec3& normal, double reach, std::vector<Touch>& touches) const;
  void add_rounded(const NearestPoints& nearest, double reach, std::vector<Touch>& touches) const;
  // part_touches.cpp: where one is a part of a solid that is not convex. No direction separates
  // such solids; whether two features can touch follows from the surface beside them.
  void find_touches_of_parts(double reach, bool must_find, std::vector<Touch>& touches);
  void list_near_features(double reach, double margin, std::vector<Touch>& touches);
  void add_near_corners_on_faces(bool faces_of_a, double reach, double margin,
                                 std::vector<Touch>& touches) const;
  void add_near_edges(double reach, double margin, std::vector<Touch>& touches) const;
  void add_near_rounded(double reach, std::vector<Touch>& touches) const;

  const Polytope *a_ = nullptr, *b_ = nullptr;
  Mat3 R_ab_;                          // axes of b in those of a
  double size_ = 0.0;                  // of both, for tolerances
  std::vector<Vec3> b_in_a_, a_in_b_;  // corners
  std::vector<char> low_a_, low_b_;    // corner: near the other along the normal
};

}  // namespace clatter
