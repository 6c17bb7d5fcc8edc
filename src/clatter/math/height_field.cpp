#include <algorithm>
#include <cmath>

#include <clatter/math/height_field.hpp>

namespace clatter {

Mesh make_height_field(const std::vector<std::vector<double>>& heights, double spacing,
                       double depth) {
  Mesh mesh;
  const auto rows = static_cast<int>(heights.size()),
             columns = static_cast<int>(heights.front().size());
  double lowest = heights[0][0], highest = lowest;
  for (int j = 0; j < rows; ++j) {
    for (int i = 0; i < columns; ++i) {
      const double height = heights[static_cast<std::size_t>(j)][static_cast<std::size_t>(i)];
      mesh.points.emplace_back(spacing * (i - 0.5 * (columns - 1)),
                               spacing * (j - 0.5 * (rows - 1)), height);
      lowest = std::min(lowest, height);
      highest = std::max(highest, height);
    }
  }
  const auto point = [&](int i, int j) { return j * columns + i; };
  const auto height = [&](int k) { return mesh.points[static_cast<std::size_t>(k)].z(); };
  for (int j = 0; j + 1 < rows; ++j) {
    for (int i = 0; i + 1 < columns; ++i) {
      const int a = point(i, j), b = point(i + 1, j), c = point(i + 1, j + 1), d = point(i, j + 1);
      const double bend = height(a) - height(b) + height(c) - height(d);
      if (std::abs(bend) <= 1e-14 * (highest - lowest)) {
        mesh.polygons.push_back({a, b, c, d});
      } else {
        mesh.polygons.push_back({a, b, c});
        mesh.polygons.push_back({a, c, d});
      }
    }
  }
  std::vector<int> border;  // counter-clockwise seen from above
  for (int i = 0; i + 1 < columns; ++i) border.push_back(point(i, 0));
  for (int j = 0; j + 1 < rows; ++j) border.push_back(point(columns - 1, j));
  for (int i = columns - 1; i > 0; --i) border.push_back(point(i, rows - 1));
  for (int j = rows - 1; j > 0; --j) border.push_back(point(0, j));
  const auto first = static_cast<int>(mesh.points.size()), count = static_cast<int>(border.size());
  std::vector<int> floor;
  for (int k = 0; k < count; ++k) {
    Vec3 below = mesh.points[static_cast<std::size_t>(border[static_cast<std::size_t>(k)])];
    below.z() = lowest - depth;
    mesh.points.push_back(below);
    const int next = (k + 1) % count;
    mesh.polygons.push_back({first + k, first + next, border[static_cast<std::size_t>(next)],
                             border[static_cast<std::size_t>(k)]});
    floor.push_back(first + count - 1 - k);
  }
  mesh.polygons.push_back(std::move(floor));
  return mesh;
}

}  // namespace clatter
