#include <filesystem>
#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clatter/io/model_reader.hpp>
#include <clatter/machine/state.hpp>
#include <clatter/simulation/simulation.hpp>

#include "support/meshes.hpp"
#include "support/message_of.hpp"
#include "support/random_cases.hpp"

namespace clatter {
namespace {

using ::testing::HasSubstr;

constexpr const char* stone = R"(
[[material]]
name = "stone"
friction = 0.3
restitution = 0.5
)";
/// Newton's law of impact with friction can give energy; without restitution it cannot.
constexpr const char* clay = R"(
[[material]]
name = "stone"
friction = 0.3
)";

constexpr const char* wax = R"(
[[material]]
name = "stone"
)";
constexpr const char* glass = R"(
[[material]]
name = "stone"
restitution = 1
)";

// ---- One box, said in four ways

std::string box_on_slope(const std::string& scheme, const std::string& box,
                         const std::string& more) {
  return fmt::format(R"(
gravity = [3, 1, -9.81]
{}
[ground]
shape = {{ kind = "half_space", material = "stone" }}
[[body]]
name = "box"
mass = 2
inertia = [0.01, 0.02, 0.025]
{}
position = [0, 0, 0.2]
orientation = {{ rotation_vector = [0.2, 0.1, 0.3] }}
velocity = [0.3, 0, 0]
{}
[integrator]
name = "{}"
step = 1e-3
duration = 0.4
)",
                     stone, box, more, scheme);
}

class EveryScheme : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Solids, EveryScheme, ::testing::Values("nsga", "moreau", "nsga_coupled"),
                         [](const auto& test) { return std::string(test.param); });

TEST_P(EveryScheme, moves_a_box_a_hull_a_mesh_and_eight_points_alike) {
  constexpr const char* corners =
      "[[-0.1,-0.08,-0.05],[0.1,-0.08,-0.05],[0.1,0.08,-0.05],[-0.1,0.08,-0.05],"
      "[-0.1,-0.08,0.05],[0.1,-0.08,0.05],[0.1,0.08,0.05],[-0.1,0.08,0.05]]";
  const std::string file =
      fmt::format("{}twelve_triangles_{}.obj", ::testing::TempDir(), GetParam());
  testing::box_of_triangles({0.2, 0.16, 0.1}).write(file);
  const std::vector<std::string> models{
      box_on_slope(GetParam(),
                   "shape = { kind = 'box', size = [0.2, 0.16, 0.1], material = 'stone' }", ""),
      box_on_slope(
          GetParam(),
          fmt::format("shape = {{ kind = 'hull', points = {}, material = 'stone' }}", corners), ""),
      box_on_slope(
          GetParam(),
          fmt::format("shape = {{ kind = 'mesh', file = '{}', material = 'stone' }}", file), ""),
      box_on_slope(
          GetParam(), "",
          fmt::format("[[contact]]\nname = 'c'\npoint = {{ body = 'box', at = {} }}\n"
                      "face = {{ normal = [0, 0, 1] }}\nfriction = 0.3\nrestitution = 0.5\n",
                      corners))};
  std::vector<NodeState> ends;
  for (const std::string& text : models) {
    Simulation simulation(parse_model(text, "solids.toml"));
    while (!simulation.finished()) simulation.step();
    ends.push_back(simulation.state().q[1]);
  }
  std::filesystem::remove(file);
  EXPECT_GT(ends[0].x.x(), 0.1);
  // The coupled scheme remembers forces of points that have left the face, which solids forget, and
  // points sink in with Moreau's.
  const std::size_t same = std::string(GetParam()) == "nsga" ? 4 : 3;
  for (std::size_t k = 1; k < same; ++k) {
    EXPECT_LT((ends[k].x - ends[0].x).norm(), 1e-8);
    EXPECT_LT((ends[k].R - ends[0].R).norm(), 1e-8);
  }
}

