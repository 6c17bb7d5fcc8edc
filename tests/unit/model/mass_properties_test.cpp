#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <clatter/model/mass_properties.hpp>

#include "support/meshes.hpp"

namespace clatter {
namespace mass_properties_test {

using std::numbers::pi;

// Round-off of sums over a dozen triangles of numbers of size one.
constexpr double round_off = 1e-13;

std::vector<Vec3> corners_of(const BoxShape& box, const Vec3& centre = Vec3::Zero()) {
  std::vector<Vec3> corners;
  for (int i = 0; i < 8; ++i) {
    const Vec3 at(i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5);
    corners.emplace_back(centre + box.size.cwiseProduct(at));
  }
  return corners;
}

MassProperties properties_of(const Shape& shape, double density = 1.0) {
  return properties_of_density({PlacedShape{shape}}, false, density);
}

void expect_same(const MassProperties& one, const MassProperties& other) {
  EXPECT_NEAR(one.mass, other.mass, round_off * other.mass);
  EXPECT_TRUE(one.centre.isApprox(other.centre, round_off) ||
              (one.centre - other.centre).norm() < round_off)
      << one.centre << "\n is not\n"
      << other.centre;
  EXPECT_TRUE(one.inertia.isApprox(other.inertia, 10 * round_off)) << one.inertia << "\n is not\n"
                                                                   << other.inertia;
}

TEST(MassProperties, hull_of_the_corners_of_a_box_is_the_box) {
  const BoxShape box{{1, 2, 3}};
  HullShape hull{corners_of(box)};
  hull.points.emplace_back(0.1, 0.2, 0.3);  // inside
  hull.points.emplace_back(0.5, 0.2, 0.3);  // on a face
  expect_same(properties_of(hull, 5.0), properties_of(box, 5.0));
}

TEST(MassProperties, hull_far_from_the_origin_has_its_centre_there) {
  const BoxShape box{{1, 2, 3}};
  const Vec3 far(100, -200, 300);
  const MassProperties hull = properties_of(HullShape{corners_of(box, far)});
  EXPECT_LT((hull.centre - far).norm(), 1e-11);
  EXPECT_TRUE(hull.inertia.isApprox(properties_of(box).inertia, 1e-11));
}

TEST(MassProperties, tetrahedron_as_a_mesh_has_that_of_the_closed_form) {
  MeshShape mesh;
  mesh.points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  mesh.triangles = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  const MassProperties found = properties_of(mesh, 6.0);
  EXPECT_NEAR(found.mass, 1.0, round_off);
  EXPECT_LT((found.centre - Vec3::Constant(0.25)).norm(), round_off);
  // About the corner at the origin: 1/5 on the diagonal, -1/20 beside it, per mass 1.
  const Vec3 c = found.centre;
  const Mat3 about_corner =
      found.inertia + (c.squaredNorm() * Mat3::Identity() - c * c.transpose());
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      EXPECT_NEAR(about_corner(i, j), i == j ? 0.2 : -0.05, round_off) << i << j;
    }
  }
  expect_same(found, properties_of(HullShape{mesh.points}, 6.0));
}

TEST(MassProperties, two_boxes_side_by_side_are_one) {
  std::vector<PlacedShape> halves(2, PlacedShape{BoxShape{{0.5, 2, 3}}});
  halves[0].position = {0.75, 0, 0};
  halves[1].position = {1.25, 0, 0};
  PlacedShape whole{BoxShape{{1, 2, 3}}};
  whole.position = {1, 0, 0};
  expect_same(properties_of_density(halves, false, 3.0),
              properties_of_density({whole}, false, 3.0));
  expect_same(properties_of_mass(halves, false, 7.0), properties_of_mass({whole}, false, 7.0));
}

TEST(MassProperties, turned_box_has_its_axes_exchanged) {
  PlacedShape turned{BoxShape{{1, 2, 3}}};
  turned.orientation = Quaternion(Eigen::AngleAxisd(pi / 2, Vec3::UnitZ()));
  expect_same(properties_of_density({turned}, false, 1.0), properties_of(BoxShape{{2, 1, 3}}));
}

TEST(MassProperties, shapes_have_their_own_density_or_that_of_the_body) {
  std::vector<PlacedShape> shapes(3, PlacedShape{BoxShape{{1, 1, 1}}});
  shapes[0].position = {1, 0, 0};
  shapes[1].position = {-1, 0, 0};
  shapes[1].density = 1.0;
  shapes[2].density = 0.0;
  const MassProperties found = properties_of_density(shapes, false, 3.0);
  EXPECT_NEAR(found.mass, 4.0, round_off);
  EXPECT_LT((found.centre - Vec3(0.5, 0, 0)).norm(), round_off);
}

