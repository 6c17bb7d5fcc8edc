#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "support/contact_rows.hpp"

namespace clatter {
namespace contact_test {

using testing::free_node;
using testing::in_plane;
using testing::in_space;
using testing::planar_node;
using testing::Random;
using testing::rates;
using testing::rows_of;
using testing::two_spheres;

TEST(Contact, gap_is_the_height_of_the_point_above_the_face) {
  ContactSpec spec;
  spec.face.point = Vec3(0.0, 0.0, 0.5);
  spec.direction = Vec3(0.0, 0.0, 2.0);  // need not be a unit
  spec.point.point = Vec3(0.0, 0.0, -0.25);
  const Contact contact(spec, ground, 1, in_space);
  Configuration q(3);
  q[1].x = Vec3(4.0, 5.0, 1.0);
  EXPECT_DOUBLE_EQ(contact.gap(q), 0.25);
  q[1].x.z() = 0.5;
  EXPECT_DOUBLE_EQ(contact.gap(q), -0.25);
}

TEST(Contact, has_a_right_handed_orthonormal_frame) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Random random(seed);
    ContactSpec spec;
    spec.direction = random.vector(3.0);
    spec.friction = 0.3;
    const ContactFrame f = Contact(spec, 1, 2, in_space).frame(Configuration(3), Vec3::Zero());
    Mat3 axes;
    axes << f.tangents[0], f.tangents[1], f.normal;
    EXPECT_LT((axes.transpose() * axes - Mat3::Identity()).norm(), 1e-15 * 4);
    EXPECT_NEAR(axes.determinant(), 1.0, 1e-15 * 4);
  }
}

TEST(Contact, has_one_row_without_friction_two_in_the_plane_three_in_space) {
  ContactSpec spec;
  spec.direction = Vec3::UnitY();
  EXPECT_EQ(Contact(spec, 1, 2, in_space).rows(), 1);
  EXPECT_EQ(Contact(spec, 1, 2, in_plane).rows(), 1);
  spec.friction = 0.1;
  EXPECT_EQ(Contact(spec, 1, 2, in_space).rows(), 3);
  EXPECT_EQ(Contact(spec, 1, 2, in_plane).rows(), 2);
  EXPECT_EQ(Contact(spec, ground, 2, in_plane).rows(), 2);
}

TEST(Contact, planar_tangent_points_along_x_for_an_upward_normal) {
  ContactSpec spec;
  spec.direction = Vec3::UnitY();
  spec.friction = 0.1;
  const Contact contact(spec, ground, 1, in_plane);
  EXPECT_EQ(contact.frame(Configuration(3), Vec3::Zero()).tangents[0], Vec3::UnitX());
}

// Rates of gap and slip are the velocity of the point relative to the material point of the face
// under it, seen in the frame of the face.
TEST(Contact, rates_are_the_velocity_of_the_point_relative_to_the_face) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Random random(seed);
    ContactSpec spec;
    spec.face.point = random.vector();
    spec.point.point = random.vector();
    spec.direction = random.direction();
    spec.friction = 0.3;
    const Contact contact(spec, 1, 2, in_space);
    const Configuration q = random.configuration(2);
    const NodalVector v = random.numbers(18);
    const auto velocity_at = [&](std::size_t node, const Vec3& point) -> Vec3 {
      const Vec3 spin = q[node].R * v.segment<3>(6 * static_cast<Eigen::Index>(node) + 3);
      return v.segment<3>(6 * static_cast<Eigen::Index>(node)) + spin.cross(point - q[node].x);
    };
    const Vec3 point = q[2].x + q[2].R * spec.point.point;
    const Vec3 relative = velocity_at(2, point) - velocity_at(1, point);
    const ContactFrame f = contact.frame(q, Vec3::Zero());
    const Vec3 expected(f.normal.dot(relative), f.tangents[0].dot(relative),
                        f.tangents[1].dot(relative));
    EXPECT_LT((rates(contact, q, v) - expected).norm(), 1e-14) << "seed " << seed;
  }
}

TEST(Contact, normal_row_pushes_the_point_out_and_the_face_back) {
  ContactSpec spec;
  spec.direction = Vec3::UnitZ();
  const Contact contact(spec, 1, 2, in_space);
  const Vec12 g = rows_of(contact, Configuration(3)).row(0);
  EXPECT_EQ(g[8], 1.0);
  EXPECT_EQ(g[2], -1.0);
}

// ---- Every pair of surfaces, in space and in the plane

struct Rows {
  const char* name;
  double friction, rolling, drilling, patch;
  int in_space, in_plane;  // 0: there is none
};

class RowsOfContact : public ::testing::TestWithParam<Rows> {};