// ---- Nobody gets out

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
INSTANTIATE_TEST_SUITE_P(Solids, Room,
                         ::testing::Values(RoomCase{"planar", "nsga", clay, true},
                                           RoomCase{"spatial", "nsga", clay, false},
                                           RoomCase{"moreau_planar", "moreau", clay, true},
                                           RoomCase{"moreau_spatial", "moreau", clay, false},
                                           RoomCase{"moreau_planar_wax", "moreau", wax, true},
                                           RoomCase{"moreau_spatial_wax", "moreau", wax, false},
                                           RoomCase{"moreau_planar_glass", "moreau", glass, true},
                                           RoomCase{"moreau_spatial_glass", "moreau", glass,
                                                    false}),
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

TEST_P(EveryScheme, lets_no_disc_through_another) {
  // They come 0.4 m nearer in a step, four times their diameter.
  const std::string disc =
      "shape = { kind = 'disc', radius = 0.05, thickness = 0.1, material = 'stone' }";
  const std::string text = fmt::format(R"(
gravity = [0, 0]
{}
[[body]]
name = "left"
kind = "planar"
mass = 1
{}
position = [-0.1, 0]
velocity = [200, 0]
[[body]]
name = "right"
kind = "planar"
mass = 1
{}
position = [0.1, 0.01]
velocity = [-200, 0]
[integrator]
name = "{}"
step = 1e-3
duration = 0.01
)",
                                       glass, disc, disc, GetParam());
  Simulation simulation(parse_model(text, "discs.toml"));
  while (!simulation.finished()) simulation.step();
  const State& state = simulation.state();
  EXPECT_LT(state.q[1].x.x(), -0.1);
  EXPECT_GT(state.q[2].x.x(), 0.1);
  EXPECT_NEAR(state.v.segment<3>(6).norm(), 200.0, 1e-9 * 200.0);
  EXPECT_LT((state.v.segment<3>(6) + state.v.segment<3>(12)).norm(), 1e-9 * 200.0);
  EXPECT_GT(simulation.statistics().min_gap, -1e-9);
}

/// Distances from the wall such that the ball meets it early and late in a step, and at its end.
TEST_P(EveryScheme, throws_a_fast_ball_back_from_a_wall) {
  for (const double restitution : {0.0, 0.5, 1.0}) {
    for (const double distance : {0.5, 0.53, 0.6, 0.65, 0.7}) {
      const std::string text = fmt::format(R"(
[[material]]
name = "stone"
restitution = {}
[ground]
shape = {{ kind = "half_space", normal = [-1, 0, 0], position = [{}, 0, 0], material = "stone" }}
[[body]]
name = "ball"
density = 1000
shape = {{ kind = "sphere", radius = 0.05, material = "stone" }}
velocity = [200, 30, 0]
[integrator]
name = "{}"
step = 1e-3
duration = 0.008
)",
                                           restitution, distance, GetParam());
      Simulation simulation(parse_model(text, "wall.toml"));
      while (!simulation.finished()) simulation.step();
      const auto v = simulation.state().v.segment<3>(6);
      EXPECT_NEAR(v.x(), -200.0 * restitution, 1e-9 * 200.0);
      EXPECT_NEAR(v.y(), 30.0, 1e-9 * 200.0);
      EXPECT_GT(simulation.statistics().min_gap, -1e-9);
      // A ball that does not bounce lies at the wall.
      if (restitution == 0.0) {
        EXPECT_NEAR(simulation.state().q[1].x.x(), distance - 0.05, 1e-9);
      }
    }
  }
}

// ---- Who touches whom

std::string two_boxes(const std::string& more) {
  return fmt::format(R"(
gravity = [0, 0, -9.81]
{}
[ground]
shape = {{ kind = "half_space", material = "stone" }}
[[body]]
name = "lower"
density = 1000
shape = {{ kind = "box", size = [0.2, 0.2, 0.2], material = "stone" }}
position = [0, 0, 0.1]
[[body]]
name = "upper"
density = 1000
shape = {{ kind = "box", size = [0.1, 0.1, 0.1], material = "stone" }}
position = [0.02, 0, 0.25]
{}
[integrator]
step = 1e-3
duration = 0.2
)",
                     stone, more);
}

double final_height(const std::string& text) {
  Simulation simulation(parse_model(text, "solids.toml"));
  while (!simulation.finished()) simulation.step();
  return simulation.state().q[2].x.z();
}

TEST(Solids, stand_on_each_other) { EXPECT_NEAR(final_height(two_boxes("")), 0.25, 1e-10); }

TEST(Solids, that_are_excluded_pass_through_each_other) {
  // What the upper one falls in 0.2 s, but for one step's error of g h t / 2 and no less.
  EXPECT_NEAR(final_height(two_boxes("[[exclude]]\nbodies = ['lower', 'upper']\n")),
              std::max(0.05, 0.25 - 0.5 * 9.81 * 0.04), 1e-3);
}

TEST(Solids, that_overlap_at_the_start_are_refused) {
  std::string text = two_boxes("");
  text.replace(text.find("0.25]"), 5, "0.20]");
  EXPECT_THAT(testing::message_of([&] { Simulation simulation(parse_model(text, "solids.toml")); }),
              HasSubstr("'lower' and 'upper' start 0.05 m inside each other"));
}

