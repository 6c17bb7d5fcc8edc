#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace failed_step_test
}  // namespace clatter
