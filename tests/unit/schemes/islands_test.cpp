#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <clatter/io/model_reader.hpp>
#include <clatter/simulation/simulation.hpp>

namespace clatter {
namespace islands_test {

/// A double pendulum of some grams beats against a wall; beside it, if wanted, a slider of a
/// thousand tons is stopped by friction.
Model pendulum(const std::string& scheme, bool with_slider) {
  const char* slider = R"(
[[body]]
name = "slider"
kind = "planar"
mass = 1e6
inertia = 1e6
position = [50, 0]
velocity = [30, -4]
[[contact]]
name = "track"
point = { body = "slider", at = [[-1, 0], [1, 0]] }
face = { point = [0, -0.01], normal = [0, 1] }
friction = 0.3
)";
  return parse_model(fmt::format(R"(
gravity = [0, -9.81]
[[body]]
name = "upper"
kind = "planar"
mass = 2e-3
inertia = 1e-5
centre_of_mass = [0.1, 0]
[[body]]
name = "lower"
kind = "planar"
mass = 1e-3
inertia = 1e-5
position = [0.2, 0]
centre_of_mass = [0.1, 0]
[[joint]]
name = "hinge"
kind = "revolute"
a = "ground"
b = "upper"
point = [0, 0]
[[joint]]
name = "knee"
kind = "revolute"
a = "upper"
b = "lower"
point = [0.2, 0]
[[contact]]
name = "wall"
point = {{ body = "lower", at = [0.2, 0] }}
face = {{ point = [-0.05, 0], normal = [1, 0] }}
friction = 0.2
restitution = 0.5
[integrator]
name = "{}"
step = 1e-3
duration = 0.6
{}
)",
                                 scheme, with_slider ? slider : ""),
                     "pendulum.toml");
}

class Islands : public ::testing::TestWithParam<const char*> {};

// Were they judged together, forces of the slider of a hundred million newton would hide those of
// the pendulum, of some hundredths.
TEST_P(Islands, do_not_see_each_other) {
  Simulation alone(pendulum(GetParam(), false)), beside(pendulum(GetParam(), true));
  double impulse = 0.0;
  while (!alone.finished()) {
    alone.step();
    beside.step();
    impulse = std::max(impulse, alone.value("contacts/wall/normal_impulse"));
    // Only round-off of the linear algebra may differ, which the motion amplifies.
    for (const char* what : {"bodies/upper/angle", "bodies/lower/angle"}) {
      ASSERT_NEAR(beside.value(what), alone.value(what), 1e-11) << what << alone.time();
    }
  }
  EXPECT_GT(impulse, 0.0);  // it has met the wall
  EXPECT_LT(beside.value("bodies/slider/velocity/x"), 29.0);
}

INSTANTIATE_TEST_SUITE_P(Schemes, Islands, ::testing::Values("nsga", "nsga_coupled", "moreau"));

}  // namespace islands_test
}  // namespace clatter
