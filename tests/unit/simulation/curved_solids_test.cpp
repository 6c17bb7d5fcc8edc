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
#include "support/message_of.hpp"
#include "support/random_cases.hpp"

namespace clatter {
namespace curved_solids_test {

using std::numbers::pi;

const std::array schemes{"nsga", "nsga_coupled", "moreau"};

// ---- Closed rooms

/// A room of two straights and two half circles, with or without a thin wall in it, and bodies of
/// all kinds of outlines.
std::string curved_room(const std::string& scheme, const std::string& material, double speed,
                        unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<> any(-1.0, 1.0);
  std::string text = fmt::format(
      "gravity = [0, -9.81]\n{}[ground]\nshape = [\n"
      "  {{ kind = 'profile', hollow = true, material = 'stone', points = [[-1, -1], [1, -1], "
      "[1, 1], [-1, 1]], radii = [0, 1, 0, 1] }},\n"
      "  {{ kind = 'wall', material = 'stone', points = [[-0.9, 0], [0, 0.1], [0.9, 0]], radii = "
      "[0, 2] }}]\n",
      material);
  const std::array shapes{
      "kind = 'disc', radius = 0.12, thickness = 0.1",
      "kind = 'ellipse', semi_axes = [0.2, 0.1], thickness = 0.1",
      "kind = 'profile', thickness = 0.1, points = [[-0.2, 0], [0.2, 0]], radii = [0.25, -0.5]",
      "kind = 'spline', thickness = 0.1, tolerance = 1e-4, points = [[0.2, 0], [0.1, 0.1], [-0.1, "
      "0.15], [-0.15, -0.05], [0.05, -0.12]]",
      "kind = 'box', size = [0.3, 0.15, 0.1]",
      "kind = 'profile', thickness = 0.1, rounding = 0.02, points = [[-0.15, -0.1], [0.15, -0.1], "
      "[0.15, 0.1], [-0.15, 0.1]], radii = [0, 0, -0.2, 0]"};
  for (std::size_t k = 0; k < shapes.size(); ++k) {
    text += fmt::format(
        "[[body]]\nname = 'b{}'\nkind = 'planar'\ndensity = 500\nshape = {{ {}, material = 'stone' "
        "}}\nposition = [{}, {}]\nvelocity = [{}, {}]\nangular_velocity = {}\n",
        k, shapes[k], 0.8 * (static_cast<double>(k % 3) - 1.0), k < 3 ? 0.55 : -0.55,
        speed * any(generator), speed * any(generator), speed * any(generator));
  }
  return text + fmt::format("[integrator]\nname = '{}'\nstep = 1e-3\nduration = {}\n", scheme,
                            testing::looks_at_numbers ? 0.3 : 0.005);
}

double energy_in_plane(const Model& model, const State& state) {
  double energy = 0.0;
  for (std::size_t n = 1; n < state.q.size(); ++n) {
    const BodySpec& body = model.bodies[n - 1];
    const auto v = state.v.segment<6>(6 * static_cast<Eigen::Index>(n));
    energy += 0.5 * body.mass * v.head<3>().squaredNorm() + 0.5 * body.inertia(2, 2) * v[5] * v[5] +
              9.81 * body.mass * (state.q[n].x.y() + 1.0);
  }
  return energy;
}

class CurvedRoom : public ::testing::TestWithParam<std::tuple<const char*, const char*>> {};
// Without loss `nsga_coupled` comes to steps that have no solution, and takes very long.
INSTANTIATE_TEST_SUITE_P(Solids, CurvedRoom,
                         ::testing::Combine(::testing::ValuesIn(schemes),
                                            ::testing::Values(testing::clay, testing::wax)));
INSTANTIATE_TEST_SUITE_P(SolidsOfGlass, CurvedRoom,
                         ::testing::Combine(::testing::Values("nsga", "moreau"),
                                            ::testing::Values(testing::glass)));

TEST_P(CurvedRoom, keeps_bodies_of_any_speed_without_overlap_or_gain) {
  const auto& [scheme, material] = GetParam();
  for (const double speed : {2.0, 200.0}) {  // up to a body length in a step
    if (!testing::looks_at_numbers && speed > 2.0) continue;
    for (unsigned seed = 0; seed < (testing::looks_at_numbers ? 2 : 1); ++seed) {
      const Model model = parse_model(curved_room(scheme, material, speed, seed), "room.toml");
      Simulation simulation(model);
      double before = energy_in_plane(model, simulation.state());
      while (!simulation.finished()) {
        simulation.step();
        const State& state = simulation.state();
        const double energy = energy_in_plane(model, state);
        double turn = 0.0;  // what rolling over a corner may change its energy by, relatively
        for (std::size_t n = 1; n < state.q.size(); ++n) {
          turn = std::max(turn, std::abs(1e-3 * state.v[6 * static_cast<Eigen::Index>(n) + 5]));
        }
        EXPECT_LE(energy - before, before * (turn * turn + 1e-9)) << speed << " " << seed;
        before = energy;
      }
      EXPECT_GT(simulation.statistics().min_gap, -1e-9);
      for (std::size_t n = 1; n < simulation.state().q.size(); ++n) {
        const Vec3& x = simulation.state().q[n].x;
        EXPECT_LT(std::abs(x.y()), 1.0) << seed;
        EXPECT_LT(std::hypot(std::max(0.0, std::abs(x.x()) - 1.0), x.y()), 1.0) << seed;
      }
    }
  }
}

// ---- Closed forms

const std::string cam_and_roller = R"(
gravity = [0, -9.81]
[[material]]
name = "steel"
friction = 0.1
[[body]]
name = "cam"
kind = "planar"
mass = 1
inertia = 0.001
centre_of_mass = [0, 0]
angular_velocity = 10
shape = [{}]
[[body]]
name = "roller"
kind = "planar"
mass = 1
inertia = 0.001
position = [0, 0.05]
shape = {{ kind = "disc", radius = 0.02, thickness = 1, material = "steel" }}
[[joint]]
name = "axle"
kind = "revolute"
a = "ground"
b = "cam"
point = [0, 0]
motor = "10*t"
[[joint]]
name = "guide"
kind = "prismatic"
a = "ground"
b = "roller"
point = [0, 0.05]
axis = [0, 1]
[integrator]
name = "{}"
step = 2e-4
duration = {}
)";

/// Circles of 0.03 about the axle and of 0.02 at 0.025 below it, and the tangents of both.
TEST(Solids, cam_of_lines_and_arcs_moves_a_roller_as_one_of_discs_and_a_polygon_does) {
  const double sine = 0.01 / 0.025, cosine = std::sqrt(1.0 - sine * sine);
  const Vec3 left(-cosine, -sine, 0), right(cosine, -sine, 0), far(0, -0.025, 0);
  const Vec3 a = 0.03 * right, b = 0.03 * left, c = far + 0.02 * left, d = far + 0.02 * right;
  const auto list = [](const std::vector<Vec3>& points) {
    std::string text;
    for (const Vec3& point : points) text += fmt::format("[{}, {}], ", point.x(), point.y());
    return "[" + text + "]";
  };
  const double over = pi + 2.0 * std::asin(sine), under = 2.0 * pi - over;
  const std::string one = fmt::format(
      "{{ kind = 'profile', material = 'steel', points = {}, bulges = [{}, 0, {}, 0] }}",
      list({a, b, c, d}), std::tan(over / 4.0), std::tan(under / 4.0));
  const std::string several = fmt::format(
      "{{ kind = 'disc', radius = 0.03, thickness = 1, material = 'steel' }}, {{ kind = 'disc', "
      "radius = 0.02, thickness = 1, material = 'steel', position = [0, -0.025] }}, {{ kind = "
      "'polygon', material = 'steel', points = {} }}",
      list({a, b, c, d}));
  for (const std::string scheme : schemes) {
    const double duration = testing::looks_at_numbers ? 0.65 : 0.01;
    Simulation curved(
        parse_model(fmt::format(fmt::runtime(cam_and_roller), one, scheme, duration), "cam.toml"));
    Simulation parts(parse_model(
        fmt::format(fmt::runtime(cam_and_roller), several, scheme, duration), "cam.toml"));
    double most = 0.0, highest = 0.0;
    while (!curved.finished()) {
      curved.step();
      parts.step();
      const double y = curved.value("bodies/roller/position/y");
      highest = std::max(highest, y);
      most = std::max(most, std::abs(y - parts.value("bodies/roller/position/y")));
    }
    EXPECT_LT(most, 1e-8) << scheme;
    if (testing::looks_at_numbers) {
      EXPECT_NEAR(highest, 0.065, 1e-5) << scheme;  // nose up
    }
  }
}

TEST(Solids, ellipse_that_rolls_is_as_high_as_its_angle_says) {
  const std::string text = R"(
gravity = [0, -9.81]
[[material]]
name = "rubber"
friction = 2
[ground]
shape = {{ {}, material = "rubber" }}
[[body]]
name = "egg"
kind = "planar"
density = 1000
shape = {{ kind = "ellipse", semi_axes = [0.15, 0.1], material = "rubber" }}
position = [0, 0.15]
angle_deg = 90
angular_velocity = -1
velocity = [0.15, 0]
[integrator]
name = "{}"
step = 1e-3
duration = {}
)";
  for (const std::string scheme : {"nsga", "nsga_coupled"}) {
    for (const std::string ground :
         {"kind = 'half_space'", "kind = 'segment', points = [[-2, 0], [2, 0]]",
          "kind = 'box', size = [4, 1, 1], position = [0, -0.5]"}) {
      Simulation simulation(parse_model(
          fmt::format(fmt::runtime(text), ground, scheme, testing::looks_at_numbers ? 0.6 : 0.01),
          "egg.toml"));
      const double start = simulation.value("energy/total");
      while (!simulation.finished()) {
        simulation.step();
        const double angle = simulation.value("bodies/egg/angle");
        const double height = std::hypot(0.15 * std::sin(angle), 0.1 * std::cos(angle));
        // Without a gap to round-off, of lengths of 0.1.
        EXPECT_NEAR(simulation.value("bodies/egg/position/y"), height, 1e-12);
      }
      // Second order: (w h)^2 with w = 7.6; the decoupled scheme is of first order.
      EXPECT_NEAR(simulation.value("energy/total"), start,
                  (scheme == "nsga" ? 2e-2 : 2e-4) * std::abs(start))
          << ground;
    }
  }
}

