#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clatter/io/model_reader.hpp>
#include <clatter/simulation/simulation.hpp>

#include "support/run.hpp"

namespace clatter {
namespace failed_step_test {

using testing::box;
using testing::gravity;
using ::testing::HasSubstr;
using testing::point;
using testing::run;
using testing::timed;
using testing::vector;

TEST(FailedStep, leaves_everything_as_it_was_and_tells_when) {
  Model model = timed(0.002, 1.0);
  model.gravity = gravity;
  model.bodies = {point("p", 1.0, Vec3(0.0, 0.0, 0.0), Vec3(1.0, 0.0, 0.0)),
                  box("arm", BodyKind::planar, 2.0, Vec3(1.0, 0.1, 0.1), Vec3(0.5, 0.0, 0.0))};
  LoadSpec load;
  load.name = "ends at 10.6 ms";
  load.at.body = "p";
  load.force[1] = Expression("sqrt(0.0106-t)");
  model.loads = {load};
  JointSpec joint;
  joint.name = "drive";
  joint.kind = JointKind::revolute;
  joint.b = {"arm", Vec3(-0.5, 0.0, 0.0)};
  joint.motor = Expression("sin(t)");
  model.joints = {joint};
  model.bodies[1].angular_velocity = Vec3(0.0, 0.0, 1.0);
  model.bodies[1].velocity = Vec3(0.0, 0.5, 0.0);
  ContactSpec contact;
  contact.name = "floor";
  contact.point.body = "p";
  contact.direction = Vec3::UnitZ();
  contact.friction = 0.1;
  model.contacts = {contact};
  Simulation simulation(model);
  for (int i = 0; i < 5; ++i) simulation.step();
  const auto row = [&] {
    std::vector<double> all(static_cast<std::size_t>(simulation.row_size()));
    simulation.sample(all);
    return all;
  };
  const std::vector<double> before = row();
  // Parts of the step from 10 ms succeed, up to 10.59 ms, then none does.
  for (int attempt = 0; attempt < 2; ++attempt) {
    try {
      simulation.step();
      ADD_FAILURE() << "the step should fail";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("t = 0.01 s"));
      EXPECT_THAT(error.what(), HasSubstr("smooth motion"));
    }
    EXPECT_EQ(simulation.steps_done(), 5);
    EXPECT_DOUBLE_EQ(simulation.time(), 0.01);
    const std::vector<double> after = row();
    for (const Channel& channel : simulation.channels()) {
      if (channel.path == "solver/substeps") continue;  // counts attempts
      for (std::size_t i = 0; i < channel.components.size(); ++i) {
        const std::size_t k = static_cast<std::size_t>(channel.offset) + i;
        EXPECT_EQ(before[k], after[k]) << channel.path << " " << channel.components[i];
      }
    }
  }
}

TEST(FailedStep, is_retried_in_parts) {
  // A stiff pendulum of large amplitude; Newton gets too few iterations for the whole step.
  Model model = timed(0.1, 1.0);
  model.gravity = gravity;
  model.bodies = {point("p", 1.0, Vec3(1.0, 0.0, 0.0), Vec3(0.0, 0.0, 3.0))};
  JointSpec link;
  link.name = "link";
  link.kind = JointKind::distance;
  link.b.body = "p";
  model.joints = {link};
  model.integrator.max_iterations = 2;
  Simulation simulation(model);
  run(simulation);
  EXPECT_GT(simulation.statistics().substeps, 0);
  EXPECT_EQ(simulation.statistics().steps, 10);
  EXPECT_NEAR(vector(simulation, "bodies/p/position").norm(), 1.0, 1e-13);
}

// While the top turns by more than 0.5 rad in a step, nsga takes the steps.
TEST(FailedStep, that_another_scheme_has_taken_leaves_nothing_behind) {
  Simulation simulation(parse_model(R"(
gravity = [1, 0, -9.81]
[[material]]
name = "stone"
friction = 0.5
rolling_friction = 0.01
drilling_friction = 0.01
[[body]]
name = "top"
kind = "rigid"
mass = 1
shape = { kind = "sphere", radius = 0.05, material = "stone" }
position = [0, 0, 0.05]
angular_velocity = [0, 0, 501]
[[body]]
name = "box"
kind = "rigid"
mass = 1
shape = { kind = "box", size = [0.2, 0.2, 0.1], material = "stone" }
position = [1, 0, 0.05]
[ground]
shape = { kind = "half_space", normal = [0, 0, 1], material = "stone" }
[integrator]
name = "nsga_coupled"
step = 1e-3
duration = 0.05
)",
                                    "top.toml"));
  run(simulation);
  // Friction slows it down by 0.098 rad/s in a step.
  EXPECT_EQ(simulation.statistics().stood_in, 11);
  // Round-off of fifty steps.
  const double round_off = 50 * 1e-15;
  EXPECT_LT((vector(simulation, "bodies/box/position") - Vec3(1.0, 0.0, 0.05)).norm(), round_off);
  EXPECT_LT((vector(simulation, "bodies/top/position") - Vec3(0.0, 0.0, 0.05)).norm(), round_off);
}

}  // namespace failed_step_test
}  // namespace clatter
