// Machines that turn many times, stand still, or meet at an edge: where round-off and bookkeeping,
// not the physics, decide whether a run goes on.

#include <cmath>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clatter/simulation/simulation.hpp>

#include "support/run.hpp"

namespace clatter {
namespace endurance_test {

using testing::box;
using testing::point;
using testing::run;
using testing::value;

JointSpec joint(JointKind kind, const Attachment& a, const Attachment& b) {
  JointSpec spec;
  spec.name = a.body + " to " + b.body;
  spec.kind = kind;
  spec.a = a;
  spec.b = b;
  return spec;
}

TEST(Endurance, motor_turns_a_rotor_a_thousand_times) {
  for (const BodyKind kind : {BodyKind::rigid, BodyKind::planar}) {
    Model model;
    model.integrator.step = 1e-2;
    model.integrator.duration = 100.0;
    model.assemble = true;
    model.bodies = {box("rotor", kind, 1.0, Vec3::Ones(), Vec3::Zero())};
    model.joints = {joint(JointKind::revolute, {}, {"rotor", Vec3::Zero()})};
    model.joints[0].motor = Expression("20*pi*t");
    Simulation simulation(model);
    run(simulation);
    // The angle is a number of 6283 rad, known to its own round-off.
    EXPECT_NEAR(value(simulation, "joints/ to rotor/coordinate"), 2000.0 * std::acos(-1.0), 1e-11);
  }
}

TEST(Endurance, planar_body_turns_about_a_hinge_off_its_centre) {
  Model model;
  model.integrator.step = 1e-3;
  model.integrator.duration = 20.0;
  model.bodies = {box("arm", BodyKind::planar, 1.0, Vec3::Ones(), Vec3(1.0, 0.0, 0.0))};
  model.bodies[0].velocity = Vec3(0.0, 10.0, 0.0);
  model.bodies[0].angular_velocity = Vec3(0.0, 0.0, 10.0);
  model.joints = {joint(JointKind::revolute, {}, {"arm", Vec3(-1.0, 0.0, 0.0)})};
  Simulation simulation(model);
  run(simulation);
  // Free rotation at 10 rad/s; the scheme's relative error of the rate is (w h)^2/12 per radian at
  // most.
  EXPECT_NEAR(value(simulation, "bodies/arm/angle"), 200.0, 200.0 * 200.0 * 1e-4 / 12.0);
  EXPECT_LE(simulation.statistics().max_joint_error, 1e-10);
}

TEST(Endurance, cantilever_of_welded_boxes_stands_still) {
  Model model;
  model.integrator.step = 1e-3;
  model.integrator.duration = 0.2;
  model.gravity = Vec3(0.0, 0.0, -9.81);
  const int boxes = 100;
  for (int i = 0; i < boxes; ++i) {
    const std::string name = "box" + std::to_string(i);
    const std::string last = i == 0 ? "" : "box" + std::to_string(i - 1);
    model.bodies.push_back(
        box(name, BodyKind::rigid, 0.1, Vec3(0.1, 0.02, 0.02), Vec3(0.1 * (i + 0.5), 0.0, 0.0)));
    model.joints.push_back(joint(JointKind::fixed, {last, Vec3(i == 0 ? 0.0 : 0.05, 0.0, 0.0)},
                                 {name, Vec3(-0.05, 0.0, 0.0)}));
  }
  Simulation simulation(model);
  run(simulation);
  // Statics of a clamped beam of 10 kg and 10 m: shear force and bending moment at the wall. The
  // balance is solved to 1e-10 of its terms, of which the moments of a hundred joints add up to
  // some 1e4 N m.
  EXPECT_NEAR(value(simulation, "joints/ to box0/force", 2), 98.1, 1e-6);
  EXPECT_NEAR(value(simulation, "joints/ to box0/torque", 1), -98.1 * 5.0, 1e-5);
  EXPECT_NEAR(value(simulation, "bodies/box99/position", 2), 0.0, 1e-10);
}

TEST(Endurance, body_held_by_two_fixed_joints_stands_still) {
  Model model;
  model.integrator.step = 1e-3;
  model.integrator.duration = 0.1;
  model.gravity = Vec3(0.0, 0.0, -9.81);
  model.bodies = {box("block", BodyKind::rigid, 2.0, Vec3::Ones(), Vec3::Zero())};
  for (const double side : {-0.5, 0.5}) {
    model.joints.push_back(
        joint(JointKind::fixed, {"", Vec3(side, 0.0, 0.0)}, {"block", Vec3(side, 0.0, 0.0)}));
    model.joints.back().name = side < 0.0 ? "left" : "right";
  }
  Simulation simulation(model);
  // Twelve conditions on six unknowns: the machine is solved though six of them are redundant.
  ASSERT_EQ(simulation.notices().size(), 1u);
  EXPECT_THAT(simulation.notices()[0], ::testing::HasSubstr("6 of the 12 joint conditions"));
  run(simulation);
  EXPECT_EQ(simulation.statistics().substeps, 0);
  // Free fall would be 0.05 m; the joints hold to their tolerance, 1e-10 of a size of 1 m.
  EXPECT_LT(testing::vector(simulation, "bodies/block/position").norm(), 1e-10);
  EXPECT_LT(testing::vector(simulation, "bodies/block/velocity").norm(), 1e-8);
  EXPECT_LT(testing::vector(simulation, "bodies/block/angular_velocity").norm(), 1e-8);
  for (const char* name : {"left", "right"}) {
    const Vec3 force = testing::vector(simulation, fmt::format("joints/{}/force", name));
    // The least-squares share of two equal joints is a half. What they share is told apart by a
    // regularisation of 1e-9 only, so that round-off of 1e-15 of the force makes 1e-6 of it.
    EXPECT_LT((force - Vec3(0.0, 0.0, 9.81)).norm(), 1e-5) << name << ": " << force.transpose();
  }
}

TEST(Endurance, locating_very_many_impacts_loses_no_time) {
  Model model;
  model.integrator.step = 1.0;
  model.integrator.duration = 5.0;
  model.integrator.locate_impacts = true;
  model.bodies = {point("ball", 1.0, Vec3(0.0, 0.0, 0.005), Vec3(0.0, 0.0, 1.0)),
                  point("free", 2.0, Vec3::Zero(), Vec3(1.0, 0.0, 0.0))};
  for (const double height : {0.0, 0.01}) {  // 100 impacts per second between two walls
    ContactSpec wall;
    wall.name = height > 0.0 ? "ceiling" : "floor";
    wall.point.body = "ball";
    wall.face.point = Vec3(0.0, 0.0, height);
    wall.direction = Vec3(0.0, 0.0, height > 0.0 ? -1.0 : 1.0);
    wall.restitution = 1.0;
    model.contacts.push_back(wall);
  }
  LoadSpec push;
  push.name = "push";
  push.at.body = "free";
  push.force[0] = Expression(2.0);
  model.loads = {push};
  Simulation simulation(model);
  run(simulation);
  // x = t + t^2/2, exact for any steps; some hundred parts of steps add their roundings.
  EXPECT_NEAR(value(simulation, "bodies/free/position", 0), 17.5, 1e-10);
  EXPECT_NEAR(value(simulation, "bodies/free/velocity", 0), 6.0, 1e-10);
}

TEST(Endurance, crate_rests_on_a_pedestal_of_its_own_footprint) {
  Model model;
  model.integrator.step = 1e-3;
  model.integrator.duration = 10.0;
  model.integrator.rho_inf = 1.0;
  model.gravity = Vec3(0.0, 0.0, -9.81);
  model.bodies = {box("crate", BodyKind::rigid, 1.0, Vec3::Ones(), Vec3(0.0, 0.0, 0.5))};
  for (int i = 0; i < 4; ++i) {
    const double x = (i & 1) != 0 ? 0.5 : -0.5, y = (i & 2) != 0 ? 0.5 : -0.5;
    ContactSpec corner;
    corner.name = "corner" + std::to_string(i);
    corner.point = {"crate", Vec3(x, y, -0.5)};
    corner.outline = {Vec3(-0.5, -0.5, 0.0), Vec3(0.5, -0.5, 0.0), Vec3(0.5, 0.5, 0.0),
                      Vec3(-0.5, 0.5, 0.0)};
    corner.friction = 0.3;
    model.contacts.push_back(corner);
  }
  Simulation simulation(model);
  run(simulation);
  EXPECT_NEAR(value(simulation, "bodies/crate/position", 2), 0.5, 1e-10);
}

TEST(Endurance, joint_whose_axes_are_opposed_is_refused) {
  Model model;
  model.bodies = {box("door", BodyKind::rigid, 1.0, Vec3::Ones(), Vec3::Zero())};
  model.bodies[0].orientation = Quaternion(0.0, 1.0, 0.0, 0.0);  // half a turn about x
  model.joints = {joint(JointKind::revolute, {}, {"door", Vec3::Zero()})};
  try {
    Simulation simulation(model);
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("opposite directions"));
  }
}

TEST(Endurance, run_covers_its_duration) {
  Model model;
  model.integrator.step = 0.3;
  model.bodies = {point("ball", 1.0, Vec3::Zero(), Vec3(1.0, 0.0, 0.0))};
  for (const auto& [duration, steps] :
       {std::pair(0.9, 3L), std::pair(1.0, 4L), std::pair(1.1, 4L)}) {
    model.integrator.duration = duration;
    const Simulation simulation(model);
    EXPECT_EQ(simulation.steps_total(), steps);
    EXPECT_TRUE(simulation.notices().empty()) << duration;  // its last step is as long as it takes
  }
}

}  // namespace endurance_test
}  // namespace clatter
