#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <clatter/io/model_reader.hpp>
#include <clatter/machine/machine.hpp>
#include <clatter/machine/state.hpp>
#include <clatter/model/immersion.hpp>
#include <clatter/simulation/simulation.hpp>

#include "support/run.hpp"

namespace clatter {
namespace fluid_test {

using testing::value;

constexpr double pi = 3.14159265358979323846;
constexpr double density = 2500.0, fluid = 900.0, viscosity = 0.1, radius = 1e-3, g = 9.81;
constexpr double tau = 2.0 * density * radius * radius / (9.0 * viscosity);
constexpr double v_t = 2.0 * (density - fluid) * g * radius * radius / (9.0 * viscosity);

std::string ball(double step, double duration, const std::string& integrator) {
  return fmt::format(R"(gravity = [0, 0, -9.81]
[fluid]
density = {}
viscosity = {}
[[body]]
name = "ball"
density = {}
shape = {{ kind = "sphere", radius = {} }}
angular_velocity = [2, -1, 3]
[integrator]
name = "{}"
step = {}
duration = {}
)",
                     fluid, viscosity, density, radius, integrator, step, duration);
}

Simulation run_of(const std::string& text) {
  Simulation simulation(parse_model(text, "fluid.toml"));
  testing::run(simulation);
  return simulation;
}

double velocity(const std::string& text) { return -value(run_of(text), "bodies/ball/velocity", 2); }

TEST(Fluid, slows_by_stokes_law_and_lifts_by_what_is_displaced) {
  const Machine machine(parse_model(ball(1.0, 1.0, "nsga"), "fluid.toml"));
  const Immersion& in = machine.immersions().at(1);
  EXPECT_NEAR(in.drag, 6.0 * pi * viscosity * radius, 1e-18);
  EXPECT_NEAR(in.spin_drag, 8.0 * pi * viscosity * std::pow(radius, 3), 1e-22);
  EXPECT_NEAR(in.displaced, fluid * 4.0 / 3.0 * pi * std::pow(radius, 3), 1e-18);
}

class FluidUnderScheme : public ::testing::TestWithParam<const char*> {};

TEST_P(FluidUnderScheme, comes_to_the_speed_of_stokes_law) {
  EXPECT_NEAR(velocity(ball(tau / 10.0, 30.0 * tau, GetParam())), v_t, 1e-9 * v_t);
}

TEST_P(FluidUnderScheme, falls_like_an_exponential_to_its_order) {
  const double exact = v_t * (1.0 - std::exp(-1.0));
  const auto error = [&](double step) {
    return std::abs(velocity(ball(step, tau, GetParam())) - exact) / v_t;
  };
  const double coarse = error(tau / 20.0), fine = error(tau / 40.0);
  const std::string name = GetParam();
  if (name == "verlet") {
    EXPECT_LT(coarse, 1e-13);  // exact of a constant force
    return;
  }
  EXPECT_NEAR(testing::order(coarse, fine), 2.0, 0.1);
}

TEST_P(FluidUnderScheme, ledger_says_where_the_energy_went) {
  const Simulation simulation = run_of(ball(tau / 50.0, 5.0 * tau, GetParam()));
  const double way = value(simulation, "bodies/ball/position", 2);
  const double displaced = fluid * 4.0 / 3.0 * pi * std::pow(radius, 3);
  EXPECT_NEAR(value(simulation, "energy/buoyancy"), -displaced * g * way, 1e-18);
  const double lost = value(simulation, "energy/drag_loss");
  EXPECT_GT(lost, 0.0);
  const std::string name = GetParam();
  // Round-off of what is added up; the others sum powers by the trapezoidal rule, off by h^2/12 of
  // what changes in a time tau.
  const double exact = name == "energy_consistent" ? 1e-12 : 1e-3;
  EXPECT_NEAR(value(simulation, "energy/scheme_loss"), 0.0, exact * lost);
  EXPECT_EQ(value(simulation, "energy/damper_loss"), 0.0);
}

/// The drag is linear, so that its exact derivative solves a step at once.
TEST_P(FluidUnderScheme, solves_a_step_by_one_update) {
  Simulation simulation(parse_model(ball(5.0 * tau, 50.0 * tau, GetParam()), "fluid.toml"));
  testing::run(simulation);
  EXPECT_LE(simulation.statistics().smooth.max, 2);  // the second for what gyroscopic terms leave
  EXPECT_EQ(simulation.statistics().substeps, 0);
}

INSTANTIATE_TEST_SUITE_P(Schemes, FluidUnderScheme,
                         ::testing::Values("nsga", "nsga_coupled", "moreau", "generalized_alpha",
                                           "newmark", "energy_consistent", "verlet"));

/// v_n = v_t (1 - ((1 - a/2)/(1 + a/2))^n), dossier 2.19.
TEST(Fluid, midpoint_rule_has_its_recurrence) {
  const double a = 0.3;
  EXPECT_NEAR(velocity(ball(a * tau, 7.0 * a * tau, "energy_consistent")),
              v_t * (1.0 - std::pow((1.0 - a / 2.0) / (1.0 + a / 2.0), 7)), 1e-12 * v_t);
}

/// Steps far beyond the time in which drag halts a body, which the midpoint rule alone would let
/// swing from side to side, and an explicit one let explode.
TEST(Fluid, stiff_drag_does_not_swing) {
  for (const char* name : {"energy_consistent", "verlet"}) {
    Simulation simulation(parse_model(ball(1e4 * tau, 1e5 * tau, name), "fluid.toml"));
    for (int i = 0; i < 5; ++i) {
      simulation.step();
      EXPECT_NEAR(-value(simulation, "bodies/ball/velocity", 2), v_t, 1e-9 * v_t) << name;
      EXPECT_NEAR(value(simulation, "bodies/ball/angular_velocity", 0), 0.0, 1e-9) << name;
    }
  }
}

TEST(Fluid, radius_is_that_of_the_same_volume_or_area) {
  PlacedShape box, disc;
  box.shape = BoxShape{Vec3(1.0, 2.0, 3.0)};
  EXPECT_NEAR(4.0 / 3.0 * pi * std::pow(stokes_radius({box}, false), 3), 6.0, 1e-14);
  EXPECT_NEAR(pi * std::pow(stokes_radius({box}, true), 2), 2.0, 1e-15);
  disc.shape = DiscShape{0.3, 5.0};
  EXPECT_NEAR(stokes_radius({disc}, true), 0.3, 1e-16);
}

/// Grains that do not touch sink as fast as their sizes say: the curve of sizes comes back.
TEST(Fluid, sizes_of_grains_follow_from_their_speeds) {
  const Simulation simulation = run_of(R"(gravity = [0, -9.81]
[fluid]
density = 900
viscosity = 0.1
[[body]]
name = "grain"
kind = "planar"
density = 2500
shape = { kind = "sphere", radius = 1e-4 }
repeat = { count = [20, 2], spacing = [0.01, 0.1], sizes = { kind = "log_normal", median = 2e-4, deviation = 0.4 } }
[integrator]
name = "energy_consistent"
step = 1e-4
duration = 0.04
)");
  EXPECT_NEAR(value(simulation, "crowds/grain/settling_error"), 0.0, 1e-12);
  EXPECT_EQ(value(simulation, "crowds/grain/settled"), 1.0);
  for (int i = 0; i < 5; ++i) {
    const double own = value(simulation, "crowds/grain/radius", i);
    EXPECT_NEAR(value(simulation, "crowds/grain/settling_radius", i), own, 1e-4 * own);
    if (i == 0) continue;
    EXPECT_GT(own, value(simulation, "crowds/grain/radius", i - 1));
  }
}

}  // namespace fluid_test
}  // namespace clatter