TEST(MassProperties, rectangle_as_a_polygon_is_a_box_in_either_sense) {
  PolygonShape polygon{{{-0.5, -1, 0}, {0.5, -1, 0}, {0.5, 1, 0}, {-0.5, 1, 0}}, 3.0};
  const MassProperties box = properties_of(BoxShape{{1, 2, 3}});
  expect_same(properties_of_density({PlacedShape{polygon}}, true, 1.0), box);
  std::reverse(polygon.points.begin(), polygon.points.end());
  expect_same(properties_of_density({PlacedShape{polygon}}, true, 1.0), box);
}

TEST(MassProperties, polygon_that_is_not_convex_is_two_boxes) {
  const PolygonShape corner{{{0, 0, 0}, {2, 0, 0}, {2, 1, 0}, {1, 1, 0}, {1, 2, 0}, {0, 2, 0}}};
  std::vector<PlacedShape> boxes = {PlacedShape{BoxShape{{2, 1, 1}}},
                                    PlacedShape{BoxShape{{1, 1, 1}}}};
  boxes[0].position = {1, 0.5, 0};
  boxes[1].position = {0.5, 1.5, 0};
  expect_same(properties_of_density({PlacedShape{corner}}, true, 2.0),
              properties_of_density(boxes, true, 2.0));
}

TEST(MassProperties, capsule_without_length_is_a_sphere_and_lies_along_x_in_the_plane) {
  expect_same(properties_of(CapsuleShape{0.3, 1e-14}), properties_of(SphereShape{0.3}));
  const PlacedShape capsule{CapsuleShape{0.1, 1.0}};
  const Mat3 in_space = properties_of_density({capsule}, false, 1.0).inertia;
  const Mat3 in_plane = properties_of_density({capsule}, true, 1.0).inertia;
  EXPECT_LT(in_space(2, 2), in_space(0, 0));
  EXPECT_NEAR(in_plane(0, 0), in_space(2, 2), round_off);
  EXPECT_NEAR(in_plane(2, 2), in_space(0, 0), round_off);
}

// A surface of revolution about z as a hull, inscribed with so many corners around.
HullShape turned(const std::vector<Eigen::Vector2d>& radius_and_height, int around) {
  HullShape hull;
  for (const Eigen::Vector2d& ring : radius_and_height) {
    for (int i = 0; i < around; ++i) {
      const double angle = 2 * pi * i / around;
      hull.points.emplace_back(ring[0] * std::cos(angle), ring[0] * std::sin(angle), ring[1]);
    }
  }
  return hull;
}

TEST(MassProperties, closed_forms_agree_with_hulls_of_many_points) {
  // Inscribed polygons of n corners lose (2 pi / n)²/6 of the area and twice that of the moment.
  constexpr int around = 200;
  const double loss = 2.0 * 4.0 * pi * pi / (6.0 * around * around);
  HullShape cone = turned({{0.5, -0.5}}, around);
  cone.points.emplace_back(0, 0, 1.5);
  std::vector<Eigen::Vector2d> capsule, ball;
  for (int i = 1; i < around / 2; ++i) {
    const double latitude = pi * (2.0 * i / around - 0.5);
    const double r = 0.5 * std::cos(latitude), z = 0.5 * std::sin(latitude);
    capsule.emplace_back(r, z + (z < 0 ? -0.7 : 0.7));
    if (i == around / 4) capsule.emplace_back(r, -0.7);
    ball.emplace_back(r, z);
  }
  HullShape ellipsoid = turned(ball, around);
  for (Vec3& point : ellipsoid.points) point = point.cwiseProduct(Vec3(2, 4, 6));
  const std::pair<Shape, HullShape> cases[] = {
      {ConeShape{0.5, 2.0}, cone},
      {CapsuleShape{0.5, 1.4}, turned(capsule, around)},
      {EllipsoidShape{{1, 2, 3}}, ellipsoid},
      {CylinderShape{0.5, 2}, turned({{0.5, -1}, {0.5, 1}}, around)},
  };
  for (const auto& [shape, hull] : cases) {
    const MassProperties exact = properties_of(shape), near = properties_of(hull);
    EXPECT_NEAR(near.mass / exact.mass, 1.0, 3 * loss) << shape.index();
    EXPECT_LT(near.centre.norm(), 1e-4) << shape.index();
    EXPECT_TRUE(near.inertia.isApprox(exact.inertia, 5 * loss)) << shape.index();
  }
}

