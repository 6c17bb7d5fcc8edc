#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <clatter/io/model_reader.hpp>
#include <clatter/simulation/simulation.hpp>

namespace clatter {
namespace slid_off_test {

class SlidOff : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Of, SlidOff, ::testing::Values("nsga", "moreau", "nsga_coupled"),
                         [](const auto& test) { return std::string(test.param); });

/// Once a body is over the edge of a rough slope nothing is left of what the slope did: under its
/// weight alone it moves on a parabola, which all schemes meet, and keeps its energy to round-off.
TEST_P(SlidOff, keeps_its_energy) {
  Simulation simulation(parse_model(fmt::format(R"(
gravity = [0, -9.81]
[[body]]
name = "stone"
kind = "planar"
mass = 2
inertia = 0.1
velocity = [0.8, -0.6]
[[contact]]
name = "slope"
point = {{ body = "stone" }}
face = {{ normal = [0.6, 0.8], outline = [[-0.8, 0.6], [0.08, -0.06]] }}
friction = 0.5
[integrator]
name = "{}"
step = 0.01
duration = 0.3
)",
                                                GetParam()),
                                    "slope.toml"));
  int flights = 0;
  while (!simulation.finished()) {
    const double before = simulation.value("energy/total");
    simulation.step();
    if (simulation.value("contacts/slope/status") != 0.0) continue;
    const double now = simulation.value("energy/total");
    EXPECT_NEAR(now, before, 1e-13 * simulation.value("energy/kinetic")) << simulation.time();
    ++flights;
  }
  EXPECT_GT(flights, 10);
}

}  // namespace slid_off_test
}  // namespace clatter
