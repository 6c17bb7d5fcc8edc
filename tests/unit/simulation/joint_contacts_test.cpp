// What joints, couplers and ropes oppose to motion: limits, dry friction, clutches, freewheels.

#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <clatter/io/model_reader.hpp>
#include <clatter/model/error.hpp>

#include "support/message_of.hpp"
#include "support/run.hpp"

namespace clatter {
namespace joint_contacts_test {

using namespace testing;

constexpr double pi = std::numbers::pi;

Simulation simulate(const std::string& model, const std::string& scheme, double step,
                    double duration) {
  return Simulation(parse_model(model + fmt::format("[integrator]\nname = \"{}\"\nstep = {}\n"
                                                    "duration = {}\n",
                                                    scheme, step, duration),
                                "joints.toml"));
}

/// A planar wheel on an axle, or one in space about an axis that is no axis of space.
std::string wheel(const std::string& name, double inertia, double speed, const std::string& more,
                  bool planar = true) {
  if (planar) {
    return fmt::format(
        "[[body]]\nname = \"{0}\"\nkind = \"planar\"\nmass = 1\ninertia = {1}\n"
        "angular_velocity = {2}\n[[joint]]\nname = \"{0}\"\nkind = \"revolute\"\na = \"ground\"\n"
        "b = \"{0}\"\npoint = [0, 0]\n{3}\n",
        name, inertia, speed, more);
  }
  return fmt::format(
      "[[body]]\nname = \"{0}\"\nkind = \"rigid\"\nmass = 1\ninertia = [{1}, {1}, {1}]\n"
      "angular_velocity = [{2}, 0, {3}]\n[[joint]]\nname = \"{0}\"\nkind = \"revolute\"\n"
      "a = \"ground\"\nb = \"{0}\"\npoint = [0, 0, 0]\naxis = [0.6, 0, 0.8]\n{4}\n",
      name, inertia, 0.6 * speed, 0.8 * speed, more);
}

struct Case {
  const char* scheme;
  bool planar;
};
class JointContacts : public ::testing::TestWithParam<Case> {
 protected:
  const char* scheme() const { return GetParam().scheme; }
  bool planar() const { return GetParam().planar; }
  double rate(const Simulation& simulation, const std::string& joint) const {
    return value(simulation, "joints/" + joint + "/velocity");
  }
};

TEST_P(JointContacts, limits_turn_a_free_wheel_back_between_them_also_beyond_a_turn) {
  // 2 rad/s over 7 rad, then 1 rad/s over 7.5 rad back, then 0.5 rad/s.
  Simulation simulation = simulate(
      wheel("axle", 0.05, 2.0, "limits = { lower = -0.5, upper = 7, restitution = 0.5 }", planar()),
      scheme(), 1e-2, 12.0);
  run(simulation);
  EXPECT_NEAR(rate(simulation, "axle"), 0.5, 1e-9);  // nothing but impacts acts
  // Each impact is dated to a step, or two as Moreau sees it.
  EXPECT_NEAR(value(simulation, "joints/axle/coordinate"), -0.5 + 0.5 * (12.0 - 3.5 - 7.5), 0.05);
  EXPECT_NEAR(value(simulation, "energy/impact_loss"), 0.5 * 0.05 * (4.0 - 0.25), 1e-9);
}

TEST_P(JointContacts, a_limit_holds_what_presses_on_it) {
  const std::string torque = planar() ? "[[load]]\nbody = \"axle\"\ntorque = 0.3\n"
                                      : "[[load]]\nbody = \"axle\"\ntorque = [0.18, 0, 0.24]\n";
  Simulation simulation = simulate(
      wheel("axle", 0.05, 0.0, "limits = { upper = 0.1, radius = 0.2 }", planar()) + torque,
      scheme(), 1e-2, 1.0);
  run(simulation);
  EXPECT_NEAR(rate(simulation, "axle"), 0.0, 1e-10);
  EXPECT_NEAR(value(simulation, "contacts/axle.upper/normal_force"), 0.3 / 0.2, 1e-8);
  if (std::string(scheme()) == "moreau") return;  // goes on for half a step
  EXPECT_NEAR(value(simulation, "joints/axle/coordinate"), 0.1, 1e-10);
}

TEST_P(JointContacts, friction_stops_a_wheel_evenly_and_holds_it) {
  // 3 rad/s, J/M = 0.5 s: stops at 1.5 s after 2.25 rad.
  Simulation simulation = simulate(
      wheel("axle", 0.05, 3.0, "friction = { preload = 0.1 }", planar()), scheme(), 1e-2, 2.0);
  while (simulation.time() < 0.995) simulation.step();
  EXPECT_NEAR(rate(simulation, "axle"), 1.0, 1e-9);  // a constant torque is exact
  EXPECT_NEAR(std::abs(value(simulation, "contacts/axle.friction/drilling_torque")), 0.1, 1e-9);
  run(simulation);
  EXPECT_NEAR(rate(simulation, "axle"), 0.0, 1e-12);
  // But for the step in which it stops: M h^2/8 J, and the first one of nsga_coupled.
  EXPECT_NEAR(value(simulation, "joints/axle/coordinate"), 2.25, 3e-4);
  EXPECT_NEAR(value(simulation, "energy/friction_loss"), 0.5 * 0.05 * 9.0, 1e-3);
}

TEST_P(JointContacts, friction_on_a_spring_lets_swings_shrink_evenly_and_sticks) {
  // J phi'' + k phi = -M sign(phi'): each half swing ends 2 M/k nearer to the middle.
  const std::string spring =
      planar()
          ? "[[spring]]\nkind = \"torsional\"\na = { body = \"ground\" }\nb = { body = \"axle\" "
            "}\nstiffness = 2\nrest_angle = 1\n"
          : "[[spring]]\nkind = \"torsional\"\naxis = [0.6, 0, 0.8]\na = { body = \"ground\" "
            "}\nb = { body = \"axle\" }\nstiffness = 2\nrest_angle = 1\n";
  const std::string model =
      wheel("axle", 0.05, 0.0, "friction = { preload = 0.22 }", planar()) + spring;
  const auto end = [&](double step) {
    Simulation simulation = simulate(model, scheme(), step, 3.0);
    run(simulation);
    EXPECT_NEAR(rate(simulation, "axle"), 0.0, 1e-12);
    const double held = value(simulation, "joints/axle/coordinate");
    EXPECT_NEAR(value(simulation, "contacts/axle.friction/drilling_torque"), 2.0 * (held - 1.0),
                1e-6);
    return held;
  };
  // From -1 about the middle at 1: 0.78, -0.56, 0.34, -0.12, within 0.11 no more: no, 0.12 > 0.11.
  // One more swing: -0.12 -> 0.12 - 0.22 = -0.10 on the same side.
  const double rest = 1.0 - 0.10;
  EXPECT_NEAR(end(1e-3), rest, 2e-3);
  EXPECT_NEAR(end(2.5e-4), rest, 2e-4);
}

TEST_P(JointContacts, what_sticks_stays_where_it_is) {
  const std::string torque =
      planar()
          ? "[[load]]\nbody = \"axle\"\ntorque = \"0.0999*sin(t)\"\n"
          : "[[load]]\nbody = \"axle\"\ntorque = [\"0.05994*sin(t)\", 0, \"0.07992*sin(t)\"]\n";
  Simulation simulation =
      simulate(wheel("axle", 0.05, 0.0, "friction = { preload = 0.1 }", planar()) + torque,
               scheme(), 0.02, 6.3);
  run(simulation);
  // Round-off of 315 steps.
  EXPECT_NEAR(value(simulation, "joints/axle/coordinate"), 0.0, 1e-13);
}

TEST_P(JointContacts, a_brake_works_while_its_formula_says_so) {
  Simulation simulation =
      simulate(wheel("axle", 0.05, 3.0, "friction = { preload = \"0.1*(t > 0.5)\" }", planar()),
               scheme(), 1e-2, 1.0);
  run(simulation);
  EXPECT_NEAR(rate(simulation, "axle"), 2.0, 1e-9);
}

TEST_P(JointContacts, a_clutch_brings_two_wheels_to_one_speed) {
  // Impulse until then: 6 rad/s over 1/J_1 + 1/J_2 = 30: 0.2 N m s, 1 s at 0.2 N m.
  Simulation simulation =
      simulate(wheel("one", 0.1, 6.0, "", planar()) + wheel("two", 0.05, 0.0, "", planar()) +
                   "[[coupler]]\nname = \"clutch\"\njoints = [\"one\", \"two\"]\nratios = [1, -1]\n"
                   "capacity = 0.2\n",
               scheme(), 1e-2, 1.5);
  while (simulation.time() < 0.495) simulation.step();
  EXPECT_NEAR(rate(simulation, "one"), 5.0, 1e-9);
  EXPECT_NEAR(rate(simulation, "two"), 2.0, 1e-9);
  run(simulation);
  EXPECT_NEAR(rate(simulation, "one"), 4.0, 1e-9);
  EXPECT_NEAR(rate(simulation, "two"), 4.0, 1e-9);
  EXPECT_NEAR(value(simulation, "energy/friction_loss"), 0.5 * 36.0 / 30.0, 1e-3);
}

TEST_P(JointContacts, a_freewheel_drives_one_way_and_overruns_the_other) {
  // The motor swings with 2 sin(3 t); the wheel is braked by 0.03 N m, 0.6 rad/s^2.
  const double J = 0.05, M = 0.03, A = 2.0, w = 3.0;
  Simulation simulation = simulate(
      wheel("in", 1.0, A * w, "motor = \"2*sin(3*t)\"", planar()) +
          wheel("out", J, A * w, fmt::format("friction = {{ preload = {} }}", M), planar()) +
          "[[coupler]]\nname = \"freewheel\"\njoints = [\"out\", \"in\"]\nratios = [1, -1]\n"
          "one_way = true\n",
      scheme(), 1e-3, 2.0);
  // It comes off where the motor slows down faster than the brake: A w^2 sin(w t) = M/J.
  const double off = std::asin(M / J / (A * w * w)) / w;
  while (simulation.time() < 0.5 * off - 1e-9) simulation.step();
  EXPECT_NEAR(rate(simulation, "out"), A * w * std::cos(w * simulation.time()), 1e-6);
  while (simulation.time() < 1.5) simulation.step();
  EXPECT_NEAR(rate(simulation, "out"), A * w * std::cos(w * off) - M / J * (1.5 - off), 2e-3);
  EXPECT_LT(rate(simulation, "in"), 0.0);
  run(simulation);
  // Caught at last: at 1.964 s the motor is as fast.
  EXPECT_NEAR(rate(simulation, "out"), rate(simulation, "in"), 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Under, JointContacts,
                         ::testing::Values(Case{"nsga", true}, Case{"nsga", false},
                                           Case{"nsga_coupled", true}, Case{"nsga_coupled", false},
                                           Case{"moreau", true}, Case{"moreau", false}),
                         [](const auto& test) {
                           return std::string(test.param.scheme) +
                                  (test.param.planar ? "_planar" : "_in_space");
                         });

class JointReactions : public ::testing::TestWithParam<const char*> {};

TEST_P(JointReactions, press_the_friction_of_a_guide) {
  // A block on an incline of 30 degrees in a guide: a = g (sin - mu cos).
  const double a = 9.81 * (0.5 - 0.2 * std::sqrt(0.75));
  Simulation simulation = simulate(R"(
gravity = [0, -9.81]
[[body]]
name = "block"
kind = "planar"
mass = 2
inertia = 0.1
[[joint]]
name = "guide"
kind = "prismatic"
a = "ground"
b = "block"
point = [0, 0]
axis = [0.8660254037844387, -0.5]
friction = { coefficient = 0.2 }
)",
                                   GetParam(), 1e-2, 1.0);
  run(simulation);
  EXPECT_NEAR(value(simulation, "joints/guide/velocity"), a, 1e-8);
  EXPECT_NEAR(value(simulation, "joints/guide/coordinate"), 0.5 * a, 1e-8);
  EXPECT_NEAR(value(simulation, "contacts/guide.friction/normal_force"),
              0.2 * 2.0 * 9.81 * std::sqrt(0.75), 1e-6);  // with which it can resist
}

TEST_P(JointReactions, press_the_friction_of_a_guide_that_a_torque_tilts) {
  // 3 N m press both ends of a guide of 0.5 m with 6 N each: it resists with 0.2*12 N.
  Simulation simulation = simulate(R"(
gravity = [0, -9.81]
[[body]]
name = "sledge"
kind = "planar"
mass = 2
inertia = 0.1
[[joint]]
name = "guide"
kind = "prismatic"
a = "ground"
b = "sledge"
point = [0, 0]
axis = [0, -1]
friction = { coefficient = 0.2, length = 0.5 }
[[load]]
body = "sledge"
torque = 3
)",
                                   GetParam(), 1e-2, 0.5);
  run(simulation);
  EXPECT_NEAR(value(simulation, "joints/guide/velocity"), 0.5 * (9.81 - 1.2), 1e-8);
}

TEST_P(JointReactions, press_the_friction_of_a_journal) {
  // A heavy wheel: the weight presses, 9.81 m g r mu; in space the axle lies.
  const double M = 0.3 * 0.02 * 2.0 * 9.81, J = 0.05;
  Simulation simulation = simulate(R"(
gravity = [0, 0, -9.81]
[[body]]
name = "wheel"
kind = "rigid"
mass = 2
inertia = [0.03, 0.05, 0.03]
angular_velocity = [0, 5, 0]
[[joint]]
name = "axle"
kind = "revolute"
a = "ground"
b = "wheel"
point = [0, 0, 0]
axis = [0, 1, 0]
friction = { coefficient = 0.3, radius = 0.02 }
)",
                                   GetParam(), 1e-2, 1.0);
  run(simulation);
  EXPECT_NEAR(value(simulation, "joints/axle/velocity"), 5.0 - M / J, 1e-8);
}