TEST(MassProperties, ring_is_what_a_mesh_of_many_triangles_tends_to) {
  // Inscribed in its tube and around its axis, each of which loses as above.
  constexpr int around = 200;
  const double loss = 2.0 * 4.0 * pi * pi / (6.0 * around * around);
  std::vector<std::array<double, 2>> tube;
  for (int i = 0; i < around; ++i) {
    const double angle = 2 * pi * i / around;
    tube.push_back({0.7 + 0.3 * std::cos(angle), 0.3 * std::sin(angle)});
  }
  const testing::Triangles surface = testing::turned_about_z(tube, around);
  const MassProperties near = properties_of(MeshShape{"", surface.points, surface.corners}),
                       exact = properties_of(RingShape{0.7, 0.3});
  EXPECT_NEAR(near.mass / exact.mass, 1.0, 2 * loss);
  EXPECT_TRUE(near.inertia.isApprox(exact.inertia, 5 * loss));
  EXPECT_GT(exact.inertia(2, 2), exact.inertia(0, 0));
}

TEST(MassProperties, are_given_to_a_body) {
  PlacedShape box{BoxShape{{1, 2, 3}}};
  box.position = {0.1, 0, 0};
  BodySpec body;
  body.shapes = {box};
  take_properties(properties_of_density(body.shapes, false, 1.0), body);
  EXPECT_EQ(body.mass, 6.0);
  EXPECT_NEAR(body.centre_of_mass.x(), 0.1, round_off);
  EXPECT_TRUE(body.inertia.isApprox(inertia_of(box.shape, 6.0)));
  body.kind = BodyKind::planar;
  take_properties(properties_of_density(body.shapes, true, 1.0), body);
  EXPECT_EQ(body.inertia(0, 0), 0.0);
  EXPECT_NEAR(body.inertia(2, 2), 6.0 * 5.0 / 12.0, round_off);
}

TEST(MassProperties, profile_of_two_half_circles_is_the_disc) {
  const MassProperties disc = properties_of(DiscShape{0.7, 0.2}, 3.0);
  for (const double sign : {1.0, -1.0}) {  // either way around
    const ProfileShape profile{{{0.7 * sign, 0, 0}, {-0.7 * sign, 0, 0}}, {{0.7, 0.7}, {}}, 0.2};
    expect_same(properties_of(profile, 3.0), disc);
  }
  ProfileShape quarters{{{0.7, 0, 0}, {0, -0.7, 0}, {-0.7, 0, 0}, {0, 0.7, 0}}, {{}, {}}, 0.2};
  quarters.bends.bulges.assign(4, std::tan(pi / 8.0));  // clockwise
  expect_same(properties_of(quarters, 3.0), disc);
}

TEST(MassProperties, profile_with_a_hollow_arc_is_what_is_left_of_the_box) {
  const ProfileShape bowl{
      {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {0.5, 1, 0}, {-0.5, 1, 0}, {-1, 1, 0}},
      {{0, 0, 0, -0.5, 0, 0}, {}}};
  const MassProperties properties = properties_of(bowl);
  const double cut = pi / 8.0, left = 4.0 - cut, below = 4.0 * 0.5 / (3.0 * pi);
  const double height = -cut * (1.0 - below) / left;
  EXPECT_NEAR(properties.mass, left, round_off);
  EXPECT_NEAR(properties.centre.y(), height, round_off);
  EXPECT_NEAR(properties.centre.x(), 0.0, round_off);
  // Half a disc about the middle of its straight side: m r^2 / 2.
  const double of_cut = cut * (0.125 + (1.0 - 2.0 * below) * 1.0);
  EXPECT_NEAR(properties.inertia(2, 2), 4.0 * 8.0 / 12.0 - of_cut - left * height * height,
              10.0 * round_off);
}

TEST(MassProperties, ellipse_is_a_stretched_disc) {
  const MassProperties ellipse = properties_of(EllipseShape{0.3, 0.5, 2.0}, 7.0);
  const double mass = 7.0 * 2.0 * pi * 0.15;
  EXPECT_NEAR(ellipse.mass, mass, round_off * mass);
  EXPECT_NEAR(ellipse.inertia(2, 2), mass * (0.09 + 0.25) / 4.0, round_off * mass);
  EXPECT_NEAR(ellipse.inertia(0, 0), mass * (0.25 / 4.0 + 4.0 / 12.0), round_off * mass);
}

TEST(MassProperties, spline_through_points_of_a_circle_is_nearly_the_disc) {
  SplineShape spline;
  for (int i = 0; i < 40; ++i) {
    spline.points.emplace_back(std::cos(pi * i / 20.0), std::sin(pi * i / 20.0), 0.0);
  }
  spline.tolerance = 1e-7;
  // The curve is off by (pi / 20)^4 / 384 = 1.6e-6, the arcs by the tolerance.
  EXPECT_NEAR(properties_of(spline).mass, pi, 2.0 * pi * 2e-6);
  EXPECT_NEAR(properties_of(spline).inertia(2, 2), pi / 2.0, 2.0 * pi * 2e-6);
}

}  // namespace mass_properties_test
}  // namespace clatter
