#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <clatter/io/model_reader.hpp>
#include <clatter/machine/state.hpp>
#include <clatter/simulation/simulation.hpp>

namespace clatter {
namespace impact_energy_test {

class ImpactEnergy : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Of, ImpactEnergy, ::testing::Values("nsga", "moreau", "nsga_coupled"),
                         [](const auto& test) { return std::string(test.param); });

/// A rod that strikes the ground with its tip, slanting and turning.
std::string rod(const std::string& scheme, double friction, double restitution) {
  return fmt::format(R"(
[[body]]
name = "rod"
kind = "planar"
mass = 2
inertia = 0.2
position = [0, 0.4]
angle = -0.7
velocity = [0, -2]
angular_velocity = -6
[[contact]]
name = "tip"
point = {{ body = "rod", at = [0.6, 0] }}
face = {{ normal = [0, 1] }}
friction = {}
restitution = {}
[integrator]
name = "{}"
step = 1e-5
duration = 0.01
)",
                     friction, restitution, scheme);
}

/// Kane's paradox: sliding is turned back, and Newton's law has the tip rebound nevertheless.
TEST_P(ImpactEnergy, never_grows_with_friction) {
  Simulation simulation(parse_model(rod(GetParam(), 0.5, 0.95), "rod.toml"));
  const double before = simulation.value("energy/kinetic");
  while (!simulation.finished()) simulation.step();
  const double after = simulation.value("energy/kinetic");
  EXPECT_LT(after, before);
  EXPECT_GT(simulation.value("bodies/rod/angular_velocity"), 0.0);  // it has been struck
  EXPECT_EQ(simulation.statistics().lessened, 1);
}

/// Without friction the law takes (1 - e^2) u^2 / (2 w) with w = 1/m + x^2/I, and stays as it is.
TEST_P(ImpactEnergy, is_that_of_the_law_without_friction) {
  constexpr double e = 0.8;
  Simulation simulation(parse_model(rod(GetParam(), 0.0, e), "rod.toml"));
  const double before = simulation.value("energy/kinetic");
  double angle = 0.0, angular_velocity = 0.0;
  while (!simulation.finished() && simulation.value("bodies/rod/angular_velocity") == -6.0) {
    angle = simulation.value("bodies/rod/angle");
    simulation.step();
    angular_velocity = simulation.value("bodies/rod/angular_velocity");
  }
  ASSERT_NE(angular_velocity, -6.0);
  const double arm = 0.6 * std::cos(angle), light = 1.0 / 2.0 + arm * arm / 0.2;
  const double speed = -2.0 - 6.0 * arm;
  const double loss = (1.0 - e * e) * speed * speed / (2.0 * light);
  // The arm turns by 6e-5 in the step.
  EXPECT_NEAR(before - simulation.value("energy/kinetic"), loss, 2e-4 * loss);
  EXPECT_EQ(simulation.statistics().lessened, 0);
}

/// Bodies that have come to rest approach by round-off, which is nothing to lessen.
TEST_P(ImpactEnergy, of_what_rests_is_left_alone) {
  Simulation simulation(parse_model(fmt::format(R"(
gravity = [0, 0, -9.81]
[[material]]
name = "ivory"
friction = 0.3
restitution = 0.5
[ground]
shape = {{ kind = "half_space", material = "ivory" }}
[[body]]
name = "die"
density = 1800
shape = {{ kind = "box", size = [0.016, 0.016, 0.016], rounding = 0.002, material = "ivory" }}
position = [0, 0, 0.03]
orientation = {{ axis = [1, 3, 2], angle = 2.1 }}
velocity = [0.2, 0.1, 0]
angular_velocity = [20, 5, -7]
[integrator]
name = "{}"
step = 5e-4
duration = 0.6
)",
                                                GetParam()),
                                    "die.toml"));
  while (simulation.time() < 0.5) simulation.step();
  ASSERT_LT(simulation.value("energy/kinetic"), 1e-20);
  const long before = simulation.statistics().lessened;
  while (!simulation.finished()) simulation.step();
  EXPECT_EQ(simulation.statistics().lessened, before);
}

