#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clatter/io/model_reader.hpp>
#include <clatter/machine/state.hpp>
#include <clatter/simulation/simulation.hpp>

#include "support/message_of.hpp"
#include "support/random_cases.hpp"
#include "support/run.hpp"

namespace clatter {
namespace rings_test {

using ::testing::HasSubstr;

constexpr double weight = 9.81;  // of one kilogram

/// A ring of 1 kg, R = 0.1 and r = 0.02, above a shape of the ground.
std::string ring_over(const std::string& scheme, const std::string& ground,
                      const std::string& start, double duration) {
  return fmt::format(R"(
gravity = [0, 0, -9.81]
[[material]]
name = "clay"
friction = 0.5
[ground]
shape = {{ {}, material = "clay" }}
[[body]]
name = "ring"
mass = 1
shape = {{ kind = "ring", radius = 0.1, tube_radius = 0.02, material = "clay" }}
{}
[[watch]]
bodies = ["ground", "ring"]
[integrator]
name = "{}"
step = 1e-3
duration = {}
)",
                     ground, start, scheme,
                     testing::looks_at_numbers ? duration : std::min(duration, 0.02));
}

class RingsOfEveryScheme : public ::testing::TestWithParam<const char*> {
 protected:
  /// It stays where it starts, and the ground bears it.
  static void expect_rest(const std::string& ground, double height) {
    Simulation simulation(parse_model(
        ring_over(GetParam(), ground, fmt::format("position = [0, 0, {}]", height), 0.1),
        "ring.toml"));
    testing::run(simulation);
    EXPECT_LT((simulation.state().q[1].x - Vec3(0, 0, height)).norm(), 1e-9) << ground;
    EXPECT_LT((simulation.state().q[1].R - Mat3::Identity()).norm(), 1e-8) << ground;
    EXPECT_GT(simulation.statistics().min_gap, -1e-10) << ground;
    const Vec3 force = testing::vector(simulation, "pairs/ground/ring/force");
    EXPECT_LT((force - Vec3(0, 0, weight)).norm(), 1e-8 * weight) << ground;
  }
};
INSTANTIATE_TEST_SUITE_P(Rings, RingsOfEveryScheme,
                         ::testing::Values("nsga", "nsga_coupled", "moreau"),
                         [](const auto& test) { return std::string(test.param); });

TEST_P(RingsOfEveryScheme, lie_flat_on_a_plane) { expect_rest("kind = 'half_space'", 0.02); }

// All along a circle: their middles are as high as the centre of a ball, or the tip of a cone,
// says.
TEST_P(RingsOfEveryScheme, lie_on_a_ball) {
  expect_rest("kind = 'sphere', radius = 0.15", std::sqrt(0.17 * 0.17 - 0.1 * 0.1));
}
TEST_P(RingsOfEveryScheme, lie_on_a_cone) {
  // Half angle of 45 degrees; the tip is 3/4 of the length above the origin.
  expect_rest("kind = 'cone', radius = 0.4, length = 0.4", 0.3 - 0.1 + 0.02 * std::sqrt(2.0));
}
TEST_P(RingsOfEveryScheme, lie_on_a_ring) {
  expect_rest("kind = 'ring', radius = 0.1, tube_radius = 0.03", 0.05);
}
TEST_P(RingsOfEveryScheme, lie_on_a_larger_ring) {
  expect_rest("kind = 'ring', radius = 0.13, tube_radius = 0.03", 0.04);
}
TEST_P(RingsOfEveryScheme, lie_on_a_box_as_wide_as_their_hole) {
  expect_rest("kind = 'box', size = [0.16, 0.3, 0.1]", 0.07);
}

/// Over a post and onto the floor around it: it ends flat, at rest, with the post in its hole.
TEST_P(RingsOfEveryScheme, fall_over_a_post) {
  const std::string start =
      "position = [0.02, 0, 0.2]\norientation = { axis = [1, 1, 0], angle_deg = 10 }";
  std::string text =
      ring_over(GetParam(), "kind = 'cylinder', radius = 0.03, length = 0.4, position = [0, 0, 0]",
                start, 1.5);
  text.insert(
      text.find("[[body]]"),
      "[[body]]\nname = 'floor'\nmass = 1\nposition = [0, 0, -0.05]\n"
      "shape = { kind = 'box', size = [2, 2, 0.1], position = [0, 0, 0], material = 'clay' }\n"
      "[[joint]]\nname = 'held'\nkind = 'fixed'\na = 'ground'\nb = 'floor'\npoint = [0, 0, 0]\n");
  Simulation simulation(parse_model(text, "post.toml"));
  double energy = INFINITY;
  while (!simulation.finished()) {
    simulation.step();
    const double now =
        testing::value(simulation, "energy/kinetic") + testing::value(simulation, "energy/gravity");
    EXPECT_LT(now, energy + 1e-5);
    energy = now;
  }
  EXPECT_GT(simulation.statistics().min_gap, -1e-9);
  if (!testing::looks_at_numbers) return;
  const NodeState& end = simulation.state().q[2];
  EXPECT_NEAR(end.x.z(), 0.02, 1e-6);
  EXPECT_LT(end.x.head<2>().norm(), 0.1 - 0.02 - 0.03 + 1e-9);
}

/// At two metres a step, twenty times its radius.
TEST_P(RingsOfEveryScheme, do_not_pass_through_what_is_thin) {
  for (const char* ground :
       {"kind = 'capsule', radius = 0.005, length = 3", "kind = 'box', size = [0.01, 0.01, 3]",
        "kind = 'ring', radius = 2, tube_radius = 0.01, position = [2, 0, 0]",
        "kind = 'cylinder', radius = 0.005, length = 3", "kind = 'sphere', radius = 0.15"}) {
    const std::string start =
        "position = [-1, 0.02, 0.01]\nvelocity = [2000, 0, 0]\n"
        "orientation = { axis = [0, 1, 0], angle_deg = 20 }";
    Simulation simulation(parse_model(ring_over(GetParam(), ground, start, 0.002), "fast.toml"));
    testing::run(simulation);
    // What goes through is 4 m further after two steps.
    EXPECT_LT(simulation.state().q[1].x.x(), 2.0) << ground;
    EXPECT_GT(simulation.statistics().min_gap, -1e-9) << ground;
  }
}

std::string ball_in_groove(const std::string& body, const std::string& more) {
  return fmt::format(R"(
[[material]]
name = "steel"
[ground]
shape = {{ kind = "ring", radius = 1, tube_radius = 0.1, hollow = true, material = "steel" }}
[[body]]
name = "other"
mass = 1
position = [1, 0, 0]
shape = {{ {}, material = "steel" }}
{}
[integrator]
step = 1e-3
duration = 0.01
)",
                     body, more);
}

