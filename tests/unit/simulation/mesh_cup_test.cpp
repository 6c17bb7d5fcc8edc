#include <filesystem>
#include <unistd.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <clatter/io/model_reader.hpp>
#include <clatter/machine/state.hpp>
#include <clatter/simulation/simulation.hpp>

#include "support/meshes.hpp"
#include "support/random_cases.hpp"
#include "support/run.hpp"

namespace clatter {
namespace mesh_cup_test {

constexpr double radius = 0.1, wall = 0.01, height = 0.12, ball_radius = 0.025;
constexpr std::size_t balls = 4;

/// Round outside, with a floor that falls towards the middle: no ball can lie on it alone.
testing::Triangles cup() {
  return testing::turned_about_z({{0.0, 0.0},
                                  {radius, 0.0},
                                  {radius, height},
                                  {radius - wall, height},
                                  {radius - wall, 0.04},
                                  {0.0, wall}},
                                 12);
}

class CupOfAnStlFile : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Solids, CupOfAnStlFile,
                         ::testing::Values("nsga", "nsga_coupled", "moreau"),
                         [](const auto& test) { return std::string(test.param); });

/// Four balls are dropped into it and come to rest on its floor and on each other: what presses on
/// the cup is their weight. Rolling friction brings them to rest.
TEST_P(CupOfAnStlFile, holds_balls_and_bears_their_weight) {
  const std::string file =
      ::testing::TempDir() + fmt::format("cup_{}_{}.stl", ::getpid(), GetParam());
  cup().write_stl(file);
  std::string text = fmt::format(R"(
gravity = [0, 0, -9.81]
[[material]]
name = "clay"
friction = 0.4
rolling_friction = 1e-3
[ground]
shape = {{ kind = "mesh", file = "{}", material = "clay" }}
[[watch]]
bodies = ["ground", "ball*"]
)",
                                 file);
  for (std::size_t k = 0; k < balls; ++k) {
    const double angle = 1.7 * static_cast<double>(k);
    text += fmt::format(R"([[body]]
name = "ball{}"
mass = 0.05
shape = {{ kind = "sphere", radius = {}, material = "clay" }}
position = [{}, {}, {}]
)",
                        k, ball_radius, 0.04 * std::cos(angle), 0.04 * std::sin(angle),
                        0.08 + 0.055 * static_cast<double>(k));
  }
  text += fmt::format("[integrator]\nname = \"{}\"\nstep = 1e-3\nduration = {}\n", GetParam(),
                      testing::looks_at_numbers ? 1.5 : 0.05);
  Simulation simulation(parse_model(text, "cup.toml"));
  std::filesystem::remove(file);
  testing::run(simulation);
  EXPECT_GT(simulation.statistics().min_gap, -1e-9);
  Vec3 force = Vec3::Zero();
  for (std::size_t k = 0; k < balls; ++k) {
    const Vec3& at = simulation.state().q[k + 1].x;
    EXPECT_LT(at.head<2>().norm(), radius - wall - ball_radius);
    EXPECT_GT(at.z(), wall + ball_radius);
    force += testing::vector(simulation, fmt::format("pairs/ground/ball{}/force", k));
    if (!testing::looks_at_numbers) continue;  // still falling
    EXPECT_LT(at.z(), height);
    EXPECT_LT(simulation.state().v.segment<6>(6 * static_cast<Eigen::Index>(k + 1)).norm(), 1e-9);
  }
  if (!testing::looks_at_numbers) return;
  const double weight = balls * 0.05 * 9.81;
  EXPECT_NEAR(force.norm(), weight, 1e-10 * weight);
  EXPECT_LT(force.head<2>().norm(), 1e-10 * weight);
}

}  // namespace mesh_cup_test
}  // namespace clatter
