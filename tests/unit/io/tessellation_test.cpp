#include <algorithm>
#include <map>
#include <numbers>
#include <utility>

#include <gtest/gtest.h>

#include <clatter/contact/geometry/plane_face.hpp>
#include <clatter/io/tessellation.hpp>

namespace clatter {
namespace tessellation_test {

/// Volume inside the polygons by the divergence theorem; positive when they face outwards.
double enclosed_volume(const Mesh& mesh) {
  double sum = 0.0;
  for (const auto& polygon : mesh.polygons)
    for (std::size_t i = 1; i + 1 < polygon.size(); ++i)
      sum +=
          mesh.points[polygon[0]].dot(mesh.points[polygon[i]].cross(mesh.points[polygon[i + 1]]));
  return sum / 6.0;
}

bool is_closed(const Mesh& mesh) {
  std::map<std::pair<int, int>, int> edges;
  for (const auto& polygon : mesh.polygons)
    for (std::size_t i = 0; i < polygon.size(); ++i)
      ++edges[{polygon[i], polygon[(i + 1) % polygon.size()]}];
  for (const auto& [edge, count] : edges) {
    const auto opposite = edges.find({edge.second, edge.first});
    if (count != 1 || opposite == edges.end()) return false;
  }
  return true;
}

const Shape shapes[] = {
    SphereShape{0.7},
    BoxShape{Vec3(1, 2, 3)},
    CylinderShape{0.5, 2},
    RodShape{2, 0.1},
    DiscShape{0.5, 0.1},
    CapsuleShape{0.5, 2},
    ConeShape{0.5, 2},
    EllipsoidShape{{1, 2, 3}},
    RingShape{0.5, 0.2},
    HullShape{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}}},
    PolygonShape{{{0, 0, 0}, {0, 2, 0}, {1, 2, 0}, {1, 1, 0}, {2, 1, 0}, {2, 0, 0}}, 0.1},
    MeshShape{"",
              {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
              {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}}};

Eigen::AlignedBox3d extent(const Mesh& mesh) {
  Eigen::AlignedBox3d box;
  for (const Vec3& point : mesh.points) box.extend(point);
  return box;
}

TEST(tessellation, surfaces_are_closed_and_face_outwards) {
  for (const Shape& shape : shapes) {
    const Mesh mesh = tessellate(shape);
    EXPECT_TRUE(is_closed(mesh)) << shape.index();
    // Polygons with 24 corners inscribed in circles lose 1.2 % of the area; a sphere loses about
    // twice that, in both directions.
    EXPECT_LE(enclosed_volume(mesh), volume(shape) * (1 + 1e-12)) << shape.index();
    EXPECT_GE(enclosed_volume(mesh), volume(shape) * 0.95) << shape.index();
  }
}

TEST(tessellation, rod_lies_along_x) {
  Eigen::AlignedBox3d box;
  for (const Vec3& point : tessellate(RodShape{2, 0.1}).points) box.extend(point);
  EXPECT_NEAR(box.sizes().x(), 2.0, 1e-12);
  EXPECT_LE(box.sizes().tail<2>().maxCoeff(), 0.2 + 1e-12);
}

TEST(tessellation, placed_shapes_are_turned_moved_and_rounded) {
  PlacedShape placed{BoxShape{{1, 2, 3}}};
  placed.position = {10, 0, 0};
  placed.orientation = Quaternion(Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitZ()));
  const Eigen::AlignedBox3d plain = extent(tessellate(placed, false, 0.0));
  EXPECT_LT((plain.min() - Vec3(9, -0.5, -1.5)).norm(), 1e-12);
  EXPECT_LT((plain.max() - Vec3(11, 0.5, 1.5)).norm(), 1e-12);
  placed.rounding = 0.25;
  const Mesh rounded = tessellate(placed, false, 0.0);
  EXPECT_TRUE(is_closed(rounded));
  EXPECT_LT((extent(rounded).max() - Vec3(11.25, 0.75, 1.75)).norm(), 1e-12);
  const Eigen::AlignedBox3d in_plane = extent(tessellate(placed, true, 0.0));
  EXPECT_LT((in_plane.max() - Vec3(11.25, 0.75, 1.5)).norm(), 1e-12);
}

TEST(tessellation, half_space_is_a_square_whose_normal_is_z_or_y_in_the_plane) {
  const PlacedShape ground{HalfSpaceShape{}};
  EXPECT_LT((extent(tessellate(ground, false, 4.0)).max() - Vec3(2, 2, 0)).norm(), 1e-12);
  const Mesh in_plane = tessellate(ground, true, 4.0);
  EXPECT_LT((extent(in_plane).max() - Vec3(2, 0, 2)).norm(), 1e-12);
  const std::vector<Vec3>& p = in_plane.points;
  EXPECT_GT((p[1] - p[0]).cross(p[2] - p[1]).y(), 0.0);
}