TEST(Solids, both_sides_of_a_thin_wall_hold) {
  const std::string text = R"(
[[material]]
name = "stone"
restitution = 1
[ground]
shape = [
  {{ kind = "wall", points = [[-1, 0], [1, 0]], material = "stone" }},
  {{ kind = "wall", points = [[-1, -1], [1, -1], [1, 1], [-1, 1], [-1, -1]], radii = [0, 1, 0, 1], material = "stone", radius = 0.01 }},
]
[[body]]
name = "disc"
kind = "planar"
density = 1000
shape = {{ kind = "disc", radius = 0.1, thickness = 1, material = "stone" }}
position = [0.1, {}]
velocity = [0, {}]
[integrator]
name = "{}"
step = 1e-3
duration = 0.2
)";
  for (const std::string scheme : schemes) {
    for (const double side : {1.0, -1.0}) {
      Simulation simulation(parse_model(
          fmt::format(fmt::runtime(text), 0.5 * side, -300.0 * side, scheme), "wall.toml"));
      for (int i = 0; !simulation.finished() && (testing::looks_at_numbers || i < 10); ++i) {
        simulation.step();
        const double y = side * simulation.value("bodies/disc/position/y");
        EXPECT_GT(y, 0.1 - 1e-9) << scheme;
        EXPECT_LT(y, 0.89 + 1e-9) << scheme;
      }
      EXPECT_NEAR(std::abs(simulation.value("bodies/disc/velocity/y")), 300.0, 1e-6) << scheme;
    }
  }
}

TEST(Solids, two_walls_without_thickness_are_refused) {
  const std::string text = R"(
[[material]]
name = "stone"
[ground]
shape = { kind = "segment", points = [[-1, 0], [1, 0]], material = "stone" }
[[body]]
name = "fork"
kind = "planar"
mass = 1
inertia = 1
position = [0, 1]
shape = { kind = "wall", points = [[-1, 0], [0, 1], [1, 0]], material = "stone" }
[integrator]
step = 1e-3
duration = 1
)";
  EXPECT_EQ(testing::message_of([&] { Simulation(parse_model(text, "walls.toml")); }),
            "'ground' and 'fork' have walls without thickness, which cannot touch each other; give "
            "one of them a 'radius'");
}

}  // namespace curved_solids_test
}  // namespace clatter
