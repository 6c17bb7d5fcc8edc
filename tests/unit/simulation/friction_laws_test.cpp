#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <clatter/io/model_reader.hpp>
#include <clatter/simulation/simulation.hpp>

// Friction that depends on the speed or on the direction, under each scheme with hard contacts.

namespace clatter {
namespace friction_laws_test {

class FrictionLaws : public ::testing::TestWithParam<const char*> {
 protected:
  static Simulation simulation_of(const std::string& text, double step, double duration) {
    return Simulation(
        parse_model(fmt::format("{}\n[integrator]\nname = \"{}\"\nstep = {}\nduration = {}\n", text,
                                GetParam(), step, duration),
                    "friction.toml"));
  }
  static void run(Simulation& simulation) {
    while (!simulation.finished()) simulation.step();
  }
};

/// A block of 1 kg on a spring of 100 N/m, on a belt that runs with `speed`.
std::string block_on_belt(double speed, const std::string& law) {
  return fmt::format(R"(
gravity = [0, 0, -10]
[[body]]
name = "belt"
mass = 1
inertia = [1, 1, 1]
velocity = [{0}, 0, 0]
[[joint]]
kind = "prismatic"
a = "ground"
b = "belt"
point = [0, 0, 0]
axis = [1, 0, 0]
motor = "{0}*t"
[[body]]
name = "block"
kind = "point"
mass = 1
velocity = [{0}, 0, 0]
[[spring]]
a = {{ body = "ground", point = [-10, 0, 0] }}
b = {{ body = "block" }}
rest_length = 10
stiffness = 100
[[contact]]
name = "feet"
point = {{ body = "block" }}
face = {{ body = "belt", normal = [0, 0, 1] }}
{1}
)",
                     speed, law);
}

/// A block on a slope of angle `slope`, at rest, or with the velocity given.
std::string block_on_slope(double slope, const std::string& velocity, const std::string& face,
                           const std::string& law) {
  return fmt::format(R"(
gravity = [{}, 0, {}]
[[body]]
name = "block"
kind = "point"
mass = 2
velocity = {}
[[contact]]
name = "feet"
point = {{ body = "block" }}
face = {{ normal = [0, 0, 1]{} }}
{}
)",
                     10.0 * std::sin(slope), -10.0 * std::cos(slope), velocity, face, law);
}

/// It holds up to the static coefficient, to the last digit, and slides with the other one.
TEST_P(FrictionLaws, what_rests_holds_up_to_its_own_coefficient) {
  const std::string law = "friction = 0.3\nstatic_friction = 0.5";
  Simulation holds =
      simulation_of(block_on_slope(std::atan(0.499), "[0, 0, 0]", "", law), 1e-2, 0.5);
  run(holds);
  EXPECT_NEAR(holds.values("bodies/block/position")[0], 0.0, 1e-15);
  const double slope = std::atan(0.501);
  Simulation slides = simulation_of(block_on_slope(slope, "[0, 0, 0]", "", law), 1e-2, 0.5);
  run(slides);
  const double a = 10.0 * (std::sin(slope) - 0.3 * std::cos(slope));
  EXPECT_NEAR(slides.values("bodies/block/velocity")[0], 0.5 * a, 1e-9);
  // What slides comes to rest, and holds then.
  const double gentle = std::atan(0.25);
  Simulation stops = simulation_of(block_on_slope(gentle, "[1, 0, 0]", "", law), 1e-3, 3.0);
  run(stops);
  const double brakes = 10.0 * (0.3 * std::cos(gentle) - std::sin(gentle));
  EXPECT_EQ(stops.value("contacts/feet/status"), 1.0);
  // First order in the step: it stops within one.
  EXPECT_NEAR(stops.values("bodies/block/position")[0], 0.5 / brakes, 1e-3);
}

/// Stick and slip in closed form: it sticks until the spring pulls with mu_s N, swings about
/// mu_k N/k from there and is caught when it has the speed of the belt again, as far on the other
/// side.
TEST_P(FrictionLaws, stick_and_slip_are_those_of_the_closed_form) {
  const double speed = 0.1, w = 10.0, drop = (0.5 - 0.3) * 10.0 / 100.0;
  const double stick = 2.0 * drop / speed;
  const double slip = 2.0 / w * (std::numbers::pi - std::atan(drop * w / speed));
  const double first = 0.5 * 10.0 / 100.0 / speed;  // from the unstretched spring on
  const double end = first + 3.0 * slip + 2.25 * stick;
  std::array<double, 2> error{};
  for (std::size_t i = 0; i < 2; ++i) {
    Simulation simulation =
        simulation_of(block_on_belt(speed, "friction = 0.3\nstatic_friction = 0.5"),
                      end / (i == 0 ? 2000 : 8000), end);
    run(simulation);
    // Stuck since a quarter of the stick.
    const double x = (0.3 * 10.0 / 100.0 - drop) + 0.25 * stick * speed;
    error[i] = std::abs(simulation.value("bodies/block/position/x") - x);
    EXPECT_NEAR(simulation.value("bodies/block/velocity/x"), speed, 1e-9);
  }
  EXPECT_LT(error[1], 0.1 * end / 8000 * 10);  // seven events, each within a step
}