TEST_P(JointReactions, of_a_ball_joint_resist_turning_about_all_axes) {
  Simulation simulation = simulate(R"(
[[body]]
name = "ball"
kind = "rigid"
mass = 2
inertia = [0.05, 0.05, 0.05]
angular_velocity = [2, -3, 6]
[[joint]]
name = "socket"
kind = "ball"
a = "ground"
b = "ball"
point = [0, 0, 0]
friction = { preload = 0.1 }
)",
                                   GetParam(), 1e-2, 1.0);
  run(simulation);
  // 7 rad/s, less 2 rad/s, in the same direction.
  for (int i = 0; i < 3; ++i) {
    const double start = i == 0 ? 2.0 : i == 1 ? -3.0 : 6.0;
    EXPECT_NEAR(value(simulation, "bodies/ball/angular_velocity", i), start * 5.0 / 7.0, 1e-8);
  }
}

TEST_P(JointReactions, do_not_keep_friction_of_a_cylindrical_joint_from_sharing_its_ball) {
  // Sliding 3 m/s and turning 20 rad/s on a radius of 0.2 m: surface 5 m/s. With J/r^2 = m both
  // slow down together, by 0.5 m/s^2 along it.
  Simulation simulation = simulate(R"(
[[body]]
name = "sleeve"
kind = "rigid"
mass = 2
inertia = [0.08, 0.08, 0.08]
velocity = [0, 0, 3]
angular_velocity = [0, 0, 20]
[[joint]]
name = "shaft"
kind = "cylindrical"
a = "ground"
b = "sleeve"
point = [0, 0, 0]
axis = [0, 0, 1]
friction = { preload = 1, radius = 0.2 }
)",
                                   GetParam(), 1e-2, 2.0);
  run(simulation);
  EXPECT_NEAR(value(simulation, "bodies/sleeve/velocity", 2), 3.0 * 0.8, 1e-8);
  EXPECT_NEAR(value(simulation, "bodies/sleeve/angular_velocity", 2), 20.0 * 0.8, 1e-7);
}

