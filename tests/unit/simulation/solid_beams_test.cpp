#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clatter/io/model_reader.hpp>
#include <clatter/machine/solid_search.hpp>
#include <clatter/machine/state.hpp>
#include <clatter/simulation/simulation.hpp>

#include "support/materials.hpp"
#include "support/message_of.hpp"
#include "support/random_cases.hpp"

namespace clatter {
namespace solid_beams_test {

using ::testing::HasSubstr;

/// A round bar of aluminium and what it is made of.
std::string bar(const std::string& name, const std::string& points, int elements,
                const std::string& more = "") {
  return fmt::format(R"(
[[beam]]
name = "{}"
points = {}
elements = {}
section = {{ kind = "circle", radius = 0.01 }}
youngs_modulus = 7e10
poisson_ratio = 0.3
density = 2700
material = "stone"
{}
)",
                     name, points, elements, more);
}

std::string run_of(const std::string& scheme, double step, double duration,
                   const std::string& more = "") {
  return fmt::format("[integrator]\nname = \"{}\"\nstep = {}\nduration = {}\n{}\n", scheme, step,
                     duration, more);
}

Simulation finished(const std::string& text) {
  Simulation simulation(parse_model(text, "beams.toml"));
  while (!simulation.finished()) simulation.step();
  return simulation;
}

class SolidBeams : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Of, SolidBeams, ::testing::Values("nsga", "moreau", "nsga_coupled"),
                         [](const auto& test) { return std::string(test.param); });

// ---- Rest

/// A ball in a guide on a bar between two supports: how deep it comes to lie.
double depth_of_ball(int elements, double place) {
  const std::string text =
      std::string("gravity = [0, 0, -9.81]\n") + testing::wax +
      bar("bar", "[[0, 0, 0], [1, 0, 0]]", elements, "stiffness_damping = 0.01") +
      fmt::format(R"(
[[joint]]
name = "hinge"
kind = "revolute"
a = "ground"
b = "bar.start"
point = [0, 0, 0]
axis = [0, 1, 0]
[[joint]]
name = "roller"
kind = "slot"
a = "ground"
b = "bar.end"
point = [1, 0, 0]
axis = [1, 0, 0]
[[body]]
name = "ball"
mass = 1
shape = {{ kind = "sphere", radius = 0.05, material = "stone" }}
position = [{0}, 0, 0.06]
[[joint]]
name = "guide"
kind = "prismatic"
a = "ground"
b = "ball"
point = [{0}, 0, 0.06]
axis = [0, 0, 1]
)",
                  place) +
      run_of("nsga_coupled", 4e-3, 0.6, "rho_inf = 0.1");
  const Simulation simulation = finished(text);
  return 0.06 - simulation.state().q[1].x.z();
}

/// With the coupled scheme, which holds what rests on elastic parts in its right place.
TEST(SolidBeamsAtRest, bend_under_a_ball_at_any_place_as_theory_says) {
  if (!testing::looks_at_numbers) return;
  constexpr double r = 0.01, E = 7e10, G = E / 2.6, g = 9.81, L = 1.0;
  const double A = std::numbers::pi * r * r, I = 0.25 * A * r * r, w = 2700 * A * g;
  for (const double a : {0.28, 0.45}) {
    const double b = L - a;
    const double bending = g * a * a * b * b / (3.0 * E * I * L) +
                           w * a * (L * L * L - 2.0 * L * a * a + a * a * a) / (24.0 * E * I);
    const double shear = (g * a * b / L + 0.5 * w * a * b) / (6.0 / 7.0 * G * A);
    const double moment = g * a * b / L + 0.5 * w * a * b;
    // Elements of length l with constant strain are off by less than M l^2 / (2 EI).
    for (const int elements : {8, 16}) {
      const double l = L / elements;
      EXPECT_NEAR(depth_of_ball(elements, a), bending + shear, 0.5 * moment * l * l / (E * I))
          << elements << " at " << a;
    }
  }
}

// ---- Impact

std::string struck_rod(const std::string& scheme, double step, const std::string& more) {
  return std::string(testing::glass) + bar("rod", "[[0, 0, 0], [1, 0, 0]]", 6) + R"(
[[body]]
name = "ball"
mass = 0.1
shape = { kind = "sphere", radius = 0.03, material = "stone" }
position = [0.27, 0.008, 0.0411]
velocity = [0.3, 0, -1]
)" + run_of(scheme, step, 2e-3, more);
}

/// What a run does to momentum, angular momentum and energy, relative to what there was.
struct Changes {
  double momentum, angular_momentum, energy;
};
Changes changes_of(const std::string& text) {
  Simulation simulation(parse_model(text, "beams.toml"));
  const Machine& machine = simulation.machine();
  const auto energy = [&] {
    const State& s = simulation.state();
    return machine.kinetic_energy(s.v) + machine.elastic_energy(s.q, s.turns);
  };
  const Vec6 before = machine.momentum(simulation.state().q, simulation.state().v);
  const double energy_before = energy();
  while (!simulation.finished()) simulation.step();
  const Vec6 after = machine.momentum(simulation.state().q, simulation.state().v);
  EXPECT_GT(simulation.state().v.segment<3>(6).z(), -0.9) << "it missed";
  return {(after - before).head<3>().norm() / before.head<3>().norm(),
          (after - before).tail<3>().norm() / before.tail<3>().norm(),
          energy() / energy_before - 1.0};
}

