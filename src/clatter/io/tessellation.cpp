#include <cmath>
#include <numbers>
#include <numeric>
#include <variant>

#include <clatter/io/tessellation.hpp>

namespace clatter {

namespace {

constexpr int around = 24;       ///< points on a circle
constexpr int parallels = 11;    ///< circles of latitude on a sphere, without the poles
constexpr int around_beam = 12;  ///< points on a circle that is repeated along a beam

/// A ring of points about z at height z, and the quadrilaterals between two rings.
void add_ring(Mesh& mesh, double radius, double z) {
  for (int i = 0; i < around; ++i) {
    const double angle = 2 * std::numbers::pi * i / around;
    mesh.points.emplace_back(radius * std::cos(angle), radius * std::sin(angle), z);
  }
}

void join_rings(Mesh& mesh, int lower, int upper) {
  for (int i = 0; i < around; ++i) {
    const int next = (i + 1) % around;
    mesh.polygons.push_back({lower + i, lower + next, upper + next, upper + i});
  }
}

Mesh sphere(double radius) {
  Mesh mesh;
  for (int k = 1; k <= parallels; ++k) {
    const double latitude = std::numbers::pi * (double(k) / (parallels + 1) - 0.5);
    add_ring(mesh, radius * std::cos(latitude), radius * std::sin(latitude));
    if (k > 1) join_rings(mesh, (k - 2) * around, (k - 1) * around);
  }
  const int top = parallels * around - around;
  const int south = static_cast<int>(mesh.points.size()), north = south + 1;
  mesh.points.emplace_back(0, 0, -radius);
  mesh.points.emplace_back(0, 0, radius);
  for (int i = 0; i < around; ++i) {
    const int next = (i + 1) % around;
    mesh.polygons.push_back({south, next, i});
    mesh.polygons.push_back({north, top + i, top + next});
  }
  return mesh;
}

Mesh box(const Vec3& size) {
  Mesh mesh;
  for (int i = 0; i < 8; ++i)
    mesh.points.emplace_back(
        size.cwiseProduct(Vec3(i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5)));
  mesh.polygons = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                   {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
  return mesh;
}

Mesh cylinder(double radius, double length) {
  Mesh mesh;
  add_ring(mesh, radius, -length / 2);
  add_ring(mesh, radius, length / 2);
  join_rings(mesh, 0, around);
  std::vector<int> bottom, top;
  for (int i = 0; i < around; ++i) {
    bottom.push_back(around - 1 - i);
    top.push_back(around + i);
  }
  mesh.polygons.push_back(bottom);
  mesh.polygons.push_back(top);
  return mesh;
}

Mesh rod(double radius, double length) {
  if (radius > 0) {
    Mesh mesh = cylinder(radius, length);
    for (Vec3& point : mesh.points) point = Vec3(point.z(), point.x(), point.y());
    return mesh;
  }
  Mesh mesh;
  mesh.points = {Vec3(-length / 2, 0, 0), Vec3(length / 2, 0, 0)};
  mesh.lines = {{0, 1}};
  return mesh;
}

Mesh circle_section(double radius) {
  Mesh mesh;
  for (int i = 0; i < around_beam; ++i) {
    const double angle = 2 * std::numbers::pi * i / around_beam;
    mesh.points.emplace_back(0, radius * std::cos(angle), radius * std::sin(angle));
  }
  mesh.polygons.emplace_back(around_beam);
  std::iota(mesh.polygons[0].begin(), mesh.polygons[0].end(), 0);
  return mesh;
}

Mesh rectangle_section(double width, double height) {
  const double y = width / 2, z = height / 2;
  Mesh mesh;
  mesh.points = {{0, -y, -z}, {0, y, -z}, {0, y, z}, {0, -y, z}};
  mesh.polygons = {{0, 1, 2, 3}};
  return mesh;
}

/// Flanges and web are polygons of their own: that of the whole outline would not be convex.
Mesh i_section(const ISection& section) {
  const double y = section.width / 2, z = section.height / 2;
  const double web = section.web / 2, inside = z - section.flange;
  Mesh mesh;
  mesh.points = {{0, -y, -z},      {0, y, -z},        {0, y, -inside},    {0, web, -inside},
                 {0, web, inside}, {0, y, inside},    {0, y, z},          {0, -y, z},
                 {0, -y, inside},  {0, -web, inside}, {0, -web, -inside}, {0, -y, -inside}};
  mesh.polygons = {{0, 1, 2, 3, 10, 11}, {10, 3, 4, 9}, {9, 4, 5, 6, 7, 8}};
  return mesh;
}

struct Tessellator {
  Mesh operator()(const SphereShape& shape) const { return sphere(shape.radius); }
  Mesh operator()(const BoxShape& shape) const { return box(shape.size); }
  Mesh operator()(const CylinderShape& shape) const { return cylinder(shape.radius, shape.length); }
  Mesh operator()(const RodShape& shape) const { return rod(shape.radius, shape.length); }
  Mesh operator()(const DiscShape& shape) const { return cylinder(shape.radius, shape.thickness); }
  Mesh operator()(const CircleSection& section) const { return circle_section(section.radius); }
  Mesh operator()(const TubeSection& section) const { return circle_section(section.radius); }
  Mesh operator()(const RectangleSection& section) const {
    return rectangle_section(section.width, section.height);
  }
  Mesh operator()(const ISection& section) const { return i_section(section); }
};

}  // namespace

Mesh tessellate(const Shape& shape) { return std::visit(Tessellator{}, shape); }

Mesh tessellate(const BeamSection& section) {
  if (section.shape) return std::visit(Tessellator{}, *section.shape);
  return rectangle_section(std::sqrt(section.area), std::sqrt(section.area));
}

}  // namespace clatter
