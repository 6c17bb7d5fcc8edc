#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clatter/math/so3.hpp>
#include <clatter/simulation/simulation.hpp>

#include "support/beams.hpp"
#include "support/run.hpp"

namespace clatter {
namespace joint_motion_test {

using testing::box;
using testing::gravity;
using ::testing::HasSubstr;
using testing::run;
using testing::timed;
using testing::value;
using testing::vector;

/// Crank, coupler and rocker between two pivots of the ground, in the x-y plane.
Model four_bar(BodyKind kind) {
  Model model = timed(2e-3, 0.6);
  model.gravity = Vec3(0.0, -9.81, 0.0);
  const double pi = std::numbers::pi;
  const Vec3 O(0.0, 0.0, 0.0), D(3.0, 0.0, 0.0), A(std::cos(pi / 3.0), std::sin(pi / 3.0), 0.0);
  // B is 2.5 from A and 2 from D.
  const Vec3 between = D - A;
  const double d = between.norm();
  const double along = (2.5 * 2.5 - 2.0 * 2.0 + d * d) / (2.0 * d);
  const Vec3 across = Vec3::UnitZ().cross(between / d);
  const Vec3 B = A + along / d * between + std::sqrt(2.5 * 2.5 - along * along) * across;
  const auto bar = [&](const char* name, const Vec3& from, const Vec3& to) {
    const double length = (to - from).norm();
    BodySpec body = box(name, kind, length, Vec3(length, 0.1, 0.1), 0.5 * (from + to));
    body.angle = std::atan2(to.y() - from.y(), to.x() - from.x());
    body.orientation = exp_so3(body.angle * Vec3::UnitZ());
    model.bodies.push_back(body);
    return length;
  };
  const double crank = bar("crank", O, A), coupler = bar("coupler", A, B),
               rocker = bar("rocker", B, D);
  const auto pin = [&](const char* name, const Attachment& a, const Attachment& b) {
    JointSpec joint;
    joint.name = name;
    joint.kind = JointKind::revolute;
    joint.a = a;
    joint.b = b;
    model.joints.push_back(joint);
  };
  const auto start = [](double length) { return Vec3(-0.5 * length, 0.0, 0.0); };
  const auto end = [](double length) { return Vec3(0.5 * length, 0.0, 0.0); };
  pin("O", {"", O}, {"crank", start(crank)});
  pin("A", {"crank", end(crank)}, {"coupler", start(coupler)});
  pin("B", {"coupler", end(coupler)}, {"rocker", start(rocker)});
  pin("D", {"rocker", end(rocker)}, {"", D});
  return model;
}

TEST(FourBar, in_space_has_redundant_joints_and_moves_as_in_the_plane) {
  Simulation space(four_bar(BodyKind::rigid)), plane(four_bar(BodyKind::planar));
  ASSERT_EQ(space.notices().size(), 1u);
  EXPECT_THAT(space.notices()[0], HasSubstr("3 of the 20 joint conditions are redundant"));
  EXPECT_TRUE(plane.notices().empty());
  double swept = 0.0;
  while (!plane.finished()) {
    space.step();
    plane.step();
    for (const char* name : {"crank", "coupler", "rocker"}) {
      const std::string path = std::string("bodies/") + name;
      // Both solve the same equations to 1e-10 of their terms in each of the 300 steps; errors
      // mostly cancel.
      for (int i = 0; i < 2; ++i) {
        ASSERT_NEAR(value(space, path + "/position", i), value(plane, path + "/position", i), 1e-9);
        ASSERT_NEAR(value(space, path + "/velocity", i), value(plane, path + "/velocity", i),
                    1e-9 * 10);
      }
      EXPECT_NEAR(value(space, path + "/position", 2), 0.0, 1e-12);
    }
    swept = std::max(swept, std::abs(value(plane, "bodies/crank/angle") - std::numbers::pi / 3.0));
  }
  EXPECT_GT(swept, 0.5);  // it did move
  EXPECT_GT(space.statistics().regularised, 0);
  EXPECT_EQ(plane.statistics().regularised, 0);
  // Joints are solved for at both levels in every step: nothing drifts.
  EXPECT_LT(space.statistics().max_joint_error, 1e-11);
  EXPECT_LT(plane.statistics().max_joint_error, 1e-11);
}

// PieceBends by 4e-13 m at most, which the stiffness along the beam would take for round-off.
TEST(Beam, sags_in_proportion_to_the_least_gravity) {
  const auto lowest = [](double g) {
    Model model = testing::clamped_rod(20);
    model.beams[0].section = section_of(CircleSection{0.01});
    model.gravity = {0, 0, -g};
    model.integrator.step = 1e-4;
    model.integrator.duration = 0.04;
    Simulation simulation(model);
    double deepest = 0.0;
    while (!simulation.finished()) {
      simulation.step();
      deepest = std::min(deepest, testing::value(simulation, "beams/rod/position", 62));  // z of 20
    }
    return deepest / g;
  };
  const double moderate = lowest(1e-3);
  EXPECT_LT(moderate, -1e-4);
  EXPECT_NEAR(lowest(1e-9), moderate, 1e-6 * std::abs(moderate));
}

TEST(Reaction, of_a_hinge_carries_the_weight_of_what_hangs_on_it) {
  Model model = timed(0.01, 0.1);
  model.gravity = gravity;
  model.bodies = {box("b", BodyKind::rigid, 2.0, Vec3::Ones(), Vec3(0.0, 0.0, -1.0))};
  JointSpec joint;
  joint.name = "hook";
  joint.kind = JointKind::ball;
  joint.b = {"b", Vec3(0.0, 0.0, 1.0)};
  model.joints = {joint};
  Simulation simulation(model);
  run(simulation);
  EXPECT_LT((vector(simulation, "joints/hook/force") - Vec3(0.0, 0.0, 2.0 * 9.81)).norm(), 1e-9);
  EXPECT_LT(vector(simulation, "joints/hook/torque").norm(), 1e-9);
}

TEST(Reaction, of_a_cantilever_is_a_force_and_a_torque_at_the_wall) {
  Model model = timed(0.01, 0.1);
  model.gravity = gravity;
  model.bodies = {box("b", BodyKind::rigid, 2.0, Vec3::Ones(), Vec3(1.5, 0.0, 0.0))};
  JointSpec joint;
  joint.name = "wall";
  joint.kind = JointKind::fixed;
  joint.b = {"b", Vec3(-1.5, 0.0, 0.0)};
  model.joints = {joint};
  Simulation simulation(model);
  run(simulation);
  // Weight down at x = 1.5 is held by a torque about -y.
  const Vec3 torque(0.0, -1.5 * 2.0 * 9.81, 0.0);
  EXPECT_LT((vector(simulation, "joints/wall/force") - Vec3(0.0, 0.0, 2.0 * 9.81)).norm(), 1e-9);
  EXPECT_LT((vector(simulation, "joints/wall/torque") - torque).norm(), 1e-9);
}

TEST(Motor, moves_its_joint_exactly_as_told) {
  Model model = timed(0.01, 1.0);
  model.gravity = gravity;
  model.bodies = {box("arm", BodyKind::rigid, 2.0, Vec3(1.0, 0.1, 0.1), Vec3(0.5, 0.0, 0.0))};
  JointSpec joint;
  joint.name = "drive";
  joint.kind = JointKind::revolute;
  joint.b = {"arm", Vec3(-0.5, 0.0, 0.0)};
  joint.motor = Expression("10*t^2");
  model.joints = {joint};
  Simulation simulation(model);
  while (!simulation.finished()) {
    simulation.step();
    const double t = simulation.time();
    // Held at both levels; the target's rate is a difference quotient good to 1e-12.
    ASSERT_NEAR(value(simulation, "joints/drive/coordinate"), 10.0 * t * t, 1e-11);
    ASSERT_NEAR(value(simulation, "bodies/arm/angular_velocity", 2), 20.0 * t, 1e-9);
  }
}

}  // namespace joint_motion_test
}  // namespace clatter
