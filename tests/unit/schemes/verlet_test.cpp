#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <clatter/io/model_reader.hpp>
#include <clatter/simulation/simulation.hpp>

namespace clatter {
namespace verlet_test {

/// A ball of 1 kg and radius 0.1 m that meets the floor, alone or as one of a group.
std::string ball(double step, int substeps, const std::string& more, bool in_group) {
  std::string text = fmt::format(
      R"(
[[body]]
name = "ball"
mass = 1
shape = {{ kind = "sphere", radius = 0.1 }}
position = [0, 0, 0.11]
velocity = [0.3, 0, -1]
{}
[[contact]]
name = "floor"
sphere = {{ body = "ball" }}
face = {{ normal = [0, 0, 1] }}
{}
[integrator]
name = "verlet"
step = {}
substeps = {}
duration = 0.06
)",
      in_group ? "repeat = { count = [61, 1, 1], spacing = [1, 1, 1] }" : "", more, step, substeps);
  return text;
}

double value_at_end(const std::string& text, const std::string& name) {
  Simulation simulation(parse_model(text, "ball"));
  while (!simulation.finished()) simulation.step();
  return simulation.value(name);
}

const std::string damped =
    "compliance = { law = \"kelvin-voigt\", stiffness = 1e4 }\nrestitution = 0.5";
const std::string spring = "compliance = { law = \"hooke\", stiffness = 1e4 }";

// Half a period of a mass on a spring: it leaves with the speed with which it came.
TEST(Verlet, bounces_off_a_spring_without_loss_to_second_order) {
  for (const bool in_group : {false, true}) {
    const std::string who = in_group ? "bodies/ball.7/" : "bodies/ball/";
    std::vector<double> errors;
    for (const int substeps : {5, 10, 20}) {
      const double v = value_at_end(ball(1e-3, substeps, spring, in_group), who + "velocity/z");
      errors.push_back(std::abs(v - 1.0));
    }
    // omega dt = 0.02 and less: (omega dt)^2 of the speed, when the phase at contact is as bad as
    // can be.
    EXPECT_LT(errors[0], 4e-4) << in_group;
    EXPECT_LT(errors[2], 2.5e-5) << in_group;
  }
}

TEST(Verlet, loses_by_its_damper_what_restitution_says) {
  for (const bool in_group : {false, true}) {
    const double v = value_at_end(ball(1e-3, 20, damped, in_group),
                                  in_group ? "bodies/ball.3/velocity/z" : "bodies/ball/velocity/z");
    // Forces with velocities half a substep old: omega dt = 5e-3 times the damping, 0.2.
    EXPECT_NEAR(v, 0.5, 2e-3);
  }
}

TEST(Verlet, closes_its_ledger_with_friction_and_damping) {
  for (const bool in_group : {false, true}) {
    Simulation simulation(
        parse_model(ball(1e-3, 20, damped + "\nfriction = 0.2", in_group), "ball"));
    while (!simulation.finished()) simulation.step();
    const double lost =
        simulation.value("energy/friction_loss") + simulation.value("energy/impact_loss");
    EXPECT_GT(simulation.value("energy/friction_loss"), 0.0);
    EXPECT_GT(lost, 0.3 * (in_group ? 61 : 1));
    // Losses are sums of products at substeps of 5e-3 of the time that the spring wants.
    EXPECT_NEAR(simulation.value("energy/scheme_loss"), 0.0, 5e-3 * lost);
  }
}

// Sliding throughout: the impulse of friction is mu times that along the normal, and turns the
// ball.
TEST(Verlet, slips_by_coulomb) {
  const std::string law = spring + "\nfriction = 0.05";
  for (const bool in_group : {false, true}) {
    const std::string who = in_group ? "bodies/ball.7/" : "bodies/ball/";
    const double p = 2.0, mu = 0.05;
    const std::string text = ball(1e-3, 40, law, in_group);
    // The spring along the surface first has to be drawn, 5e-3 of the impulse.
    EXPECT_NEAR(value_at_end(text, who + "velocity/x"), 0.3 - mu * p, 0.02 * mu * p);
    EXPECT_NEAR(value_at_end(text, who + "angular_velocity/y"), mu * p * 0.1 / (0.4 * 0.01),
                0.02 * mu * p * 0.1 / (0.4 * 0.01));
  }
}

std::string heap(int threads, int seed) {
  return fmt::format(R"(
gravity = [0, 0, -9.81]
[[body]]
name = "grain"
density = 2500
shape = {{ kind = "sphere", radius = 0.01 }}
position = [0, 0, 0.02]
repeat = {{ count = [4, 4, 5], spacing = [0.024, 0.024, 0.024], jitter = 0.001, seed = {}, sizes = {{ kind = "uniform", smallest = 0.007, largest = 0.01 }} }}
[[contact]]
name = "grains"
sphere = {{ body = "grain" }}
other = {{ body = "grain" }}
friction = 0.3
restitution = 0.3
compliance = {{ law = "kelvin-voigt", stiffness = 1e4 }}
[[contact]]
name = "floor"
sphere = {{ body = "grain" }}
face = {{ normal = [0.1, 0, 1] }}
friction = 0.5
compliance = {{ law = "hooke", stiffness = 1e4 }}
[integrator]
name = "verlet"
step = 2e-3
threads = {}
duration = 0.3
)",
                     seed, threads);
}

TEST(Verlet, gives_the_same_bits_with_any_number_of_threads) {
  Simulation one(parse_model(heap(1, 3), "heap")), two(parse_model(heap(2, 3), "heap")),
      five(parse_model(heap(5, 3), "heap"));
  while (!one.finished()) {
    one.step();
    two.step();
    five.step();
  }
  for (int k = 0; k < 80; ++k) {
    for (const char* axis : {"x", "y", "z"}) {
      const std::string name = fmt::format("bodies/grain.{}/position/{}", k, axis);
      EXPECT_EQ(one.value(name), two.value(name));
      EXPECT_EQ(one.value(name), five.value(name));
    }
  }
  EXPECT_GT(one.value("crowds/grain/coordination"), 0.1);
  EXPECT_GT(one.value("energy/friction_loss"), 0.0);
  EXPECT_EQ(one.value("energy/friction_loss"), two.value("energy/friction_loss"));
}

TEST(Verlet, keeps_momentum_of_grains_that_strike_each_other) {
  std::string text = heap(1, 4);
  text.replace(text.find("gravity"), text.find("\n[[body]]") - text.find("gravity"), "");
  text.replace(text.find("[[contact]]\nname = \"floor\""),
               text.find("[integrator]") - text.find("[[contact]]\nname = \"floor\""), "");
  const std::size_t at = text.find("position");
  text.insert(at, "velocity = [0, 0, 0]\nangular_velocity = [3, 50, -20]\n");
  text.replace(text.find("[0.024, 0.024, 0.024]"), 21, "[0.0201, 0.0201, 0.0201]");
  text.replace(text.find("jitter = 0.001"), 14, "jitter = 0");
  text.replace(text.find("density = 2500"), 14, "density = 2500");
  Simulation simulation(parse_model(text, "cloud"));
  const double spin = simulation.value("system/angular_momentum/y");
  while (!simulation.finished()) simulation.step();
  EXPECT_NEAR(simulation.value("system/linear_momentum/x"), 0.0, 1e-14);
  EXPECT_NEAR(simulation.value("system/linear_momentum/z"), 0.0, 1e-14);
  EXPECT_NEAR(simulation.value("system/angular_momentum/y"), spin, 1e-11 * std::abs(spin));
}

}  // namespace verlet_test
}  // namespace clatter
