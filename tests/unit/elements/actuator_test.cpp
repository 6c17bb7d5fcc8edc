#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <clatter/io/model_reader.hpp>
#include <clatter/machine/machine.hpp>

#include "support/finite_difference.hpp"
#include "support/random_state.hpp"

namespace clatter {
namespace actuator_test {

using testing::agrees;
using testing::differences;
using testing::Random;

/// Two bodies in space on a slide and a hinge.
Machine machine_of(const std::string& drives) {
  const std::string text = R"x(
[[body]]
name = "a"
mass = 2
inertia = [1, 2, 2.5]
centre_of_mass = [0.1, 0.2, -0.1]
[[body]]
name = "b"
mass = 1
inertia = [1, 1.5, 2]
position = [1, 0.5, 0.2]
[[joint]]
name = "slide"
kind = "prismatic"
a = "ground"
b = "a"
point = [0, 0, 0]
axis = [1, 2, 0.5]
[[joint]]
name = "hinge"
kind = "revolute"
a = "a"
b = "b"
point = [0.5, 0.2, 0.1]
axis = [0.2, 1, 0.4]
[integrator]
step = 0.01
duration = 1
)x";
  return Machine(parse_model(text + drives, "model.toml"));
}

Configuration moved(Configuration q, std::span<const int> nodes, const VecX& d) {
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    NodeState& state = q[static_cast<std::size_t>(nodes[k])];
    const auto first = 6 * static_cast<Eigen::Index>(k);
    state.x += d.segment<3>(first);
    state.p = state.p * exp_so3(d.segment<3>(first + 3));
    state.R = state.p.toRotationMatrix();
  }
  return q;
}

/// K and C of all actuators, with numbers of controllers that have been running for a while.
void expect_exact_tangents(const std::string& drives) {
  const Machine machine = machine_of(drives);
  ASSERT_FALSE(machine.all<Actuator>().empty());
  for (unsigned seed = 0; seed < 5; ++seed) {
    Random random(seed);
    Configuration q = machine.initial_configuration();
    for (std::size_t n = 1; n < q.size(); ++n) {
      q[n].x += random.vector(0.2);
      q[n].p = q[n].p * exp_so3(random.vector(0.3));
      q[n].R = q[n].p.toRotationMatrix();
    }
    const NodalVector v = random.numbers(18);
    const std::vector<double> turns = machine.turns_at_start();
    std::vector<double> signals = machine.signals().at_start();
    for (const long step : {0L, 1L}) {
      machine.signals().update(q, v, machine.drive_input(0.01 * step, turns, signals), step,
                               signals);
    }
    const DriveInput in = machine.drive_input(0.017, turns, signals);
    for (const Actuator& actuator : machine.all<Actuator>()) {
      const Eigen::Index size = 6 * static_cast<Eigen::Index>(actuator.nodes().size());
      const auto force = [&](const Configuration& at, const NodalVector& with) {
        Actuator::Vector f;
        actuator.generalised_force(at, with, in, f);
        return VecX(f);
      };
      Actuator::Matrix K, C;
      actuator.tangent(q, v, in, K, C);
      EXPECT_TRUE(
          agrees(-MatX(K),
                 differences([&](const VecX& d) { return force(moved(q, actuator.nodes(), d), v); },
                             size)))
          << actuator.name();
      EXPECT_TRUE(agrees(-MatX(C), differences(
                                       [&](const VecX& d) {
                                         NodalVector w = v;
                                         for (std::size_t k = 0; k < actuator.nodes().size(); ++k) {
                                           of_node(w, actuator.nodes()[k]) +=
                                               d.segment<6>(6 * static_cast<Eigen::Index>(k));
                                         }
                                         return force(q, w);
                                       },
                                       size)))
          << actuator.name();
    }
  }
}

