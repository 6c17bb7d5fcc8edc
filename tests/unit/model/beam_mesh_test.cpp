#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <clatter/math/so3.hpp>
#include <clatter/model/beam_mesh.hpp>

#include "support/message_of.hpp"

namespace clatter {
namespace beam_mesh_test {

using std::numbers::pi;

// Round-off of a handful of operations on numbers of size one.
constexpr double round_off = 1e-14;

BeamSpec beam_through(std::vector<Vec3> points, int elements) {
  BeamSpec beam;
  beam.name = "rod";
  beam.points = std::move(points);
  beam.elements = elements;
  return beam;
}

void expect_frame(const Mat3& axes) {
  EXPECT_TRUE((axes.transpose() * axes).isIdentity(round_off)) << axes;
  EXPECT_NEAR(axes.determinant(), 1.0, round_off);
}

std::string mistake_of(const BeamSpec& beam) {
  return testing::message_of([&] { mesh_of(beam); });
}

std::vector<int> corners_of(const BeamMesh& mesh) {
  std::vector<int> corners;
  for (std::size_t e = 0; e < mesh.elements.size(); ++e) {
    if (mesh.elements[e].frame_a != Mat3::Identity()) corners.push_back(static_cast<int>(e));
    EXPECT_EQ(mesh.elements[e].frame_b, Mat3::Identity());
  }
  return corners;
}

TEST(BeamMesh, of_a_straight_beam_has_nodes_at_equal_distances) {
  const BeamSpec beam = beam_through({{1, 0, 0}, {1, 3, 4}}, 4);
  const BeamMesh mesh = mesh_of(beam);
  ASSERT_EQ(mesh.nodes.size(), 5u);
  ASSERT_EQ(mesh.elements.size(), 4u);
  for (int i = 0; i <= 4; ++i) {
    const BeamMesh::Node& node = mesh.nodes[static_cast<std::size_t>(i)];
    EXPECT_TRUE(node.position.isApprox(Vec3(1, 0.75 * i, 1.0 * i), round_off)) << i;
    EXPECT_TRUE(node.orientation.col(0).isApprox(Vec3(0, 0.6, 0.8), round_off));
    expect_frame(node.orientation);
  }
  EXPECT_EQ(mesh.nodes.back().position, beam.points.back());
  for (const BeamMesh::Element& element : mesh.elements) {
    EXPECT_NEAR(element.length, 1.25, round_off);
  }
  EXPECT_TRUE(corners_of(mesh).empty());
  EXPECT_EQ(length_of(beam), 5.0);
  EXPECT_EQ(beam_node_name(beam, 3), "rod.3");
}

TEST(BeamMesh, has_sections_with_a_horizontal_y_when_nothing_is_said) {
  const auto axes_along = [](const Vec3& direction) {
    return mesh_of(beam_through({Vec3::Zero(), direction}, 1)).nodes[0].orientation;
  };
  EXPECT_EQ(axes_along(Vec3::UnitX()), Mat3::Identity());
  EXPECT_EQ(axes_along(Vec3::UnitY()).col(1), Vec3(-1, 0, 0));
  EXPECT_EQ(axes_along(Vec3::UnitY()).col(2), Vec3::UnitZ());
  EXPECT_EQ(axes_along(Vec3::UnitZ()).col(1), Vec3::UnitY());
  EXPECT_EQ(axes_along(-Vec3::UnitZ()).col(1), Vec3::UnitY());
  const Mat3 slanted = axes_along({1, 2, 3});
  expect_frame(slanted);
  EXPECT_NEAR(slanted(2, 1), 0.0, round_off);
  EXPECT_GT(slanted(2, 2), 0.0);
}

TEST(BeamMesh, has_sections_with_y_near_the_given_axis) {
  BeamSpec beam = beam_through({{0, 0, 0}, {1, 1, 0}}, 1);
  beam.y_axis = Vec3(0, 0, 5);
  const Mat3 axes = mesh_of(beam).nodes[0].orientation;
  expect_frame(axes);
  EXPECT_EQ(axes.col(1), Vec3::UnitZ());
  beam.y_axis = Vec3(0, 1, 0);
  EXPECT_TRUE(
      mesh_of(beam).nodes[0].orientation.col(1).isApprox(Vec3(-1, 1, 0).normalized(), round_off));
  // All but along the beam, at the edge of what is accepted, the frame is still one.
  beam.y_axis = Vec3(1, 1, 3e-6);
  expect_frame(mesh_of(beam).nodes[0].orientation);
}

TEST(BeamMesh, in_the_plane_has_y_in_it_and_z_out_of_it_exactly) {
  BeamSpec beam = beam_through({{0, 0, 0}, {-1, 0.3, 0}, {-1, -2, 0}}, 5);
  beam.planar = true;
  const BeamMesh mesh = mesh_of(beam);
  for (const BeamMesh::Node& node : mesh.nodes) {
    expect_frame(node.orientation);
    EXPECT_EQ(node.orientation.col(2), Vec3::UnitZ());
    EXPECT_EQ(node.orientation.row(2), Vec3::UnitZ().transpose());
    EXPECT_EQ(node.position.z(), 0.0);
  }
  EXPECT_EQ(mesh.elements[static_cast<std::size_t>(corners_of(mesh).at(0))].frame_a.col(2),
            Vec3::UnitZ());
}

TEST(BeamMesh, turns_the_section_axes_at_a_corner_within_the_element_after_it) {
  const BeamMesh mesh = mesh_of(beam_through({{0, 0, 0}, {2, 0, 0}, {2, 1, 0}}, 3));
  ASSERT_EQ(mesh.nodes.size(), 4u);
  EXPECT_EQ(mesh.nodes[2].position, Vec3(2, 0, 0));
  EXPECT_EQ(mesh.nodes[2].orientation, Mat3::Identity());
  EXPECT_EQ(mesh.nodes[3].position, Vec3(2, 1, 0));
  EXPECT_EQ(mesh.nodes[3].orientation.col(0), Vec3::UnitY());
  EXPECT_EQ(corners_of(mesh), std::vector<int>{2});
  // Frame of the node times frame_a are the axes of the leg that begins there.
  const Mat3 after = mesh.nodes[2].orientation * mesh.elements[2].frame_a;
  EXPECT_TRUE(after.isApprox(mesh.nodes[3].orientation, round_off));
}

TEST(BeamMesh, makes_no_corner_of_legs_in_line) {
  const Vec3 direction(0.3, -0.7, 0.1);
  const BeamMesh mesh =
      mesh_of(beam_through({Vec3::Zero(), direction, 2.3 * direction, 7.7 * direction}, 20));
  EXPECT_TRUE(corners_of(mesh).empty());
}

std::vector<int> shares(const std::vector<double>& lengths, int elements) {
  std::vector<Vec3> points = {Vec3::Zero()};
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    points.push_back(points.back() + lengths[i] * (i % 2 == 0 ? Vec3::UnitX() : Vec3::UnitY()));
  }
  std::vector<int> begins = corners_of(mesh_of(beam_through(points, elements)));
  begins.insert(begins.begin(), 0);
  begins.push_back(elements);
  std::vector<int> shares;
  for (std::size_t i = 0; i + 1 < begins.size(); ++i) shares.push_back(begins[i + 1] - begins[i]);
  return shares;
}

TEST(BeamMesh, shares_elements_to_legs_by_length_with_largest_remainders) {
  EXPECT_EQ(shares({3, 1}, 8), (std::vector<int>{6, 2}));
  EXPECT_EQ(shares({1, 1}, 3), (std::vector<int>{2, 1}));
  // Due 4.7, 3.1 and 2.2 of ten: the one left over goes to the first.
  EXPECT_EQ(shares({4.7, 3.1, 2.2}, 10), (std::vector<int>{5, 3, 2}));
  EXPECT_EQ(shares({0.1, 0.1, 0.1}, 3), (std::vector<int>{1, 1, 1}));
}

TEST(BeamMesh, gives_every_leg_an_element_however_short) {
  EXPECT_EQ(shares({100, 0.001, 100}, 5), (std::vector<int>{2, 1, 2}));
  EXPECT_EQ(shares({0.01, 0.01, 100}, 3), (std::vector<int>{1, 1, 1}));
  EXPECT_EQ(shares({1, 1e-9, 1e-3, 5}, 13), (std::vector<int>{2, 1, 1, 9}));
}

TEST(BeamMesh, of_constant_curvature_in_the_plane_is_an_arc) {
  // 45 degrees of a circle of radius 100 about [0, 100, 0].
  const double radius = 100.0, angle = pi / 4;
  BeamSpec beam = beam_through({{0, 0, 0}, {radius * angle, 0, 0}}, 8);
  beam.curvature = {0, 0, 1.0 / radius};
  for (const bool planar : {false, true}) {
    beam.planar = planar;
    const BeamMesh mesh = mesh_of(beam);
    for (int i = 0; i <= 8; ++i) {
      const double phi = angle * i / 8;
      const BeamMesh::Node& node = mesh.nodes[static_cast<std::size_t>(i)];
      const Vec3 on_arc(radius * std::sin(phi), radius * (1.0 - std::cos(phi)), 0.0);
      EXPECT_LT((node.position - on_arc).norm(), radius * round_off);
      EXPECT_TRUE(node.orientation.isApprox(
          Eigen::AngleAxisd(phi, Vec3::UnitZ()).toRotationMatrix(), round_off));
      EXPECT_EQ(node.orientation.col(2), Vec3::UnitZ());
    }
    EXPECT_TRUE(corners_of(mesh).empty());
    EXPECT_NEAR(mesh.elements[0].length, radius * angle / 8, radius * round_off);
  }
}

TEST(BeamMesh, of_twist_and_curvature_is_the_curve_that_follows_its_own_tangent) {
  BeamSpec beam = beam_through({{1, 2, 3}, {1.5, 1.5, 4}}, 6);
  beam.curvature = {1.1, -2.0, 0.7};
  beam.y_axis = Vec3(1, 0, 0.2);
  const BeamMesh mesh = mesh_of(beam);
  // x' = R e_1, R' = R skew(curvature). Simpson's rule for x on 1000 intervals is off by 1e-12.
  const double length = length_of(beam);
  const Mat3 start = mesh.nodes[0].orientation;
  const auto rotation = [&](double s) {
    return Mat3(start * Eigen::AngleAxisd(s * beam.curvature.norm(), beam.curvature.normalized())
                            .toRotationMatrix());
  };
  Vec3 x = beam.points[0];
  constexpr int intervals = 6000;
  for (int i = 0; i < intervals; ++i) {
    if (i % 1000 == 0) {
      const BeamMesh::Node& node = mesh.nodes[static_cast<std::size_t>(i / 1000)];
      EXPECT_LT((node.position - x).norm(), 1e-11);
      EXPECT_TRUE(node.orientation.isApprox(rotation(length * i / intervals), 1e-13));
    }
    const double h = length / intervals, s = h * i;
    x += h / 6.0 * (rotation(s) + 4.0 * rotation(s + 0.5 * h) + rotation(s + h)).col(0);
  }
  EXPECT_LT((mesh.nodes.back().position - x).norm(), 1e-11);
}

TEST(BeamMesh, refuses_beams_that_cannot_be_meshed) {
  EXPECT_EQ(mistake_of(beam_through({{0, 0, 0}}, 1)), "beam 'rod' needs at least two points");
  EXPECT_EQ(mistake_of(beam_through({{0, 0, 0}, {1, 0, 0}, {1, 0, 0}}, 2)),
            "beam 'rod': corners 2 and 3 coincide");
  EXPECT_EQ(mistake_of(beam_through({{0, 0, 0}, {1, 0, 0}, {1, 1, 0}}, 1)),
            "beam 'rod': 2 legs need at least 2 elements");
  BeamSpec beam = beam_through({{0, 0, 0}, {1, 0, 0}}, 1);
  beam.y_axis = Vec3(-2, 0, 0);
  EXPECT_EQ(mistake_of(beam), "beam 'rod': 'y_axis' lies along the beam");
  beam.y_axis.reset();
  beam.curvature = {0, 0, 3};
  EXPECT_EQ(mistake_of(beam),
            "beam 'rod': its curvature turns each element by 3 rad, the most is 2.09; take more "
            "elements");
  beam.curvature.setZero();
  beam.unstressed_curvature = Vec3(3, 0, 0);
  EXPECT_NE(mistake_of(beam), "");
  beam.unstressed_curvature.reset();
  beam.points.push_back({1, 1, 0});
  beam.elements = 2;
  beam.curvature = {0, 0, 1};
  EXPECT_EQ(mistake_of(beam), "beam 'rod': a beam with corners cannot have a curvature");
}

}  // namespace beam_mesh_test
}  // namespace clatter
