#include <cmath>

#include <gtest/gtest.h>

#include <clatter/io/model_reader.hpp>

#include "support/run.hpp"

namespace clatter {
namespace body_accelerations_test {

using testing::run;
using testing::value;

Model model_with(const std::string& integrator, const std::string& text) {
  return parse_model("gravity = [0, 0, -9.81]\n" + text + "\n[integrator]\nname = \"" + integrator +
                         "\"\nstep = 1e-3\nduration = 0.1\n",
                     "model.toml");
}

class BodyAccelerations : public ::testing::TestWithParam<const char*> {};

// A ball rolls down 30 degrees: 5/7 g sin(30°), and turns with that over its radius. The rows of a
// plane do not turn, so that every scheme has it to the tolerance of its solver.
TEST_P(BodyAccelerations, ball_that_rolls_down_a_slope) {
  Simulation simulation(model_with(GetParam(), R"(
[[body]]
name = "ball"
density = 1000
shape = { kind = "sphere", radius = 0.1 }
position = [0, 0, 0.1154700538379252]
[[contact]]
name = "slope"
sphere = { body = "ball" }
face = { normal = [0.5, 0, 0.8660254037844386] }
friction = 0.5
)"));
  run(simulation);
  const double along = 5.0 / 7.0 * 9.81 * 0.5;
  EXPECT_NEAR(value(simulation, "bodies/ball/acceleration", 0), along * std::sqrt(0.75), 1e-7);
  EXPECT_NEAR(value(simulation, "bodies/ball/acceleration", 2), -along * 0.5, 1e-7);
  EXPECT_NEAR(value(simulation, "bodies/ball/angular_acceleration", 1), along / 0.1, 1e-6);
  EXPECT_NEAR(value(simulation, "contacts/slope/slip", 0), 0.0, 1e-12);
  EXPECT_NEAR(value(simulation, "contacts/slope/slip", 1), 0.0, 1e-12);
}

// A block slides up and slows down: g (sin + mu cos); it slips by its way in each step.
TEST_P(BodyAccelerations, point_that_slides_up_a_slope) {
  Simulation simulation(model_with(GetParam(), R"(
[[body]]
name = "block"
kind = "point"
mass = 2
velocity = [-1.7320508075688772, 0, 1]
[[contact]]
name = "slope"
point = { body = "block" }
face = { normal = [0.5, 0, 0.8660254037844386] }
friction = 0.2
)"));
  run(simulation);
  const double slows = 9.81 * (0.5 + 0.2 * std::sqrt(0.75));
  EXPECT_NEAR(value(simulation, "bodies/block/acceleration", 0), slows * std::sqrt(0.75), 1e-7);
  EXPECT_NEAR(value(simulation, "bodies/block/acceleration", 2), -slows * 0.5, 1e-7);
  const double way = 1e-3 * (2.0 - slows * (0.1 - 0.5e-3));  // at the middle of the step
  const double slip = std::hypot(value(simulation, "contacts/slope/slip", 0),
                                 value(simulation, "contacts/slope/slip", 1));
  // Of nsga, whose positions take what friction does as a correction, by half of that less.
  EXPECT_NEAR(slip, way, 0.5 * slows * 1e-6 + 1e-12);
}

// A rod swings about the origin of its frame, which stays. Means of a step differ from the values
// at its end by less than a step of their rate: 10.6 m/s^3, the pull to the pivot and its turning.
TEST_P(BodyAccelerations, rod_on_a_pivot_turns_about_an_origin_at_rest) {
  Simulation simulation(model_with(GetParam(), R"(
[[body]]
name = "rod"
mass = 3
inertia = [1, 1, 1]
centre_of_mass = [0.5, 0, 0]
[[joint]]
name = "pivot"
kind = "revolute"
a = "ground"
b = "rod"
point = [0, 0, 0]
axis = [0, 1, 0]
)"));
  run(simulation);
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(value(simulation, "bodies/rod/acceleration", i), 0.0, 10.6e-3) << i;
  }
  // It has fallen by an angle whose cosine is that of the lever of its weight.
  const double angle = value(simulation, "joints/pivot/coordinate");
  EXPECT_NEAR(value(simulation, "bodies/rod/angular_acceleration", 1),
              3.0 * 9.81 * 0.5 * std::cos(angle) / 1.75, 4e-3);
}

INSTANTIATE_TEST_SUITE_P(Schemes, BodyAccelerations,
                         ::testing::Values("nsga", "nsga_coupled", "moreau"),
                         [](const auto& each) { return std::string(each.param); });

}  // namespace body_accelerations_test
}  // namespace clatter
