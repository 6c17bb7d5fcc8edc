#include <cmath>
#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <clatter/io/checkpoint.hpp>
#include <clatter/io/model_reader.hpp>
#include <clatter/io/state_archive.hpp>
#include <clatter/machine/state.hpp>
#include <clatter/simulation/simulation.hpp>

#include "support/random_cases.hpp"
#include "support/run.hpp"
#include "support/source_folder.hpp"
#include "unit/io/temporary_directory.hpp"

namespace clatter {
namespace state_test {

struct Case {
  const char *name, *file;
  std::vector<std::string> changes;
  int steps;
};

Model model_of(const Case& c) {
  return read_model(source_folder() / "examples" / c.file, c.changes);
}

/// Machines with joints, springs, beams, contacts that stick and strike, and groups of contacts;
/// dense and sparse systems; all schemes.
class EveryState : public ::testing::TestWithParam<Case> {};

TEST_P(EveryState, has_one_future_to_the_last_bit_whatever_was_computed_before_it) {
  const Model model = model_of(GetParam());
  const int half = GetParam().steps / (testing::looks_at_numbers ? 1 : 4);
  Simulation whole(model);
  for (int i = 0; i < half; ++i) whole.step();
  const State middle = whole.state();
  for (int i = 0; i < half; ++i) whole.step();
  const std::string expected = pack(whole.state());

  Simulation fresh(model);  // knows nothing but the state
  fresh.set_state(unpack_state(pack(middle)));
  for (int i = 0; i < half; ++i) fresh.step();
  EXPECT_TRUE(pack(fresh.state()) == expected);

  whole.set_state(middle);  // has computed the future already
  for (int i = 0; i < half; ++i) whole.step();
  EXPECT_TRUE(pack(whole.state()) == expected);
}

INSTANTIATE_TEST_SUITE_P(
    Machines, EveryState,
    ::testing::Values(
        Case{"chain", "smooth/chain.toml", {}, 40},
        Case{"chain_coupled", "smooth/chain.toml", {"integrator.name=nsga_coupled"}, 20},
        Case{"chain_moreau", "smooth/chain.toml", {"integrator.name=moreau"}, 40},
        Case{"beam_strikes", "001/oblique-beam.toml", {}, 150},
        Case{"beam_strikes_coupled", "001/oblique-beam.toml", {"integrator.name=nsga_coupled"}, 60},
        Case{"boxes", "stacks/boxes.toml", {}, 60},
        Case{"boxes_coupled", "stacks/boxes.toml", {"integrator.name=nsga_coupled"}, 30},
        Case{"boxes_moreau", "stacks/boxes.toml", {"integrator.name=moreau"}, 60},
        Case{"crowd", "contact/crowd.toml", {}, 60},
        Case{"bowl_conserving", "003/concave-pendulum.toml", {}, 200},
        Case{"ellipse_conserving", "003/elliptic-carom.toml", {}, 200},
        Case{"cradle", "000/billiard-break.toml", {}, 60},
        Case{"ratchet", "solids/ratchet.toml", {}, 400},
        Case{"bars_coupled", "solids/crossed-bars.toml", {"integrator.name=nsga_coupled"}, 60},
        Case{"recovered", "000/bouncing-ball-force.toml", {"integrator.step=0.01"}, 46},
        Case{"sampled_delay", "drives/sampled-speed.toml", {}, 60},
        Case{"motor", "smooth/slider-crank-motor.toml", {}, 60},
        Case{"turns", "smooth/torsional-oscillator.toml", {}, 60}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(State, of_grains_in_a_driven_drum_has_one_future) {
  const Model model = parse_model(R"(
gravity = [0, -9.81]
[[body]]
name = "drum"
kind = "planar"
mass = 10
inertia = 0.1
angular_velocity = 3
[[joint]]
name = "axle"
kind = "revolute"
a = "ground"
b = "drum"
point = [0, 0]
motor = "3*t"
[[body]]
name = "grain"
kind = "planar"
density = 2500
shape = { kind = "disc", radius = 0.005, thickness = 0.005 }
position = [-0.05, -0.06]
repeat = { count = [8, 4], spacing = [0.011, 0.011], jitter = 0.0002 }
[[contact]]
name = "wall"
sphere = { body = "grain" }
hollow = { body = "drum", radius = 0.1 }
friction = 0.5
[[contact]]
name = "grains"
sphere = { body = "grain" }
other = { body = "grain" }
friction = 0.3
[integrator]
step = 1e-3
duration = 0.4
)",
                                  "drum.toml");
  Simulation whole(model);
  for (int i = 0; i < 150; ++i) whole.step();
  Simulation fresh(model);
  fresh.set_state(whole.state());
  for (int i = 0; i < 100; ++i) {
    whole.step();
    fresh.step();
  }
  EXPECT_TRUE(pack(fresh.state()) == pack(whole.state()));
  // 32 grains in the drum: none has left it, and the drum turns as it is driven.
  EXPECT_NEAR(whole.value("bodies/drum/angle"), 3.0 * whole.time(), 1e-9);
  EXPECT_GT(whole.value("contacts/grains/closed"), 5.0);
}

/// Boxes that fall on each other between walls, turned in all ways.
Model falling_boxes() {
  std::string text = R"(
gravity = [0, 0, -9.81]
[[material]]
name = "wood"
friction = 0.5
[ground]
shape = { kind = "box", hollow = true, size = [0.3, 0.3, 2], material = "wood" }
[integrator]
step = 2e-3
duration = 1
)";
  for (int i = 0; i < 16; ++i) {
    text += fmt::format(
        "[[body]]\nname = \"box{}\"\ndensity = 1000\n"
        "shape = {{ kind = \"box\", size = [{}, 0.06, 0.05], material = \"wood\" }}\n"
        "position = [{}, {}, {}]\n"
        "orientation = {{ axis = [{}, 1, 0.5], angle = {} }}\n",
        i, 0.05 + 0.002 * (i % 7), i % 2 == 0 ? -0.06 : 0.06, i % 4 < 2 ? -0.06 : 0.06,
        -0.9 + 0.12 * (i / 4), 0.3 * (i % 5), 0.7 * i);
  }
  return parse_model(text, "boxes.toml");
}

// Steps that missed contacts are taken again from what they found, which is no part of the state.
TEST(FallingBoxes, have_one_future_to_the_last_bit_after_each_step) {
  const Model model = falling_boxes();
  Simulation whole(model), other(model);
  for (int i = 0; i < 200; ++i) {
    other.set_state(whole.state());  // having computed what comes after it before
    whole.step();
    other.step();
    ASSERT_TRUE(pack(other.state()) == pack(whole.state())) << "step " << i;
    other.step();
  }
  EXPECT_GT(whole.value("contacts/solids/closed"), 20.0);
  EXPECT_GT(whole.statistics().min_gap, -1e-9);
}

/// A wheel of many corners rolls on a floor, drawn by a spring.
Model wheel_of_corners(int corners, const char* scheme) {
  std::string points;
  for (int i = 0; i < corners; ++i) {
    const double angle = 2.0 * M_PI * i / corners;
    points += fmt::format("{}[{}, {}]", i > 0 ? ", " : "", std::cos(angle), std::sin(angle));
  }
  return parse_model(fmt::format(R"(
gravity = [0, -9.81]
[[body]]
name = "wheel"
kind = "planar"
mass = 2
inertia = 1
position = [0, 1]
velocity = [2, 0]
angular_velocity = -2
[[spring]]
name = "string"
kind = "axial"
a = {{ point = [9, 1] }}
b = {{ body = "wheel" }}
stiffness = 1
[[contact]]
name = "corner"
point = {{ body = "wheel", at = [{}] }}
face = {{ point = [0, 0], normal = [0, 1] }}
friction = 0.6
[integrator]
name = "{}"
step = 2e-3
duration = 2
)",
                                 points, scheme),
                     "wheel.toml");
}

class RollingWheel : public ::testing::TestWithParam<const char*> {};

TEST_P(RollingWheel, has_the_corners_in_its_matrix_that_may_touch_and_one_future) {
  const Model model = wheel_of_corners(40, GetParam());
  Simulation whole(model);
  std::set<int> used;
  std::size_t most = 0;
  const auto step = [&] {
    whole.step();
    const std::vector<int>& in_matrix = whole.state().solver.in_matrix;
    used.insert(in_matrix.begin(), in_matrix.end());
    most = std::max(most, in_matrix.size());
  };
  for (int i = 0; i < 300; ++i) step();
  Simulation fresh(model);
  fresh.set_state(unpack_state(pack(whole.state())));
  for (int i = 0; i < 300; ++i) {
    step();
    fresh.step();
  }
  EXPECT_TRUE(pack(fresh.state()) == pack(whole.state()));
  EXPECT_GT(whole.value("bodies/wheel/position/x"), 1.5);  // it has rolled a good part of a turn
  EXPECT_GT(used.size(), 8u);                              // over many corners
  EXPECT_LT(most, 20u);                                    // of which few were near at a time
}

INSTANTIATE_TEST_SUITE_P(Schemes, RollingWheel,
                         ::testing::Values("nsga", "nsga_coupled", "moreau"));

TEST(State, of_another_machine_is_refused) {
  Model model;
  model.bodies = {testing::point("p", 1.0, Vec3::Zero())};
  Simulation one(model);
  model.bodies.push_back(testing::point("q", 1.0, Vec3::Ones()));
  Simulation two(model);
  EXPECT_THROW(two.set_state(one.state()), Error);
}

TEST(State, given_loads_act_until_they_are_given_anew) {
  Model model;
  model.bodies = {testing::point("p", 2.0, Vec3::Zero())};
  LoadSpec push;
  push.name = "push";
  push.at.body = "p";
  model.loads = {push};
  model.integrator.step = 0.01;
  Simulation simulation(model);
  simulation.set_load("push", Vec3(4.0, 0.0, 0.0));
  for (int i = 0; i < 10; ++i) simulation.step();
  // a = F/m = 2 from the second step on; generalized-alpha takes one step to see a jump of forces,
  // over which the velocity is off by at most a h.
  EXPECT_NEAR(simulation.value("bodies/p/velocity/x"), 0.2, 2.0 * 0.01);
  const double before = simulation.value("bodies/p/velocity/x");
  for (int i = 0; i < 10; ++i) simulation.step();
  // What the jump has stirred up halves with each step: a_m/(1 - a_m) = 1/2 at rho_inf = 0.8.
  EXPECT_NEAR(simulation.value("bodies/p/velocity/x") - before, 0.2, 0.02 * std::pow(0.5, 10));
  EXPECT_THROW(simulation.set_load("pull", Vec3::Zero()), Error);
}

TEST(State, quantities_are_read_by_name) {
  Model model;
  model.bodies = {testing::point("p", 1.0, Vec3(1.0, 2.0, 3.0))};
  const Simulation simulation(model);
  EXPECT_EQ(simulation.value("bodies/p/position/z"), 3.0);
  EXPECT_EQ(simulation.values("bodies/p/position"), (std::vector<double>{1.0, 2.0, 3.0}));
  EXPECT_EQ(simulation.value("energy/kinetic"), 0.0);
  EXPECT_THROW(static_cast<void>(simulation.value("bodies/p/position")), Error);
  EXPECT_THROW(static_cast<void>(simulation.value("bodies/q/position/z")), Error);
}

TEST(Checkpoint, is_read_as_it_was_written) {
  const TemporaryDirectory directory;
  const Model model = model_of({"", "contact/crowd.toml", {}, 0});
  Simulation simulation(model);
  for (int i = 0; i < 5; ++i) simulation.step();
  Checkpoint checkpoint;
  checkpoint.model_text = "title = \"ä\"\n";
  checkpoint.overrides = {"integrator.step=1e-3"};
  checkpoint.state = simulation.state();
  checkpoint.statistics = simulation.statistics();
  checkpoint.samples = 7;
  write_checkpoint(directory.path() / "checkpoint", checkpoint);
  const Checkpoint read = read_checkpoint(directory.path() / "checkpoint");
  EXPECT_EQ(read.model_text, checkpoint.model_text);
  EXPECT_EQ(read.overrides, checkpoint.overrides);
  EXPECT_EQ(read.samples, 7);
  EXPECT_TRUE(pack(read.state) == pack(checkpoint.state));
  EXPECT_TRUE(pack(read.statistics) == pack(checkpoint.statistics));
}

TEST(Checkpoint, that_is_damaged_or_missing_is_refused) {
  const TemporaryDirectory directory;
  const auto path = directory.path() / "checkpoint";
  EXPECT_THROW(read_checkpoint(path), Error);
  Model model;
  model.bodies = {testing::point("p", 1.0, Vec3::Zero())};
  Checkpoint checkpoint;
  checkpoint.state = Simulation(model).state();
  write_checkpoint(path, checkpoint);
  ASSERT_NO_THROW(read_checkpoint(path));
  const auto size = std::filesystem::file_size(path);
  std::filesystem::resize_file(path, size - 1);
  EXPECT_THROW(read_checkpoint(path), Error);
  std::filesystem::resize_file(path, size);  // one byte is zero now, which may be what it was
  std::filesystem::resize_file(path, 20);
  EXPECT_THROW(read_checkpoint(path), Error);
}

}  // namespace state_test
}  // namespace clatter
