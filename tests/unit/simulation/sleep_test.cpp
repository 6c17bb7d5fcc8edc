// Bodies that have come to rest sleep: they stay where they are, are held by what holds them, and
// wake when something comes near.

#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <clatter/io/model_reader.hpp>
#include <clatter/io/state_archive.hpp>
#include <clatter/machine/state.hpp>
#include <clatter/simulation/contact_point.hpp>
#include <clatter/simulation/simulation.hpp>

namespace clatter {
namespace sleep_test {

constexpr double weight = 9.81, step = 1e-3;
constexpr int boxes = 4;

/// Towers of cubes of 1 kg, 1 m apart along x.
std::string towers(int count, bool sleep, double friction = 0.4, const char* more = "") {
  std::string text = fmt::format(R"(
gravity = [0, 0, -{}]
[[material]]
name = "stone"
friction = {}
[ground]
shape = {{ kind = "half_space", material = "stone" }}
[integrator]
step = {}
duration = 1
sleep = {}
{}
)",
                                 weight, friction, step, sleep, more);
  for (int tower = 0; tower < count; ++tower) {
    for (int i = 0; i < boxes; ++i) {
      text += fmt::format(
          "[[body]]\nname = 'box{}{}'\nmass = 1\nposition = [{}, 0, {}]\n"
          "orientation = {{ axis = [0, 0, 1], angle = {} }}\n"
          "shape = {{ kind = 'box', size = [0.1, 0.1, 0.1], material = 'stone' }}\n",
          tower, i, tower, 0.05 + 0.1 * i, 0.1 * i);
    }
  }
  return text;
}

/// A ball on its way to the upmost box of the first tower, which it meets after 0.1 s.
std::string ball() {
  return fmt::format(
      "[[body]]\nname = 'ball'\nmass = 0.2\nposition = [-0.3, 0.01, {}]\nvelocity = [2.3, 0, {}]\n"
      "shape = {{ kind = 'sphere', radius = 0.02, material = 'stone' }}\n",
      -0.05 + 0.1 * boxes, 0.05 * weight);
}

Simulation simulation_of(const std::string& text) {
  return Simulation(parse_model(text, "t.toml"));
}

/// Of all contacts of solids in the last step, along the vertical [N].
double force_of_floor(const Simulation& simulation) {
  double sum = 0.0;
  for (const ContactPoint& point : simulation.contact_points()) {
    if (point.a == 0) sum += point.impulse.z() / step;
  }
  return sum;
}

TEST(Sleep, comes_to_a_tower_at_rest_which_then_stays_to_the_bit_and_is_held_by_its_weight) {
  Simulation simulation = simulation_of(towers(1, true)), awake = simulation_of(towers(1, false));
  for (int i = 0; i < 60; ++i) simulation.step(), awake.step();
  ASSERT_EQ(simulation.statistics().asleep, boxes);
  EXPECT_EQ(awake.statistics().asleep, 0);
  const State before = simulation.state();
  for (int i = 0; i < 60; ++i) simulation.step(), awake.step();
  EXPECT_TRUE(simulation.state().v.isZero(0.0));
  for (std::size_t n = 1; n < before.q.size(); ++n) {
    EXPECT_EQ(simulation.state().q[n].x, before.q[n].x);
    EXPECT_EQ(simulation.state().q[n].R, before.q[n].R);
    // Awake it may creep by what round-off of positions leaves in each of the steps.
    EXPECT_LT((awake.state().q[n].x - before.q[n].x).norm(), 120 * 2e-15);
  }
  // Problems are solved to 1e-10 of what is balanced.
  EXPECT_NEAR(force_of_floor(simulation), boxes * weight, 1e-9 * boxes * weight);
  EXPECT_NEAR(simulation.time(), 120 * step, 1e-12);
}

TEST(Sleep, ends_when_a_ball_strikes_and_all_moves_as_if_none_had_slept) {
  // With friction impacts on more points than hold a body have several solutions, one of which is
  // as good as another: which one is found is then up to round-off, asleep or not.
  Simulation simulation = simulation_of(towers(2, true, 0.0) + ball()),
             awake = simulation_of(towers(2, false, 0.0) + ball());
  for (int i = 0; i < 60; ++i) simulation.step(), awake.step();
  EXPECT_EQ(simulation.statistics().asleep, 2 * boxes);
  for (int i = 0; i < 90; ++i) simulation.step(), awake.step();
  // It was struck, and its neighbour sleeps on.
  EXPECT_EQ(simulation.statistics().asleep, boxes);
  EXPECT_GT(std::abs(awake.value("bodies/box03/velocity/x")), 0.01);
  EXPECT_LT(std::abs(awake.value("bodies/box13/velocity/x")), 1e-9);
  for (std::size_t n = 1; n < awake.state().q.size(); ++n) {
    // A tower asleep is off by round-off, and what strikes it keeps such errors small for a while.
    EXPECT_LT((awake.state().q[n].x - simulation.state().q[n].x).norm(), 1e-10) << n;
  }
}

TEST(Sleep, is_part_of_the_state) {
  const Model model = parse_model(towers(1, true) + ball(), "t.toml");
  Simulation whole(model);
  for (int i = 0; i < 60; ++i) whole.step();
  const State asleep = whole.state();
  for (int i = 0; i < 90; ++i) whole.step();
  Simulation fresh(model);
  fresh.set_state(unpack_state(pack(asleep)));
  EXPECT_EQ(fresh.state().sleep.with, asleep.sleep.with);
  for (int i = 0; i < 90; ++i) fresh.step();
  EXPECT_TRUE(pack(fresh.state()) == pack(whole.state()));
}

TEST(Sleep, ends_for_what_is_set_in_motion_and_all_that_sleeps_with_it) {
  Simulation simulation = simulation_of(towers(2, true));
  for (int i = 0; i < 60; ++i) simulation.step();
  ASSERT_EQ(simulation.statistics().asleep, 2 * boxes);
  State state = simulation.state();
  of_node(state.v, boxes)[0] = 0.1;  // the upmost box of the first tower
  simulation.set_state(state);
  simulation.step();
  EXPECT_EQ(simulation.statistics().asleep, boxes);
  // Friction has slowed it down for a step.
  EXPECT_NEAR(of_node(simulation.state().v, boxes)[0], 0.1 - 0.4 * weight * step, 1e-3 * 0.1);
}

TEST(Sleep, does_not_come_to_a_body_with_a_load) {
  Simulation simulation = simulation_of(towers(1, true) + R"(
[[load]]
name = "push"
body = "box03"
force = ["t < 0.1 ? 0 : 20", "0", "0"]
)");
  for (int i = 0; i < 90; ++i) simulation.step();
  EXPECT_EQ(simulation.statistics().asleep, 0);
  for (int i = 0; i < 30; ++i) simulation.step();
  EXPECT_GT(simulation.value("bodies/box03/velocity/x"), 0.1);
}

// Parts of steps are shorter than steps, and so are the impulses that hold what sleeps.
TEST(Sleep, is_held_by_its_weight_in_parts_of_steps) {
  Simulation simulation = simulation_of(towers(1, true, 0.4, "locate_impacts = true") + R"(
[[body]]
name = "point"
kind = "point"
mass = 1
position = [5, 0, 0.02]
[[contact]]
name = "bounce"
point = { body = "point" }
face = { point = [0, 0, 0], normal = [0, 0, 1] }
restitution = 0.9
)");
  for (int i = 0; i < 60; ++i) simulation.step();
  ASSERT_EQ(simulation.statistics().asleep, boxes);
  simulation.start_interval();
  const long substeps = simulation.statistics().substeps;
  for (int i = 0; i < 200; ++i) simulation.step();
  EXPECT_GT(simulation.statistics().substeps, substeps);
  EXPECT_EQ(simulation.statistics().asleep, boxes);
  // All contacts of the tower: each box carries those above it.
  double carried = 0.0;
  for (int i = 1; i <= boxes; ++i) carried += i * weight;
  const auto group = static_cast<std::size_t>(simulation.machine().group_of_solids());
  EXPECT_NEAR(simulation.state().sums.group_impulses[group], carried * 200 * step,
              1e-9 * carried * 200 * step);
}

}  // namespace sleep_test
}  // namespace clatter
