#include <cmath>
#include <numbers>

#include <Eigen/QR>
#include <gtest/gtest.h>

#include <clatter/elements/joint.hpp>

#include "support/finite_difference.hpp"
#include "support/random_state.hpp"

namespace clatter {
namespace joint_test {

using std::numbers::pi;
using testing::displaced;
using testing::free_node;
using testing::planar_node;
using testing::Random;

/// What a joint lets b do relative to a: translations and rotations in the joint frame.
struct Freedom {
  JointKind kind;
  std::vector<int> allowed;  ///< of 0..5: along x, y, z, about x, y, z
  int planar_rows;           ///< rows left between planar bodies, joint z = space z; -1: refused
};

const std::vector<Freedom> kinds{
    {JointKind::fixed, {}, 3},
    {JointKind::ball, {3, 4, 5}, 2},
    {JointKind::revolute, {5}, 2},
    {JointKind::prismatic, {2}, 3},  // along the out-of-plane axis: nothing moves at all
    {JointKind::cylindrical, {2, 5}, 2},
    {JointKind::universal, {3, 5}, 2},
    {JointKind::planar, {0, 1, 5}, -1},
    {JointKind::slot, {2, 3, 4, 5}, 2},
};

std::string name_of(JointKind kind) { return std::string(to_string(kind)); }

MatX rows_of(const Joint& joint, const Configuration& q) {
  MatX G(static_cast<Eigen::Index>(joint.rows().size()), 12);
  Vec12 g;
  for (std::size_t i = 0; i < joint.rows().size(); ++i) {
    joint.rows()[i].row(q, g);
    G.row(static_cast<Eigen::Index>(i)) = g.transpose();
  }
  return G;
}

Eigen::Index rank(const MatX& G) {
  Eigen::ColPivHouseholderQR<MatX> qr(G.transpose());
  qr.setThreshold(1e-9);
  return qr.rank();
}

/// Two frames at random places that a joint of the given kind fits exactly.
struct FittingPair {
  FittingPair(JointKind kind, Random& random, int node_a = 1, int node_b = 2)
      : a(node_a), b(node_b), nodes{Node{}, free_node(0), free_node(6)} {
    q = random.configuration(2);
    spec.name = "j";
    spec.kind = kind;
    spec.a.point = random.vector();
    spec.b.point = random.vector();
    spec.axes_a = random.axes();
    spec.axes_b = random.axes();
    NodeState &A = at(a), &B = at(b);
    const Mat3 frame = A.R * spec.axes_a;
    const Vec3 point = A.x + A.R * spec.a.point;
    if (b == ground) {  // the ground cannot move: choose its side of the joint instead
      spec.b.point = point;
      spec.axes_b = frame;
      if (kind == JointKind::distance) spec.b.point += Vec3(1.0, 2.0, 2.0);
      return;
    }
    B.R = frame * spec.axes_b.transpose();
    B.p = Quaternion(B.R);
    B.x = point - B.R * spec.b.point;
    if (kind == JointKind::distance) B.x += Vec3(1.0, 2.0, 2.0);
  }

  NodeState& at(int node) { return q[static_cast<std::size_t>(node)]; }
  Joint joint() const { return Joint(spec, a, b, nodes, q); }

  /// Velocity of both nodes in which b moves relative to a in the joint frame, a being at rest.
  Vec12 relative_motion(int direction) {
    NodeState &A = at(a), &B = at(b);
    const Vec3 axis = A.R * spec.axes_a.col(direction % 3);
    Vec12 v = Vec12::Zero();
    if (direction < 3) {
      v.segment<3>(6) = axis;
    } else {  // about the point of the joint
      const Vec3 point = A.x + A.R * spec.a.point;
      v.segment<3>(6) = axis.cross(B.x - point);
      v.segment<3>(9) = B.R.transpose() * axis;
    }
    return v;
  }