/// Sliding down a slope with friction that grows with the speed: the end of v' = g (s - c (mu + b
/// v)).
TEST_P(FrictionLaws, viscous_friction_has_a_final_speed) {
  const double slope = 0.6, b = 0.2;
  Simulation simulation = simulation_of(
      block_on_slope(slope, "[0, 0, 0]", "", "friction = 0.3\nviscous_friction = 0.2"), 1e-2, 20.0);
  run(simulation);
  const double s = 10.0 * std::sin(slope), c = 10.0 * std::cos(slope);
  const double last = (s - 0.3 * c) / (c * b), rate = c * b;
  EXPECT_NEAR(simulation.values("bodies/block/velocity")[0], last * (1.0 - std::exp(-rate * 20.0)),
              1e-8);
}

/// A formula, and the Stribeck curve as a formula, are the same.
TEST_P(FrictionLaws, the_curve_of_stribeck_is_its_formula) {
  std::array<double, 2> x{};
  const std::array<std::string, 2> laws{
      "friction = 0.2\nstatic_friction = 0.4\nstribeck_speed = 0.05\nstribeck_exponent = 2\n"
      "viscous_friction = 0.1",
      "friction = \"0.2 + 0.2*exp(-(v/0.05)^2) + 0.1*v\""};
  for (std::size_t i = 0; i < 2; ++i) {
    Simulation simulation = simulation_of(block_on_belt(0.05, laws[i]), 2e-3, 3.0);
    run(simulation);
    x[i] = simulation.value("bodies/block/position/x");
  }
  EXPECT_NEAR(x[0], x[1], 1e-9);
}

/// An ellipse of friction: v_1' = -g mu_1^2 v_1/|mu v|, likewise v_2, so that v_2 falls as the
/// power (mu_2/mu_1)^2 of v_1.
TEST_P(FrictionLaws, an_ellipse_turns_what_slides_to_where_it_is_held_less) {
  std::array<double, 2> error{};
  for (std::size_t i = 0; i < 2; ++i) {
    Simulation simulation =
        simulation_of(block_on_slope(0.0, "[1.2, 1.6, 0]", ", along = [0.6, 0.8, 0]",
                                     "friction = 0.2\nacross_friction = 0.4"),
                      i == 0 ? 4e-3 : 1e-3, 0.4);
    run(simulation);
    const auto along = simulation.values("bodies/block/velocity");
    EXPECT_NEAR(std::hypot(along[0], along[1]), 2.0 - 10.0 * 0.2 * 0.4, 1e-9);
    Simulation oblique = simulation_of(block_on_slope(0.0, "[2, 1, 0]", ", along = [1, 0, 0]",
                                                      "friction = 0.2\nacross_friction = 0.4"),
                                       i == 0 ? 4e-3 : 1e-3, 0.4);
    run(oblique);
    const auto v = oblique.values("bodies/block/velocity");
    error[i] = std::abs(v[1] - std::pow(v[0] / 2.0, 4.0));
  }
  EXPECT_LT(error[1], 2e-3);
  EXPECT_LT(error[1], 0.4 * error[0]);  // first order
}

/// On a slope across grooves it goes in a straight line, a_i = g_i - g_N mu_i^2 n_i/|mu n|, and it
/// holds exactly as far as the ellipse reaches.
TEST_P(FrictionLaws, an_ellipse_holds_as_far_as_it_reaches) {
  const auto run_on = [&](double slope, double angle) {
    Simulation simulation = simulation_of(
        block_on_slope(
            slope, "[0, 0, 0]",
            fmt::format(", along = [{:.17g}, {:.17g}, 0]", std::cos(angle), std::sin(angle)),
            "friction = 0.3\nacross_friction = 0.6"),
        1e-2, 0.3);
    run(simulation);
    const auto v = simulation.values("bodies/block/velocity");
    return std::hypot(v[0], v[1]);
  };
  for (const double angle : {0.3, 1.0, 1.4}) {
    const double c = std::cos(angle) / 0.3, s = std::sin(angle) / 0.6;
    const double reaches = 1.0 / std::hypot(c, s);
    EXPECT_LT(run_on(std::atan(0.999 * reaches), angle), 1e-12);
    EXPECT_GT(run_on(std::atan(1.001 * reaches), angle), 1e-5);
  }
}

/// A ball that rolls with resistance by a formula of the speed it turns with: v' = -5/7 g rho(w)/r.
TEST_P(FrictionLaws, rolling_friction_may_depend_on_the_speed) {
  Simulation simulation = simulation_of(R"(
gravity = [0, 0, -10]
[[body]]
name = "ball"
mass = 1
shape = { kind = "sphere", radius = 0.1 }
position = [0, 0, 0.1]
velocity = [1, 0, 0]
angular_velocity = [0, 10, 0]
[[contact]]
name = "floor"
sphere = { body = "ball" }
face = { normal = [0, 0, 1] }
friction = 0.5
rolling_friction = "1e-3*v"
)",
                                        1e-3, 1.0);
  run(simulation);
  const double decay = 5.0 / 7.0 * 10.0 * 1e-3 / 0.1 / 0.1;
  EXPECT_NEAR(simulation.values("bodies/ball/velocity")[0], std::exp(-decay), 1e-3 * decay);
}

INSTANTIATE_TEST_SUITE_P(Schemes, FrictionLaws, ::testing::Values("nsga", "nsga_coupled", "moreau"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace friction_laws_test
}  // namespace clatter
