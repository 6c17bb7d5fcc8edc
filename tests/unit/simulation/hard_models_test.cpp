#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clatter/io/model_reader.hpp>
#include <clatter/simulation/simulation.hpp>

#include "support/message_of.hpp"
#include "support/random_cases.hpp"

// Models that users write without a thought, and that are hard.

namespace clatter {
namespace hard_models_test {

using ::testing::HasSubstr;

Model model_of(const std::string& text) { return parse_model(text, "hard.toml"); }

std::string ball(double height, const char* first_line = "") {
  return fmt::format(R"m({}
gravity = [0, 0, -9.81]
[[body]]
name = "ball"
mass = 1
shape = {{ kind = "sphere", radius = 0.1 }}
position = [0, 0, {:.17g}]
[[contact]]
name = "floor"
sphere = {{ body = "ball" }}
face = {{ normal = [0, 0, 1] }}
[integrator]
step = 0.01
duration = 0.05
)m",
                     first_line, height);
}

/// Touching geometry typed with six digits.
TEST(HardStart, that_overlaps_a_little_is_closed_by_itself) {
  const Simulation simulation(model_of(ball(0.0999999)));
  EXPECT_NEAR(simulation.value("contacts/floor/gap"), 0.0, 1e-15);
  EXPECT_TRUE(simulation.notices().empty());
}

TEST(HardStart, that_overlaps_much_is_refused_with_the_remedy) {
  EXPECT_THAT(testing::message_of([] { const Simulation simulation(model_of(ball(0.09))); }),
              HasSubstr("starts 0.01 m inside the face on 'ground'; move one of them, or set "
                        "assemble = true"));
}

TEST(HardStart, is_assembled_by_pushing_bodies_apart_and_says_so) {
  const Simulation simulation(model_of(ball(0.09, "assemble = true")));
  EXPECT_NEAR(simulation.value("contacts/floor/gap"), 0.0, 1e-15);
  ASSERT_EQ(simulation.notices().size(), 1U);
  EXPECT_THAT(simulation.notices()[0], HasSubstr("assembly moved body 'ball' by 0.01 m"));
}

/// The lower box cannot go down: both are lifted, the upper one by both overlaps.
TEST(HardStart, of_solids_is_parted_through_those_that_they_are_pushed_into) {
  const Simulation simulation(model_of(R"m(
assemble = true
gravity = [0, 0, -9.81]
[[material]]
name = "wood"
friction = 0.5
[ground]
shape = { kind = "half_space", material = "wood" }
[[body]]
name = "low"
density = 600
shape = { kind = "box", size = [0.4, 0.4, 0.4], material = "wood" }
position = [0, 0, 0.19]
[[body]]
name = "high"
density = 600
shape = { kind = "box", size = [0.3, 0.4, 0.4], material = "wood" }
position = [0.05, 0, 0.585]
[integrator]
step = 1e-3
duration = 0.1
)m"));
  EXPECT_NEAR(simulation.values("bodies/low/position")[2], 0.2, 1e-11);
  EXPECT_NEAR(simulation.values("bodies/high/position")[2], 0.6, 1e-11);
  EXPECT_EQ(simulation.notices().size(), 2U);
}

TEST(HardStart, takes_a_thin_disc_with_moments_of_five_digits) {
  const std::string disc = R"m(
[[body]]
name = "disc"
mass = 1
inertia = [0.0033333, 0.0033333, {}]
[integrator]
step = 0.01
duration = 0.1
)m";
  EXPECT_NO_THROW(Simulation(model_of(fmt::format(fmt::runtime(disc), 0.0066667))));
  EXPECT_ANY_THROW(Simulation(model_of(fmt::format(fmt::runtime(disc), 0.0067))));
}

TEST(HardEnd, is_the_duration_also_where_that_is_no_multiple_of_the_step) {
  Model model = model_of(ball(0.5));
  model.integrator.duration = 0.0475;
  Simulation simulation(model);
  while (!simulation.finished()) simulation.step();
  EXPECT_EQ(simulation.steps_done(), 5);
  EXPECT_EQ(simulation.time(), 0.0475);
  // The sum of the steps of a scheme of second order, exact for a parabola.
  EXPECT_NEAR(simulation.values("bodies/ball/position")[2], 0.5 - 0.5 * 9.81 * 0.0475 * 0.0475,
              1e-14);
  EXPECT_TRUE(simulation.notices().empty());
}

/// A run that ended within a step goes on from there.
TEST(HardEnd, is_gone_on_from_within_the_step) {
  Model model = model_of(ball(0.5));
  model.integrator.duration = 0.0475;
  Simulation first(model);
  while (!first.finished()) first.step();
  model.integrator.duration = 0.07;
  Simulation second(model);
  second.resume(first.state(), first.statistics());
  while (!second.finished()) second.step();
  EXPECT_NEAR(second.time(), 0.07, 1e-15);
  EXPECT_NEAR(second.values("bodies/ball/position")[2], 0.5 - 0.5 * 9.81 * 0.07 * 0.07, 1e-14);
}

/// Moreau's scheme holds joints in their velocities: what a motor jumps, it would never reach.
TEST(HardMotor, that_jumps_ends_a_run_of_moreau) {
  const std::string text = R"m(
[[body]]
name = "slider"
kind = "planar"
mass = 1
inertia = 0.1
[[joint]]
name = "rail"
kind = "prismatic"
a = "ground"
b = "slider"
point = [0, 0]
axis = [1, 0]
motor = "t < 0.05 ? 0 : 1"
[integrator]
name = "{}"
step = 1e-2
duration = 0.1
)m";
  const auto run = [&](const char* name) {
    Simulation simulation(model_of(fmt::format(fmt::runtime(text), name)));
    while (!simulation.finished()) simulation.step();
    return simulation.values("bodies/slider/position")[0];
  };
  EXPECT_THAT(testing::message_of([&] { run("moreau"); }), HasSubstr("joint 'rail' was lost"));
  EXPECT_NEAR(run("nsga"), 1.0, 1e-12);
}

