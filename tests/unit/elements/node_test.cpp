#include <gtest/gtest.h>

#include <clatter/elements/node.hpp>

#include "support/random_state.hpp"

namespace clatter {
namespace node_test {

using testing::free_node;
using testing::planar_node;
using testing::Random;

TEST(Retract, moves_a_free_node_by_the_increment_in_space_and_body_axes) {
  Random random(1);
  const std::vector<Node> nodes{Node{}, free_node(0)};
  const Configuration start = random.configuration(1);
  Configuration q = start;
  const NodalVector increment = random.numbers(12);
  retract(nodes, start, increment, q);
  EXPECT_EQ(q[1].x, start[1].x + increment.segment<3>(6));
  const Mat3 expected = start[1].R * exp_so3(increment.segment<3>(9)).toRotationMatrix();
  EXPECT_LT((q[1].R - expected).norm(), 1e-15 * 4);
  EXPECT_LT((q[1].R - q[1].p.toRotationMatrix()).norm(), 1e-15);
  EXPECT_EQ(q[0].x, start[0].x);  // the ground stays
}

TEST(Retract, keeps_the_quaternion_a_unit_over_many_steps) {
  Random random(2);
  const std::vector<Node> nodes{Node{}, free_node(0)};
  Configuration q = random.configuration(1), next = q;
  for (int i = 0; i < 10000; ++i) {
    retract(nodes, q, random.numbers(12), next);
    std::swap(q, next);
  }
  EXPECT_NEAR(q[1].p.norm(), 1.0, 4e-16);  // normalised each time
}

TEST(Retract, counts_the_turns_of_a_planar_node) {
  const std::vector<Node> nodes{Node{}, planar_node(0)};
  Configuration q(2), next = q;
  NodalVector increment = NodalVector::Zero(12);
  increment[11] = 1.0;
  for (int i = 0; i < 20; ++i) {
    retract(nodes, q, increment, next);
    std::swap(q, next);
  }
  EXPECT_DOUBLE_EQ(q[1].angle, 20.0);
  const Mat3 expected = Eigen::AngleAxisd(20.0, Vec3::UnitZ()).toRotationMatrix();
  EXPECT_LT((q[1].R - expected).norm(), 1e-15 * 4);
  EXPECT_LT((q[1].p.toRotationMatrix() - expected).norm(), 1e-15 * 8);
}

}  // namespace node_test
}  // namespace clatter
