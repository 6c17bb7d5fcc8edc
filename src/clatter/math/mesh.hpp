#pragma once

#include <vector>

#include <clatter/math/types.hpp>

namespace clatter {

/// A picture: points with the cells that join them; a cell lists its points.
struct Mesh {
  std::vector<Vec3> points;
  std::vector<std::vector<int>> vertices;  ///< of one point each
  std::vector<std::vector<int>> lines;
  std::vector<std::vector<int>> polygons;  ///< counter-clockwise seen from outside

  /// Adds the cells of another mesh.
  void append(const Mesh& other);
};

}  // namespace clatter
