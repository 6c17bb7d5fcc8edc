#include <array>
#include <cmath>
#include <numbers>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <clatter/io/model_reader.hpp>
#include <clatter/machine/state.hpp>
#include <clatter/simulation/simulation.hpp>

#include "support/materials.hpp"
#include "support/random_cases.hpp"

namespace clatter {
namespace rooms_test {

// ---- Closed rooms

/// Bodies of all kinds thrown about in a closed room of edge 2.
std::string room(const std::string& scheme, const std::string& material, bool planar, double speed,
                 unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<> any(-1.0, 1.0);
  std::string text =
      fmt::format("gravity = [0, -9.81{}]\n{}[ground]\nshape = [\n", planar ? "" : ", 0", material);
  for (int axis = 0; axis < (planar ? 2 : 3); ++axis) {
    for (const double side : {-1.1, 1.1}) {
      Vec3 size = Vec3::Constant(2.4), at = Vec3::Zero();
      size[axis] = 0.2;
      at[axis] = side;
      text += fmt::format(
          "  {{ kind = 'box', size = [{}, {}, {}], position = [{}, {}{}], material = "
          "'stone' }},\n",
          size.x(), size.y(), size.z(), at.x(), at.y(), planar ? "" : fmt::format(", {}", at.z()));
    }
  }
  text += "]\n";
  const std::vector<std::string> shapes =
      planar
          ? std::vector<std::string>{"kind = 'disc', radius = 0.12, thickness = 0.1",
                                     "kind = 'box', size = [0.3, 0.15, 0.1]",
                                     "kind = 'capsule', radius = 0.06, length = 0.2",
                                     "kind = 'polygon', thickness = 0.1, points = [[-0.15, -0.1], "
                                     "[0.15, -0.1], [0, -0.02], [0, 0.15]]"}
          : std::vector<std::string>{"kind = 'sphere', radius = 0.12",
                                     "kind = 'box', size = [0.3, 0.15, 0.2]",
                                     "kind = 'capsule', radius = 0.06, length = 0.2",
                                     "kind = 'hull', points = [[-0.1, -0.1, -0.1], [0.15, 0, 0], "
                                     "[0, 0.15, 0], [0, 0, 0.15]]"};
  for (int k = 0; k < 4; ++k) {
    const auto list = [&](double factor) {
      return fmt::format("[{}, {}{}]", factor * any(generator), factor * any(generator),
                         planar ? "" : fmt::format(", {}", factor * any(generator)));
    };
    text += fmt::format(
        "[[body]]\nname = 'b{}'\n{}density = 500\nshape = {{ {}, material = 'stone' }}\n"
        "position = [{}, {}{}]\nvelocity = {}\nangular_velocity = {}\n",
        k, planar ? "kind = 'planar'\n" : "", shapes[static_cast<std::size_t>(k)],
        0.5 * (k % 2 == 0 ? 1 : -1), 0.5 * (k / 2 == 0 ? 1 : -1), planar ? "" : ", 0.1",
        list(speed), planar ? fmt::format("{}", speed * any(generator)) : list(speed));
  }
  return text + fmt::format("[integrator]\nname = '{}'\nstep = 1e-3\nduration = {}\n", scheme,
                            testing::looks_at_numbers ? 0.4 : 0.01);
}

/// The largest angle that a body turns by in a step, squared: what integrating its rotation, or its
/// rolling over a corner, may change its energy by, relatively.
double square_of_turn(const Model& model, const State& state) {
  double square = 0.0;
  for (std::size_t n = 1; n < state.q.size(); ++n) {
    const Vec3 spin = state.v.segment<3>(6 * static_cast<Eigen::Index>(n) + 3);
    square = std::max(square, (model.integrator.step * spin).squaredNorm());
  }
  return square;
}

double energy_of(const Model& model, const State& state) {
  double energy = 0.0;
  for (std::size_t n = 1; n < state.q.size(); ++n) {
    const BodySpec& body = model.bodies[n - 1];
    const auto v = state.v.segment<6>(6 * static_cast<Eigen::Index>(n));
    energy += 0.5 * body.mass * v.head<3>().squaredNorm() +
              0.5 * v.tail<3>().dot(body.inertia * v.tail<3>()) +
              9.81 * body.mass * (state.q[n].x.y() + 1.0);
  }
  return energy;
}

struct RoomCase {
  const char *name, *scheme, *material;
  bool planar;
};

class Room : public ::testing::TestWithParam<RoomCase> {};
INSTANTIATE_TEST_SUITE_P(
    Solids, Room,
    ::testing::Values(RoomCase{"planar", "nsga", testing::clay, true},
                      RoomCase{"spatial", "nsga", testing::clay, false},
                      RoomCase{"moreau_planar", "moreau", testing::clay, true},
                      RoomCase{"moreau_spatial", "moreau", testing::clay, false},
                      RoomCase{"moreau_planar_wax", "moreau", testing::wax, true},
                      RoomCase{"moreau_spatial_wax", "moreau", testing::wax, false},
                      RoomCase{"moreau_planar_glass", "moreau", testing::glass, true},
                      RoomCase{"moreau_spatial_glass", "moreau", testing::glass, false}),
    [](const auto& test) { return std::string(test.param.name); });

TEST_P(Room, keeps_bodies_of_any_speed_without_overlap_or_gain) {
  for (const double speed : {2.0, 400.0}) {  // up to three body lengths in a step
    if (!testing::looks_at_numbers && speed > 2.0) continue;
    for (unsigned seed = 0; seed < testing::random_cases; ++seed) {
      const auto& [name, scheme, material, planar] = GetParam();
      const Model model = parse_model(room(scheme, material, planar, speed, seed), "room.toml");
      Simulation simulation(model);
      double before = energy_of(model, simulation.state());
      while (!simulation.finished()) {
        simulation.step();
        const double energy = energy_of(model, simulation.state());
        const double gain = square_of_turn(model, simulation.state());
        EXPECT_LE(energy - before, before * (gain + 1e-9)) << speed << " " << seed;
        before = energy;
      }
      EXPECT_GT(simulation.statistics().min_gap, -1e-9);
      for (std::size_t n = 1; n < simulation.state().q.size(); ++n) {
        EXPECT_LT(simulation.state().q[n].x.cwiseAbs().maxCoeff(), 1.0) << seed;
      }
    }
  }
}

// ---- Hollow solids

/// Round bodies of every kind in a drum or a hollow ball, thrown about.
std::string drum(const std::string& scheme, const std::string& walls, double speed) {
  std::string text = fmt::format(
      "gravity = [0, -9.81, 0]\n{}[ground]\nshape = {{ {}, hollow = "
      "true, material = 'stone' }}\n",
      testing::clay, walls);
  const std::array shapes{"kind = 'cylinder', radius = 0.1, length = 0.25",
                          "kind = 'ellipsoid', semi_axes = [0.08, 0.12, 0.2]",
                          "kind = 'cone', radius = 0.12, length = 0.2, rounding = 0.01",
                          "kind = 'disc', radius = 0.15, thickness = 0.04, rounding = 0.005",
                          "kind = 'box', size = [0.2, 0.15, 0.1]"};
  for (std::size_t k = 0; k < shapes.size(); ++k) {
    const double angle = 1.3 * static_cast<double>(k);
    text += fmt::format(
        "[[body]]\nname = 'b{}'\ndensity = 500\nshape = {{ {}, material = 'stone' }}\n"
        "position = [{}, {}, {}]\nvelocity = [{}, {}, {}]\nangular_velocity = [3, {}, 2]\n",
        k, shapes[k], 0.5 * std::cos(angle), 0.5 * std::sin(angle), 0.1 * std::cos(3.0 * angle),
        speed * std::cos(2.0 * angle), speed * std::sin(2.0 * angle), 0.5 * speed, angle);
  }
  return text + fmt::format("[integrator]\nname = '{}'\nstep = 1e-3\nduration = {}\n", scheme,
                            testing::looks_at_numbers ? 0.5 : 0.02);
}

/// With its lower rim all along the bowl, wherever friction holds it.
TEST(Solids, a_plate_comes_to_rest_flat_in_a_bowl) {
  for (const char* scheme : {"nsga", "nsga_coupled", "moreau"}) {
    const std::string text = fmt::format(R"(
gravity = [0, 0, -9.81]
[[material]]
name = "stone"
friction = 0.2
[ground]
shape = {{ kind = "sphere", radius = 0.5, hollow = true, material = "stone" }}
[[body]]
name = "plate"
density = 1000
shape = {{ kind = "cylinder", radius = 0.3, length = 0.02, material = "stone" }}
position = [0.02, 0, -0.3]
orientation = {{ axis = [1, 2, 0], angle = 0.2 }}
[integrator]
name = "{}"
step = 1e-3
duration = {}
)",
                                         scheme, testing::looks_at_numbers ? 0.8 : 0.2);
    Simulation simulation(parse_model(text, "bowl.toml"));
    while (!simulation.finished()) simulation.step();
    EXPECT_GT(simulation.statistics().min_gap, -1e-9) << scheme;
    // The coupled scheme lets it roll on along its rim, where it gains energy in single steps.
    if (!testing::looks_at_numbers || std::string(scheme) == "nsga_coupled") continue;
    const double depth = std::sqrt(0.5 * 0.5 - 0.3 * 0.3) - 0.01;
    EXPECT_NEAR(simulation.state().q[1].x.norm(), depth, 1e-9) << scheme;
    EXPECT_LT(simulation.state().v.norm(), 1e-6) << scheme;
  }
}

/// A disc on its edge in the tip of a cone, which each of its rims touches on both sides: as deep
/// as the highest point of the rim that is on the wall.
TEST(Solids, a_disc_stands_in_the_tip_of_a_cone) {
  double depth = 0.0;  // of its centre below the tip; the cone is twice as long as wide
  for (int i = 0; i < 100000; ++i) {
    const double angle = 0.5e-5 * std::numbers::pi * i;
    const double from_axis = std::hypot(0.2 * std::cos(angle), 0.01);
    depth = std::max(depth, 2.0 * from_axis + 0.2 * std::sin(angle));
  }
  for (const char* scheme : {"nsga", "nsga_coupled", "moreau"}) {
    const std::string text = fmt::format(R"(
gravity = [0, 0, 9.81]
[[material]]
name = "stone"
[ground]
shape = {{ kind = "cone", radius = 1, length = 2, hollow = true, material = "stone" }}
[[body]]
name = "disc"
density = 1000
shape = {{ kind = "disc", radius = 0.2, thickness = 0.02, material = "stone" }}
position = [0, 0, {}]
orientation = {{ axis = [1, 0, 0], angle = {} }}
[integrator]
name = "{}"
step = 1e-3
duration = {}
)",
                                         1.5 - depth - 0.001, 0.5 * std::numbers::pi, scheme,
                                         testing::looks_at_numbers ? 0.1 : 0.03);
    Simulation simulation(parse_model(text, "tip.toml"));
    while (!simulation.finished()) simulation.step();
    EXPECT_NEAR(simulation.value("bodies/disc/position/z"), 1.5 - depth, 1e-9) << scheme;
    EXPECT_LT(simulation.state().v.norm(), 1e-6) << scheme;
  }
}

