// Joints that hold velocities but no positions, in whole machines.

#include <cmath>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clatter/analysis/modes.hpp>
#include <clatter/io/model_reader.hpp>

#include "support/run.hpp"
#include "support/source_folder.hpp"

namespace clatter {
namespace nonholonomic_test {

using ::testing::HasSubstr;
using testing::run;
using testing::value;

/// A sleigh in the plane: blade at the origin of the body, centre of mass 0.3 m in front of it.
Model sleigh() {
  Model model;
  BodySpec body;
  body.name = "sleigh";
  body.kind = BodyKind::planar;
  body.mass = 2.0;
  body.inertia = 0.32 * Mat3::Identity();
  body.centre_of_mass = {0.3, 0.0, 0.0};
  model.bodies = {body};
  JointSpec blade;
  blade.name = "blade";
  blade.kind = JointKind::skate;
  blade.b.body = "sleigh";
  blade.axes_b << 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0;  // z along y of the body
  model.joints = {blade};
  model.integrator.step = 1e-3;
  model.integrator.duration = 1.0;
  return model;
}

TEST(Skate, start_that_moves_across_the_blade_is_refused) {
  Model model = sleigh();
  model.bodies[0].velocity = {1.0, 0.1, 0.0};
  try {
    const Simulation simulation(model);
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("tear joint 'blade' apart at 0.1 m/s"));
  }
}

TEST(Skate, assembly_changes_velocities_and_nothing_else) {
  Model model = sleigh();
  model.assemble = true;
  model.bodies[0].position = {0.3, -0.2, 0.0};
  model.bodies[0].angle = 0.5;
  const Vec3 across(-std::sin(0.5), std::cos(0.5), 0.0), along(std::cos(0.5), std::sin(0.5), 0.0);
  model.bodies[0].velocity = along + 0.1 * across;
  const Simulation simulation(model);
  EXPECT_EQ(value(simulation, "bodies/sleigh/position", 0), 0.3);
  EXPECT_EQ(value(simulation, "bodies/sleigh/position", 1), -0.2);
  EXPECT_EQ(value(simulation, "bodies/sleigh/angle"), 0.5);
  // An impulse P across, at 0.3 m behind the centre: 0.1 + P/m + P a^2/I = 0, and w = -a P/I.
  const double P = -0.1 / (1.0 / 2.0 + 0.09 / 0.32);
  EXPECT_NEAR(value(simulation, "bodies/sleigh/angular_velocity"), -0.3 * P / 0.32, 1e-12);
  EXPECT_NEAR(value(simulation, "bodies/sleigh/velocity", 0), along.x(), 1e-12);
  EXPECT_NEAR(value(simulation, "bodies/sleigh/velocity", 1), along.y(), 1e-12);
}

// The speed along the blade is prescribed as well, u = t^2: J w' = -m a u w.
TEST(Skate, motor_prescribes_a_velocity_and_its_work_is_booked) {
  Model model = sleigh();
  JointSpec drive = model.joints[0];
  drive.name = "drive";
  drive.axes_b = Mat3::Identity();
  drive.axes_b.col(2) = Vec3::UnitX();
  drive.axes_b.col(0) = Vec3::UnitZ();
  drive.axes_b.col(1) = -Vec3::UnitY();
  drive.motor = Expression("t^2");
  model.joints.push_back(drive);
  model.bodies[0].angular_velocity = {0.0, 0.0, 2.0};
  Simulation simulation(model);
  run(simulation);
  const double vx = value(simulation, "bodies/sleigh/velocity", 0),
               vy = value(simulation, "bodies/sleigh/velocity", 1),
               angle = value(simulation, "bodies/sleigh/angle");
  EXPECT_NEAR(std::cos(angle) * vx + std::sin(angle) * vy, 1.0, 1e-12);
  EXPECT_NEAR(-std::sin(angle) * vx + std::cos(angle) * vy, 0.0, 1e-12);
  // Second order: (2 rad/s h)^2 = 4e-6.
  const double w = 2.0 * std::exp(-2.0 * 0.3 / 0.5 / 3.0);
  EXPECT_NEAR(value(simulation, "bodies/sleigh/angular_velocity"), w, 4e-6);
  const double gained = 0.5 * 2.0 * 1.0 + 0.5 * 0.5 * (w * w - 4.0);
  EXPECT_NEAR(value(simulation, "energy/motor_work"), gained, 1e-5);
}

// Between two walls, struck again and again: whatever the impacts do, nothing moves across.
TEST(Skate, holds_after_every_impact) {
  struct Scheme {
    IntegratorKind kind;
    bool multi_impact;
  };
  for (const auto& [kind, multi_impact] :
       {Scheme{IntegratorKind::nsga, false}, Scheme{IntegratorKind::nsga, true},
        Scheme{IntegratorKind::nsga_coupled, false}}) {
    Model model = sleigh();
    model.integrator.kind = kind;
    model.bodies[0].velocity = {1.0, 0.0, 0.0};
    model.bodies[0].angular_velocity = {0.0, 0.0, 0.7};
    model.integrator.multi_impact = multi_impact;
    model.integrator.duration = 8.0;
    for (const double side : {-1.0, 1.0}) {
      for (const Vec3& corner : {Vec3(0.5, 0.2, 0.0), Vec3(0.5, -0.2, 0.0), Vec3(-0.1, 0.0, 0.0)}) {
        ContactSpec wall;
        wall.name = "wall" + std::to_string(model.contacts.size());
        wall.point = {"sleigh", corner};
        wall.face = {"", Vec3(0.8 * side, 0.0, 0.0)};
        wall.direction = Vec3(-side, 0.0, 0.0);
        wall.restitution = 0.8;
        wall.friction = 0.2;
        model.contacts.push_back(wall);
      }
    }
    Simulation simulation(model);
    int impacts = 0;
    while (!simulation.finished()) {
      simulation.start_interval();
      simulation.step();
      double impulse = 0.0;
      for (std::size_t c = 0; c < model.contacts.size(); ++c) {
        impulse += value(simulation, "contacts/wall" + std::to_string(c) + "/normal_impulse");
      }
      if (impulse > 0.0) ++impacts;
    }
    EXPECT_GE(impacts, 4);
    // Solved to 1e-10 of speeds of a metre per second.
    EXPECT_LT(simulation.statistics().max_joint_velocity_error, 1e-10);
    EXPECT_EQ(simulation.statistics().max_joint_error, 0.0);
    EXPECT_GT(simulation.statistics().min_gap, -1e-10);
  }
}

/// Held along x, and about z with that stiffness.
Model sleigh_on_springs(double about_z) {
  Model model = sleigh();
  SpringSpec along, about;
  along.name = "along";
  along.kind = SpringKind::linear;
  along.axis = Vec3::UnitX();
  along.b.body = "sleigh";
  along.stiffness = 200.0;
  about.name = "about";
  about.kind = SpringKind::torsional;
  about.axis = Vec3::UnitZ();
  about.b.body = "sleigh";
  about.stiffness = about_z;
  model.springs = {along, about};
  return model;
}

// Pushed sideways and held by springs along x and about z, the blade takes all of the side force.
TEST(Skate, carries_force_in_a_static_equilibrium) {
  Model model = sleigh_on_springs(50.0);
  LoadSpec push;
  push.name = "push";
  push.at = {"sleigh", Vec3(0.3, 0.0, 0.0)};
  push.force = {10.0, 30.0, 0.0};
  model.loads = {push};
  model.equilibrium = true;
  const Simulation simulation(model);
  EXPECT_TRUE(simulation.is_balanced());
  const double angle = value(simulation, "bodies/sleigh/angle"),
               x = value(simulation, "bodies/sleigh/position", 0);
  EXPECT_NEAR(50.0 * angle, 0.3 * (30.0 * std::cos(angle) - 10.0 * std::sin(angle)), 1e-7);
  EXPECT_NEAR(200.0 * x, 10.0 + 30.0 * std::tan(angle), 1e-6);
  EXPECT_NEAR(value(simulation, "joints/blade/force", 1), -30.0, 1e-7);
  EXPECT_NEAR(value(simulation, "joints/blade/force", 0), 30.0 * std::tan(angle), 1e-7);
}

TEST(Skate, modes_do_not_move_across) {
  const Model model = sleigh_on_springs(32.0);
  const Modes found = Simulation(model).modes(5);
  ASSERT_EQ(found.modes.size(), 2u);
  EXPECT_NEAR(found.modes[0].square, 32.0 / 0.5, 1e-10);  // J = I + m a^2
  EXPECT_NEAR(found.modes[1].square, 200.0 / 2.0, 1e-10);
}

/// A wheel on an arm about a post: the floor, the arm and rolling hold some things twice.
TEST(Rolling, redundant_with_other_joints_is_told_and_solved) {
  Model model;
  model.gravity = {0.0, 0.0, -9.81};
  BodySpec arm = testing::box("arm", BodyKind::rigid, 2.0, {2.0, 0.1, 0.1}, {0.0, 0.0, 0.5});
  arm.angular_velocity = {0.0, 0.0, 2.0};
  BodySpec wheel = arm;
  wheel.name = "wheel";
  wheel.inertia = Vec3(0.6, 0.3, 0.3).asDiagonal();  // axle along x
  wheel.position = {1.0, 0.0, 0.5};
  wheel.velocity = {0.0, 2.0, 0.0};
  wheel.angular_velocity = {-4.0, 0.0, 2.0};
  model.bodies = {arm, wheel};
  Mat3 about_x;
  about_x << 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0;
  JointSpec post, axle, floor;
  post.name = "post";
  post.kind = JointKind::revolute;
  post.a.point = {0.0, 0.0, 0.5};
  post.b.body = "arm";
  axle.name = "axle";
  axle.kind = JointKind::revolute;
  axle.a = {"arm", Vec3(1.0, 0.0, 0.0)};
  axle.b = {"wheel", Vec3::Zero()};
  axle.axes_a = axle.axes_b = about_x;
  floor.name = "floor";
  floor.kind = JointKind::rolling;
  floor.b.body = "wheel";
  floor.axes_b = about_x;
  floor.is_disc = true;
  floor.radius = 0.5;
  model.joints = {post, axle, floor};
  model.integrator.step = 1e-3;
  model.integrator.duration = 1.0;
  Simulation simulation(model);
  ASSERT_EQ(simulation.notices().size(), 1u);
  EXPECT_THAT(simulation.notices()[0], HasSubstr("2 of the 13 joint conditions are redundant"));
  run(simulation);
  EXPECT_LT(simulation.statistics().max_joint_error, 1e-11);
  // Goes round steadily. Redundant rows are solved to 1e-9 of their terms in each of 1000 steps.
  EXPECT_NEAR(value(simulation, "bodies/arm/angular_velocity", 2), 2.0, 1e-5);
  EXPECT_NEAR(value(simulation, "bodies/wheel/position", 0), std::cos(2.0), 1e-5);
}

// Enough of them for sparse matrices.
TEST(Rolling, many_coins_roll_as_one_does) {
  Model one = read_model(source_folder() / "examples/nonholonomic/coin-on-circle.toml");
  one.integrator.step = 2e-3;
  one.integrator.duration = 0.2;
  Model many = one;
  for (int i = 1; i < 12; ++i) {
    many.bodies.push_back(one.bodies[0]);
    many.bodies.back().name = "coin" + std::to_string(i);
    many.bodies.back().position.x() += i;
    many.joints.push_back(one.joints[0]);
    many.joints.back().name = "floor" + std::to_string(i);
    many.joints.back().b.body = many.bodies.back().name;
  }
  Simulation alone(one), together(many);
  run(alone);
  run(together);
  // Both solve the same equations to 1e-10 of their terms in 100 steps.
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(value(together, "bodies/coin7/position", i) - (i == 0 ? 7.0 : 0.0),
                value(alone, "bodies/coin/position", i), 1e-9);
    EXPECT_NEAR(value(together, "joints/floor7/force", i), value(alone, "joints/floor/force", i),
                1e-8);
  }
}

TEST(Rolling, off_the_plane_at_the_start_is_refused) {
  Model model;
  model.bodies = {testing::box("ball", BodyKind::rigid, 1.0, Vec3::Ones(), {0.0, 0.0, 0.6})};
  JointSpec floor;
  floor.name = "floor";
  floor.kind = JointKind::rolling;
  floor.b.body = "ball";
  floor.radius = 0.5;
  model.joints = {floor};
  try {
    const Simulation simulation(model);
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("off by 0.1 m"));
  }
}

}  // namespace nonholonomic_test
}  // namespace clatter
