#include <array>
#include <vector>

#include <gtest/gtest.h>

#include <clatter/elements/cable.hpp>
#include <clatter/math/system_matrix.hpp>

#include "support/finite_difference.hpp"
#include "support/random_state.hpp"

namespace clatter {
namespace cable_test {

using testing::agrees;
using testing::differences;
using testing::Random;

constexpr double stiffness = 40.0, damping = 0.5;

/// From body 1 over the ground and two points of body 2 back to body 1, and on to body 3.
Cable cable_of(Random& random, double rest_length) {
  const std::array<int, 6> through{1, ground, 2, 2, 1, 3};
  std::vector<Cable::Point> points;
  // Neighbours are far apart, so that differences are sharp.
  double far = 4.0;
  for (const int node : through)
    points.push_back({node, random.vector() + Vec3::Constant(far *= -1.0)});
  return {"rope", points, stiffness, damping, rest_length};
}

/// q moved by six numbers for each node; the ground like any other.
Configuration displaced(Configuration q, std::span<const int> nodes, const VecX& d) {
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    NodeState& state = q[static_cast<std::size_t>(nodes[k])];
    const auto first = 6 * static_cast<Eigen::Index>(k);
    state.x += d.segment<3>(first);
    state.p = state.p * exp_so3(d.segment<3>(first + 3));
    state.R = state.p.toRotationMatrix();
  }
  return q;
}

VecX force(const Cable& cable, const Configuration& q, const NodalVector& v) {
  Cable::Vector f;
  cable.generalised_force(q, v, 0.0, f);
  return f;
}

/// Taut: with a force of 400 N or so, of which dampers make a few.
template <class Check>
void at_random_states(const Check& check) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Random random(seed);
    const Configuration q = random.configuration(3);
    const NodalVector v = random.numbers(24);
    const Cable cable = cable_of(random, 10.0);
    ASSERT_GT(cable.tension(q, v), 0.0);
    ASSERT_EQ(cable.nodes().size(), 4u);
    check(cable, q, v);
    if (::testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
}

TEST(Cable, elastic_force_is_minus_the_gradient_of_the_energy) {
  at_random_states([](const Cable& cable, const Configuration& q, const NodalVector& v) {
    const auto energy = [&](const VecX& d) -> VecX {
      return VecX::Constant(1, cable.energy(displaced(q, cable.nodes(), d), 0.0));
    };
    const NodalVector rest = NodalVector::Zero(v.size());
    EXPECT_TRUE(agrees(-force(cable, q, rest).transpose(), differences(energy, 24)));
  });
}

TEST(Cable, stiffness_is_minus_the_derivative_of_the_force_by_position) {
  at_random_states([](const Cable& cable, const Configuration& q, const NodalVector& v) {
    const auto minus_force = [&](const VecX& d) -> VecX {
      return -force(cable, displaced(q, cable.nodes(), d), v);
    };
    Cable::Matrix K, C;
    cable.tangent(q, v, 0.0, K, C);
    EXPECT_TRUE(agrees(K, differences(minus_force, 24)));
  });
}

TEST(Cable, damping_is_minus_the_derivative_of_the_force_by_velocity) {
  at_random_states([](const Cable& cable, const Configuration& q, const NodalVector& v) {
    const auto minus_force = [&](const VecX& d) -> VecX {
      NodalVector moved = v;
      add_to_nodes(moved, cable.nodes(), d);
      return -force(cable, q, moved);
    };
    Cable::Matrix K, C;
    cable.tangent(q, v, 0.0, K, C);
    EXPECT_TRUE(agrees(C, differences(minus_force, 24)));
  });
}

TEST(Cable, leaves_no_net_force_and_torque) {
  at_random_states([](const Cable& cable, const Configuration& q, const NodalVector& v) {
    const VecX f = force(cable, q, v);
    Vec3 sum = Vec3::Zero(), torque = Vec3::Zero();
    for (std::size_t k = 0; k < cable.nodes().size(); ++k) {
      const NodeState& state = q[static_cast<std::size_t>(cable.nodes()[k])];
      const Vec6 on_node = f.segment<6>(6 * static_cast<Eigen::Index>(k));
      sum += on_node.head<3>();
      torque += state.x.cross(on_node.head<3>()) + state.R * on_node.tail<3>();
    }
    const double round_off = 1e-14 * cable.tension(q, v) * cable.length(q);
    EXPECT_LT(sum.norm(), round_off);
    EXPECT_LT(torque.norm(), round_off);
  });
}

TEST(Cable, takes_out_the_power_that_its_forces_and_its_energy_leave) {
  at_random_states([](const Cable& cable, const Configuration& q, const NodalVector& v) {
    const auto energy = [&](const VecX& t) -> VecX {
      const VecX d = t[0] * of_nodes<Cable::Vector>(v, cable.nodes());
      return VecX::Constant(1, cable.energy(displaced(q, cable.nodes(), d), 0.0));
    };
    const auto stored = differences(energy, 1);
    const double given = force(cable, q, v).dot(of_nodes<Cable::Vector>(v, cable.nodes()));
    EXPECT_NEAR(cable.dissipated_power(q, v, 0.0), -given - stored.derivative(0, 0),
                stored.error + 1e-12 * std::abs(given));
    EXPECT_GE(cable.dissipated_power(q, v, 0.0), 0.0);
  });
}

/// A ball on a cable of one metre that hangs from the origin.
struct Hanging {
  Cable cable{"rope", std::array<Cable::Point, 2>{{{ground, Vec3::Zero()}, {1, Vec3::Zero()}}},
              100.0, 20.0, 1.0};
  Configuration q{2};
  NodalVector v = NodalVector::Zero(12);

