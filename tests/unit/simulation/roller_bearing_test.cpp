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

// ---- In space

struct InSpace {
  std::string pull = fmt::format("force = [0, {}, 0]", -load);
  std::string shaft, law, integrator;
  std::string clearance = "0";

  Simulation simulation() const {
    return Simulation(parse_model(fmt::format(R"(
[[material]]
name = "steel"
youngs_modulus = 2.06e11
[[body]]
name = "shaft"
mass = 1.25
inertia = [1e-4, 1e-4, 8e-5]
{}
[[load]]
body = "shaft"
{}
[[bearing]]
name = "b"
kind = "roller"
inner = "shaft"
outer = "ground"
axis = [0, 0, 1]
angle_deg = -90
count = {}
radius = {}
pitch_radius = {}
clearance = {}
length = {}
density = 7800
{}
[integrator]
{})",
                                              shaft, pull, rollers, radius, inner + radius,
                                              clearance, length, law, integrator),
                                  "b.toml"));
  }
};

double sum(const Simulation& simulation, const char* race) {
  double all = 0.0;
  for (int i = 0; i < rollers; ++i) {
    all += value(simulation, fmt::format("bearings/b/{}_force", race), i) *
           std::cos(2.0 * pi * i / rollers);
  }
  return all;
}

const std::string cage = "cage = { stiffness = 1e6, damping = 1 }\n";

TEST(RollerBearingInSpace, hasTheForcesStressesAndDepthsOfThePlane) {
  InSpace o;
  o.law = cage + "compliance = { materials = [\"steel\", \"steel\"] }\nrestitution = 0.05\n";
  // Steps that are long for what vibrates damp it.
  o.integrator = "name = \"generalized_alpha\"\nstep = 1e-4\nduration = 0.1\nrho_inf = 0\n";
  Simulation simulation = o.simulation();
  run(simulation);
  const double depth = 2.0 * std::pow(largest() / line(0.0).law().stiffness, 0.9);
  EXPECT_NEAR(-value(simulation, "bodies/shaft/position", 1) / depth, 1.0, 2e-3);
  // The weights of Lobatto's rule.
  for (const char* race : {"inner", "outer"}) {
    EXPECT_NEAR(value(simulation, fmt::format("bearings/b/{}_force", race)) / largest(), 1.0, 1e-2);
    EXPECT_NEAR(value(simulation, fmt::format("contacts/b.roller1.{}.2/normal_force", race)) /
                    value(simulation, fmt::format("contacts/b.roller1.{}.3/normal_force", race)),
                4.0, 1e-3);
    EXPECT_NEAR(sum(simulation, race) / load, 1.0, 1e-3);
    EXPECT_NEAR(value(simulation, fmt::format("bearings/b/{}_moment", race)), 0.0,
                1e-6 * load * length);
  }
}

TEST(RollerBearingInSpace, sharesTheLoadOfHardRollersByTheirStiffness) {
  InSpace o;
  o.law = cage + "recover = { materials = [\"steel\", \"steel\"], share = true }\n";
  o.integrator = "step = 1e-4\nduration = 1e-3\n";
  Simulation simulation = o.simulation();
  run(simulation);
  // A thousandth may be tangential, at each of the contacts.
  EXPECT_NEAR(value(simulation, "bearings/b/inner_force"), largest(), 5e-3 * load);
  EXPECT_NEAR(value(simulation, "bearings/b/outer_force"), largest(), 5e-3 * load);
  const double middle = value(simulation, "contacts/b.roller1.inner.2/shared_force");
  EXPECT_NEAR(value(simulation, "contacts/b.roller1.inner.2/recovered_pressure") /
                  line(1.0 / inner).pressure(1.5 * middle),
              1.0, 1e-9);
}

TEST(RollerBearingInSpace, rollsWithTheRatioOfItsRadii) {
  InSpace o;
  o.shaft = "angular_velocity = [0, 0, 50]\n";
  o.pull = "force = [0, -20, 0]";
  o.clearance = "1e-5";
  o.law = cage + "friction = 0.1\n";
  o.integrator = "step = 1e-4\nduration = 0.05\n";
  Simulation simulation = o.simulation();
  const double expected = 50.0 * 0.5 * (1.0 - (radius + 0.5e-5) / (inner + radius));
  EXPECT_NEAR(value(simulation, "bearings/b/cage_speed"), expected, 1e-9 * expected);
  run(simulation);
  EXPECT_NEAR(value(simulation, "bearings/b/cage_speed"), expected, 0.01 * expected);
  EXPECT_GE(simulation.statistics().min_gap, -1e-9);
  for (int i = 0; i < rollers; ++i) {
    EXPECT_NEAR(value(simulation, "bearings/b/skew", i), 0.0, 1e-6);
    EXPECT_NEAR(value(simulation, "bearings/b/tilt", i), 0.0, 2e-5 / length);  // what play allows
  }
}