TEST_P(JointReactions, and_universal_joints_have_friction_about_both_axes) {
  // The cross turns with the ring about z of the ground and x of the ring: rates fall on their own.
  Simulation simulation = simulate(R"(
[[body]]
name = "ring"
kind = "rigid"
mass = 1
inertia = [0.05, 0.05, 0.05]
angular_velocity = [1, 0, 0]
[[joint]]
name = "cross"
kind = "universal"
a = "ground"
b = "ring"
point = [0, 0, 0]
axis = [0, 0, 1]
axis2 = [1, 0, 0]
friction = { preload = 0.02 }
)",
                                   GetParam(), 1e-2, 1.0);
  run(simulation);
  EXPECT_NEAR(value(simulation, "bodies/ring/angular_velocity", 0), 0.6, 1e-8);
}

TEST_P(JointReactions, viscous_friction_slows_down_exponentially) {
  Simulation simulation =
      simulate(wheel("axle", 0.05, 3.0, "friction = { viscous = 0.1 }"), GetParam(), 1e-3, 0.5);
  run(simulation);
  EXPECT_NEAR(value(simulation, "joints/axle/velocity"), 3.0 * std::exp(-1.0), 2e-6);
}

TEST_P(JointReactions, a_rope_becomes_taut_and_holds) {
  // Falls 0.2 m, rebounds with half of the speed to 0.05 m below.
  const double v = std::sqrt(2.0 * 9.81 * 0.2);
  const auto model = [](double e) {
    return fmt::format(R"(
gravity = [0, 0, -9.81]
[[body]]
name = "ball"
kind = "point"
mass = 2
position = [0, 0, -0.3]
[[rope]]
name = "rope"
through = [{{ }}, {{ body = "ball" }}]
length = 0.5
restitution = {}
)",
                       e);
  };
  Simulation hits = simulate(model(0.5), GetParam(), 1e-4, 0.3);
  run(hits);
  EXPECT_NEAR(value(hits, "contacts/rope/normal_impulse"), 1.5 * 2.0 * v, 1e-2);
  EXPECT_NEAR(value(hits, "bodies/ball/velocity", 2), 0.5 * v - 9.81 * (0.3 - v / 9.81), 5e-3);
  Simulation hangs = simulate(model(0.0), GetParam(), 1e-3, 0.5);
  run(hangs);
  EXPECT_NEAR(value(hangs, "bodies/ball/velocity", 2), 0.0, 1e-10);
  EXPECT_NEAR(value(hangs, "contacts/rope/normal_force"), 2.0 * 9.81, 1e-6);
}