TEST(tessellation, capsules_lie_along_z_and_along_x_in_the_plane) {
  const PlacedShape capsule{CapsuleShape{0.5, 2}};
  EXPECT_LT((extent(tessellate(capsule, false, 0.0)).max() - Vec3(0.5, 0.5, 1.5)).norm(), 1e-12);
  EXPECT_LT((extent(tessellate(capsule, true, 0.0)).max() - Vec3(1.5, 0.5, 0.5)).norm(), 1e-12);
}

TEST(tessellation, rod_without_radius_is_a_line) {
  const Mesh mesh = tessellate(RodShape{2, 0});
  EXPECT_EQ(mesh.points.size(), 2u);
  EXPECT_EQ(mesh.lines.size(), 1u);
}

TEST(tessellation, face_without_outline_is_a_square_in_its_plane) {
  const Vec3 point(1, 2, 3), normal(0, 3, 4);
  const Mesh mesh = tessellate_face(point, normal, {}, 2.0);
  ASSERT_EQ(mesh.points.size(), 4u);
  for (const Vec3& corner : mesh.points) {
    EXPECT_NEAR((corner - point).dot(normal), 0.0, 1e-12);
    EXPECT_NEAR((corner - point).norm(), std::sqrt(2.0), 1e-12);
  }
  const Vec3 turn = (mesh.points[1] - mesh.points[0]).cross(mesh.points[2] - mesh.points[1]);
  EXPECT_GT(turn.dot(normal), 0.0);
}

/// The section swept along x for one metre.
Mesh prism(const BeamSection& section) {
  const Mesh outline = tessellate(section);
  const int around = static_cast<int>(outline.points.size());
  Mesh mesh = outline;
  for (auto& polygon : mesh.polygons) std::reverse(polygon.begin(), polygon.end());
  Mesh end = outline;
  for (Vec3& point : end.points) point.x() = 1.0;
  mesh.append(end);
  for (int i = 0; i < around; ++i) {
    const int next = (i + 1) % around;
    mesh.polygons.push_back({i, next, around + next, around + i});
  }
  return mesh;
}

TEST(tessellation, outlines_of_sections_enclose_their_area) {
  const SectionShape filled[] = {CircleSection{0.5}, RectangleSection{2, 3},
                                 ISection{0.8, 1.5, 0.2, 0.1}};
  for (const SectionShape& shape : filled) {
    const Mesh mesh = prism(section_of(shape));
    EXPECT_TRUE(is_closed(mesh)) << shape.index();
    const double area = section_of(shape).area;
    // A circle with 12 corners loses 1 - 6 sin(30 deg) / pi = 4.5 %.
    EXPECT_LE(enclosed_volume(mesh), area * (1 + 1e-12)) << shape.index();
    EXPECT_GE(enclosed_volume(mesh), area * (shape.index() == 0 ? 0.95 : 1 - 1e-12));
  }
  EXPECT_EQ(tessellate(section_of(TubeSection{0.5, 0.1})).points,
            tessellate(section_of(CircleSection{0.5})).points);
}

TEST(tessellation, section_without_shape_is_a_square) {
  BeamSection section;
  section.area = 4.0;
  EXPECT_NEAR(enclosed_volume(prism(section)), 4.0, 1e-12);
  for (const Vec3& point : tessellate(section).points)
    EXPECT_EQ(point.cwiseAbs(), Vec3(0.0, 1.0, 1.0));
}

TEST(tessellation, width_is_along_y_and_height_along_z) {
  for (const SectionShape& shape :
       {SectionShape(RectangleSection{2, 3}), SectionShape(ISection{2, 3, 0.2, 0.1})}) {
    Eigen::AlignedBox3d box;
    for (const Vec3& point : tessellate(section_of(shape)).points) box.extend(point);
    EXPECT_EQ(box.sizes(), Vec3(0, 2, 3));
  }
}

TEST(tessellation, appended_cells_point_to_their_own_points) {
  Mesh mesh = tessellate(BoxShape{Vec3::Ones()});
  const Mesh other = tessellate_face(Vec3::Zero(), Vec3::UnitZ(), {}, 1.0);
  mesh.append(other);
  EXPECT_EQ(mesh.points.size(), 12u);
  EXPECT_EQ(mesh.polygons.back(), (std::vector<int>{8, 9, 10, 11}));
  EXPECT_EQ(mesh.lines.back(), (std::vector<int>{8, 9, 10, 11, 8}));
}

}  // namespace tessellation_test
}  // namespace clatter