TEST_P(SolidBeams, keep_momentum_when_struck_between_nodes) {
  const Changes changes = changes_of(struck_rod(GetParam(), 1e-5, ""));
  EXPECT_LT(changes.momentum, 1e-9);          // the tolerance of the solver
  EXPECT_LT(changes.angular_momentum, 1e-4);  // second order in the step
}

TEST(SolidBeamsWithoutLoss, keep_energy_when_struck_between_nodes) {
  // What is left comes from the way between two steps at the instant of impact.
  const Changes coarse = changes_of(struck_rod("nsga", 4e-6, "rho_inf = 1"));
  EXPECT_LT(std::abs(coarse.energy), 2e-3);
}

// ---- Nothing goes through

/// A ball that moves by 65 of its radii in a step, straight at the axis or beside it. What it
/// strikes beside the axis it may go around.
TEST_P(SolidBeams, let_nothing_through_at_any_speed) {
  for (const auto& [place, beside] :
       {std::pair(0.31, 0.0), {0.5, 0.0}, {0.5, 0.001}, {0.777, 0.003}}) {
    const std::string text = std::string(testing::wax) +
                             bar("rod", "[[0, 0, 0], [1, 0, 0]]", 4, "velocity = [0, 0, 30]") +
                             fmt::format(R"(
[[body]]
name = "ball"
mass = 0.01
shape = {{ kind = "sphere", radius = 0.002, material = "stone" }}
position = [{}, {}, 0.1]
velocity = [0, 0, -100]
)",
                                         place, beside) +
                             run_of(GetParam(), 1e-3, 2e-3);
    Simulation simulation(parse_model(text, "beams.toml"));
    SolidSearch search(simulation.machine());
    while (!simulation.finished()) simulation.step();
    const State& state = simulation.state();
    const Vec3& ball = state.q[1].x;
    for (std::size_t n = 2; n < 6; ++n) {  // the element that it is over or beside
      const Vec3 &begin = state.q[n].x, &end = state.q[n + 1].x;
      const double s = (ball.x() - begin.x()) / (end.x() - begin.x());
      if (s < 0.0 || s > 1.0) continue;
      const Vec3 way = ball - begin - s * (end - begin);
      EXPECT_TRUE(way.z() > 0.0 || (beside > 0.0 && way.y() > 0.012))
          << place << " " << way.transpose();
    }
    EXPECT_LT(search.deepest_overlap(state.q).depth, 1e-9) << place;
  }
}

// ---- From element to element

TEST_P(SolidBeams, let_a_ball_roll_over_their_nodes) {
  const std::string text =
      std::string(
          "gravity = [4.905, 0, -8.495709]\n[[material]]\nname = \"stone\"\nfriction = 1\n") +
      bar("bar", "[[0, 0, 0], [1, 0, 0]]", 10, "") + R"(
[[joint]]
name = "start"
kind = "fixed"
a = "ground"
b = "bar.start"
point = [0, 0, 0]
[[joint]]
name = "end"
kind = "fixed"
a = "ground"
b = "bar.end"
point = [1, 0, 0]
[[body]]
name = "ball"
mass = 1e-6
shape = { kind = "sphere", radius = 0.03, material = "stone" }
position = [0.17, 0, 0.04]
[[watch]]
bodies = ["bar", "ball"]
)" + run_of(GetParam(), 1e-3, 0.4, "");
  Model model = parse_model(text, "beams.toml");
  model.beams[0].youngs_modulus *= 1e5;  // as good as rigid
  model.beams[0].shear_modulus *= 1e5;
  Simulation simulation(model);
  while (!simulation.finished()) simulation.step();
  const double t = simulation.state().time;
  // Two nodes further: 5/7 g sin(30 degrees). Each scheme's error is of first order or better.
  EXPECT_NEAR(simulation.state().q[1].x.x(), 0.17 + 0.5 * 5.0 / 7.0 * 4.905 * t * t,
              2.0 * 4.905 * t * 1e-3);
  EXPECT_NEAR(simulation.state().q[1].x.z(), 0.04, 1e-6);
}

// ---- In the plane