// Each box lies on the next by more contact rows than it has motions: the impulses of a step at
// rest bear the weight of all boxes above, ten times one, nine times one and so on.
TEST(Solids, in_a_tower_bear_the_weight_of_all_above) {
  constexpr int count = 10;
  constexpr double mass = 2.0, gravity = 9.81, step = 1e-3;
  std::string text = std::string("gravity = [0, 0, -9.81]\n") + clay +
                     "[ground]\nshape = { kind = 'half_space', material = 'stone' }\n";
  for (int k = 0; k < count; ++k) {
    text += fmt::format(R"(
[[body]]
name = "box {}"
mass = {}
shape = {{ kind = "box", size = [0.2, 0.2, 0.1], material = "stone" }}
position = [0, 0, {}]
)",
                        k, mass, 0.05 + 0.1 * k);
  }
  text += fmt::format("[integrator]\nstep = {}\nduration = 0.1\n", step);
  Simulation simulation(parse_model(text, "tower.toml"));
  while (!simulation.finished()) simulation.step();
  double impulses = 0.0;
  for (const ContactState& contact : simulation.state().contacts) impulses += contact.impulse[0];
  const double weights = 0.5 * count * (count + 1) * mass * gravity * step;
  EXPECT_NEAR(impulses, weights, 1e-8 * weights);
}

// The ground of a plane model, turned by its normal; tan(20 deg) = 0.364 < 0.5.
TEST_P(EveryScheme, rests_a_box_on_a_slope_in_the_plane_while_friction_holds_it) {
  const double angle = 20.0 * M_PI / 180.0;
  const Vec3 normal(-std::sin(angle), std::cos(angle), 0.0);
  const std::string text =
      fmt::format(R"(
gravity = [0, -9.81]
[[material]]
name = "stone"
friction = 0.5
[ground]
shape = {{ kind = "half_space", normal = [{0}, {1}], material = "stone" }}
[[body]]
name = "box"
kind = "planar"
mass = 3
shape = {{ kind = "box", size = [0.2, 0.1, 1], material = "stone" }}
position = [{2}, {3}]
angle = {4}
[integrator]
name = "{5}"
step = 1e-3
duration = 0.5
)",
                  normal.x(), normal.y(), 0.05 * normal.x(), 0.05 * normal.y(), angle, GetParam());
  Simulation simulation(parse_model(text, "slope.toml"));
  while (!simulation.finished()) simulation.step();
  EXPECT_LT((simulation.state().q[1].x - 0.05 * normal).norm(), 1e-9);
}

TEST(Solids, of_a_kind_that_cannot_touch_are_refused) {
  const std::string text = std::string(clay) + R"(
[[body]]
name = "wheel"
kind = "planar"
density = 1000
shape = { kind = "cylinder", radius = 0.1, length = 0.1, material = "stone" }
[integrator]
step = 1e-3
duration = 0.1
)";
  EXPECT_THAT(testing::message_of([&] { Simulation simulation(parse_model(text, "solids.toml")); }),
              HasSubstr("a cylinder cannot touch others in the plane"));
}

/// Rings of four capsules that hang in each other, the last of them heavy.
TEST(Solids, of_a_chain_stay_linked_under_a_heavy_load) {
  std::string text = std::string("gravity = [4, 2, -9.81]\n") + clay;
  for (int k = 0; k < 3; ++k) {
    const auto bar = [](double length, const char* place) {
      return fmt::format(
          "{{ kind = 'capsule', radius = 0.004, length = {}, {}, material = "
          "'stone' }}",
          length, place);
    };
    const char* across = "orientation = { axis = [0, 1, 0], angle_deg = 90 }";
    text += fmt::format(
        "[[body]]\nname = 'link {}'\nmass = {}\nposition = [0, 0, {}]\n"
        "orientation = {{ axis = [0, 0, 1], angle_deg = {} }}\nshape = [{}, {}, {}, {}]\n",
        k, k == 2 ? 500.0 : 0.05, -0.052 * k, 90 * k, bar(0.06, "position = [0.012, 0, 0]"),
        bar(0.06, "position = [-0.012, 0, 0]"),
        bar(0.024, fmt::format("position = [0, 0, 0.03], {}", across).c_str()),
        bar(0.024, fmt::format("position = [0, 0, -0.03], {}", across).c_str()));
  }
  text +=
      "[[joint]]\nname = 'hook'\nkind = 'fixed'\na = 'ground'\nb = 'link 0'\n"
      "point = [0, 0, 0.03]\n[integrator]\nstep = 1e-3\nduration = 0.05\n";
  Simulation simulation(parse_model(text, "chain.toml"));
  while (!simulation.finished()) simulation.step();
  // They swing to the side; each stays in the one above, within the diameter of a bar.
  const auto& q = simulation.state().q;
  EXPECT_NEAR((q[2].x - q[1].x).norm(), 0.052, 0.008);
  EXPECT_NEAR((q[3].x - q[2].x).norm(), 0.052, 0.008);
}

// ---- Round and hollow ones

/// Round bodies of every kind in a drum or a hollow ball, thrown about.
std::string drum(const std::string& scheme, const std::string& walls, double speed) {
  std::string text = fmt::format(
      "gravity = [0, -9.81, 0]\n{}[ground]\nshape = {{ {}, hollow = "
      "true, material = 'stone' }}\n",
      clay, walls);
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

}  // namespace
}  // namespace clatter
