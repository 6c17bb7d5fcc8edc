#include <cmath>
#include <numbers>
#include <string>

#include <gtest/gtest.h>

#include <clatter/io/model_reader.hpp>
#include <clatter/simulation/crowd_measures.hpp>
#include <clatter/simulation/simulation.hpp>

namespace clatter {
namespace crowd_measures_test {

/// Four discs in a row that start pressed by a tenth of their radius.
std::string row(const std::string& integrator) {
  return R"(
[[body]]
name = "disc"
kind = "planar"
mass = 2
shape = { kind = "disc", radius = 1, thickness = 3 }
repeat = { count = [4, 1], spacing = [1.9, 0] }
[[body]]
name = "alone.0"
mass = 1
inertia = [1, 1, 1]
position = [0, 0, 50]
[[contact]]
name = "discs"
sphere = { body = "disc" }
other = { body = "disc" }
compliance = { law = "hooke", stiffness = 100 }
[integrator]
step = 1e-7
duration = 1e-7
name = )" +
         integrator;
}

TEST(CrowdMeasures, of_a_pressed_row_are_those_on_paper) {
  for (const char* integrator : {"\"newmark\"", "\"verlet\""}) {
    Simulation simulation(parse_model(row(integrator), "row"));
    simulation.step();
    const auto value = [&](const std::string& name) {
      return simulation.value("crowds/disc/" + name);
    };
    // Forces of 100 N/m times 0.1 m; in one step of 1e-7 s nothing moves by 1e-12 m.
    EXPECT_NEAR(value("mean_force"), 10.0, 1e-9);
    EXPECT_EQ(value("coordination"), 6.0 / 4.0);
    EXPECT_EQ(value("bearing_coordination"), 4.0 / 2.0);
    EXPECT_NEAR(value("fabric/xx"), 1.0, 1e-14);
    EXPECT_NEAR(value("fabric/yy"), 0.0, 1e-14);
    const double box = (3 * 1.9 + 2.0) * 2.0;
    EXPECT_NEAR(value("solid_fraction"), 4.0 * std::numbers::pi / box, 1e-11);
    // Three forces over 1.9 m each, pressure positive.
    EXPECT_NEAR(value("stress/xx"), 3.0 * 10.0 * 1.9 / box, 1e-9);
    EXPECT_NEAR(value("stress/xy"), 0.0, 1e-12);
    EXPECT_NEAR(value("centre/x"), 1.5 * 1.9, 1e-11);
    EXPECT_NEAR(value("spread/x"), 1.9 * std::sqrt(1.25), 1e-11);
    EXPECT_NEAR(value("low/x"), -1.0, 1e-11);
    EXPECT_NEAR(value("high/y"), 1.0, 1e-11);
  }
}

TEST(CrowdMeasures, are_of_copies_and_not_of_one_alone) {
  const std::vector<Crowd> crowds = crowds_of(parse_model(row("\"newmark\""), "row"));
  ASSERT_EQ(crowds.size(), 1U);
  EXPECT_EQ(crowds[0].name, "disc");
  EXPECT_EQ(crowds[0].nodes.size(), 4U);
}

}  // namespace crowd_measures_test
}  // namespace clatter