/// A can that is tilted a little, turns and slides comes to stand on a floor forty times as wide.
TEST(Solids, a_can_comes_to_stand_on_a_wide_floor) {
  for (const char* scheme : {"nsga", "moreau"}) {
    for (const double spin : {2.0, 5.0}) {
      const std::string text =
          fmt::format(R"(
gravity = [0, 0, -9.81]
[[material]]
name = "stone"
friction = 0.4
[ground]
shape = {{ kind = "box", size = [4, 4, 1], position = [0, 0, -0.5], material = "stone" }}
[[body]]
name = "can"
density = 1000
shape = {{ kind = "cylinder", radius = 0.1, length = 0.1, material = "stone" }}
position = [0, 0, 0.0502]
velocity = [0.1, 0, -0.2]
orientation = {{ axis = [1, 0.3, 0], angle = 1e-3 }}
angular_velocity = [{}, {}, 3]
[integrator]
name = "{}"
step = 2e-3
duration = {}
)",
                      -spin, 0.3 * spin, scheme, testing::looks_at_numbers ? 0.2 : 0.02);
      Simulation simulation(parse_model(text, "can.toml"));
      while (!simulation.finished()) simulation.step();
      EXPECT_GT(simulation.statistics().min_gap, -1e-10) << scheme;
      if (!testing::looks_at_numbers) continue;
      EXPECT_NEAR(simulation.value("bodies/can/position/z"), 0.05, 1e-9) << scheme << spin;
      EXPECT_LT(simulation.state().v.norm(), 1e-6) << scheme << spin;
    }
  }
}

