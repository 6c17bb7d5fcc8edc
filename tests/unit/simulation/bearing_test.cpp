// Bearings: balls that roll between two races, and how they carry a load.

#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <clatter/io/model_reader.hpp>
#include <clatter/machine/state.hpp>

#include "support/run.hpp"

namespace clatter {
namespace bearing_test {

using namespace testing;
constexpr double pi = std::numbers::pi;

constexpr double inner_radius = 0.0127, ball_radius = 0.004;

struct Options {
  int balls = 8;
  double clearance = 0.0;
  std::string shaft = "angular_velocity = 50\n";
  std::string load = "force = [0, -100]\n";
  std::string law = "friction = 0.1\n";
  std::string integrator = "step = 1e-4\nduration = 0.02\n";
  double angle_deg = -90.0;
};

/// A shaft in a bearing of the ground, in the plane.
std::string planar_bearing(const Options& o) {
  return fmt::format(R"(
[[body]]
name = "shaft"
kind = "planar"
mass = 1.25
inertia = 8e-5
{}
[[load]]
body = "shaft"
{}
[[bearing]]
name = "b"
inner = "shaft"
outer = "ground"
count = {}
radius = {}
inner_radius = {}
outer_radius = {}
angle_deg = {}
mass = 2e-3
{}
[integrator]
{})",
                     o.shaft, o.load, o.balls, ball_radius, inner_radius,
                     inner_radius + 2.0 * ball_radius + o.clearance, o.angle_deg, o.law,
                     o.integrator);
}

/// The same in space, about z.
std::string spatial_bearing(const std::string& shaft, const std::string& load,
                            const std::string& rest) {
  return fmt::format(R"(
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
inner = "shaft"
outer = "ground"
axis = [0, 0, 1]
count = 8
radius = 0.004
pitch_radius = 0.0167
clearance = 1e-5
groove_radius = 0.00416
mass = 2e-3
cage = {{ stiffness = 1e5, damping = 10 }}
{}
)",
                     shaft, load, rest);
}

double contact(const Simulation& simulation, int ball, const char* race, const char* what) {
  return value(simulation, fmt::format("contacts/b.ball{}.{}/{}", ball, race, what));
}

TEST(Bearing, rolls_with_the_ratio_of_its_radii) {
  Options o;
  o.load = "force = [0, -1]\n";
  o.integrator = "step = 1e-4\nduration = 0.1\n";
  Simulation simulation(parse_model(planar_bearing(o), "b.toml"));
  // d/D of balls and pitch circle: 0.5 (1 - d/D) of what the shaft turns, which nothing brakes.
  const double pitch = inner_radius + ball_radius;
  const double expected = 50.0 * 0.5 * (1.0 - ball_radius / pitch);
  EXPECT_NEAR(value(simulation, "bearings/b/cage_speed"), expected, 1e-12 * expected);
  run(simulation);
  // First order of the step for the turn in it, 5e-3 rad: squared.
  EXPECT_NEAR(value(simulation, "bearings/b/cage_speed"), expected, 1e-4 * expected);
  EXPECT_NEAR(value(simulation, "bodies/shaft/angular_velocity"), 50.0, 50.0 * 1e-4);
  const double spin = -50.0 * inner_radius / (2.0 * ball_radius);
  for (int i = 1; i <= 8; ++i) {
    EXPECT_NEAR(value(simulation, fmt::format("bodies/b.ball{}/angular_velocity", i)), spin,
                1e-3 * std::abs(spin));
  }
}

TEST(Bearing, balls_have_names_and_places) {
  const Model model = parse_model(planar_bearing({}), "b.toml");
  ASSERT_EQ(model.bodies.size(), 9u);
  EXPECT_EQ(model.bodies[1].name, "b.ball1");
  EXPECT_NEAR(model.bodies[1].position.y(), -0.0167, 1e-15);
  EXPECT_NEAR(model.bodies[1].inertia(2, 2), 0.4 * 2e-3 * 1.6e-5, 1e-20);
  ASSERT_EQ(model.contacts.size(), 24u);  // both races, and neighbours: there is no cage
  EXPECT_EQ(model.contacts[0].name, "b.ball1.inner");
  EXPECT_EQ(model.contacts[1].name, "b.ball1.outer");
  EXPECT_EQ(model.contacts[16].name, "b.ball1.next");
  Options o;
  o.law = "cage = { stiffness = 1e6, damping = 3 }\n";
  const Model caged = parse_model(planar_bearing(o), "b.toml");
  EXPECT_EQ(caged.contacts.size(), 16u);
  ASSERT_EQ(caged.springs.size(), 8u);
  EXPECT_EQ(caged.springs[7].name, "b.cage8");
  EXPECT_EQ(caged.springs[7].b.body, "b.ball1");
}

