#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <clatter/io/model_reader.hpp>
#include <clatter/machine/state.hpp>
#include <clatter/simulation/simulation.hpp>

#include "support/message_of.hpp"
#include "support/run.hpp"

namespace clatter {
namespace energy_consistent_test {

using testing::value;
using testing::vector;

Model model_of(const std::string& text) { return parse_model(text, "grains.toml"); }

/// Two discs that meet aside of their centres; 003 figure 2.7 and the drift of 4.11.
std::string two_discs(double xi, double friction) {
  return fmt::format(R"(
gravity = [0, 0]
[[body]]
name = "a"
kind = "planar"
mass = 1
shape = {{ kind = "disc", radius = 0.05, thickness = 0.1 }}
position = [-0.051, -0.01]
velocity = [2, 0.3]
[[body]]
name = "b"
kind = "planar"
mass = 2
shape = {{ kind = "disc", radius = 0.05, thickness = 0.1 }}
position = [0.051, 0.03]
velocity = [-1.5, -0.4]
angular_velocity = 7
[[contact]]
name = "pair"
sphere = {{ body = "b" }}
other = {{ body = "a" }}
friction = {}
compliance = {{ law = "hooke", stiffness = 1e6, damping_ratio = {} }}
[integrator]
name = "energy_consistent"
step = 2.5e-3
duration = 0.025
largest_depth = 1
)",
                     friction, xi);
}

class TwoDiscs : public ::testing::TestWithParam<std::pair<double, double>> {};

TEST_P(TwoDiscs, keep_momentum_angular_momentum_and_what_friction_leaves_of_energy) {
  const auto [xi, friction] = GetParam();
  Simulation simulation(model_of(two_discs(xi, friction)));
  const Vec3 momentum = vector(simulation, "system/linear_momentum");
  const Vec3 spin = vector(simulation, "system/angular_momentum");
  const double energy = value(simulation, "energy/total");
  double impulse = 0.0, lost = 0.0;
  while (!simulation.finished()) {
    simulation.step();
    impulse = std::max(impulse, value(simulation, "contacts/pair/normal_impulse"));
    // Round-off: 10 steps.
    EXPECT_LE((vector(simulation, "system/linear_momentum") - momentum).norm(), 1e-14);
    EXPECT_LE((vector(simulation, "system/angular_momentum") - spin).norm(), 1e-14);
    lost = value(simulation, "energy/friction_loss");
    EXPECT_NEAR(value(simulation, "energy/total") + lost, energy, 1e-14 * energy);
    EXPECT_NEAR(value(simulation, "energy/impact_loss"), 0.0, 1e-14);
  }
  EXPECT_GT(impulse, 3.0);
  if (friction == 0.02) {
    EXPECT_GT(lost, 1e-3);
  } else {
    EXPECT_NEAR(lost, 0.0, 1e-14);  // none, or it sticks
  }
  EXPECT_EQ(simulation.value("solver/recovered_solves"), 0.0);
}

INSTANTIATE_TEST_SUITE_P(DampingRatiosAndFriction, TwoDiscs,
                         ::testing::Values(std::pair(0.0, 0.0), std::pair(1.0, 0.0),
                                           std::pair(200.0, 0.0), std::pair(1.0, 0.02),
                                           std::pair(200.0, 0.02), std::pair(1.0, 10.0),
                                           std::pair(200.0, 10.0)));

/// Balls of very different masses thrown at each other in space, several at once.
TEST(EnergyConsistent, keeps_momentum_and_energy_of_balls_in_space) {
  std::string text;
  std::string names;
  int n = 0;
  for (const double x : {-1.0, 0.0, 1.0}) {
    for (const double y : {-1.0, 0.0, 1.0}) {
      const double z = 0.3 * x * y - 0.2 * x;
      const double mass = std::pow(10.0, (n * 7) % 5 - 2);
      text +=
          fmt::format(R"(
[[body]]
name = "ball{}"
mass = {}
shape = {{ kind = "sphere", radius = 0.2 }}
position = [{}, {}, {}]
velocity = [{}, {}, {}]
angular_velocity = [{}, {}, 3]
)",
                      n, mass, x, y, z, -2.0 * x + 0.1 * y, -2.0 * y, -2.0 * z, 5.0 * y, 2.0 * x);
      names += fmt::format("{}\"ball{}\"", n == 0 ? "" : ", ", n);
      ++n;
    }
  }
  for (const double friction : {0.0, 0.4}) {
    Simulation simulation(model_of(fmt::format(R"(
gravity = [0, 0, 0]
{}
[[contact]]
name = "pair"
sphere = {{ bodies = [{}] }}
other = {{ bodies = [{}] }}
friction = {}
compliance = {{ law = "hooke", stiffness = 1e8, damping_ratio = 5 }}
[integrator]
name = "energy_consistent"
step = 2e-3
duration = 0.8
largest_depth = 1
)",
                                               text, names, names, friction)));
    const Vec3 momentum = vector(simulation, "system/linear_momentum");
    const Vec3 spin = vector(simulation, "system/angular_momentum");
    const double energy = value(simulation, "energy/total");
    int closed = 0;
    while (!simulation.finished()) {
      simulation.step();
      for (const ContactState& contact : simulation.state().contacts) {
        closed += contact.status == ContactStatus::open ? 0 : 1;
      }
    }
    EXPECT_GT(closed, 12);
    // 400 steps of round-off.
    EXPECT_LE((vector(simulation, "system/linear_momentum") - momentum).norm(), 1e-11);
    EXPECT_LE((vector(simulation, "system/angular_momentum") - spin).norm(), 1e-11);
    const double lost = value(simulation, "energy/friction_loss");
    EXPECT_NEAR((value(simulation, "energy/total") + lost) / energy, 1.0, 1e-12);
    if (friction == 0.0) {
      EXPECT_EQ(lost, 0.0);
    } else {
      EXPECT_GT(lost, 1e-3 * energy);
    }
  }
}