/// So that `--set integrator.name=` works on any file.
TEST(HardKeys, of_one_scheme_at_their_defaults_are_taken_by_all_others) {
  for (const char* name : {"nsga", "nsga_coupled", "moreau"}) {
    const std::string text = ball(0.5) + fmt::format(R"m(
name = "{}"
rho_inf = 0.8
theta = 0.5
gamma = 0.5
beta = 0.25
multi_impact = false
locate_impacts = false
position_friction = true
position_rolling = true
max_impacts = {}
sleep = true
)m",
                                                     name, IntegratorSpec{}.max_impacts);
    EXPECT_NO_THROW(Simulation(model_of(text))) << name;
  }
}

// ---- Runs

/// Of a table that is pushed to and fro, the legs share what is not determined.
TEST(HardForces, of_four_legs_change_smoothly_under_moreau) {
  std::string text = R"m(
gravity = [0, 0, -9.81]
[[body]]
name = "table"
mass = 10
inertia = [1, 1, 1.5]
position = [0, 0, 0.5]
[[load]]
body = "table"
force = ["20*sin(20*t)", 0, 0]
[integrator]
name = "moreau"
step = 1e-3
duration = 0.3
)m";
  for (int i = 0; i < 4; ++i) {
    text += fmt::format(R"m(
[[contact]]
name = "leg{}"
point = {{ body = "table", at = [{}, {}, -0.5] }}
face = {{ normal = [0, 0, 1] }}
friction = 0.4
)m",
                        i, i % 2 == 0 ? -0.5 : 0.5, i < 2 ? -0.4 : 0.4);
  }
  Simulation simulation(model_of(text));
  std::array<double, 4> before{};
  while (!simulation.finished()) {
    simulation.step();
    for (std::size_t i = 0; i < 4; ++i) {
      const double now = simulation.value(fmt::format("contacts/leg{}/normal_force", i));
      // The load changes by 0.4 N in a step, and its moment of 0.5 m by what two legs at 1 m share.
      if (simulation.steps_done() > 2) {
        EXPECT_NEAR(now, before[i], 0.15) << simulation.time();
      }
      before[i] = now;
    }
  }
}