/// Lets a body come to rest in a hollow, and returns where it is along the way down, z.
double depth_at_rest(const std::string& hollow, const std::string& shape, double from,
                     const std::string& scheme) {
  Simulation simulation(
      parse_model(fmt::format(R"(
gravity = [0, 0, 9.81]
[[material]]
name = "stone"
[ground]
shape = {{ {}, hollow = true, material = "stone" }}
[[body]]
name = "body"
density = 1000
shape = {{ {}, material = "stone" }}
position = [0, 0, {}]
[integrator]
name = "{}"
step = 1e-3
duration = {}
)",
                              hollow, shape, from, scheme, testing::looks_at_numbers ? 0.1 : 0.03),
                  "hollow.toml"));
  while (!simulation.finished()) simulation.step();
  EXPECT_LT(simulation.state().v.norm(), 1e-6) << scheme;
  return simulation.value("bodies/body/position/z");
}

/// Too wide for the end of a hollow ellipsoid, a ball lies on both sides of it. Its nearest points
/// are sqrt(c^2 - z^2 c^2 / (a^2 - c^2)) from a point z along the axis of length a, across that of
/// c.
TEST(Solids, a_ball_comes_to_rest_on_both_sides_of_a_hollow_ellipsoid) {
  const double z = std::sqrt((9.0 - 1.0) * (1.0 - 0.81));
  for (const char* scheme : {"nsga", "nsga_coupled", "moreau"}) {
    EXPECT_NEAR(depth_at_rest("kind = 'ellipsoid', semi_axes = [1, 2, 3]",
                              "kind = 'sphere', radius = 0.9", z - 0.001, scheme),
                z, 1e-9);
  }
}

