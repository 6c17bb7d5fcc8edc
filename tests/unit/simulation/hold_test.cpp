#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include <clatter/io/model_reader.hpp>

#include "support/run.hpp"

namespace clatter {
namespace hold_test {

using testing::run;
using testing::value;

class Hold : public ::testing::TestWithParam<const char*> {
 protected:
  Simulation simulation(const std::string& text) {
    return Simulation(parse_model("gravity = [0, -10, 0]\n" + text + "\n[integrator]\nname = \"" +
                                      GetParam() + "\"\nstep = 1e-3\nduration = 0.2\n",
                                  "model.toml"));
  }
};

constexpr const char* brick = R"(
[[body]]
name = "brick"
mass = 2
inertia = [1, 2, 3]
velocity = [0, 0.5, 0]
angular_velocity = [0.3, 0, 0]
)";

// Without its motions along x and z it falls straight; a force across does nothing.
TEST_P(Hold, of_two_translations_leaves_the_third) {
  Simulation s = simulation(std::string(brick) + R"(
[[load]]
name = "push"
body = "brick"
force = [7, 0, 3]
[[joint]]
name = "x"
kind = "hold"
a = "ground"
b = "brick"
point = [0, 0, 0]
axis = [1, 0, 0]
[[joint]]
name = "z"
kind = "hold"
a = "ground"
b = "brick"
point = [0, 0, 0]
axis = [0, 0, 1]
)");
  run(s);
  EXPECT_NEAR(value(s, "bodies/brick/position", 0), 0.0, 1e-12);
  EXPECT_NEAR(value(s, "bodies/brick/position", 1), 0.5 * 0.2 - 5.0 * 0.04, 1e-12);
  EXPECT_NEAR(value(s, "bodies/brick/position", 2), 0.0, 1e-12);
  EXPECT_NEAR(value(s, "bodies/brick/angular_velocity", 0), 0.3, 1e-12);
  EXPECT_NEAR(value(s, "joints/x/force", 0), -7.0, 1e-8);
  EXPECT_NEAR(value(s, "joints/z/force", 2), -3.0, 1e-8);
}

// A torque about all axes turns it about those that are left; the reaction takes the rest.
TEST_P(Hold, of_a_turn_takes_the_torque_about_its_axis) {
  Simulation s = simulation(R"(
[[body]]
name = "ball"
mass = 2
inertia = [2, 2, 2]
[[load]]
name = "twist"
body = "ball"
torque = [1, 0, 4]
[[joint]]
name = "no_spin"
kind = "hold_turn"
a = "ground"
b = "ball"
axis = [0, 0, 1]
)");
  run(s);
  EXPECT_NEAR(value(s, "bodies/ball/angular_velocity", 0), 0.5 * 0.2, 1e-9);
  EXPECT_NEAR(value(s, "bodies/ball/angular_velocity", 2), 0.0, 1e-9);
  EXPECT_NEAR(value(s, "joints/no_spin/torque", 2), -4.0, 1e-8);
}

// Motors: a way in time, and a rate in time; the scheme is of second order, and moreau holds
// velocities.
TEST_P(Hold, with_motors_prescribes_a_way_and_a_turn) {
  Simulation s = simulation(R"toml(
[[body]]
name = "brick"
mass = 2
inertia = [1, 2, 3]
[[joint]]
name = "way"
kind = "hold"
a = "ground"
b = "brick"
point = [0, 0, 0]
axis = [1, 0, 0]
motor = "0.1*(1 - cos(5*t))"
[[joint]]
name = "rate"
kind = "hold_turn"
a = "ground"
b = "brick"
axis = [0, 1, 0]
motor = "3*t"
)toml");
  run(s);
  EXPECT_NEAR(value(s, "bodies/brick/position", 0), 0.1 * (1.0 - std::cos(1.0)), 1e-6);
  EXPECT_NEAR(value(s, "bodies/brick/velocity", 0), 0.5 * std::sin(1.0), 1e-9);
  EXPECT_NEAR(value(s, "bodies/brick/angular_velocity", 1), 0.6, 1e-9);
  const double half = 0.5 * 1.5 * 0.04;  // of the angle
  EXPECT_NEAR(value(s, "bodies/brick/orientation", 2), std::sin(half), 1e-6);
}

// In the plane the angle itself is kept, exactly, against a torque and a blow.
TEST_P(Hold, of_the_angle_in_the_plane_keeps_it) {
  Simulation s = simulation(R"(
[[body]]
name = "plate"
kind = "planar"
mass = 2
inertia = 1
angle = 0.4
position = [0, 0.1]
[[load]]
name = "twist"
body = "plate"
torque = 3
[[contact]]
name = "floor"
point = { body = "plate", at = [0.2, 0] }
face = { normal = [0, 1] }
[[joint]]
name = "upright"
kind = "hold_turn"
a = "ground"
b = "plate"
)");
  run(s);
  EXPECT_NEAR(value(s, "bodies/plate/angle"), 0.4, 1e-11);
  // Moreau's scheme holds velocities: it sinks in by what it goes in the step of the blow.
  const double sinks =
      std::string(GetParam()) == "moreau" ? 1e-3 * std::sqrt(2.0 * 10.0 * 0.18) : 1e-9;
  EXPECT_NEAR(value(s, "contacts/floor/gap"), 0.0, sinks);
  EXPECT_NEAR(value(s, "contacts/floor/normal_force"), 20.0, 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Schemes, Hold, ::testing::Values("nsga", "nsga_coupled", "moreau"),
                         [](const auto& each) { return std::string(each.param); });

}  // namespace hold_test
}  // namespace clatter
