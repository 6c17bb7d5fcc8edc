#include <vector>

#include <clatter/io/mesh_builder.hpp>
#include <clatter/math/polygon.hpp>

namespace clatter {
namespace {

/// Twice the area, along the normal.
Vec3 area_vector(const std::vector<Vec3>& corners) {
  Vec3 area = Vec3::Zero();
  for (std::size_t i = 1; i + 1 < corners.size(); ++i) {
    area += (corners[i] - corners[0]).cross(corners[i + 1] - corners[0]);
  }
  return area;
}

bool is_convex(const std::vector<Vec3>& corners, const Vec3& area) {
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Vec3 &before = corners[i], &here = corners[(i + 1) % corners.size()],
               &after = corners[(i + 2) % corners.size()];
    if ((here - before).cross(after - here).dot(area) < 0.0) return false;
  }
  return true;
}

}  // namespace

int MeshBuilder::number_of(const Vec3& point) {
  // -0 and 0 are equal, but differ as texts of bits do.
  const std::array<double, 3> key = {point.x() + 0.0, point.y() + 0.0, point.z() + 0.0};
  const auto [found, is_new] = numbers_.emplace(key, static_cast<int>(mesh_.points.size()));
  if (is_new) mesh_.points.push_back(point);
  return found->second;
}

bool MeshBuilder::add_face(std::span<const int> corners) {
  std::vector<Vec3> points;
  for (const int corner : corners) points.push_back(mesh_.points[static_cast<std::size_t>(corner)]);
  const Vec3 area = area_vector(points);
  if (corners.size() == 3 || is_convex(points, area)) {
    for (std::size_t i = 1; i + 1 < corners.size(); ++i) {
      mesh_.triangles.push_back({corners[0], corners[i], corners[i + 1]});
    }
    return true;
  }
  const Vec3 normal = area.stableNormalized();
  const Vec3 x = normal.unitOrthogonal(), y = normal.cross(x);
  for (Vec3& point : points) point = {x.dot(point), y.dot(point), 0.0};
  if (!(signed_area(points) > 0.0) || crossing_sides(points)) return false;
  for (const auto& [a, b, c] : triangulate(points)) {
    mesh_.triangles.push_back({corners[static_cast<std::size_t>(a)],
                               corners[static_cast<std::size_t>(b)],
                               corners[static_cast<std::size_t>(c)]});
  }
  return true;
}

}  // namespace clatter