/// A disc that falls between three others at once, all of which rebound.
TEST_P(ImpactEnergy, never_grows_where_contacts_share_bodies) {
  std::string text = "[[material]]\nname = \"stone\"\nrestitution = 0.9\nfriction = 0.6\n";
  const auto disc = [&](const char* name, double mass, double x, double y, double speed) {
    text += fmt::format(
        "[[body]]\nname = \"{}\"\nkind = \"planar\"\nmass = {}\ninertia = {}\nposition = [{}, {}]\n"
        "velocity = [0.3, {}]\nangular_velocity = 20\nshape = {{ kind = \"disc\", radius = 0.1, "
        "thickness = 1, "
        "material = \"stone\" }}\n",
        name, mass, 0.005 * mass, x, y, speed);
  };
  disc("one", 0.1, -0.101, 0.0, 1.0);
  disc("two", 40.0, 0.101, 0.0, 0.0);
  disc("three", 1.0, 0.0, 0.176, -5.0);
  disc("four", 5.0, 0.0, -0.176, 3.0);
  text += fmt::format("[integrator]\nname = \"{}\"\nstep = 1e-4\nduration = 0.1\n", GetParam());
  Simulation simulation(parse_model(text, "discs.toml"));
  double energy = simulation.value("energy/kinetic");
  while (!simulation.finished()) {
    simulation.step();
    const double now = simulation.value("energy/kinetic");
    EXPECT_LE(now, energy * (1.0 + 1e-9)) << simulation.time();
    energy = now;
  }
}

/// A disc thrown along the wall of a round room leaves it after each impact and then flies
/// straight: forces that the wall gave it, along a normal that has turned since, must not speed it
/// up.
TEST_P(ImpactEnergy, never_grows_after_rebounds_from_a_curved_wall) {
  Simulation simulation(parse_model(fmt::format(R"(
[[material]]
name = "stone"
restitution = 0.5
[ground]
shape = {{ kind = "disc", radius = 3, thickness = 1, hollow = true, material = "stone" }}
[[body]]
name = "puck"
kind = "planar"
mass = 7
shape = {{ kind = "disc", radius = 0.2, thickness = 0.4, material = "stone" }}
position = [0.8, 1.8]
velocity = [800, 180]
[integrator]
name = "{}"
step = 4e-4
duration = 0.016
)",
                                                GetParam()),
                                    "room.toml"));
  double energy = simulation.value("energy/kinetic");
  const double at_start = energy;
  while (!simulation.finished()) {
    simulation.step();
    const double now = simulation.value("energy/kinetic");
    EXPECT_LE(now, energy * (1.0 + 1e-9)) << simulation.time();  // solved to 1e-10
    energy = now;
  }
  EXPECT_LT(energy, 0.5 * at_start);  // it has struck the wall
}

/// A block that stands on two corners, one of which strikes the ground while the other comes off it
/// by as little, under a weight that gives far more speed in a step. Lifting the one out of the
/// ground by u h (1 - e)/2 must not lift the other: m g u h (1 - e)/2 times an eighth, 4e-7 J.
TEST_P(ImpactEnergy, never_grows_where_a_block_comes_to_rest) {
  Simulation simulation(parse_model(fmt::format(R"(
gravity = [0, -9.81]
[[material]]
name = "stone"
restitution = 0.3
[ground]
shape = {{ kind = "half_space", normal = [0, 1], material = "stone" }}
[[body]]
name = "block"
kind = "planar"
mass = 1
shape = {{ kind = "box", size = [0.2, 0.4, 0.1], material = "stone" }}
position = [0, 0.2]
angular_velocity = 1e-3
[integrator]
name = "{}"
step = 0.01
duration = 0.4
)",
                                                GetParam()),
                                    "block.toml"));
  double energy = simulation.value("energy/total");
  while (!simulation.finished()) {
    simulation.step();
    const double now = simulation.value("energy/total");
    // Corners are held to 1e-10 of the length, 0.4 m, under a weight of 9.81 N.
    EXPECT_LE(now, energy + 4e-10) << simulation.time();
    energy = now;
  }
  EXPECT_NEAR(simulation.value("energy/kinetic"), 0.0, 1e-15);
}

/// After an impact that changes the spin of a free body, Euler's equations hold with the new one.
TEST(AfterImpact, accelerations_are_those_of_the_velocities) {
  Simulation simulation(parse_model(R"(
[[material]]
name = "stone"
[ground]
shape = { kind = "half_space", material = "stone" }
[[body]]
name = "plate"
mass = 2
shape = { kind = "box", size = [0.4, 0.2, 0.1], material = "stone" }
position = [0, 0, 0.25]
orientation = { axis = [1, 2, 0.5], angle = 0.6 }
velocity = [0, 0, -3]
angular_velocity = [8, -9, 5]
[integrator]
name = "nsga"
step = 0.02
duration = 0.1
)",
                                    "plate.toml"));
  const Vec3 inertia =
      2.0 / 12.0 * Vec3(0.2 * 0.2 + 0.1 * 0.1, 0.4 * 0.4 + 0.1 * 0.1, 0.4 * 0.4 + 0.2 * 0.2);
  double least_energy = simulation.value("energy/kinetic");
  const double at_start = least_energy;
  while (!simulation.finished()) {
    simulation.step();
    const State& state = simulation.state();
    const Vec3 spin = of_node(state.v, 1).tail<3>();
    const Vec3 torque = -spin.cross(inertia.cwiseProduct(spin));
    const Vec3 found = inertia.cwiseProduct(Vec3(of_node(state.acceleration, 1).tail<3>()));
    EXPECT_NEAR((found - torque).norm(), 0.0, 1e-8 * torque.norm()) << simulation.time();
    least_energy = std::min(least_energy, simulation.value("energy/kinetic"));
  }
  EXPECT_LT(least_energy, 0.5 * at_start);  // it has struck the ground
}