TEST_P(JointReactions, a_rope_over_a_drum_has_the_tensions_of_the_capstan) {
  const auto model = [](double m2) {
    return fmt::format(R"(
gravity = [0, 0, -9.81]
[[body]]
name = "light"
kind = "point"
mass = 1
position = [-0.5, 0, -1]
[[body]]
name = "heavy"
kind = "point"
mass = {}
position = [0.5, 0, -1]
[[rope]]
through = [{{ body = "light" }}, {{ point = [-0.5, 0, 0] }},
           {{ point = [0.5, 0, 0], friction = 0.2, angle_deg = 180 }}, {{ body = "heavy" }}]
)",
                       m2);
  };
  const double E = std::exp(0.2 * pi);
  Simulation sinks = simulate(model(2.5), GetParam(), 1e-2, 0.3);
  run(sinks);
  const double a = 9.81 * (2.5 - E) / (2.5 + E);
  EXPECT_NEAR(value(sinks, "bodies/heavy/velocity", 2), -0.3 * a, 1e-8);
  EXPECT_NEAR(value(sinks, "bodies/light/velocity", 2), 0.3 * a, 1e-8);
  Simulation stays = simulate(model(0.9999 * E), GetParam(), 1e-2, 0.3);
  run(stays);
  EXPECT_NEAR(value(stays, "bodies/heavy/position", 2), -1.0, 1e-12);
  Simulation starts = simulate(model(1.0001 * E), GetParam(), 1e-2, 0.3);
  run(starts);
  EXPECT_LT(value(starts, "bodies/heavy/velocity", 2), -1e-5);
}

INSTANTIATE_TEST_SUITE_P(Under, JointReactions, ::testing::Values("nsga", "nsga_coupled", "moreau"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace joint_contacts_test
}  // namespace clatter
