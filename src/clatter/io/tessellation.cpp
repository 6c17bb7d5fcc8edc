#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>
#include <utility>
#include <variant>

#include <clatter/io/tessellation.hpp>
#include <clatter/math/convex_hull.hpp>
#include <clatter/math/height_field.hpp>
#include <clatter/math/polygon.hpp>
#include <clatter/model/curves.hpp>
#include <clatter/model/mass_properties.hpp>

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

/// Closes rings at both ends, each with a point on the axis.
void add_poles(Mesh& mesh, double lower, double upper) {
  const int south = static_cast<int>(mesh.points.size()), north = south + 1, top = south - around;
  mesh.points.emplace_back(0, 0, lower);
  mesh.points.emplace_back(0, 0, upper);
  for (int i = 0; i < around; ++i) {
    const int next = (i + 1) % around;
    mesh.polygons.push_back({south, next, i});
    mesh.polygons.push_back({north, top + i, top + next});
  }
}

Mesh sphere(double radius) {
  Mesh mesh;
  for (int k = 1; k <= parallels; ++k) {
    const double latitude = std::numbers::pi * (double(k) / (parallels + 1) - 0.5);
    add_ring(mesh, radius * std::cos(latitude), radius * std::sin(latitude));
    if (k > 1) join_rings(mesh, (k - 2) * around, (k - 1) * around);
  }
  add_poles(mesh, -radius, radius);
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

Mesh half_space() {
  Mesh mesh;
  mesh.points = {{-0.5, -0.5, 0}, {0.5, -0.5, 0}, {0.5, 0.5, 0}, {-0.5, 0.5, 0}};
  mesh.polygons = {{0, 1, 2, 3}};
  mesh.lines = {{0, 1, 2, 3, 0}};  // the edge, to be seen on a face of the same colour
  return mesh;
}

// A sphere cut in two at its equator, which both halves keep.
Mesh capsule(double radius, double length) {
  Mesh mesh;
  constexpr int rings = parallels / 2 + 1;  // of one half, with its equator
  for (int k = 1; k <= 2 * rings; ++k) {
    const bool lower = k <= rings;
    const double latitude =
        std::numbers::pi / 2 * (lower ? double(k) / rings - 1.0 : double(k - rings - 1) / rings);
    add_ring(mesh, radius * std::cos(latitude),
             radius * std::sin(latitude) + (lower ? -length / 2 : length / 2));
    if (k > 1) join_rings(mesh, (k - 2) * around, (k - 1) * around);
  }
  add_poles(mesh, -length / 2 - radius, length / 2 + radius);
  return mesh;
}

Mesh cone(double radius, double length) {
  Mesh mesh;
  add_ring(mesh, radius, -length / 4);
  mesh.points.emplace_back(0, 0, 0.75 * length);
  std::vector<int> base;
  for (int i = 0; i < around; ++i) {
    mesh.polygons.push_back({i, (i + 1) % around, around});
    base.push_back(around - 1 - i);
  }
  mesh.polygons.push_back(base);
  return mesh;
}

Mesh ellipsoid(const Vec3& semi_axes) {
  Mesh mesh = sphere(1.0);
  for (Vec3& point : mesh.points) point = point.cwiseProduct(semi_axes);
  return mesh;
}

Mesh ring(double radius, double tube_radius) {
  Mesh mesh;
  for (int k = 0; k < around; ++k) {
    const double angle = 2 * std::numbers::pi * k / around;
    add_ring(mesh, radius + tube_radius * std::cos(angle), tube_radius * std::sin(angle));
    join_rings(mesh, k * around, (k + 1) % around * around);
  }
  return mesh;
}

Mesh hull_of(const std::vector<Vec3>& points) {
  Mesh mesh;
  if (const std::optional<ConvexHull> hull = convex_hull(points)) {
    mesh.points = hull->points;
    mesh.polygons = hull->faces;
  }
  return mesh;
}

// Top and bottom are triangles: ParaView takes polygons to be convex.
Mesh prism(const PolygonShape& shape) {
  Mesh mesh;
  std::vector<Vec3> corners = shape.points;
  if (signed_area(corners) < 0.0) std::reverse(corners.begin(), corners.end());
  const int n = static_cast<int>(corners.size());
  for (const double z : {-0.5 * shape.thickness, 0.5 * shape.thickness}) {
    for (const Vec3& corner : corners) mesh.points.emplace_back(corner.x(), corner.y(), z);
  }
  for (int i = 0; i < n; ++i) {
    const int next = (i + 1) % n;
    mesh.polygons.push_back({i, next, n + next, n + i});
  }
  for (const auto& [a, b, c] : triangulate(corners)) {
    mesh.polygons.push_back({c, b, a});
    mesh.polygons.push_back({n + a, n + b, n + c});
  }
  return mesh;
}

/// Corners on a chain of lines and arcs; without the end of the last piece.
std::vector<Vec3> corners_on(const ArcChain& chain) {
  std::vector<Vec3> corners;
  for (const Arc& arc : chain) {
    const int parts =
        1 + static_cast<int>(std::abs(arc.turn) / (2.0 * std::numbers::pi) * 2.0 * around);
    for (int k = 0; k < parts; ++k) {
      const Vec2 at = arc.at(static_cast<double>(k) / parts);
      corners.emplace_back(at.x(), at.y(), 0.0);
    }
  }
  return corners;
}

Mesh ellipse(const EllipseShape& shape) {
  std::vector<Vec3> corners = corners_on({make_circle(Vec2::Zero(), 1.0, 1.0)});
  for (Vec3& corner : corners) corner = corner.cwiseProduct(Vec3(shape.x, shape.y, 0.0));
  return prism({corners, shape.thickness});
}

/// What is between its two sides, or the line itself.
Mesh wall(const WallShape& shape) {
  const ArcChain chain = chain_of(shape);
  std::vector<Vec3> way = corners_on(chain);
  way.emplace_back(chain.back().end.x(), chain.back().end.y(), 0.0);
  Mesh mesh;
  const int n = static_cast<int>(way.size());
  if (!(shape.radius > 0.0)) {
    mesh.points = way;
    mesh.lines.emplace_back(way.size());
    std::iota(mesh.lines[0].begin(), mesh.lines[0].end(), 0);
    return mesh;
  }
  for (int k = 0; k + 1 < n; ++k) {
    const Vec3 &from = way[static_cast<std::size_t>(k)], &to = way[static_cast<std::size_t>(k + 1)];
    const Vec3 across = shape.radius * Vec3::UnitZ().cross(to - from).normalized();
    const int first = static_cast<int>(mesh.points.size());
    for (const Vec3& point :
         {Vec3(from - across), Vec3(to - across), Vec3(to + across), Vec3(from + across)}) {
      mesh.points.push_back(point);
    }
    mesh.polygons.push_back({first, first + 1, first + 2, first + 3});
  }
  return mesh;
}

Mesh surface_of(const MeshShape& shape) {
  Mesh mesh;
  mesh.points = shape.points;
  for (const auto& [a, b, c] : shape.triangles) mesh.polygons.push_back({a, b, c});
  return mesh;
}

// All points within a distance of a convex mesh: a ball or, in the plane, a disc about each.
Mesh rounded(const Mesh& mesh, double radius, bool in_plane) {
  std::vector<Vec3> ball = in_plane ? std::vector<Vec3>{} : sphere(radius).points;
  for (int i = 0; in_plane && i < around; ++i) {
    const double angle = 2 * std::numbers::pi * i / around;
    ball.emplace_back(radius * std::cos(angle), radius * std::sin(angle), 0.0);
  }
  std::vector<Vec3> points;
  points.reserve(mesh.points.size() * ball.size());
  for (const Vec3& point : mesh.points) {
    for (const Vec3& offset : ball) points.emplace_back(point + offset);
  }
  return hull_of(points);
}

struct Tessellator {
  Mesh operator()(const HalfSpaceShape&) const { return half_space(); }
  Mesh operator()(const CapsuleShape& shape) const { return capsule(shape.radius, shape.length); }
  Mesh operator()(const ConeShape& shape) const { return cone(shape.radius, shape.length); }
  Mesh operator()(const EllipsoidShape& shape) const { return ellipsoid(shape.semi_axes); }
  Mesh operator()(const RingShape& shape) const { return ring(shape.radius, shape.tube_radius); }
  Mesh operator()(const HullShape& shape) const { return hull_of(shape.points); }
  Mesh operator()(const PolygonShape& shape) const { return prism(shape); }
  Mesh operator()(const EllipseShape& shape) const { return ellipse(shape); }
  Mesh operator()(const ProfileShape& shape) const {
    return prism({corners_on(chain_of(shape)), shape.thickness});
  }
  Mesh operator()(const SplineShape& shape) const {
    return prism({corners_on(chain_of(shape)), shape.thickness});
  }
  Mesh operator()(const WallShape& shape) const { return wall(shape); }
  Mesh operator()(const MeshShape& shape) const { return surface_of(shape); }
  Mesh operator()(const HeightFieldShape& shape) const {
    return make_height_field(shape.heights, shape.spacing, shape.depth);
  }
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

Mesh tessellate(const PlacedShape& placed, bool in_plane, double size) {
  Shape shape = placed.shape;
  double rounding = placed.rounding;
  if (const auto* of = std::get_if<RingShape>(&shape)) {
    shape = RingShape{of->radius, of->tube_radius + std::exchange(rounding, 0.0)};
  }
  Mesh mesh = tessellate(shape);
  if (std::holds_alternative<HalfSpaceShape>(shape)) {
    for (Vec3& point : mesh.points) point *= size;
  }
  const Mat3 axes = axes_of(placed, in_plane);
  for (Vec3& point : mesh.points) point = axes * point;
  const bool is_convex =
      !std::holds_alternative<PolygonShape>(shape) &&
      !std::holds_alternative<ProfileShape>(shape) && !std::holds_alternative<SplineShape>(shape) &&
      !std::holds_alternative<WallShape>(shape) && !std::holds_alternative<MeshShape>(shape) &&
      !std::holds_alternative<HeightFieldShape>(shape);
  if (rounding > 0.0 && is_convex) mesh = rounded(mesh, rounding, in_plane);
  for (Vec3& point : mesh.points) point += placed.position;
  return mesh;
}

Mesh tessellate(const BeamSection& section) {
  if (section.shape) return std::visit(Tessellator{}, *section.shape);
  return rectangle_section(std::sqrt(section.area), std::sqrt(section.area));
}

}  // namespace clatter