TEST(Grooves, hold_spheres_only) {
  const auto message = [](const std::string& text) {
    return testing::message_of([&] { Simulation simulation(parse_model(text, "groove.toml")); });
  };
  EXPECT_EQ(message(ball_in_groove("kind = 'sphere', radius = 0.05", "")), "");
  EXPECT_THAT(message(ball_in_groove("kind = 'capsule', radius = 0.01, length = 0.02", "")),
              HasSubstr("only spheres run in the groove of 'ground': name it and 'other' in "
                        "[[exclude]], or make that a sphere"));
  EXPECT_EQ(message(ball_in_groove("kind = 'capsule', radius = 0.01, length = 0.02",
                                   "[[exclude]]\nbodies = ['ground', 'other']\n")),
            "");
  EXPECT_THAT(
      message(ball_in_groove("kind = 'sphere', radius = 0.1", "")),
      HasSubstr("the sphere of 'other' with a radius of 0.1 m does not fit in the groove of "
                "'ground' with a 'tube_radius' of 0.1 m"));
  // Off the circle by 0.06, where 0.05 are free.
  std::string text = ball_in_groove("kind = 'sphere', radius = 0.05", "");
  text.replace(text.find("[1, 0, 0]"), 9, "[1, 0, 0.06]");
  EXPECT_THAT(message(text), HasSubstr("start 0.01 m inside each other"));
}

}  // namespace rings_test
}  // namespace clatter