/// A disc between two walls at 60 degrees, which touch it both at once or one after the other.
TEST(EnergyConsistent, keeps_the_energy_of_a_disc_in_a_wedge) {
  for (const double x : {0.0, 0.013}) {
    for (const double xi : {0.0, 1.0, 200.0}) {
      Simulation simulation(model_of(fmt::format(R"(
gravity = [0, -9.81]
[[body]]
name = "disc"
kind = "planar"
mass = 1
shape = {{ kind = "disc", radius = 0.1, thickness = 0.1 }}
position = [{}, 1]
[[contact]]
name = "left"
sphere = {{ body = "disc" }}
face = {{ normal = [0.8660254037844386, 0.5] }}
compliance = {{ law = "hooke", stiffness = 1e6, damping_ratio = {} }}
[[contact]]
name = "right"
sphere = {{ body = "disc" }}
face = {{ normal = [-0.8660254037844386, 0.5] }}
compliance = {{ law = "hooke", stiffness = 1e6, damping_ratio = {} }}
[integrator]
name = "energy_consistent"
step = 2.5e-3
duration = 5
largest_depth = 1
)",
                                                 x, xi, xi)));
      const double energy = value(simulation, "energy/total");
      double worst = 0.0;
      while (!simulation.finished()) {
        simulation.step();
        worst = std::max(worst, std::abs(value(simulation, "energy/total") / energy - 1.0));
      }
      EXPECT_LE(worst, 1e-12) << "x = " << x << ", xi = " << xi;
      EXPECT_NEAR(value(simulation, "energy/scheme_loss"), 0.0, 1e-12 * energy);
    }
  }
}