/// A cantilever that is shaken between two stops, with 26 steps in each period: without contacts
/// the load does some 100 J, and stops take energy.
TEST(HardBeam, between_stops_stays_bounded_at_the_default_damping) {
  Simulation simulation(model_of(R"m(
[[beam]]
name = "reed"
kind = "planar"
points = [[0, 0], [1, 0]]
elements = 8
section = { kind = "rectangle", width = 0.01, height = 0.02 }
youngs_modulus = 6.4e9
poisson_ratio = 0.3
density = 7850
[[joint]]
kind = "fixed"
a = "ground"
b = "reed.start"
point = [0, 0]
[[load]]
body = "reed.end"
force = [0, "35*sin(2*pi*38*t)"]
[[contact]]
name = "up"
point = { body = "reed.end" }
face = { point = [0, 0.02], normal = [0, -1] }
restitution = 0.9
[[contact]]
name = "down"
point = { body = "reed.end" }
face = { point = [0, -0.02], normal = [0, 1] }
restitution = 0.9
[integrator]
step = 1e-3
duration = 1
)m"));
  double most = 0.0, work = 0.0;
  while (!simulation.finished()) {
    simulation.step();
    most = std::max(most, simulation.value("energy/total"));
    work = std::max(work, simulation.value("energy/load_work"));
  }
  EXPECT_LE(most, work);
  EXPECT_LT(work, 100.0);
}

/// Spheres that fall into a shaft as wide as 2.5 of them, of masses that differ by 10^4.
std::string shaft(const std::string& scheme, int count, double friction, double restitution) {
  std::string text = "gravity = [0, 0, -9.81]\n", names;
  for (int i = 0; i < count; ++i) {
    const double mass = std::pow(10.0, -2.0 + 4.0 * std::fmod(0.618 * (i + 1), 1.0));
    text += fmt::format(
        "[[body]]\nname = \"s{0}\"\nmass = {1}\nshape = {{ kind = \"sphere\", radius = 0.1 }}\n"
        "position = [{2}, {3}, {4}]\nangular_velocity = [{5}, {6}, 2]\n",
        i, mass, 0.04 * std::sin(7.0 * i + 1.0), 0.04 * std::cos(5.0 * i), 0.15 + 0.25 * i,
        6.0 * std::sin(3.0 * i), 6.0 * std::cos(2.0 * i));
    names += fmt::format("{}\"s{}\"", i > 0 ? ", " : "", i);
  }
  const auto contact = [&](const char* name, const std::string& face) {
    text += fmt::format(
        "[[contact]]\nname = \"{}\"\nsphere = {{ bodies = [{}] }}\n{}\nfriction = {}\n"
        "restitution = {}\n",
        name, names, face, friction, restitution);
  };
  contact("floor", "face = { normal = [0, 0, 1] }");
  contact("each", fmt::format("other = {{ bodies = [{}] }}", names));
  contact("w0", "face = { point = [-0.25, 0, 0], normal = [1, 0, 0] }");
  contact("w1", "face = { point = [0.25, 0, 0], normal = [-1, 0, 0] }");
  contact("w2", "face = { point = [0, -0.25, 0], normal = [0, 1, 0] }");
  contact("w3", "face = { point = [0, 0.25, 0], normal = [0, -1, 0] }");
  return text + fmt::format("[integrator]\nname = \"{}\"\nstep = 1e-3\nduration = 1\n", scheme);
}

class HardShaft : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Of, HardShaft, ::testing::Values("nsga", "moreau", "nsga_coupled"),
                         [](const auto& test) { return std::string(test.param); });

/// Jams there neither stop a run nor add to its energy: gravity alone moves the spheres.
TEST_P(HardShaft, of_unequal_spheres_loses_energy_only) {
  for (const auto& [count, friction, restitution] :
       {std::array{3.0, 0.3, 0.5}, std::array{6.0, 0.8, 0.5}, std::array{5.0, 0.8, 0.0}}) {
    Simulation simulation(
        model_of(shaft(GetParam(), static_cast<int>(count), friction, restitution)));
    const double first = simulation.value("energy/total");
    double least = first;
    const long steps = simulation.steps_total() / (testing::looks_at_numbers ? 1 : 10);
    while (!simulation.finished() && simulation.steps_done() < steps) {
      simulation.step();
      const double now = simulation.value("energy/total");
      // Of second order in the angle of a step by which normals and bodies turn: 0.015 rad.
      ASSERT_LE(now, least + 3e-4 * first) << count << " at " << simulation.time();
      least = std::min(least, now);
    }
  }
}

/// A rod in whose sliding no contact force fits: it jams at once.
TEST(HardRod, that_starts_where_sliding_has_no_solution_jams) {
  for (const char* scheme : {"nsga", "moreau", "nsga_coupled"}) {
    Simulation simulation(model_of(fmt::format(R"m(
gravity = [0, -10]
[[body]]
name = "rod"
kind = "planar"
mass = 1
inertia = 0.3333333333333333
position = [0, 0.8660254037844386]
angle_deg = -60
velocity = [5, 0]
[[contact]]
name = "floor"
point = {{ body = "rod", at = [1, 0] }}
face = {{ normal = [0, 1] }}
friction = 3
[integrator]
name = "{}"
step = 1e-4
duration = 0.02
)m",
                                               scheme)));
    const double before = simulation.value("energy/total");
    simulation.step();
    // The tip stops, and the rod turns about it: w = 5 sin 60/(1 + 1/3).
    EXPECT_NEAR(simulation.value("bodies/rod/angular_velocity"),
                -5.0 * std::sqrt(0.75) / (4.0 / 3.0), 1e-2)
        << scheme;
    while (!simulation.finished()) simulation.step();
    EXPECT_LT(simulation.value("energy/total"), before) << scheme;
  }
}

}  // namespace hard_models_test
}  // namespace clatter
