#include "contact/contact.hpp"

#include <gtest/gtest.h>

#include "support/random_state.hpp"

namespace clatter {
namespace {

using testing::free_node;
using testing::planar_node;
using testing::Random;

const std::vector<Node> in_space{Node{}, free_node(0), free_node(6)};
const std::vector<Node> in_plane{Node{}, planar_node(0), planar_node(3)};

PairRows rows_of(const Contact& contact, const Configuration& q) {
  PairRows rows(contact.rows(), 12);
  contact.rates(q, contact.frame(q, Vec3::Zero()), rows);
  return rows;
}

VecX rates(const Contact& contact, const Configuration& q, const NodalVector& v) {
  return rows_of(contact, q) * of_pair(v, contact.a(), contact.b());
}

TEST(Contact, gap_is_the_height_of_the_point_above_the_face) {
  ContactSpec spec;
  spec.face.point = Vec3(0.0, 0.0, 0.5);
  spec.normal = Vec3(0.0, 0.0, 2.0);  // need not be a unit
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
    spec.normal = random.vector(3.0);
    spec.friction = 0.3;
    const Contact contact(spec, 1, 2, in_space);
    Mat3 frame;
    frame << contact.tangent(0), contact.tangent(1), contact.normal();
    EXPECT_LT((frame.transpose() * frame - Mat3::Identity()).norm(), 1e-15 * 4);
    EXPECT_NEAR(frame.determinant(), 1.0, 1e-15 * 4);
  }
}

TEST(Contact, has_one_row_without_friction_two_in_the_plane_three_in_space) {
  ContactSpec spec;
  spec.normal = Vec3::UnitY();
  EXPECT_EQ(Contact(spec, 1, 2, in_space).rows(), 1);
  EXPECT_EQ(Contact(spec, 1, 2, in_plane).rows(), 1);
  spec.friction = 0.1;
  EXPECT_EQ(Contact(spec, 1, 2, in_space).rows(), 3);
  EXPECT_EQ(Contact(spec, 1, 2, in_plane).rows(), 2);
  EXPECT_EQ(Contact(spec, ground, 2, in_plane).rows(), 2);
}

TEST(Contact, planar_tangent_points_along_x_for_an_upward_normal) {
  ContactSpec spec;
  spec.normal = Vec3::UnitY();
  spec.friction = 0.1;
  EXPECT_EQ(Contact(spec, ground, 1, in_plane).tangent(0), Vec3::UnitX());
}

// Rates of gap and slip are the velocity of the point relative to the material point of the face
// under it, seen in the frame of the face.
TEST(Contact, rates_are_the_velocity_of_the_point_relative_to_the_face) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Random random(seed);
    ContactSpec spec;
    spec.face.point = random.vector();
    spec.point.point = random.vector();
    spec.normal = random.direction();
    spec.friction = 0.3;
    const Contact contact(spec, 1, 2, in_space);
    const Configuration q = random.configuration(2);
    const NodalVector v = random.numbers(18);
    const auto velocity_at = [&](std::size_t node, const Vec3& point) -> Vec3 {
      const Vec3 spin = q[node].R * v.segment<3>(6 * static_cast<Eigen::Index>(node) + 3);
      return v.segment<3>(6 * static_cast<Eigen::Index>(node)) + spin.cross(point - q[node].x);
    };
    const Vec3 point = q[2].x + q[2].R * spec.point.point;
    const Vec3 relative = q[1].R.transpose() * (velocity_at(2, point) - velocity_at(1, point));
    const Vec3 expected(contact.normal().dot(relative), contact.tangent(0).dot(relative),
                        contact.tangent(1).dot(relative));
    EXPECT_LT((rates(contact, q, v) - expected).norm(), 1e-14) << "seed " << seed;
  }
}

TEST(Contact, normal_row_pushes_the_point_out_and_the_face_back) {
  ContactSpec spec;
  spec.normal = Vec3::UnitZ();
  const Contact contact(spec, 1, 2, in_space);
  const Vec12 g = rows_of(contact, Configuration(3)).row(0);
  EXPECT_EQ(g[8], 1.0);
  EXPECT_EQ(g[2], -1.0);
}

class Outline : public ::testing::Test {
 protected:
  /// A face z = 1 of a body that stands anywhere, seen in its own frame.
  void face(std::vector<Vec3> corners) {
    ContactSpec spec;
    spec.face.point = Vec3(0.0, 0.0, 1.0);
    spec.normal = Vec3::UnitZ();
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
  spec.normal = Vec3(0.6, 0.8, 0.0);
  spec.outline = {Vec3(-0.8, 0.6, 0.0), Vec3(0.8, -0.6, 0.0)};
  const Contact contact(spec, ground, 1, nodes);
  Configuration q(2);
  q[1].x = Vec3(0.3, 0.4, 0.1);
  EXPECT_TRUE(contact.over_face(q));
  q[1].x = Vec3(1.2, -0.9, 0.1);  // 0.5 beyond the end
  EXPECT_FALSE(contact.over_face(q));
}

TEST(Contact, planar_outline_is_a_line_between_two_ends_in_either_order) {
  std::vector<Vec3> ends{{-1.0, 0.0, 0.0}, {2.0, 0.0, 0.0}};
  for (int order = 0; order < 2; ++order) {
    ContactSpec spec;
    spec.normal = Vec3::UnitY();
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

}  // namespace
}  // namespace clatter