/// Fifteen discs in a box, pressed together by gravity: piles, that never rest without friction.
TEST(EnergyConsistent, keeps_the_energy_of_a_pile) {
  Simulation simulation(model_of(R"(
gravity = [0, -9.81]
[[body]]
name = "disc"
kind = "planar"
mass = 1
shape = { kind = "disc", radius = 0.05, thickness = 0.1 }
position = [0.06, 0.06]
velocity = [0.1, -1]
repeat = { count = [4, 4], spacing = [0.105, 0.102], jitter = 0.001 }
[[contact]]
name = "floor"
sphere = { body = "disc" }
face = { normal = [0, 1] }
compliance = { law = "hooke", stiffness = 1e6 }
[[contact]]
name = "left"
sphere = { body = "disc" }
face = { normal = [1, 0] }
compliance = { law = "hooke", stiffness = 1e6 }
[[contact]]
name = "right"
sphere = { body = "disc" }
face = { point = [0.5, 0], normal = [-1, 0] }
compliance = { law = "hooke", stiffness = 1e6 }
[[contact]]
name = "among"
sphere = { body = "disc" }
other = { body = "disc" }
compliance = { law = "hooke", stiffness = 1e6 }
[integrator]
name = "energy_consistent"
step = 1e-3
duration = 0.3
)"));
  const double energy = value(simulation, "energy/total");
  double worst = 0.0;
  while (!simulation.finished()) {
    simulation.step();
    worst = std::max(worst, std::abs(value(simulation, "energy/total") / energy - 1.0));
  }
  EXPECT_LE(worst, 1e-11);
}

TEST(EnergyConsistent, lets_a_disc_rest_and_roll_where_it_is) {
  Simulation simulation(model_of(R"(
gravity = [0, -9.81]
[[body]]
name = "disc"
kind = "planar"
mass = 2
shape = { kind = "disc", radius = 0.1, thickness = 0.1 }
position = [0, 0.1]
velocity = [1, 0]
angular_velocity = -10
[[contact]]
name = "floor"
sphere = { body = "disc" }
face = { normal = [0, 1] }
friction = 0.3
compliance = { law = "hooke", stiffness = 1e6 }
[integrator]
name = "energy_consistent"
step = 1e-2
duration = 1
)"));
  while (!simulation.finished()) simulation.step();
  EXPECT_NEAR(value(simulation, "bodies/disc/position"), 1.0, 1e-14);
  EXPECT_NEAR(value(simulation, "bodies/disc/position", 1), 0.1, 1e-15);
  EXPECT_NEAR(value(simulation, "bodies/disc/angle"), -10.0, 1e-13);
  EXPECT_NEAR(value(simulation, "contacts/floor/normal_force"), 2.0 * 9.81, 1e-12);
  EXPECT_EQ(value(simulation, "contacts/floor/status"), 1.0);
}

/// Forces that do not go through the centre: the corners of a box that slides and tumbles.
TEST(EnergyConsistent, takes_from_a_box_on_its_corners_what_friction_takes) {
  for (const double friction : {0.0, 0.4}) {
    Simulation simulation(model_of(fmt::format(R"(
gravity = [0, -9.81]
[[body]]
name = "box"
kind = "planar"
mass = 1
inertia = 0.02
position = [0, 0.5]
angle = 0.4
velocity = [1, 0]
angular_velocity = 3
[[contact]]
name = "floor"
point = {{ body = "box", at = [[0.2, 0.1], [-0.2, 0.1], [-0.2, -0.1], [0.2, -0.1]] }}
face = {{ normal = [0, 1] }}
friction = {}
compliance = {{ law = "hooke", stiffness = 1e6 }}
[integrator]
name = "energy_consistent"
step = 1e-3
duration = 1
)",
                                               friction)));
    const double energy = value(simulation, "energy/total");
    double worst = 0.0, least_loss = 0.0, before = 0.0;
    while (!simulation.finished()) {
      simulation.step();
      const double lost = value(simulation, "energy/friction_loss");
      worst = std::max(worst, std::abs(value(simulation, "energy/total") + lost - energy));
      least_loss = std::min(least_loss, lost - before);
      before = lost;
    }
    EXPECT_LE(worst, 1e-12 * energy);
    EXPECT_GE(least_loss, -1e-14);
    EXPECT_EQ(before > 0.1, friction > 0.0);
  }
}

TEST(EnergyConsistent, refuses_what_it_does_not_do) {
  const std::string rest = R"(
[[contact]]
name = "floor"
sphere = { body = "disc" }
face = { normal = [0, 1] }
compliance = { law = "LAW", stiffness = 1e6 }
[integrator]
name = "energy_consistent"
step = 1e-2
duration = 1
)";
  const std::string body = R"(
gravity = [0, -9.81]
[[body]]
name = "disc"
kind = "planar"
mass = 2
shape = { kind = "disc", radius = 0.1, thickness = 0.1 }
position = [0, 0.1]
)";
  const auto message = [&](const std::string& more, const std::string& law) {
    std::string text = body + more + rest;
    text.replace(text.find("LAW"), 3, law);
    return testing::message_of([&] { model_of(text); });
  };
  EXPECT_EQ(message("", "hooke"), "");
  EXPECT_NE(message("", "hertz").find("takes the law \"hooke\" alone, not \"hertz\""),
            std::string::npos);
  EXPECT_NE(message(R"(
[[spring]]
name = "s"
kind = "axial"
a = { at = [0, 1] }
b = { body = "disc" }
stiffness = 3
)",
                    "hooke")
                .find("is for bodies that nothing but contacts ties"),
            std::string::npos);
  const std::string long_body = R"(