/// Across the tip of a cone with half angle w, along which it reaches sqrt((a cos w)^2 + (c sin
/// w)^2) towards either side: its centre is 1 / sin w times as far below the tip.
TEST(Solids, an_ellipsoid_comes_to_rest_on_both_sides_of_a_cone) {
  const double w = std::atan(0.5);
  const double z = 1.5 - std::hypot(0.2 * std::cos(w), 0.1 * std::sin(w)) / std::sin(w);
  for (const char* scheme : {"nsga", "nsga_coupled", "moreau"}) {
    EXPECT_NEAR(
        depth_at_rest("kind = 'cone', radius = 1, length = 2",
                      "kind = 'ellipsoid', semi_axes = [0.2, 0.05, 0.1]", z - 0.001, scheme),
        z, 1e-9);
  }
}

/// In the plane: it rolls without slip, 3/4 m v^2 = m g (R - r) (1 - cos 60 deg) below.
TEST(Solids, roll_in_a_hollow_disc) {
  const std::string text = R"(
gravity = [0, -9.81]
[[material]]
name = "steel"
friction = 1
[ground]
shape = { kind = "disc", radius = 0.5, thickness = 1, hollow = true, material = "steel" }
[[body]]
name = "roller"
kind = "planar"
density = 1000
shape = { kind = "disc", radius = 0.1, thickness = 1, material = "steel" }
position = [0.34641016, -0.19999999]
[integrator]
name = "nsga_coupled"
step = 1e-3
duration = 1
)";
  Simulation simulation(parse_model(text, "roller.toml"));
  double fastest = 0.0, spin = 0.0;
  while (!simulation.finished()) {
    simulation.step();
    fastest = std::min(fastest, simulation.value("bodies/roller/velocity/x"));
    spin = std::max(spin, simulation.value("bodies/roller/angular_velocity"));
  }
  const double expected = std::sqrt(4.0 / 3.0 * 9.81 * 0.4 * 0.5);
  // (w h)^2 of it, w^2 = 2 g / (3 (R - r)).
  EXPECT_NEAR(fastest, -expected, 2.6e-5);
  EXPECT_NEAR(spin, expected / 0.1, 2.6e-4);
  EXPECT_GT(simulation.statistics().min_gap, -1e-9);
}

class Drum : public ::testing::TestWithParam<std::tuple<const char*, double>> {};
INSTANTIATE_TEST_SUITE_P(Solids, Drum,
                         ::testing::Combine(::testing::Values("nsga", "moreau"),
                                            ::testing::Values(2.0, 60.0)));

TEST_P(Drum, keeps_round_bodies_without_overlap_or_gain) {
  const auto& [scheme, speed] = GetParam();
  for (const char* walls : {"kind = 'cylinder', radius = 1, length = 1",
                            "kind = 'sphere', radius = 1", "kind = 'box', size = [2, 2, 1]"}) {
    const Model model = parse_model(drum(scheme, walls, speed), "drum.toml");
    Simulation simulation(model);
    double energy = energy_of(model, simulation.state());
    while (!simulation.finished()) {
      const double turn = square_of_turn(model, simulation.state());
      simulation.step();
      const double now = energy_of(model, simulation.state());
      EXPECT_LT(now, energy * (1.0 + turn + 1e-9)) << walls << simulation.time();
      energy = now;
    }
    EXPECT_GT(simulation.statistics().min_gap, -1e-9) << walls;
  }
}

}  // namespace rooms_test
}  // namespace clatter
