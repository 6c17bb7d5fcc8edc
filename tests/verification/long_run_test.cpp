#include <cmath>
#include <filesystem>
#include <numbers>

#include <gtest/gtest.h>

#include <clatter/io/model_reader.hpp>

#include "support/run.hpp"
#include "support/source_folder.hpp"
#include "support/test_name.hpp"

namespace clatter {
namespace long_run_test {

using testing::run;
using testing::value;

TEST(LongRun, block_below_the_friction_angle_does_not_move_in_a_million_steps) {
  // A box on its four corners, 15 degrees, mu = 0.3 > tan 15 = 0.268. Stick is held to an anchor,
  // so the only error is the round-off of one step.
  const double slope = std::numbers::pi / 12.0, size = 0.2;
  Model m;
  m.gravity = {9.81 * std::sin(slope), 0.0, -9.81 * std::cos(slope)};
  BodySpec block;
  block.name = "block";
  block.mass = 2.0;
  block.inertia = inertia_of(BoxShape{{size, size, 0.5 * size}}, block.mass);
  block.position = {0.0, 0.0, 0.25 * size};
  m.bodies.push_back(block);
  for (int i = 0; i < 4; ++i) {
    ContactSpec corner;
    corner.name = "corner " + std::to_string(i);
    corner.point = {
        "block",
        {(i & 1) ? 0.5 * size : -0.5 * size, (i & 2) ? 0.5 * size : -0.5 * size, -0.25 * size}};
    corner.friction = 0.3;
    m.contacts.push_back(corner);
  }
  m.integrator.step = 1e-3;
  m.integrator.duration = 1000.0;
  Simulation simulation(m);
  ASSERT_EQ(simulation.steps_total(), 1000000);
  run(simulation);
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(value(simulation, "bodies/block/position", i), i == 2 ? 0.25 * size : 0.0,
                1e-9 * size);
    EXPECT_NEAR(value(simulation, "bodies/block/orientation", i + 1), 0.0, 1e-9);
  }
  EXPECT_GE(simulation.statistics().min_gap, -1e-10 * size);
}

class Mechanism : public ::testing::TestWithParam<const char*> {};

TEST_P(Mechanism, joints_hold_at_both_levels_over_a_hundred_thousand_steps) {
  Model model = read_model(source_folder() / "examples" / "smooth" / GetParam());
  model.integrator.duration = 1e5 * model.integrator.step;
  Simulation simulation(model);
  ASSERT_EQ(simulation.steps_total(), 100000);
  double speed = 0.0;  // of the fastest body, to scale the velocity level with
  std::vector<double> row(static_cast<std::size_t>(simulation.row_size()));
  while (!simulation.finished()) {
    simulation.step();
    if (simulation.steps_done() % 100 != 0) continue;
    simulation.sample(row);
    for (const Channel& channel : simulation.channels()) {
      if (!channel.path.ends_with("velocity")) continue;
      for (std::size_t i = 0; i < channel.components.size(); ++i) {
        speed = std::max(speed, std::abs(row[static_cast<std::size_t>(channel.offset) + i]));
      }
    }
  }
  EXPECT_LE(simulation.statistics().max_joint_error, 1e-10);
  EXPECT_LE(simulation.statistics().max_joint_velocity_error, 1e-10 * std::max(1.0, speed));
}

INSTANTIATE_TEST_SUITE_P(Models, Mechanism,
                         ::testing::Values("pendulum.toml", "double-pendulum.toml",
                                           "heavy-top.toml", "slider-crank-3d.toml",
                                           "four-bar.toml"),
                         [](const auto& parameter) { return testing::test_name(parameter.param); });

}  // namespace long_run_test
}  // namespace clatter