/// The mean velocity does no work on its gyroscopic torque, however far a body turns in a step.
class FreeTumbling : public ::testing::TestWithParam<const char*> {
 protected:
  /// The brick turns by 13 rad/s; its kinetic energy after each of forty steps, over the first.
  static std::vector<double> energies(double step) {
    Simulation simulation(parse_model(fmt::format(R"(
[[body]]
name = "brick"
mass = 2
shape = {{ kind = "box", size = [0.4, 0.2, 0.1] }}
angular_velocity = [8, -9, 5]
[integrator]
name = "{}"
step = {}
duration = {}
)",
                                                  GetParam(), step, 40.0 * step),
                                      "brick.toml"));
    const double at_start = simulation.value("energy/kinetic");
    std::vector<double> all;
    while (!simulation.finished()) {
      simulation.step();
      all.push_back(simulation.value("energy/kinetic") / at_start);
    }
    return all;
  }
};

TEST_P(FreeTumbling, keeps_its_energy_however_far_it_turns_in_a_step) {
  for (const double step : {0.05, 0.15, 1.0, 7.5}) {
    // In each of forty steps momentum J Om is off by up to 1e-10 of its change and of the torques
    // at both ends times the step, which are up to the angle times (J_max/J_min)^(1/2) = 2 times
    // larger; energy by twice that.
    const double tolerance = 40.0 * 1e-10 * 2.0 * (2.0 + 2.0 * 2.0 * 13.0 * step);
    for (const double energy : energies(step)) EXPECT_NEAR(energy, 1.0, tolerance) << step;
  }
}

/// In the steps that turn less the order of the scheme holds: second, so that the energy of half
/// the step is four times as near.
TEST_P(FreeTumbling, keeps_the_order_of_the_scheme_where_it_turns_little) {
  const auto error = [](double step) {
    const std::vector<double> all = energies(step);
    return std::abs(*std::min_element(all.begin(), all.end()) - 1.0);
  };
  const double coarse = error(0.01), fine = error(0.005);
  if (std::string_view(GetParam()) == "moreau") {
    EXPECT_LT(coarse, 1e-8);
  } else {
    EXPECT_NEAR(coarse / fine, 4.0, 0.4);
  }
}

INSTANTIATE_TEST_SUITE_P(Schemes, FreeTumbling, ::testing::Values("nsga", "nsga_coupled", "moreau"),
                         [](const auto& test) { return std::string(test.param); });

/// A slender block that stands on one corner and falls back on the other, more slowly than gravity
/// makes it in a step: what keeps solids apart must not lift it off the corner that it turns about.
TEST(MoreauSolids, that_rock_gain_no_energy_in_any_step) {
  Simulation simulation(parse_model(R"(
gravity = [0, -9.81]
[[material]]
name = "stone"
friction = 0.8
[[body]]
name = "block"
kind = "planar"
mass = 1
shape = { kind = "box", size = [0.05, 0.2, 0.05], material = "stone" }
position = [0, 0.10002494999167]  # the corner is at 0
angle = 1e-3
[ground]
shape = { kind = "half_space", normal = [0, 1], material = "stone" }
[integrator]
name = "moreau"
step = 5e-3
duration = 0.2
)",
                                    "block.toml"));
  double before = simulation.value("energy/total");
  while (!simulation.finished()) {
    simulation.step();
    const double now = simulation.value("energy/total");
    // Velocities are solved to 1e-10 of m g h, at a speed of less than 0.01 m/s, and the energy of
    // 1 J is rounded.
    EXPECT_LT(now - before, 1e-10 * 0.05 * 0.01 + 1e-15);
    before = now;
  }
  EXPECT_LT(std::abs(simulation.value("bodies/block/angle")), 1e-9);  // stands
}

}  // namespace impact_energy_test
}  // namespace clatter
