#pragma once

#include <array>
#include <span>
#include <vector>

#include <clatter/math/types.hpp>
#include <clatter/math/vector_table.hpp>

namespace clatter {

/// A convex solid by its corners, edges and faces, with a radius all around it: one corner makes a
/// sphere, two a capsule. In the plane z = 0 faces are straight lines between two corners, and
/// there are no edges. A half-space is a face without corners.
struct Polytope {
  struct Edge {
    int begin, end;
    Vec3 direction;  ///< of unit length
    /// Across the edge into the faces beside it: the directions out of the solid at the edge have
    /// no part along any.
    std::array<Vec3, 2> into;
    int faces = 0;
    std::array<int, 2> beside{};  ///< those faces; not known of ridges

    /// Whether a direction leads out of the solid at the edge; into a face by less than `slack`.
    bool is_out(const Vec3& towards, double slack) const {
      for (int k = 0; k < faces; ++k) {
        if (towards.dot(into[static_cast<std::size_t>(k)]) > slack) return false;
      }
      return true;
    }
  };
  struct Face {
    Vec3 normal;  ///< out of the solid
    double offset = 0.0;
    std::vector<int> corners;  ///< counter-clockwise seen from outside
    std::vector<Vec3> into;    ///< from each side into the face, across the side; unit length
    bool is_surface = true;    ///< false: where two parts of a solid meet
    std::vector<int> edges{};  ///< along its sides, in space
    /// How far the sides are along `into`.
    std::vector<double> bounds{};
  };

  std::vector<Vec3> corners;
  std::vector<char> is_tip;  ///< corner: it can touch; in a hollow of a solid it cannot
  std::vector<Edge> edges;
  std::vector<Face> faces;
  /// In space, from each corner: along the edges there to their other ends.
  std::vector<std::vector<Vec3>> ways;
  std::vector<std::vector<int>> edges_at;  ///< in space, from each corner
  double radius = 0.0;
  bool is_planar = false;

  /// What follows from corners and faces, by `complete`.
  Vec3 middle = Vec3::Zero();  ///< mean of the corners
  double width = 0.0;          ///< how far corners are from the first one, at most
  VectorTable corner_table, normal_table;
  std::vector<double> offsets;  ///< of the faces

  /// Of a part of a solid in space that is not convex: it has one face of the surface, `ways` are
  /// those of the whole solid, and so are `ridges`, its edges that can touch.
  bool is_part = false;
  std::vector<Edge> ridges;
  double depth = 0.0;  ///< all that lies right behind the face, up to this, is in the solid

  /// Those that a Feature numbers.
  const std::vector<Edge>& touching_edges() const { return is_part ? ridges : edges; }

  bool is_half_space() const { return corners.empty(); }
  void complete();
  /// How far its points are from the origin, at most; infinite for a half-space.
  double extent() const;
  double height(int face, const Vec3& point) const {
    const Face& of = faces[static_cast<std::size_t>(face)];
    return of.normal.dot(point) - of.offset;
  }
  /// Whether the foot of a point on a face lies within it, or less than `margin` beside.
  bool is_over(int face, const Vec3& point, double margin) const {
    const Face& of = faces[static_cast<std::size_t>(face)];
    for (std::size_t k = 0; k < of.into.size(); ++k) {
      if (of.into[k].dot(point) < of.bounds[k] - margin) return false;
    }
    return true;
  }
};

/// With full edge lengths, about the origin.
Polytope make_box(const Vec3& size);
/// z <= 0; in the plane y <= 0.
Polytope make_half_space(bool planar);
/// A point, or the line between two.
Polytope make_core(std::span<const Vec3> ends, double radius, bool planar);
/// Corners counter-clockwise, convex, in the plane z = 0.
Polytope make_polygon(std::span<const Vec3> corners);
/// Any polygon without crossing sides in the plane, in either sense: as convex parts.
std::vector<Polytope> make_convex_parts(std::vector<Vec3> corners);
/// All that lies between the points, which must not lie in a plane.
Polytope make_hull(const std::vector<Vec3>& points);
/// From faces whose corners are counter-clockwise seen from outside; they must be plane.
Polytope make_polytope(std::vector<Vec3> corners, const std::vector<std::vector<int>>& faces);

/// The same, turned and then shifted.
Polytope placed(const Polytope& polytope, const Mat3& turn, const Vec3& shift);

}  // namespace clatter