  int a, b;
  std::vector<Node> nodes;
  Configuration q;
  JointSpec spec;
};

class EveryJoint : public ::testing::TestWithParam<Freedom> {};

TEST_P(EveryJoint, removes_the_right_number_of_freedoms_in_space) {
  Random random(1);
  const auto removed = 6 - static_cast<Eigen::Index>(GetParam().allowed.size());
  for (const auto& [a, b] : {std::pair(1, 2), std::pair(ground, 1), std::pair(2, ground)}) {
    const FittingPair pair(GetParam().kind, random, a, b);
    const Joint joint = pair.joint();
    EXPECT_EQ(static_cast<Eigen::Index>(joint.rows().size()), removed);
    EXPECT_EQ(rank(rows_of(joint, pair.q)), removed);
    for (const JointRow& row : joint.rows()) EXPECT_NEAR(joint.misfit(row, {}, pair.q), 0.0, 1e-14);
  }
}

TEST_P(EveryJoint, allows_its_motions_and_no_others) {
  Random random(2);
  FittingPair pair(GetParam().kind, random);
  const MatX G = rows_of(pair.joint(), pair.q);
  const auto& allowed = GetParam().allowed;
  for (int direction = 0; direction < 6; ++direction) {
    const double resistance = (G * pair.relative_motion(direction)).norm();
    const bool free = std::find(allowed.begin(), allowed.end(), direction) != allowed.end();
    if (free) {
      EXPECT_LT(resistance, 1e-14 * 4) << "direction " << direction;
    } else {
      // Unit motions change a length or a direction cosine by one.
      EXPECT_GT(resistance, 0.99) << "direction " << direction;
    }
  }
}

TEST_P(EveryJoint, still_fits_after_a_large_motion_that_it_allows) {
  Random random(3);
  FittingPair pair(GetParam().kind, random);
  const Joint joint = pair.joint();
  NodeState &A = pair.at(1), &B = pair.at(2);
  const Mat3 frame = A.R * pair.spec.axes_a;
  const Vec3 point = A.x + A.R * pair.spec.a.point;
  // One allowed direction at a time: large rotations about two axes are no longer about them.
  for (const int direction : GetParam().allowed) {
    Configuration q = pair.q;
    const Vec3 axis = frame.col(direction % 3);
    NodeState& moved = q[2];
    if (direction < 3) {
      moved.x = B.x + 0.7 * axis;
    } else {
      const Mat3 turn = Eigen::AngleAxisd(0.7, axis).toRotationMatrix();
      moved.R = turn * B.R;
      moved.p = Quaternion(moved.R);
      moved.x = point + turn * (B.x - point);
    }
    for (const JointRow& row : joint.rows()) {
      EXPECT_NEAR(joint.misfit(row, {}, q), 0.0, 1e-14 * 4) << "direction " << direction;
    }
  }
}

TEST_P(EveryJoint, between_planar_bodies_keeps_only_rows_in_the_plane) {
  const std::vector<Node> nodes{Node{}, planar_node(0), planar_node(3)};
  Configuration q(3);
  q[1].x = Vec3(1.0, 2.0, 0.0);
  q[2].x = Vec3(-1.0, 0.5, 0.0);
  JointSpec spec;
  spec.name = "j";
  spec.kind = GetParam().kind;
  spec.a.point = Vec3(0.3, -0.2, 0.0);
  spec.b.point = q[1].x + spec.a.point - q[2].x;
  if (GetParam().planar_rows < 0) {
    EXPECT_THROW(Joint(spec, 1, 2, nodes, q), Error);
    return;
  }
  const Joint joint(spec, 1, 2, nodes, q);
  EXPECT_EQ(static_cast<int>(joint.rows().size()), GetParam().planar_rows);
  const MatX G = rows_of(joint, q);
  MatX in_plane(G.rows(), 6);
  in_plane << G.leftCols(2), G.col(5), G.middleCols(6, 2), G.col(11);
  EXPECT_EQ(rank(in_plane), G.rows());
}

TEST_P(EveryJoint, reaction_on_a_is_opposite_to_that_on_b_about_a_common_point) {
  Random random(4);
  for (const auto& [a, b] : {std::pair(1, 2), std::pair(ground, 1), std::pair(2, ground)}) {
    FittingPair pair(GetParam().kind, random, a, b);
    const Joint joint = pair.joint();
    const MatX G = rows_of(joint, pair.q);
    const VecX multipliers = random.numbers(G.rows());
    const Vec12 f = G.transpose() * multipliers;
    EXPECT_LT((f.head<3>() + f.segment<3>(6)).norm(), 1e-14 * 4);
    const NodeState &A = pair.at(a), &B = pair.at(b);
    const Vec3 about_origin = A.x.cross(f.head<3>()) + A.R * f.segment<3>(3) +
                              B.x.cross(f.segment<3>(6)) + B.R * f.tail<3>();
    EXPECT_LT(about_origin.norm(), 1e-14 * 10);

    // The reported reaction on b acts at its point of the joint and does the same work.
    Vec3 force, torque;
    joint.reaction(f.tail<6>(), pair.q, force, torque);
    const Vec6 v = random.numbers(6);
    const Vec3 spin = B.R * v.tail<3>();
    const Vec3 point_velocity = v.head<3>() + spin.cross(B.R * pair.spec.b.point);
    EXPECT_NEAR(force.dot(point_velocity) + torque.dot(spin), f.tail<6>().dot(v), 1e-13);
  }
}

TEST_P(EveryJoint, transfers_no_torque_about_or_force_along_what_is_free) {
  Random random(5);
  FittingPair pair(GetParam().kind, random);
  const Joint joint = pair.joint();
  const MatX G = rows_of(joint, pair.q);
  const Vec12 f = G.transpose() * random.numbers(G.rows());
  Vec3 force, torque;
  joint.reaction(f.tail<6>(), pair.q, force, torque);
  const Mat3 frame = pair.at(1).R * pair.spec.axes_a;
  for (const int direction : GetParam().allowed) {
    const Vec3 axis = frame.col(direction % 3);
    EXPECT_NEAR((direction < 3 ? force : torque).dot(axis), 0.0, 1e-13) << direction;
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, EveryJoint, ::testing::ValuesIn(kinds),
                         [](const auto& test) { return name_of(test.param.kind); });

TEST(Joint, of_kind_distance_holds_the_initial_distance_unless_told_a_length) {
  Random random(6);
  FittingPair pair(JointKind::distance, random);
  ASSERT_EQ(pair.joint().rows().size(), 1u);
  EXPECT_NEAR(pair.joint().rows()[0].target, 3.0, 1e-14);
  EXPECT_NEAR(pair.joint().coordinate(pair.q, 0.0), 3.0, 1e-14);
  pair.spec.length = 2.5;
  const Joint joint = pair.joint();
  EXPECT_NEAR(joint.misfit(joint.rows()[0], {}, pair.q), 0.5, 1e-14);
}

TEST(Joint, of_kind_distance_pushes_along_the_line_between_its_points) {
  Random random(7);
  FittingPair pair(JointKind::distance, random);
  const Joint joint = pair.joint();
  const Vec12 f = rows_of(joint, pair.q).row(0).transpose();
  Vec3 force, torque;
  joint.reaction(f.tail<6>(), pair.q, force, torque);
  EXPECT_LT((force - Vec3(1.0, 2.0, 2.0) / 3.0).norm(), 1e-14);
  EXPECT_LT(torque.norm(), 1e-14 * 4);
}

TEST(Joint, of_kind_distance_between_coinciding_points_is_refused_by_name) {
  JointSpec spec;
  spec.name = "link";
  spec.kind = JointKind::distance;
  try {
    Joint(spec, ground, 1, {Node{}, free_node(0)}, Configuration(2));
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("'link'"), std::string::npos);
  }
}

class EveryMotor : public ::testing::TestWithParam<JointKind> {};

TEST_P(EveryMotor, adds_one_row_that_is_independent_of_the_others) {
  Random random(8);
  FittingPair pair(GetParam(), random);
  const std::size_t before = pair.joint().rows().size();
  pair.spec.motor = Expression("0.1*t");
  const Joint joint = pair.joint();
  EXPECT_TRUE(joint.has_motor());
  // The distance that a motor prescribes is no longer held at its initial value.
  EXPECT_EQ(joint.rows().size(), GetParam() == JointKind::distance ? 1 : before + 1);
  EXPECT_TRUE(joint.rows().back().driven);
  EXPECT_EQ(rank(rows_of(joint, pair.q)), static_cast<Eigen::Index>(joint.rows().size()));
}

// d(misfit)/dt = G v - target rate along any motion: here both nodes move with constant velocity
// and body-frame spin from where they are.
TEST_P(EveryMotor, misfit_changes_at_the_rate_of_the_rows_minus_the_target_rate) {
  Random random(9);
  FittingPair pair(GetParam(), random);
  pair.spec.motor = Expression("3.1 + sin(2*t)");  // an angle beyond pi in part of the motion
  Joint joint = pair.joint();
  const double t = 0.7;
  const Vec12 v = random.numbers(12, 0.5);
  const auto count = static_cast<Eigen::Index>(joint.rows().size());
  const auto misfits = [&](const VecX& after) -> VecX {
    const Joint::Drive drive = joint.drive_at(t + after[0], 1e-2);
    const Configuration q = displaced(pair.q, 1, 2, after[0] * v);
    VecX all(count);
    for (Eigen::Index i = 0; i < count; ++i) {
      all[i] = joint.misfit(joint.rows()[static_cast<std::size_t>(i)], drive, q);
    }
    return all;
  };
  const testing::Differences numeric = testing::differences(misfits, 1);
  const Joint::Drive drive = joint.drive_at(t, 1e-2);
  VecX rates = rows_of(joint, pair.q) * v;
  for (Eigen::Index i = 0; i < count; ++i) {
    rates[i] -= Joint::target_rate(joint.rows()[static_cast<std::size_t>(i)], drive);
  }
  EXPECT_NEAR(Joint::target_rate(joint.rows().back(), drive), 2.0 * std::cos(2.0 * t), 1e-12);
  EXPECT_TRUE(testing::agrees(rates, numeric));
  // Second differences with spacing 1e-2: round-off 1e-16 times four over 1e-4.
  EXPECT_NEAR(joint.target_acceleration(joint.rows().back(), t, 1e-2), -4.0 * std::sin(2.0 * t),
              1e-10);
}

INSTANTIATE_TEST_SUITE_P(Kinds, EveryMotor,
                         ::testing::Values(JointKind::revolute, JointKind::prismatic,
                                           JointKind::distance),
                         [](const auto& test) { return name_of(test.param); });

TEST(Joint, motor_on_a_joint_without_one_free_coordinate_is_refused) {
  for (const JointKind kind : {JointKind::fixed, JointKind::ball, JointKind::cylindrical,
                               JointKind::universal, JointKind::planar, JointKind::rolling}) {
    Random random(10);
    FittingPair pair(kind, random);
    pair.spec.motor = Expression(0.0);
    EXPECT_THROW(pair.joint(), Error) << to_string(kind);
  }
}

TEST(Joint, skate_holds_one_velocity_and_no_position) {
  Random random(21);
  FittingPair pair(JointKind::skate, random);
  Joint joint = pair.joint();
  ASSERT_EQ(joint.rows().size(), 1u);
  const JointRow& row = joint.rows()[0];
  EXPECT_FALSE(row.holds_position());
  EXPECT_TRUE(row.is_length());
  const MatX G = rows_of(joint, pair.q);
  for (int direction = 0; direction < 6; ++direction) {
    // Turns about the point of the joint do not move it.
    EXPECT_NEAR((G * pair.relative_motion(direction))[0], direction == 2 ? 1.0 : 0.0, 1e-14);
  }
  pair.at(2).x += Vec3(5.0, -3.0, 2.0);
  EXPECT_EQ(joint.misfit(row, {}, pair.q), 0.0);
}

TEST(Joint, motor_of_a_skate_is_a_velocity) {
  Random random(22);
  FittingPair pair(JointKind::skate, random);
  pair.spec.motor = Expression("1+3*t");
  Joint joint = pair.joint();
  const JointRow& row = joint.rows()[0];
  ASSERT_EQ(joint.rows().size(), 1u);
  EXPECT_DOUBLE_EQ(Joint::target_rate(row, joint.drive_at(2.0, 1e-2)), 7.0);
  // Eighth-order differences with spacing 1e-2: round-off 1e-15 of 7 over 1e-2.
  EXPECT_NEAR(joint.target_acceleration(row, 2.0, 1e-2), 3.0, 1e-11);
}

TEST(Joint, rolling_holds_the_height_and_two_velocities) {
  Random random(23);
  for (const bool disc : {false, true}) {
    FittingPair pair(JointKind::rolling, random);
    pair.spec.radius = 0.3;
    pair.spec.is_disc = disc;
    pair.spec.axes_b = random.axes();
    const Joint joint = pair.joint();
    ASSERT_EQ(joint.rows().size(), 3u);
    EXPECT_TRUE(joint.rows()[0].holds_position());
    EXPECT_FALSE(joint.rows()[1].holds_position());
    EXPECT_FALSE(joint.rows()[2].holds_position());
    EXPECT_EQ(rank(rows_of(joint, pair.q)), 3);
  }
}

TEST(Joint, rolling_in_the_plane_has_two_rows) {
  const std::vector<Node> nodes{Node{}, planar_node(0)};
  Configuration q(2);
  q[1].x.y() = 0.3;
  JointSpec spec;
  spec.kind = JointKind::rolling;
  spec.radius = 0.3;
  spec.axes_a << 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0;  // z along y of the plane
  const Joint joint(spec, ground, 1, nodes, q);
  ASSERT_EQ(joint.rows().size(), 2u);
  EXPECT_EQ(joint.misfit(joint.rows()[0], {}, q), 0.0);
  Vec12 g;
  joint.rows()[1].row(q, g);
  // It rolls along x when it turns backwards.
  EXPECT_NEAR(std::abs(g[6]), 1.0, 1e-15);
  EXPECT_NEAR(g[11] / g[6], 0.3, 1e-15);
}

TEST(Joint, a_disc_that_lies_flat_cannot_roll) {
  Random random(24);
  FittingPair pair(JointKind::rolling, random);  // with equal axes on both sides
  pair.spec.radius = 0.3;
  pair.spec.is_disc = true;
  EXPECT_THROW(pair.joint(), Error);
}

TEST(Joint, revolute_coordinate_counts_turns) {
  Random random(11);
  FittingPair pair(JointKind::revolute, random);
  Joint joint = pair.joint();
  const Configuration start = pair.q;
  const Vec3 axis = pair.spec.axes_b.col(2);  // of b, which turns
  double reached = joint.coordinate_at_start(start);
  for (int i = 0; i <= 70; ++i) {
    Vec12 turn = Vec12::Zero();
    const Vec3 point = pair.spec.b.point;
    turn.tail<3>() = 0.2 * i * axis;
    pair.q = displaced(start, 1, 2, turn);
    pair.q[2].x = start[2].x + (start[2].R - pair.q[2].R) * point;
    for (const JointRow& row : joint.rows()) ASSERT_NEAR(joint.misfit(row, {}, pair.q), 0.0, 1e-13);
    reached = joint.coordinate(pair.q, reached);
  }
  EXPECT_TRUE(joint.coordinate_is_angle());
  EXPECT_NEAR(joint.coordinate(pair.q, reached), 14.0, 1e-13);
}

TEST(Joint, revolute_motor_may_ask_for_more_than_half_a_turn) {
  Random random(12);
  FittingPair pair(JointKind::revolute, random);
  pair.spec.motor = Expression("4*pi");
  const Joint joint = pair.joint();
  EXPECT_NEAR(joint.misfit(joint.rows().back(), joint.drive_at(0.0, 1e-3), pair.q), 0.0, 1e-14);
  EXPECT_NEAR(joint.coordinate_at_start(pair.q), 4.0 * pi, 1e-13);
}

TEST(Joint, prismatic_between_planar_bodies_slides_in_the_plane) {
  const std::vector<Node> nodes{Node{}, planar_node(0)};
  JointSpec spec;
  spec.name = "slide";
  spec.kind = JointKind::prismatic;
  spec.axes_a << 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0;  // joint z along space x
  spec.axes_b = spec.axes_a;
  const Configuration q(2);
  const Joint joint(spec, ground, 1, nodes, q);
  EXPECT_EQ(joint.rows().size(), 2u);
  Vec12 slide = Vec12::Zero();
  slide[6] = 1.0;
  EXPECT_EQ((rows_of(joint, q) * slide).norm(), 0.0);
}

}  // namespace joint_test
}  // namespace clatter
