#pragma once

#include <vector>

#include <clatter/math/types.hpp>
#include <clatter/model/specs.hpp>

namespace clatter {

/// Points with the cells that join them; a cell lists its points.
struct Mesh {
  std::vector<Vec3> points;
  std::vector<std::vector<int>> vertices;  ///< of one point each
  std::vector<std::vector<int>> lines;
  std::vector<std::vector<int>> polygons;  ///< counter-clockwise seen from outside

  /// Adds the cells of another mesh.
  void append(const Mesh& other);
};

/// The surface of a shape in the body frame, coarse enough for thousands of bodies.
Mesh tessellate(const Shape& shape);

/// The outline of a beam's section in the y-z plane, counter-clockwise seen against x, and polygons
/// that fill it: of a tube the outer circle, without a shape a square of the same area.
Mesh tessellate(const BeamSection& section);

/// A plane face: its outline, or a square of edge `size` about `point` when it has none.
Mesh tessellate_face(const Vec3& point, const Vec3& normal, const std::vector<Vec3>& outline,
                     double size);

}  // namespace clatter
