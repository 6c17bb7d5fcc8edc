#include <cmath>
#include <tuple>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <clatter/io/model_reader.hpp>
#include <clatter/machine/state.hpp>
#include <clatter/simulation/simulation.hpp>

#include "support/random_cases.hpp"
#include "support/run.hpp"

namespace clatter {
namespace funnel_test {

/// A ball in a hollow cone with its tip below, let go on the axis or beside it.
class Funnel : public ::testing::TestWithParam<std::tuple<const char*, double>> {};
INSTANTIATE_TEST_SUITE_P(Solids, Funnel,
                         ::testing::Combine(::testing::Values("nsga", "nsga_coupled", "moreau"),
                                            ::testing::Values(0.0, 1e-3)),
                         [](const auto& test) {
                           return fmt::format("{}_{}", std::get<0>(test.param),
                                              std::get<1>(test.param) > 0.0 ? "beside" : "on_axis");
                         });

/// Where it comes to rest it touches the cone all around, as high over the tip as its radius over
/// the sine of half the angle there.
TEST_P(Funnel, holds_a_ball_at_its_tip) {
  const auto& [scheme, beside] = GetParam();
  constexpr double radius = 0.1, slope = 0.5;
  const std::string text =
      fmt::format(R"(
gravity = [0, 0, -9.81]
[[material]]
name = "tin"
[ground]
shape = {{ kind = "cone", radius = 0.6, length = 1.2, hollow = true, material = "tin", position = [0, 0, 0.9], orientation = {{ axis = [1, 0, 0], angle_deg = 180 }} }}
[[body]]
name = "ball"
mass = 0.3
position = [{}, 0, 0.24]
shape = {{ kind = "sphere", radius = {}, material = "tin" }}
[[watch]]
bodies = ["ground", "ball"]
[integrator]
name = "{}"
step = 1e-3
duration = {}
)",
                  beside, radius, scheme, testing::looks_at_numbers ? 0.5 : 0.05);
  Simulation simulation(parse_model(text, "funnel.toml"));
  testing::run(simulation);
  EXPECT_GT(simulation.statistics().min_gap, -1e-9);
  if (!testing::looks_at_numbers) return;  // still falling
  const double height = radius * std::hypot(1.0, slope) / slope;
  EXPECT_LT((simulation.state().q[1].x - Vec3(0.0, 0.0, height)).norm(), 1e-8);
  EXPECT_LT(simulation.state().v.segment<6>(6).norm(), 1e-8);
  const Vec3 force = testing::vector(simulation, "pairs/ground/ball/force");
  EXPECT_LT((force.cwiseAbs() - Vec3(0.0, 0.0, 0.3 * 9.81)).norm(), 1e-6);
}

}  // namespace funnel_test
}  // namespace clatter
