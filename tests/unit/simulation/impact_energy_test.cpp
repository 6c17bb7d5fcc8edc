#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <clatter/io/model_reader.hpp>
#include <clatter/simulation/simulation.hpp>

namespace clatter {
namespace {

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

}  // namespace
}  // namespace clatter
