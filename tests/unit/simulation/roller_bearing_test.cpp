// Rollers touch races along a line: stiffness and stresses from their materials.

#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <clatter/contact/law/hertz.hpp>
#include <clatter/io/model_reader.hpp>

#include "support/run.hpp"

namespace clatter {
namespace roller_bearing_test {

using namespace testing;
constexpr double pi = std::numbers::pi;
constexpr int rollers = 8;
constexpr double load = 500.0, radius = 0.004, inner = 0.0127, length = 0.01;

std::string bearing(const std::string& law, const std::string& integrator) {
  return fmt::format(R"(
[[material]]
name = "steel"
youngs_modulus = 2.06e11
[[body]]
name = "shaft"
kind = "planar"
mass = 1.25
inertia = 8e-5
[[load]]
body = "shaft"
force = [0, {}]
[[bearing]]
name = "b"
kind = "roller"
inner = "shaft"
outer = "ground"
count = {}
radius = {}
inner_radius = {}
outer_radius = {}
angle_deg = -90
length = {}
density = 7800
cage = {{ stiffness = 1e6, damping = 1 }}
friction = 0.1
{}
[integrator]
{})",
                     -load, rollers, radius, inner, inner + 2.0 * radius, length, law, integrator);
}

const Elasticity steel{2.06e11, 0.3};
LineContact line(double race_curvature) {
  return {2.0 * steel.softness(), 1.0 / radius + race_curvature, length};
}
/// Of the roller under the load, without clearance: forces go as the cosine to the power 10/9.
double largest() {
  double sum = 0.0;
  for (int i = 0; i < rollers; ++i) {
    const double cosine = std::cos(2.0 * pi * i / rollers);
    if (cosine > 1e-9) sum += std::pow(cosine, 1.0 + 10.0 / 9.0);
  }
  return load / sum;
}

TEST(RollerBearing, shares_the_load_with_the_exponent_of_lines_and_has_their_stresses) {
  Simulation simulation(
      parse_model(bearing("recover = { materials = [\"steel\", \"steel\"], share = true }\n",
                          "step = 1e-4\nduration = 0.02\n"),
                  "b.toml"));
  run(simulation);
  const auto told = [&](const char* race, const char* what) {
    return value(simulation, fmt::format("contacts/b.roller1.{}/{}", race, what));
  };
  // A thousandth may be tangential, at each of the contacts.
  const double force = told("inner", "shared_force");
  EXPECT_NEAR(force, largest(), 5e-3 * load);
  EXPECT_NEAR(told("inner", "recovered_pressure") / line(1.0 / inner).pressure(force), 1.0, 1e-9);
  EXPECT_NEAR(told("inner", "recovered_minor_axis") / line(1.0 / inner).half_width(force), 1.0,
              1e-9);
  const double outside = told("outer", "shared_force"), race = -1.0 / (inner + 2.0 * radius);
  EXPECT_NEAR(told("outer", "recovered_pressure") / line(race).pressure(outside), 1.0, 1e-9);
  EXPECT_NEAR(told("outer", "recovered_shear") / line(race).pressure(outside), 0.3003, 5e-5);
}

TEST(RollerBearing, gives_way_as_palmgren_measured) {
  // Damped to rest; the weight of rollers, 4 mN each, and the cage are nothing beside the load.
  Simulation simulation(parse_model(
      bearing("compliance = { materials = [\"steel\", \"steel\"] }\nrestitution = 0.05\n",
              "name = \"generalized_alpha\"\nstep = 1e-5\nduration = 0.05\nrho_inf = 0\n"),
      "b.toml"));
  run(simulation);
  // Two contacts one after the other.
  const double depth = 2.0 * std::pow(largest() / line(0.0).law().stiffness, 0.9);
  EXPECT_NEAR(-value(simulation, "bodies/shaft/position", 1) / depth, 1.0, 1e-2);
}

}  // namespace roller_bearing_test
}  // namespace clatter