  Hanging(double length, double rate) {
    q[1].x = Vec3(0.0, 0.0, -length);
    v[8] = -rate;
  }
};

TEST(Cable, is_slack_below_its_length_whatever_its_damper) {
  const Hanging slack(0.9, 5.0);
  EXPECT_EQ(slack.cable.tension(slack.q, slack.v), 0.0);
  EXPECT_TRUE(force(slack.cable, slack.q, slack.v).isZero(0.0));
  Cable::Matrix K, C;
  slack.cable.tangent(slack.q, slack.v, 0.0, K, C);
  EXPECT_TRUE(K.isZero(0.0) && C.isZero(0.0));
  EXPECT_EQ(slack.cable.energy(slack.q, 0.0), 0.0);
  EXPECT_EQ(slack.cable.dissipated_power(slack.q, slack.v, 0.0), 0.0);
}

TEST(Cable, never_pushes_together_with_its_damper) {
  const Hanging taut(1.2, 0.5);
  EXPECT_DOUBLE_EQ(taut.cable.tension(taut.q, taut.v), 100.0 * 0.2 + 20.0 * 0.5);
  const Hanging relaxing(1.2, -3.0);  // 20 N of stiffness, 60 N of the damper
  EXPECT_EQ(relaxing.cable.tension(relaxing.q, relaxing.v), 0.0);
  // The energy that it loses goes into the damper.
  EXPECT_DOUBLE_EQ(relaxing.cable.dissipated_power(relaxing.q, relaxing.v, 0.0), 100.0 * 0.2 * 3.0);
}

TEST(Cable, may_lie_slack_with_its_points_together) {
  const Hanging heap(0.0, 0.0);
  EXPECT_TRUE(force(heap.cable, heap.q, heap.v).isZero(0.0));
  EXPECT_NO_THROW(heap.cable.check(heap.q, 0.0));
  const std::array<Cable::Point, 3> through{
      {{ground, Vec3::Zero()}, {1, Vec3::Zero()}, {ground, Vec3::UnitX()}}};
  const Cable taut("rope", through, 1.0, 0.0, 0.5);
  EXPECT_THROW(taut.check(heap.q, 0.0), Error);
}

// An element is assembled over the unknowns that its nodes have: here a slider with one and a point
// with three.
TEST(ElementOverNodes, of_one_and_of_three_unknowns_gives_the_derivative_by_these_four) {
  Node slider{.name = "slider", .mass = 1.0}, point{.name = "point", .mass = 1.0};
  slider.dof = {-1, 0, -1, -1, -1, -1};
  point.dof = {1, 2, 3, -1, -1, -1};
  const std::vector<Node> nodes{Node{}, slider, point};
  Configuration q(3);
  q[1].x = Vec3(2.0, 1.0, 0.0);
  q[2].x = Vec3(-1.0, 3.0, 2.0);
  const std::array<Cable::Point, 3> through{
      {{1, Vec3::Zero()}, {ground, Vec3(0.0, 0.0, 3.0)}, {2, Vec3::Zero()}}};
  const Cable cable("rope", through, stiffness, damping, 1.0);
  const std::vector<int> dofs = dofs_of_nodes(nodes, cable.nodes());

  NodalVector v = NodalVector::Zero(18);
  v.segment<3>(12) = Vec3(0.3, -0.2, 0.5);
  v[7] = 0.4;
  const auto minus_force = [&](const VecX& d) -> VecX {
    NodalVector increment = NodalVector::Zero(18);
    increment[7] = d[0];
    increment.segment<3>(12) = d.tail<3>();
    Configuration moved = q;
    retract(nodes, q, increment, moved);
    const VecX f = force(cable, moved, v);
    VecX on_unknowns = VecX::Zero(4);
    for (std::size_t i = 0; i < dofs.size(); ++i) {
      if (dofs[i] >= 0) on_unknowns[dofs[i]] -= f[static_cast<Eigen::Index>(i)];
    }
    return on_unknowns;
  };
  SystemMatrix matrix(4);
  const SystemMatrix::Block block = matrix.reserve(dofs, dofs);
  matrix.finish_pattern();
  matrix.set_zero();
  Cable::Matrix K, C;
  cable.tangent(q, v, 0.0, K, C);
  matrix.add(block, K);
  EXPECT_TRUE(agrees(matrix.entries(), differences(minus_force, 4)));
}

}  // namespace cable_test
}  // namespace clatter