/// By Hooke's law, and pressed together so that none lifts off: rows of N lines of the stiffness K
/// along L, two one after the other, hold the shaft against a moment by N K L^2/48 per radian.
TEST(RollerBearingInSpace, resistsAMomentByTheLengthOfItsRollers) {
  const double stiffness = 1e8, moment = 0.04;
  for (const int stations : {3, 5}) {
    InSpace o;
    o.pull = fmt::format("torque = [{}, 0, 0]", moment);
    o.clearance = "-2e-7";
    // A soft cage, which holds rollers against tilting, too.
    o.law = fmt::format(
        "cage = {{ stiffness = 1e4 }}\nstations = {}\nrestitution = 0.05\ncompliance = {{ law = "
        "\"kelvin-voigt\", stiffness = {} }}\n",
        stations, stiffness);
    o.integrator = "name = \"generalized_alpha\"\nstep = 2e-4\nduration = 0.2\nrho_inf = 0\n";
    Simulation simulation = o.simulation();
    run(simulation);
    const double angle = 48.0 * moment / (rollers * stiffness * length * length);
    // Normals of the preload, 1e-7 m deep, turn with the shaft: 24 times that by the radius over
    // the square of the length.
    ASSERT_NEAR(2.0 * value(simulation, "bodies/shaft/orientation", 1) / angle, 1.0, 1e-3);
    for (int i = 0; i < rollers; ++i) {
      const double outwards = std::sin(2.0 * pi * i / rollers - 0.5 * pi);
      EXPECT_NEAR(value(simulation, "bearings/b/tilt", i), -0.5 * angle * outwards, 2e-3 * angle);
      const double of_roller = stiffness * length * length / 24.0 * angle * outwards;
      EXPECT_NEAR(value(simulation, "bearings/b/outer_moment", i), -of_roller,
                  3e-3 * moment / rollers);
    }
  }
}

TEST(RollerBearingInSpace, carriesThrustByRibsOfBothRaces) {
  InSpace o;
  o.pull = "force = [0, 0, 40]";
  o.clearance = "1e-5";
  o.law = cage + "ribs = \"both\"\naxial_play = 2e-5\n";
  o.integrator = "step = 1e-4\nduration = 0.05\n";
  Simulation simulation = o.simulation();
  run(simulation);
  // Up to the rib of the shaft below a roller, and that of the ground above it. How much each
  // roller carries rigid ones leave open.
  EXPECT_NEAR(value(simulation, "bodies/shaft/position", 2), 4e-5, 1e-9);
  for (const char* rib : {"inner.rib1", "outer.rib2"}) {
    double thrust = 0.0;
    for (int i = 1; i <= rollers; ++i) {
      thrust += value(simulation, fmt::format("contacts/b.roller{}.{}/normal_force", i, rib));
    }
    EXPECT_NEAR(thrust, 40.0, 1e-6) << rib;
  }
}

TEST(RollerBearingInSpace, refusesWhatMakesNoSense) {
  const auto refusal = [](const InSpace& o) -> std::string {
    try {
      o.simulation();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  InSpace o;
  o.law = cage;
  o.integrator = "step = 1e-4\nduration = 0.01\n";
  EXPECT_EQ(refusal(o), "");
  o.clearance = "-1e-6";
  EXPECT_NE(refusal(o).find("a preload needs 'compliance'"), std::string::npos) << refusal(o);
  o.clearance = "0";
  o.law = "axial_play = -1e-6\n";
  EXPECT_NE(refusal(o).find("axial_play"), std::string::npos) << refusal(o);
  o.law = "groove_radius = 0.005\n";
  EXPECT_NE(refusal(o).find("groove_radius"), std::string::npos) << refusal(o);
  o.law = "stations = 7\n";
  EXPECT_NE(refusal(o).find("stations"), std::string::npos) << refusal(o);
}

}  // namespace roller_bearing_test
}  // namespace clatter