gravity = [0, 0, -9.81]
[[body]]
name = "stick"
mass = 2
shape = { kind = "box", size = [1, 0.1, 0.1] }
[[contact]]
name = "floor"
point = { body = "stick" }
face = { normal = [0, 0, 1], point = [0, 0, -1] }
compliance = { law = "hooke", stiffness = 1e6 }
[integrator]
name = "energy_consistent"
step = 1e-2
duration = 1
)";
  EXPECT_NE(testing::message_of([&] {
              Simulation{model_of(long_body)};
            }).find("takes bodies in space that are alike about all axes, such as spheres"),
            std::string::npos);
}

/// A wall that a motor drives at 0.5 m/s strikes a disc at rest, which goes on twice as fast: the
/// motor does all of that work, and as much when it turns a paddle against it.
TEST(EnergyConsistent, driven_walls_do_the_work_of_what_they_push) {
  const std::string text = R"(
gravity = [0, 0]
[[material]]
name = "steel"
friction = 0.4
compliance = { law = "hooke", stiffness = 1e6, damping_ratio = 200 }
[[body]]
name = "wall"
kind = "planar"
mass = 7
shape = { kind = "box", size = [0.1, 0.4, 1], material = "steel" }
position = [0, 0.2]
velocity = [0.5, 0]
[[body]]
name = "disc"
kind = "planar"
mass = 2
shape = { kind = "disc", radius = 0.1, thickness = 0.1, material = "steel" }
position = [0.2, 0.2]
[integrator]
name = "energy_consistent"
step = 1e-3
duration = 0.3
[[joint]]
name = "drive"
)";
  Simulation pushed(model_of(text + R"(kind = "prismatic"
a = "ground"
b = "wall"
axis = [1, 0]
point = [0, 0]
motor = "= 0.5*t"
)"));
  testing::run(pushed);
  EXPECT_NEAR(value(pushed, "bodies/disc/velocity", 0), 1.0, 1e-12);
  EXPECT_NEAR(value(pushed, "bodies/wall/position", 0), 0.15, 1e-14);
  EXPECT_NEAR(value(pushed, "energy/motor_work"), 1.0, 1e-11);  // rates of formulas are differences
  EXPECT_NEAR(value(pushed, "energy/scheme_loss"), 0.0, 1e-14);
  EXPECT_LT(pushed.statistics().max_joint_error, 1e-13);
  EXPECT_LT(pushed.statistics().max_joint_velocity_error, 1e-13);

  std::string swung = text + R"--(kind = "revolute"
a = "ground"
b = "wall"
point = [0, 0]
motor = "= -2*sin(3*t)"
)--";
  swung.replace(swung.find("velocity = [0.5, 0]"), 19,
                "velocity = [1.2, 0]\nangular_velocity = -6");
  Simulation paddle(model_of(swung));
  testing::run(paddle);
  EXPECT_GT(value(paddle, "energy/kinetic"), 1.0);
  EXPECT_NEAR(value(paddle, "energy/scheme_loss"), 0.0, 1e-13);
  EXPECT_NEAR(value(paddle, "energy/impact_loss"), 0.0, 1e-13);
}

