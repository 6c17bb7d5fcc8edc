// Conditions over the coordinates of several joints, in whole machines.

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clatter/analysis/modes.hpp>
#include <clatter/io/model_reader.hpp>

#include "support/run.hpp"
#include "support/source_folder.hpp"

namespace clatter {
namespace coupler_test {

using ::testing::Contains;
using ::testing::HasSubstr;
using testing::run;
using testing::value;

Model example(const std::string& name) {
  return read_model(source_folder() / "examples/elements" / (name + ".toml"));
}

TEST(Coupler, mode_of_rack_and_pinion_has_the_mass_of_both) {
  const Simulation simulation(example("rack-and-pinion"));
  const Modes modes = simulation.modes(1);
  ASSERT_EQ(modes.modes.size(), 1u);
  // w² = k/(m + J/r²) = 100; round-off of a few terms.
  EXPECT_NEAR(modes.modes[0].square, 100.0, 1e-9);
}

TEST(Coupler, that_does_not_fit_at_the_start_is_refused) {
  Model model = example("rack-and-pinion");
  model.couplers[0].offset = 0.15;
  try {
    const Simulation simulation(model);
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("coupler 'teeth' does not fit at the start"));
  }
}

TEST(Coupler, that_initial_velocities_tear_apart_is_refused) {
  Model model = example("rack-and-pinion");
  model.bodies[0].velocity = {0.5, 0.0, 0.0};
  try {
    const Simulation simulation(model);
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("tear coupler 'teeth' apart"));
  }
}

TEST(Coupler, is_assembled_by_the_least_motion) {
  Model model = example("rack-and-pinion");
  model.assemble = true;
  model.couplers[0].offset = 0.16;
  model.bodies[0].velocity = {0.8, 0.0, 0.0};
  const Simulation simulation(model);
  const double x = value(simulation, "joints/guide/coordinate");
  const double angle = value(simulation, "joints/axle/coordinate");
  EXPECT_NEAR(x - 0.1 * angle, 0.16, 1e-12);
  // By the masses 1 and J/r² = 3 on the way of 0.04 m: the rack takes three parts of four.
  EXPECT_NEAR(x, 0.17, 1e-10);
  EXPECT_NEAR(value(simulation, "bodies/rack/velocity", 0), 0.2, 1e-10);
  EXPECT_NEAR(value(simulation, "bodies/pinion/angular_velocity", 2), 2.0, 1e-9);
}

TEST(Coupler, given_twice_is_redundant_and_changes_no_motion) {
  Model model = example("rack-and-pinion");
  model.integrator.duration = 0.3;
  Simulation once(model);
  CouplerSpec again = model.couplers[0];
  again.name = "again";
  for (double& ratio : again.ratios) ratio *= -3.0;
  model.couplers.push_back(again);
  Simulation twice(model);
  EXPECT_THAT(twice.notices(), Contains(HasSubstr("1 of the 12 joint conditions are redundant")));
  run(once);
  run(twice);
  EXPECT_NEAR(value(twice, "joints/guide/coordinate"), value(once, "joints/guide/coordinate"),
              1e-9);
}

TEST(Coupler, drives_a_joint_from_one_with_a_motor) {
  Model model = example("gear-pair");
  model.loads.clear();
  model.joints[0].motor = Expression("0.5*t^2");
  model.integrator.duration = 5.0;
  Simulation simulation(model);
  run(simulation);
  EXPECT_NEAR(value(simulation, "joints/axle2/coordinate"), -6.25, 1e-9);
  // J2 d²angle2/dt² = 2 la
  EXPECT_NEAR(value(simulation, "couplers/teeth/force"), -0.08, 1e-9);
}

TEST(Coupler, of_a_sum_of_three_holds_while_all_of_them_move) {
  Model model = example("differential");
  model.joints[1].motor = Expression("2*sin(t)");
  model.bodies[1].angular_velocity = {0.0, 2.0, 0.0};
  model.bodies[0].angular_velocity = {0.0, 1.0, 0.0};
  Simulation simulation(model);
  while (!simulation.finished()) {
    simulation.step();
    EXPECT_NEAR(
        2.0 * value(simulation, "joints/cage/coordinate"),
        value(simulation, "joints/left/coordinate") + value(simulation, "joints/right/coordinate"),
        1e-10);
  }
}

/// Large enough for sparse matrices, whose order of elimination must know all that a row holds.
TEST(Coupler, train_of_many_gears_turns_as_one_body) {
  constexpr int count = 20;
  for (const IntegratorKind kind :
       {IntegratorKind::nsga, IntegratorKind::nsga_coupled, IntegratorKind::moreau}) {
    Model model;
    model.integrator.kind = kind;
    model.integrator.step = 1e-2;
    model.integrator.duration = 1.0;
    for (int i = 0; i < count; ++i) {
      const std::string name = std::to_string(i);
      BodySpec gear = testing::box("gear" + name, BodyKind::planar, 1.0, Vec3(0.1, 0.1, 0.1),
                                   Vec3(0.1 * i, 0.0, 0.0));
      gear.inertia = 0.05 * Mat3::Identity();
      model.bodies.push_back(gear);
      JointSpec axle;
      axle.name = "axle" + name;
      axle.kind = JointKind::revolute;
      axle.a.point = gear.position;
      axle.b.body = gear.name;
      model.joints.push_back(axle);
      if (i == 0) continue;
      model.couplers.push_back(
          {"teeth" + name, {"axle" + std::to_string(i - 1), axle.name}, {1.0, 1.0}, {}, {}, {}});
    }
    LoadSpec drive;
    drive.name = "drive";
    drive.at.body = "gear0";
    drive.torque[2] = Expression(3.0);
    model.loads = {drive};
    Simulation simulation(model);
    run(simulation);
    // 3 N m on 20 times 0.05 kg m²: 3 rad/s², met to the tolerance of the solver.
    EXPECT_NEAR(value(simulation, "joints/axle0/coordinate"), 1.5, 1e-8);
    EXPECT_NEAR(value(simulation, "joints/axle19/coordinate"), -1.5, 1e-8);
    // The last gear is turned by 0.15 N m, against the first.
    EXPECT_NEAR(value(simulation, "couplers/teeth19/force"), -0.15, 1e-8);
  }
}

}  // namespace coupler_test
}  // namespace clatter