TEST(Actuator, has_exact_tangents_of_feedback_over_all_bodies_it_depends_on) {
  expect_exact_tangents(R"x(
[[actuator]]
name = "slide"
joint = "slide"
force = "3*joints/hinge/coordinate^2 - 2*joints/slide/velocity*bodies/b/position/z + sin(t)"
[[actuator]]
name = "hinge"
joint = "hinge"
force = "bodies/b/velocity/x*bodies/a/velocity/y - bodies/b/angular_velocity/z + 2*joints/hinge/velocity"
[[actuator]]
name = "axial"
kind = "axial"
a = { body = "a", point = [0.3, 0, 0.1] }
b = { body = "b", point = [0, 0.7, 0] }
force = "5 + bodies/a/position/x - joints/hinge/coordinate"
[[actuator]]
name = "linear"
kind = "linear"
a = { body = "a" }
b = { body = "b" }
axis = [1, 1, 0]
force = "4*joints/slide/coordinate"
[[actuator]]
name = "torsional"
kind = "torsional"
b = { body = "b" }
axis = [0, 0.3, 1]
force = "bodies/b/position/y"
)x");
}

TEST(Actuator, has_exact_tangents_of_continuous_controllers) {
  expect_exact_tangents(R"x(
[[controller]]
name = "pid"
input = "2*joints/hinge/coordinate + bodies/a/position/x"
setpoint = "sin(3*t)"
proportional = 7
integral = 30
derivative = 0.4
[[controller]]
name = "filtered"
input = "joints/hinge/velocity*joints/slide/coordinate"
setpoint = 0.1
proportional = 2
integral = 5
derivative = 0.3
derivative_filter = 0.02
[[controller]]
name = "cascade"
input = "joints/slide/coordinate"
setpoint = "controllers/pid/output"
proportional = 3
[[actuator]]
joint = "hinge"
force = "controllers/pid/output - 0.5*controllers/filtered/output"
[[actuator]]
joint = "slide"
force = "controllers/cascade/output"
)x");
}

TEST(Actuator, has_no_feedback_where_it_is_limited) {
  const Machine machine = machine_of(R"x(
[[actuator]]
joint = "slide"
force = "100*joints/slide/coordinate + 50"
upper = 3
lower = -2
)x");
  const Actuator& actuator = machine.all<Actuator>().front();
  const Configuration& q = machine.initial_configuration();
  const NodalVector v = NodalVector::Zero(18);
  const std::vector<double> turns = machine.turns_at_start(), none;
  const DriveInput in = machine.drive_input(0.0, turns, none);
  EXPECT_EQ(actuator.force(q, v, in), 3.0);
  Actuator::Matrix K, C;
  actuator.tangent(q, v, in, K, C);
  EXPECT_TRUE(C.isZero(0.0));
}

// A force between two bodies does nothing to their momentum.
TEST(Actuator, between_bodies_has_no_net_force_and_torque) {
  const Machine machine = machine_of(R"x(
[[actuator]]
kind = "axial"
a = { body = "a", point = [0.3, 0, 0.1] }
b = { body = "b", point = [0, 0.7, 0] }
force = 11
)x");
  const Actuator& actuator = machine.all<Actuator>().front();
  const Configuration& q = machine.initial_configuration();
  const std::vector<double> turns = machine.turns_at_start(), none;
  Actuator::Vector f;
  actuator.generalised_force(q, NodalVector::Zero(18), machine.drive_input(0.0, turns, none), f);
  Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
  for (int k = 0; k < 2; ++k) {
    const NodeState& at =
        q[static_cast<std::size_t>(actuator.nodes()[static_cast<std::size_t>(k)])];
    force += f.segment<3>(6 * k);
    torque += at.x.cross(Vec3(f.segment<3>(6 * k))) + at.R * f.segment<3>(6 * k + 3);
  }
  EXPECT_LT(force.norm(), 1e-13);
  EXPECT_LT(torque.norm(), 1e-13);
  EXPECT_NEAR(f.segment<3>(6).norm(), 11.0, 1e-13);
}

}  // namespace actuator_test
}  // namespace clatter
