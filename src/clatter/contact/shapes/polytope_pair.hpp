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
/// Relative to the size of the solids: those that are nearer are looked at as touching first. Of no
/// influence but on time.
inline constexpr double nearness = 1e-3;
inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// Two features that are near each other.
struct Touch {
  Feature a, b;
  double gap = 0.0;
  bool operator==(const Touch&) const = default;
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
  /// How high the corners of a solid are over a face of the other one, and which is lowest.
  struct Highest {
    double separation;
    int face = -1, corner = 0;
  };
  /// Of a point of a solid under the faces of the other one.
  struct Depths {
    bool are_known = false;
    std::vector<double> all;
    std::vector<int> shallow;  ///< faces that may separate as well as the direction that is known
  };
  /// An edge with both ends near the other solid, axes of a.
  struct LowEdge {
    int index;
    Vec3 begin, way;
    double length;
  };
  /// An edge with an end near the other solid.
  struct NearEdge {
    int index;
    Vec3 direction;              ///< axes of the other solid
    const Vec3 *first, *second;  ///< normals of the faces beside it; zero without faces
  };
  template <class List>
  static decltype(auto) at(const List& list, int i) {
    return list[static_cast<std::size_t>(i)];
  }
  const Polytope& a() const { return *a_; }
  const Polytope& b() const { return *b_; }
  double radii() const { return a_->radius + b_->radius; }
  bool has_half_space() const { return a_->is_half_space() || b_->is_half_space(); }
  Vec3 in_b(const Vec3& point) const { return R_ab_.transpose() * (point - shift_); }
  void fill_a_in_b();
  void measure_heights(const Axis& axis);

  // separating_axis.cpp
  Axis axis_of_half_space();
  /// The direction of the largest separation among those of faces and of some pairs of edges; any
  /// that separates by more than `enough` if there is one.
  Axis first_axis(double enough);
  const Depths& depths_under(bool faces_of_a);
  Highest over_face(bool of_a, int face) const;
  Axis axis_of(bool of_a, const Highest& best) const;
  void look_at_faces(bool of_a, double floor, double enough, Highest& best);
  /// From that one the best of all, for solids that overlap or are at most at this distance.
  void look_at_edges(double distance, Axis& best);
  Vec3 foremost(bool of_a) const;
  bool may_separate(const Polytope::Edge& edge, std::span<const double> depths, double floor) const;
  void list_near_edges(bool of_a, std::span<const int> edges);
  void find_near_edges(bool of_a, double slack, double floor);
  /// Those of a face, and those at the corner that is lowest over it.
  void look_at_nearest_edges(Axis& best);
  void look_at_near_edges(Axis& best) const;
  /// `sense` in which the product of their directions points out of a; zero: not known.
  void look_at_crossing(int edge_of_a, int edge_of_b, double sense, Axis& best) const;

  /// The direction of an axis, or if there is none that from middle to middle.
  Vec3 between(const Axis& axis) const;
  void find_sharp_touches(const Axis& axis, double reach, std::vector<Touch>& touches);
  /// Whether features that touch show that the cores are.
  bool are_nearer_than(double distance, std::span<const Touch> touches) const;
  void list_facing(const Polytope& polytope, const Vec3& direction);
  int face_under(const Polytope& polytope, const Vec3& point, double floor, double reach) const;
  void list_corners(const Axis& axis, double slack);
  void add_corners_on_faces(const Axis& axis, double reach, std::vector<Touch>& touches);
  void list_low_edges(bool of_a);
  void add_crossing_edges(const Vec3& normal, double reach, std::vector<Touch>& touches);
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
  Mat3 R_ab_;           // axes of b in those of a
  Vec3 shift_;          // origin of b, axes of a
  double size_ = 0.0;   // of both, for tolerances
  VectorTable b_in_a_;  // corners
  VectorTable a_in_b_;  // corners, where they have been asked for
  // Along a direction: heights of all corners, and of those that are nearest to the other solid.
  Vec3 up_ = Vec3::Zero();
  Feature up_a_, up_b_;  // that have this direction
  double up_separation_ = 0.0;
  Depths depths_a_, depths_b_;
  std::vector<double> heights_a_, heights_b_;
  double top_of_a_ = 0.0, bottom_of_b_ = 0.0;
  std::vector<char> low_a_, low_b_;         // corner: near the other along the normal
  std::vector<int> corners_a_, corners_b_;  // these
  // Scratch.
  std::vector<double> depths_of_middle_, cosines_;
  std::array<std::vector<NearEdge>, 2> near_edges_;
  std::vector<int> indices_;
  struct Facing {
    int face;
    double cosine;
  };
  std::vector<Facing> facing_;
  std::array<std::vector<LowEdge>, 2> low_edges_;
  std::vector<Touch> touches_;
};

}  // namespace clatter