TEST_P(SolidBeams, bear_a_disc_in_the_plane) {
  const std::string text = std::string("gravity = [0, -9.81]\n") + testing::clay + R"(
[[beam]]
name = "strip"
kind = "planar"
points = [[0, 0], [1, 0]]
elements = 5
section = { kind = "rectangle", width = 0.02, height = 0.05 }
youngs_modulus = 7e10
poisson_ratio = 0.3
density = 2700
stiffness_damping = 0.01
material = "stone"
[[joint]]
name = "start"
kind = "fixed"
a = "ground"
b = "strip.start"
point = [0, 0]
[[joint]]
name = "end"
kind = "fixed"
a = "ground"
b = "strip.end"
point = [1, 0]
[[body]]
name = "disc"
kind = "planar"
density = 1000
shape = { kind = "disc", radius = 0.05, thickness = 0.05, material = "stone" }
position = [0.5, 0.0601]
[[watch]]
bodies = ["strip", "disc"]
)" + run_of(GetParam(), 1e-3, 0.3);
  const Simulation simulation = finished(text);
  const State& state = simulation.state();
  // In the middle of the third element, over its sag.
  EXPECT_NEAR(state.q[1].x.y() - 0.5 * (state.q[4].x.y() + state.q[5].x.y()), 0.06, 1e-6);
  EXPECT_NEAR(state.v.segment<3>(6).norm(), 0.0, 1e-3);
}

// ---- Who touches whom

int touching_pairs(const std::string& text) {
  const Machine machine(parse_model(text, "beams.toml", {}, ModelUse::rest));
  int pairs = 0;
  const auto count = static_cast<int>(machine.solids().size());
  for (int a = 0; a < count; ++a) {
    for (int b = a + 1; b < count; ++b) pairs += machine.may_touch(a, b) ? 1 : 0;
  }
  return pairs;
}

TEST(WhatSolidBeamsTouch, is_not_themselves_unless_asked_for) {
  const std::string rod = std::string(testing::wax) + bar("rod", "[[0, 0, 0], [1, 0, 0]]", 5);
  EXPECT_EQ(touching_pairs(rod), 0);
  // Of five elements three pairs have one between them, two have two, one has three.
  EXPECT_EQ(touching_pairs(rod + "touch_itself = true\n"), 6);
  // Those with one of 0.2 m between them are nearer than pi times 0.07 m.
  EXPECT_EQ(touching_pairs(rod + "touch_itself = true\ncontact_radius = 0.07\n"), 3);
}

TEST(WhatSolidBeamsTouch, is_not_what_a_joint_holds_them_to) {
  const std::string clamped =
      std::string(testing::wax) + bar("rod", "[[0, 0, 0], [1, 0, 0]]", 5) + R"(
[ground]
shape = { kind = "sphere", radius = 0.1, position = [0.5, 0, -1], material = "stone" }
[[joint]]
name = "clamp"
kind = "fixed"
a = "ground"
b = "rod.start"
point = [0, 0, 0]
)";
  EXPECT_EQ(touching_pairs(clamped), 0);
  EXPECT_EQ(touching_pairs(clamped + "touch = true\n"), 4);  // all but the element that is held
  EXPECT_EQ(touching_pairs(clamped + "touch = true\n[[exclude]]\nbodies = ['rod', 'ground']\n"), 0);
}

TEST(WhatSolidBeamsTouch, is_told_once_where_elements_meet) {
  // Balls over the middle of an element, over a node, and a little beside one.
  for (const double place : {0.5, 0.4, 0.40001, 0.39999}) {
    const Machine machine(parse_model(
        std::string(testing::wax) + bar("rod", "[[0, 0, 0], [1, 0, 0]]", 5) +
            fmt::format("[[body]]\nname = 'ball'\nmass = 1\nshape = {{ kind = 'sphere', radius = "
                        "0.05, material = 'stone' }}\nposition = [{}, 0, 0.06]\n",
                        place),
        "beams.toml", {}, ModelUse::rest));
    std::vector<ContactKey> keys;
    SolidSearch search(machine);
    const Configuration& q = machine.initial_configuration();
    search.find(q, q, keys);
    ASSERT_EQ(keys.size(), 1U) << place;
    EXPECT_NEAR(machine.contact_of(keys[0]).gap(q), 0.0, 1e-15);
  }
}

// ---- Mistakes

TEST(SolidBeamsThatMakeNoSense, are_refused) {
  const auto message = [](const std::string& section, const std::string& more) {
    return testing::message_of([&] {
      parse_model(std::string(testing::wax) +
                      fmt::format("[[beam]]\nname = 'rod'\npoints = [[0, 0, 0], [1, 0, 0]]\n"
                                  "elements = 2\nsection = {}\nyoungs_modulus = 1e9\n"
                                  "poisson_ratio = 0.3\ndensity = 1000\n{}\n",
                                  section, more),
                  "beams.toml", {}, ModelUse::rest);
    });
  };
  const std::string square = "{ kind = 'rectangle', width = 0.01, height = 0.01 }",
                    circle = "{ kind = 'circle', radius = 0.01 }";
  EXPECT_THAT(message(square, "material = 'stone'"), HasSubstr("give 'contact_radius'"));
  EXPECT_THAT(message(circle, "material = 'stoen'"), HasSubstr("did you mean 'stone'"));
  EXPECT_THAT(message(circle, "contact_radius = 0.1"), HasSubstr("without 'material'"));
  EXPECT_THAT(message(circle, "touch_itself = true"), HasSubstr("without 'material'"));
  EXPECT_THAT(message(circle, "material = 'stone'\ncontact_radius = -1"),
              HasSubstr("contact_radius"));
}

}  // namespace solid_beams_test
}  // namespace clatter