TEST_P(RowsOfContact, are_those_of_their_blocks_one_after_the_other) {
  for (const auto& geometry :
       {PointOnFace::geometry, SphereOnFace::geometry, SphereOnSphere::geometry}) {
    ContactSpec spec;
    spec.geometry = geometry;
    spec.direction = Vec3::UnitY();
    spec.radius = spec.face_radius = 1.0;
    spec.friction = GetParam().friction;
    spec.rolling_friction = GetParam().rolling;
    spec.drilling_friction = GetParam().drilling;
    spec.patch_radius = GetParam().patch;
    spec.restitution = 0.7;
    spec.tangential_restitution = 0.4;
    for (const bool planar : {false, true}) {
      if (planar && GetParam().in_plane == 0) continue;
      const Contact contact(spec, 1, 2, planar ? in_plane : in_space);
      EXPECT_EQ(contact.rows(), planar ? GetParam().in_plane : GetParam().in_space);
      int row = 1;
      for (const FrictionBlock& block : contact.blocks()) {
        EXPECT_EQ(block.first_row, row);
        row += block.rows;
        EXPECT_EQ(contact.block(block.kind), &block);
      }
      EXPECT_EQ(row, contact.rows());
      EXPECT_EQ(contact.block(FrictionKind::sliding) != nullptr, GetParam().friction > 0.0);
      EXPECT_EQ(contact.block(FrictionKind::rolling) != nullptr, GetParam().rolling > 0.0);
      EXPECT_EQ(contact.block(FrictionKind::drilling) != nullptr, GetParam().drilling > 0.0);
      if (const FrictionBlock* sliding = contact.block(FrictionKind::sliding)) {
        EXPECT_EQ(sliding->coefficient, GetParam().friction);
      }
      if (const FrictionBlock* rolling = contact.block(FrictionKind::rolling)) {
        EXPECT_EQ(rolling->coefficient, GetParam().rolling);
      }
      if (const FrictionBlock* drilling = contact.block(FrictionKind::drilling)) {
        EXPECT_EQ(drilling->coefficient, GetParam().drilling);
      }
      // Impacts throw back along the normal and the tangents; nothing is thrown into rolling.
      EXPECT_EQ(contact.restitution_of_row(0), 0.7);
      for (int i = 1; i < contact.rows(); ++i) {
        const FrictionBlock* sliding = contact.block(FrictionKind::sliding);
        const bool slides = sliding != nullptr && i < 1 + sliding->rows;
        EXPECT_EQ(contact.restitution_of_row(i), slides ? 0.4 : 0.0) << "row " << i;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Friction, RowsOfContact,
    ::testing::Values(Rows{"none", 0, 0, 0, 0, 1, 1}, Rows{"sliding", 0.3, 0, 0, 0, 3, 2},
                      Rows{"rolling", 0, 0.1, 0, 0, 3, 2}, Rows{"drilling", 0, 0, 0.1, 0, 2, 0},
                      Rows{"sliding_and_rolling", 0.3, 0.1, 0, 0, 5, 3},
                      Rows{"sliding_and_drilling", 0.3, 0, 0.2, 0, 4, 0},
                      Rows{"rolling_and_drilling", 0, 0.1, 0.2, 0, 4, 0},
                      Rows{"all", 0.3, 0.1, 0.2, 0, 6, 0}, Rows{"patch", 0.3, 0, 0, 0.5, 4, 0},
                      Rows{"patch_and_rolling", 0.3, 0.1, 0, 0.5, 6, 0}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(Contact, of_a_planar_body_and_one_in_space_has_the_rows_of_space) {
  const std::vector<Node> mixed{Node{}, planar_node(0), free_node(3)};
  EXPECT_EQ(Contact(two_spheres(), 1, 2, mixed).rows(), 3);
  EXPECT_EQ(Contact(two_spheres(), ground, 1, mixed).rows(), 2);
  EXPECT_EQ(Contact(two_spheres(), ground, 2, mixed).rows(), 3);
}

TEST(Contact, reads_slip_off_the_face_for_points_without_a_patch_only) {
  ContactSpec spec = two_spheres();
  EXPECT_FALSE(Contact(spec, 1, 2, in_space).slides_by_coordinates());
  EXPECT_EQ(Contact(spec, 1, 2, in_space).slip_rows(), 0);
  spec.geometry = PointOnFace::geometry;
  EXPECT_TRUE(Contact(spec, 1, 2, in_space).slides_by_coordinates());
  EXPECT_EQ(Contact(spec, 1, 2, in_space).slip_rows(), 2);
  EXPECT_EQ(Contact(spec, 1, 2, in_plane).slip_rows(), 1);
  spec.patch_radius = 0.1;
  EXPECT_FALSE(Contact(spec, 1, 2, in_space).slides_by_coordinates());
  EXPECT_EQ(Contact(spec, 1, 2, in_space).slip_rows(), 0);
}

class Outline : public ::testing::Test {
 protected:
  /// A face z = 1 of a body that stands anywhere, seen in its own frame.
  void face(std::vector<Vec3> corners) {
    ContactSpec spec;
    spec.face.point = Vec3(0.0, 0.0, 1.0);
    spec.direction = Vec3::UnitZ();
    spec.outline = std::move(corners);
    contact_.emplace(spec, 1, 2, in_space);
    Random random(1);
    q_ = random.configuration(2);
  }

  bool contains(double x, double y, double height = 0.3) {
    q_[2].x = q_[1].x + q_[1].R * Vec3(x, y, 1.0 + height);
    return contact_->over_face(q_);
  }

  std::optional<Contact> contact_;
  Configuration q_;
};

TEST_F(Outline, without_corners_is_the_whole_plane) {
  face({});
  EXPECT_FALSE(contact_->has_outline());
  EXPECT_TRUE(contains(1e6, -1e6));
}

TEST_F(Outline, convex_contains_its_inside_at_any_height) {
  face({{0.0, 0.0, 1.0}, {2.0, 0.0, 1.0}, {2.0, 1.0, 1.0}, {0.0, 1.0, 1.0}});
  EXPECT_TRUE(contact_->has_outline());
  for (const double height : {-0.5, 0.0, 3.0}) {
    EXPECT_TRUE(contains(1.0, 0.5, height));
    EXPECT_TRUE(contains(1.99, 0.01, height));
    EXPECT_FALSE(contains(2.01, 0.5, height));
    EXPECT_FALSE(contains(-0.01, 0.5, height));
    EXPECT_FALSE(contains(1.0, 1.01, height));
    EXPECT_FALSE(contains(1.0, -0.01, height));
  }
}

TEST_F(Outline, concave_leaves_out_its_notch_in_either_sense_of_corners) {
  std::vector<Vec3> corners{{0.0, 0.0, 1.0},
                            {3.0, 0.0, 1.0},
                            {3.0, 3.0, 1.0},
                            {1.5, 1.0, 1.0},  // the notch reaches down to here
                            {0.0, 3.0, 1.0}};
  for (int sense = 0; sense < 2; ++sense) {
    face(corners);
    EXPECT_TRUE(contains(1.5, 0.9));
    EXPECT_FALSE(contains(1.5, 1.1));
    EXPECT_FALSE(contains(1.5, 2.9));
    EXPECT_TRUE(contains(0.1, 2.5));
    EXPECT_TRUE(contains(2.9, 2.5));
    EXPECT_FALSE(contains(3.1, 2.5));
    std::reverse(corners.begin(), corners.end());
  }
}

TEST(Contact, line_of_a_planar_body_holds_for_points_beside_its_plane_too) {
  std::vector<Node> nodes(2);
  nodes[1].dof = {0, 1, 2, -1, -1, -1};  // a point in space against a line on the ground
  ContactSpec spec;
  spec.direction = Vec3(0.6, 0.8, 0.0);
  spec.outline = {Vec3(-0.8, 0.6, 0.0), Vec3(0.8, -0.6, 0.0)};
  const Contact contact(spec, ground, 1, nodes);
  Configuration q(2);
  q[1].x = Vec3(0.3, 0.4, 0.1);
  EXPECT_TRUE(contact.over_face(q));
  q[1].x = Vec3(1.2, -0.9, 0.1);  // 0.5 beyond the end
  EXPECT_FALSE(contact.over_face(q));
}

TEST(Contact, sphere_is_over_a_face_when_its_centre_is) {
  ContactSpec spec;
  spec.geometry = SphereOnFace::geometry;
  spec.radius = 0.5;
  spec.point.point = Vec3(0.0, 0.25, 0.0);
  spec.direction = Vec3::UnitZ();
  spec.outline = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {1.0, 1.0, 0.0}, {0.0, 1.0, 0.0}};
  const Contact contact(spec, ground, 1, in_space);
  Configuration q(3);
  q[1].x = Vec3(0.5, 0.74, 0.6);
  EXPECT_TRUE(contact.over_face(q));
  q[1].x.y() = 0.76;
  EXPECT_FALSE(contact.over_face(q));
}

TEST(Contact, planar_outline_is_a_line_between_two_ends_in_either_order) {
  std::vector<Vec3> ends{{-1.0, 0.0, 0.0}, {2.0, 0.0, 0.0}};
  for (int order = 0; order < 2; ++order) {
    ContactSpec spec;
    spec.direction = Vec3::UnitY();
    spec.outline = ends;
    const Contact contact(spec, ground, 1, in_plane);
    Configuration q(3);
    for (const double height : {-1.0, 0.0, 1.0}) {
      q[1].x = Vec3(0.5, height, 0.0);
      EXPECT_TRUE(contact.over_face(q));
      q[1].x = Vec3(1.99, height, 0.0);
      EXPECT_TRUE(contact.over_face(q));
      q[1].x = Vec3(2.01, height, 0.0);
      EXPECT_FALSE(contact.over_face(q));
      q[1].x = Vec3(-1.01, height, 0.0);
      EXPECT_FALSE(contact.over_face(q));
    }
    std::swap(ends[0], ends[1]);
  }
}

}  // namespace contact_test
}  // namespace clatter