/// A load in the direction of a disc that a floor holds back: its work is what friction and motion
/// have, to round-off.
TEST(EnergyConsistent, counts_the_work_of_loads_to_round_off) {
  Simulation simulation(model_of(R"--(
gravity = [0, -9.81]
[[body]]
name = "disc"
kind = "planar"
mass = 2
shape = { kind = "disc", radius = 0.1, thickness = 0.1 }
position = [0, 0.09999019]
[[load]]
body = "disc"
point = [0, 0.05]
force = ["20*cos(7*t)", -3]
axes = "body"
[[contact]]
name = "floor"
sphere = { body = "disc" }
face = { normal = [0, 1] }
friction = 0.1
compliance = { law = "hooke", stiffness = 1e6, damping_ratio = 50 }
[integrator]
name = "energy_consistent"
step = 1e-3
duration = 0.5
)--"));
  testing::run(simulation);
  EXPECT_GT(std::abs(value(simulation, "energy/load_work")), 1.0);
  EXPECT_GT(value(simulation, "energy/friction_loss"), 0.1);
  // Impulses settle to 1e-14 of some 5 J, in each of 500 steps.
  EXPECT_NEAR(value(simulation, "energy/scheme_loss"), 0.0, 2.5e-11);
}

/// An ellipse in a box with rough walls, as solids that find each other: its contacts push beside
/// its centre, and at times two at once.
TEST(EnergyConsistent, takes_from_an_ellipse_in_a_box_what_friction_takes) {
  for (const double friction : {0.0, 0.3}) {
    Simulation simulation(model_of(fmt::format(R"(
gravity = [0, 0]
[[material]]
name = "wood"
friction = {}
compliance = {{ law = "hooke", stiffness = 1e6, damping_ratio = 200 }}
[ground]
shape = {{ kind = "box", hollow = true, size = [1, 1, 1], material = "wood" }}
[[body]]
name = "grain"
kind = "planar"
density = 2500
shape = {{ kind = "ellipse", semi_axes = [0.075, 0.03], material = "wood" }}
position = [-0.05, -0.4]
angle_deg = 50
velocity = [1, -0.4]
[integrator]
name = "energy_consistent"
step = 2.5e-3
duration = 4
)",
                                               friction)));
    const double energy = value(simulation, "energy/total");
    double worst = 0.0, least_loss = 0.0, before = 0.0;
    while (!simulation.finished()) {
      simulation.step();
      const double lost = value(simulation, "energy/friction_loss");
      worst = std::max(worst, std::abs(value(simulation, "energy/total") + lost - energy));
      least_loss = std::min(least_loss, lost - before);
      before = lost;
    }
    EXPECT_LE(worst, 1e-12 * energy);
    EXPECT_GE(least_loss, -1e-14 * energy);
    EXPECT_EQ(before > 0.1 * energy, friction > 0.0);
    EXPECT_LT(std::abs(value(simulation, "bodies/grain/position")), 0.48);
  }
}

TEST(EnergyConsistent, refuses_steps_that_press_too_deep) {
  const auto run = [](double largest_depth) {
    Simulation simulation(model_of(fmt::format(R"(
gravity = [0, 0]
[[body]]
name = "disc"
kind = "planar"
mass = 1
shape = {{ kind = "disc", radius = 0.01, thickness = 0.1 }}
position = [0, 0.0101]
velocity = [0, -4]
[[contact]]
name = "floor"
sphere = {{ body = "disc" }}
face = {{ normal = [0, 1] }}
compliance = {{ law = "hooke", stiffness = 1e6, damping_ratio = 1 }}
[integrator]
name = "energy_consistent"
step = 2.5e-3
duration = 0.01
largest_depth = {}
)",
                                               largest_depth)));
    double deepest = 0.0;
    while (!simulation.finished()) {
      simulation.step();
      deepest = std::min(deepest, value(simulation, "contacts/floor/gap"));
    }
    EXPECT_NEAR(value(simulation, "energy/total"), 8.0, 1e-14);
    EXPECT_LT(deepest, -2e-3);
  };
  EXPECT_EQ(testing::message_of([&] { run(0.5); }), "");
  // Shorter steps do not help a spring that is too soft.
  EXPECT_NE(testing::message_of([&] { run(0.1); }).find("deep, more than integrator.largest_depth"),
            std::string::npos);
}

}  // namespace energy_consistent_test
}  // namespace clatter