std::string refusal(const Options& o) {
  try {
    parse_model(planar_bearing(o), "b.toml");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Bearing, refuses_what_does_not_fit) {
  Options o;
  o.clearance = -1e-5;
  EXPECT_NE(refusal(o).find("a preload needs 'compliance'"), std::string::npos) << refusal(o);
  o = {};
  o.balls = 14;
  EXPECT_NE(refusal(o).find("overlap"), std::string::npos) << refusal(o);
  o = {};
  o.law = "groove_radius = 0.003\n";
  EXPECT_NE(refusal(o).find("do not fit into grooves"), std::string::npos) << refusal(o);
  o = {};
  o.shaft = "angular_velocity = 50\n[[body]]\nname = \"odd\"\nmass = 1\ninertia = [1, 1, 1]\n";
  EXPECT_EQ(refusal(o), "");
  o = {};
  o.law = "pitch_radius = 0.1\n";
  EXPECT_NE(refusal(o).find("pitch_radius"), std::string::npos) << refusal(o);
}

/// Balls that stand still under a load towards one of them; friction keeps them there.
Options at_rest(int balls, double clearance) {
  Options o;
  o.balls = balls;
  o.clearance = clearance;
  o.shaft = "";
  o.law =
      "recover = { stiffness = 7e10, share = true }\ncage = { stiffness = 1e6, damping = 1 }\n"
      "friction = 0.1\n";
  return o;
}

TEST(Bearing, shares_the_load_as_stribeck_and_harris_do) {
  for (const int balls : {8, 12}) {
    for (const double clearance : {0.0, 1e-5}) {
      Simulation simulation(parse_model(planar_bearing(at_rest(balls, clearance)), "b.toml"));
      run(simulation);
      // The inner race goes on by d beyond the clearance; two contacts one after the other.
      const auto share = [&](double d, int i) {
        const double depth = (clearance + d) * std::cos(2.0 * pi * i / balls) - clearance;
        return depth > 1e-15 ? 7e10 * std::pow(0.5 * depth, 1.5) : 0.0;
      };
      double low = 0.0, high = 1e-3;
      for (int k = 0; k < 100; ++k) {
        const double d = 0.5 * (low + high);
        double sum = 0.0;
        for (int i = 0; i < balls; ++i) sum += share(d, i) * std::cos(2.0 * pi * i / balls);
        (sum < 100.0 ? low : high) = d;
      }
      double up = 0.0;
      for (int i = 0; i < balls; ++i) {
        const double force = contact(simulation, i + 1, "inner", "shared_force");
        EXPECT_NEAR(force, share(low, i), 1.0) << balls << ", " << clearance << ": ball " << i;
        up += force * std::cos(2.0 * pi * i / balls);
      }
      EXPECT_NEAR(up, 100.0, 0.1);  // a thousandth may be tangential
    }
  }
}

/// In every sample, also of impacts: what balls do to the shaft is its load less its inertia, and
/// no ball is squeezed beyond that. Without clearance rigid balls could be, by anything. The
/// coupled scheme balances the forces at the end of the step, others impulses over it: nsga where
/// the step ends, moreau where its middle is predicted to be.
TEST(Bearing, hard_races_carry_the_load_and_what_turns_with_it) {
  for (const std::string scheme : {"nsga", "nsga_coupled", "moreau"}) {
    const bool by_forces = scheme == "nsga_coupled";
    const char* kind = by_forces ? "force" : "impulse";
    for (const double step : {1e-5, 1e-4, 1e-3}) {
      for (const double clearance : {0.0, 1e-5}) {
        Options o;
        o.clearance = clearance;
        o.integrator = fmt::format("name = \"{}\"\nstep = {}\nduration = 1\n", scheme, step);
        Simulation simulation(parse_model(planar_bearing(o), "b.toml"));
        const auto of_body = [&](const std::string& body, const char* what) {
          const std::string path = fmt::format("bodies/{}/{}", body, what);
          return Vec3(value(simulation, path, 0), value(simulation, path, 1), 0.0);
        };
        const double predicted = scheme == "moreau" ? 0.5 * step : 0.0;
        const auto place = [&](const std::string& body) -> Vec3 {
          return of_body(body, "position") + predicted * of_body(body, "velocity");
        };
        std::array<Vec3, 9> places;
        const auto find_places = [&] {
          places[0] = place("shaft");
          for (std::size_t i = 1; i <= 8; ++i) places[i] = place(fmt::format("b.ball{}", i));
        };
        for (int k = 0; k < 80; ++k) {
          const Vec3 before = of_body("shaft", "velocity");
          if (predicted > 0.0) find_places();
          simulation.start_interval();
          simulation.step();
          if (predicted == 0.0) find_places();
          const Vec3 load = Vec3(0.0, -100.0, 0.0) * (by_forces ? 1.0 : step);
          const Vec3 inertia =
              1.25 * (by_forces ? Vec3(of_node(simulation.state().acceleration, 1).head<3>())
                                : Vec3(of_body("shaft", "velocity") - before));
          Vec3 sum = load;
          double numbers = load.norm() + inertia.norm(), largest = 0.0;
          for (int i = 1; i <= 8; ++i) {
            const Vec3 n = (places[static_cast<std::size_t>(i)] - places[0]).normalized();
            const Vec3 t(n.y(), -n.x(), 0.0);
            const double normal = contact(simulation, i, "inner",
                                          fmt::format("normal_{}", kind).c_str()),
                         tangential = contact(simulation, i, "inner",
                                              fmt::format("tangential_{}", kind).c_str());
            sum -= normal * n + tangential * t;
            numbers += std::abs(normal) + std::abs(tangential);
            largest = std::max(largest, normal);
          }
          // The tolerance of the run, and the direction of normals at 1e-2 m from differences of
          // positions.
          ASSERT_LT((inertia - sum).norm(), 1e-10 * numbers)
              << scheme << ", " << step << ", " << clearance << ", " << k;
          // Three times what all bodies are given in the step, each as much as the shaft at most.
          ASSERT_LT(largest, 3.0 * (2.0 * load.norm() + inertia.norm()) + 1e-3 * load.norm())
              << scheme << ", " << step << ", " << clearance << ", " << k;
        }
      }
    }
  }
}

/// With rebounds and a cage, in the plane and in space: nothing stops, and balls stay where they
/// are. Moreau's step holds no positions: each goes on along the tangent, so that it leaves its
/// circle by half the square of its turn.
TEST(Bearing, runs_with_steps_from_a_microsecond_to_a_millisecond) {
  constexpr int steps = 30;
  const std::string law = "friction = 0.05\nrestitution = 0.5\n";
  for (const std::string scheme : {"nsga", "nsga_coupled", "moreau"}) {
    for (const double step : {1e-6, 1e-5, 1e-4, 1e-3}) {
      const std::string integrator =
          fmt::format("name = \"{}\"\nstep = {}\nduration = {}\n{}", scheme, step, steps * step,
                      scheme == "moreau" ? "" : "rho_inf = 0\n");
      std::vector<std::string> models;
      for (const double clearance : {0.0, 1e-5}) {
        Options o;
        o.clearance = clearance;
        o.law = law + "cage = { stiffness = 1e6, damping = 10 }\n";
        o.integrator = integrator;
        models.push_back(planar_bearing(o));
      }
      if (step == 1e-6 || step == 1e-3) {
        models.push_back(spatial_bearing("angular_velocity = [0, 0, 50]\n",
                                         "force = [0, -100, 0]\n",
                                         law + "[integrator]\n" + integrator));
      }
      const double drift =
          scheme == "moreau" ? steps * 0.5 * std::pow(50.0 * step, 2) * inner_radius : 0.0;
      for (const std::string& model : models) {
        Simulation simulation(parse_model(model, "b.toml"));
        ASSERT_NO_THROW(run(simulation)) << scheme << ", " << step;
        for (int i = 1; i <= 8; ++i) {
          for (const char* race : {"inner", "outer"}) {
            EXPECT_GT(contact(simulation, i, race, "gap"), -1e-9 - drift)
                << scheme << ", " << step << ", " << race << " of " << i;
          }
        }
      }
    }
  }
}

/// A stiff cage and rebounds in steps of a millisecond: a ball turns by 0.08 rad in one, the cage
/// could vibrate 30 rad.
TEST(Bearing, goes_on_turning_in_steps_that_are_long_for_its_cage) {
  for (const bool in_space : {false, true}) {
    Options o;
    o.law = "friction = 0.05\nrestitution = 0.5\ncage = { stiffness = 1e6, damping = 10 }\n";
    o.integrator = "step = 1e-3\nduration = 0.1\nrho_inf = 0\n";
    const std::string model =
        in_space
            ? spatial_bearing("angular_velocity = [0, 0, 50]\n", "force = [0, -100, 0]\n",
                              "friction = 0.05\nrestitution = 0.5\n[integrator]\n" + o.integrator)
            : planar_bearing(o);
    Simulation simulation(parse_model(model, "b.toml"));
    const double initial = value(simulation, "energy/kinetic");
    run(simulation);
    EXPECT_NEAR(value(simulation, "energy/kinetic"), initial, 0.02 * initial) << in_space;
    EXPECT_LT(std::abs(value(simulation, "bodies/shaft/position", 1)), 2e-5) << in_space;
  }
}

TEST(Bearing, with_preload_presses_all_balls_when_races_give_way) {
  // Also in steps that are long for the vibrations of the balls between the races.
  for (const std::string scheme :
       {"name = \"generalized_alpha\"\nrho_inf = 0", "name = \"newmark\""}) {
    for (const double step : {1e-6, 1e-5, 1e-4, 1e-3}) {
      Options o;
      o.clearance = -2e-6;
      o.load = "force = [0, 0]\n";
      o.shaft = "angular_velocity = 50\n";
      o.law =
          "friction = 0.05\nrestitution = 0.5\ncompliance = { stiffness = 7e10 }\n"
          "cage = { stiffness = 1e5 }\n";
      o.integrator = fmt::format("{}\nstep = {}\nduration = {}\n", scheme, step, 50.0 * step);
      Simulation simulation(parse_model(planar_bearing(o), "b.toml"));
      ASSERT_NO_THROW(run(simulation)) << scheme << step;
      // Each contact gives way by half of the interference; balls go around with 19 rad/s.
      const double expected = 7e10 * std::pow(1e-6, 1.5);
      const double centrifugal = 2e-3 * 0.0167 * 19.0 * 19.0;
      // The trapezoidal rule damps nothing: balls ring about where they would come to rest, and the
      // two directions of a force whose mean it takes differ by the turn in a step.
      const double turn = 19.0 * step;
      const double allowed =
          scheme == "name = \"newmark\"" ? 2.0 * centrifugal + expected * turn * turn : centrifugal;
      for (int i = 1; i <= 8; ++i) {
        for (const char* race : {"inner", "outer"}) {
          EXPECT_NEAR(contact(simulation, i, race, "normal_force"), expected, allowed)
              << scheme << step;
        }
      }
    }
  }
}

/// Moreau's step holds no positions: that is said at the start, and a ball that has gone through
/// its race ends the run.
TEST(Bearing, is_told_to_drift_with_moreau) {
  Options o;
  o.integrator = "name = \"moreau\"\nstep = 1e-3\nduration = 0.01\n";
  const Simulation simulation(parse_model(planar_bearing(o), "b.toml"));
  ASSERT_EQ(simulation.notices().size(), 1u);
  EXPECT_NE(simulation.notices()[0].find("drifts into its wall"), std::string::npos);
  o.shaft = "angular_velocity = 5000\n";
  o.integrator = "name = \"moreau\"\nstep = 1e-2\nduration = 1\n";
  Simulation lost(parse_model(planar_bearing(o), "b.toml"));
  EXPECT_THROW(run(lost), Error);
}

TEST(Bearing, in_space_leans_on_its_grooves_under_thrust) {
  Simulation simulation(
      parse_model(spatial_bearing("", "force = [0, 0, -100]\n",
                                  "recover = { stiffness = 7e10, share = true "
                                  "}\n[integrator]\nstep = 1e-4\nduration = 0.05\nrho_inf = 0\n"),
                  "b.toml"));
  run(simulation);
  // Harris: cos of the free contact angle is 1 - clearance/(f_i + f_o - 1)/D, both grooves together
  // 2 (0.00416 - 0.004) apart.
  const double angle = std::acos(1.0 - 1e-5 / (2.0 * 0.00016));
  double thrust = 0.0;
  for (int i = 0; i < 8; ++i) {
    EXPECT_NEAR(std::abs(value(simulation, "bearings/b/inner_contact_angle", i)), angle, 1e-6);
    EXPECT_NEAR(std::abs(value(simulation, "bearings/b/outer_contact_angle", i)), angle, 1e-6);
    thrust += contact(simulation, i + 1, "inner", "shared_force") * std::sin(angle);
  }
  EXPECT_NEAR(thrust, 100.0, 1.0);  // a thousandth may be tangential; balls move by 1e-9 m yet
}

TEST(Bearing, in_space_rolls_with_the_ratio_of_its_radii) {
  Simulation simulation(
      parse_model(spatial_bearing("angular_velocity = [0, 0, 50]\n", "force = [0, -20, 0]\n",
                                  "friction = 0.1\n[integrator]\nstep = 1e-4\nduration = 0.05\n"),
                  "b.toml"));
  const double expected = 50.0 * 0.5 * (1.0 - (0.004 + 0.5e-5) / 0.0167);
  EXPECT_NEAR(value(simulation, "bearings/b/cage_speed"), expected, 1e-9 * expected);
  run(simulation);
  EXPECT_NEAR(value(simulation, "bearings/b/cage_speed"), expected, 0.01 * expected);
  EXPECT_NEAR(value(simulation, "bodies/shaft/position", 2), 0.0, 1e-5);
}

}  // namespace bearing_test
}  // namespace clatter
