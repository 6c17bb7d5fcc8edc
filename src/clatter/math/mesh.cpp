#include <clatter/math/mesh.hpp>

namespace clatter {
namespace {

std::vector<int> shifted(const std::vector<int>& cell, int first) {
  std::vector<int> result;
  result.reserve(cell.size());
  for (const int i : cell) result.push_back(first + i);
  return result;
}

}  // namespace

void Mesh::append(const Mesh& other) {
  const int first = static_cast<int>(points.size());
  points.insert(points.end(), other.points.begin(), other.points.end());
  for (const auto& cell : other.vertices) vertices.push_back(shifted(cell, first));
  for (const auto& cell : other.lines) lines.push_back(shifted(cell, first));
  for (const auto& cell : other.polygons) polygons.push_back(shifted(cell, first));
}

}  // namespace clatter
