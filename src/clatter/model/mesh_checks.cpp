#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include <clatter/model/mesh_checks.hpp>

namespace clatter {
namespace {

// Area of a triangle over the square of its longest side below which it is none: round-off.
constexpr double flat_triangle = 1e-13;

/// A side of a triangle, from the lower number of its two points to the higher.
struct MeshEdge {
  int low, high;
  bool is_forward;       ///< whether the triangle runs along it in that sense
  std::size_t triangle;  ///< numbered from 1
};

std::string words_for(const MeshShape& mesh, int point) {
  const Vec3& p = mesh.points[static_cast<std::size_t>(point)];
  return fmt::format("({:.6g}, {:.6g}, {:.6g})", p.x(), p.y(), p.z());
}

std::string words_for(const MeshShape& mesh, const MeshEdge& edge) {
  return fmt::format("the edge from {} to {}", words_for(mesh, edge.low),
                     words_for(mesh, edge.high));
}

std::optional<std::string> complaint_about_triangle(const MeshShape& mesh, std::size_t t) {
  const std::array<int, 3>& corners = mesh.triangles[t];
  for (const int corner : corners) {
    if (corner < 0 || corner >= static_cast<int>(mesh.points.size())) {
      return fmt::format("triangle {} names a point {} that is not there", t + 1, corner);
    }
  }
  const auto point = [&](std::size_t k) -> const Vec3& {
    return mesh.points[static_cast<std::size_t>(corners[k])];
  };
  const Vec3 a = point(1) - point(0), b = point(2) - point(1), c = point(0) - point(2);
  const double longest = std::max({a.squaredNorm(), b.squaredNorm(), c.squaredNorm()});
  if (a.cross(b).norm() > flat_triangle * longest) return std::nullopt;
  return fmt::format("triangle {} at {} has no area: remove it, or merge its corners", t + 1,
                     words_for(mesh, corners[0]));
}

std::vector<MeshEdge> sorted_edges(const MeshShape& mesh) {
  std::vector<MeshEdge> edges;
  edges.reserve(3 * mesh.triangles.size());
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    for (std::size_t k = 0; k < 3; ++k) {
      const int from = mesh.triangles[t][k], to = mesh.triangles[t][(k + 1) % 3];
      edges.push_back({std::min(from, to), std::max(from, to), from < to, t + 1});
    }
  }
  std::sort(edges.begin(), edges.end(), [](const MeshEdge& a, const MeshEdge& b) {
    return std::array{a.low, a.high} < std::array{b.low, b.high} ||
           (a.low == b.low && a.high == b.high && a.triangle < b.triangle);
  });
  return edges;
}

std::optional<std::string> complaint_about_edges(const MeshShape& mesh) {
  const std::vector<MeshEdge> edges = sorted_edges(mesh);
  for (std::size_t i = 0; i < edges.size();) {
    std::size_t end = i + 1;
    while (end < edges.size() && edges[end].low == edges[i].low &&
           edges[end].high == edges[i].high) {
      ++end;
    }
    const MeshEdge &one = edges[i], &two = edges[std::min(i + 1, edges.size() - 1)];
    if (end == i + 1) {
      return fmt::format(
          "{} of triangle {} has no triangle on its other side: the surface has a "
          "hole there, close it",
          words_for(mesh, one), one.triangle);
    }
    if (end > i + 2) {
      return fmt::format(
          "{} is a side of {} triangles, {} and {} among them: the surface of a "
          "solid has two; pull the parts that touch there apart",
          words_for(mesh, one), end - i, one.triangle, two.triangle);
    }
    if (one.is_forward == two.is_forward) {
      return fmt::format(
          "triangles {} and {} run along {} in the same sense: one of them is "
          "turned inside out, swap two of its corners",
          one.triangle, two.triangle, words_for(mesh, one));
    }
    i = end;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> complaint_about(const MeshShape& mesh) {
  if (mesh.triangles.size() < 4) {
    return fmt::format("a closed surface has at least four triangles, found {}",
                       mesh.triangles.size());
  }
  for (const Vec3& point : mesh.points) {
    if (!point.allFinite()) return "the points must be finite numbers";
  }
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    if (auto wrong = complaint_about_triangle(mesh, t)) return wrong;
  }
  if (auto wrong = complaint_about_edges(mesh)) return wrong;
  if (volume(mesh) > 0.0) return std::nullopt;
  return "the triangles face inward, the corners of triangle 1 and of all others are clockwise "
         "seen from outside: reverse their order";
}

}  // namespace clatter
