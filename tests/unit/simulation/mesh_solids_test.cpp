#include <filesystem>
#include <functional>
#include <numbers>
#include <random>
#include <unistd.h>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clatter/io/model_reader.hpp>
#include <clatter/machine/solid_search.hpp>
#include <clatter/machine/state.hpp>
#include <clatter/simulation/simulation.hpp>

#include "support/meshes.hpp"
#include "support/message_of.hpp"
#include "support/random_cases.hpp"

namespace clatter {
namespace mesh_solids_test {

using ::testing::HasSubstr;
using testing::Triangles;

constexpr const char* clay = "[[material]]\nname = 'clay'\nfriction = 0.3\n";

/// The shape of a mesh in a file of its own.
class MeshSolids : public ::testing::Test {
 protected:
  std::string shape_of(const Triangles& mesh, const std::string& more = "") {
    const std::string path =
        ::testing::TempDir() + fmt::format("mesh_solids_{}_{}.obj", ::getpid(), files_.size());
    mesh.write(path);
    files_.push_back(path);
    return fmt::format("{{ kind = 'mesh', file = '{}', material = 'clay'{} }}", path, more);
  }
  ~MeshSolids() override {
    for (const std::string& file : files_) std::filesystem::remove(file);
  }

  std::vector<std::string> files_;
};

std::string ball(const std::string& name, double radius, const Vec3& at) {
  return fmt::format(
      "[[body]]\nname = '{}'\ndensity = 1000\nshape = {{ kind = 'sphere', radius = {}, material = "
      "'clay' }}\nposition = [{}, {}, {}]\n",
      name, radius, at.x(), at.y(), at.z());
}

std::string run_for(double duration, double step = 1e-3, const std::string& scheme = "nsga") {
  return fmt::format("[integrator]\nname = '{}'\nstep = {}\nduration = {}\n", scheme, step,
                     duration);
}

/// Runs to the end; no step may end with an overlap.
void run(Simulation& simulation) {
  while (!simulation.finished()) simulation.step();
  EXPECT_GT(simulation.statistics().min_gap, -1e-9);
}

double speed_of(const State& state, std::size_t n) {
  return state.v.segment<6>(6 * static_cast<Eigen::Index>(n)).norm();
}

constexpr double cup_radius = 0.1, cup_height = 0.12, cup_wall = 0.01;

// ---- Cups

class Cup : public MeshSolids, public ::testing::WithParamInterface<bool> {};
INSTANTIATE_TEST_SUITE_P(MeshSolids, Cup, ::testing::Values(false, true), [](const auto& test) {
  return std::string(test.param ? "as_a_body" : "of_the_ground");
});

TEST_P(Cup, holds_balls_that_are_dropped_into_it) {
  const std::string shape =
      shape_of(testing::cup_of_triangles(cup_radius, cup_height, cup_wall, 12));
  const bool moves = GetParam();
  std::string text = std::string("gravity = [0, 0, -9.81]\n") + clay;
  text += moves ? "[ground]\nshape = { kind = 'half_space', material = 'clay' }\n"
                : fmt::format("[ground]\nshape = {}\n", shape);
  constexpr std::size_t balls = 4;
  for (std::size_t k = 0; k < balls; ++k) {
    const double angle = 1.7 * static_cast<double>(k);
    text += ball(
        fmt::format("ball {}", k), 0.025,
        {0.04 * std::cos(angle), 0.04 * std::sin(angle), 0.06 + 0.055 * static_cast<double>(k)});
  }
  if (moves) {
    text += fmt::format("[[body]]\nname = 'cup'\ndensity = 2000\nshape = {}\n", shape);
  }
  text += run_for(testing::looks_at_numbers ? 2.0 : 0.1);
  const Model model = parse_model(text, "cup.toml");
  Simulation simulation(model);
  const Machine machine(model);
  const auto energy = [&] {
    const State& state = simulation.state();
    return machine.kinetic_energy(state.v) + machine.gravity_energy(state.q);
  };
  const double first = energy();
  double before = first;
  while (!simulation.finished()) {
    simulation.step();
    EXPECT_LE(energy() - before, 1e-9 * first);  // round-off and the tolerance of the solver
    before = energy();
  }
  EXPECT_GT(simulation.statistics().min_gap, -1e-9);
  const State& state = simulation.state();
  for (std::size_t n = 1; n <= balls; ++n) {
    const Vec3& at = state.q[n].x;
    EXPECT_LT(at.head<2>().norm(), cup_radius - cup_wall);
    EXPECT_GT(at.z(), cup_wall + 0.025 - 1e-9);
    if (!testing::looks_at_numbers) continue;
    EXPECT_NEAR(at.z(), cup_wall + 0.025, 1e-9);  // on its floor, where nothing stops rolling
    EXPECT_LT(std::abs(state.v[6 * static_cast<Eigen::Index>(n) + 2]), 1e-9);
  }
}

// ---- A notch

// Gravity presses it against both sides of the notch.
TEST_F(MeshSolids, with_a_notch_hold_a_box_in_it) {
  for (const bool as_mesh : {false, true}) {
    const std::string box = as_mesh
                                ? shape_of(testing::box_of_triangles({0.06, 0.06, 0.06}))
                                : "{ kind = 'box', size = [0.06, 0.06, 0.06], material = 'clay' }";
    const std::string text =
        fmt::format(
            "gravity = [-6, 0, -9]\n[[material]]\nname = 'clay'\n[ground]\nshape = {}\n"
            "[[body]]\nname = 'box'\ndensity = 1000\nshape = {}\n"
            "position = [0.14, 0.01, 0.137]\n",
            shape_of(testing::l_of_triangles(0.1)), box) +
        run_for(testing::looks_at_numbers ? 0.5 : 0.2);
    Simulation simulation(parse_model(text, "notch.toml"));
    run(simulation);
    EXPECT_LT((simulation.state().q[1].x - Vec3(0.13, 0.01, 0.13)).norm(), 1e-9);
    EXPECT_LT(speed_of(simulation.state(), 1), 1e-9);
  }
}

TEST_F(MeshSolids, lie_on_each_other) {
  const std::string l = shape_of(testing::l_of_triangles(0.1));
  // Upside down in the notch of the other: what is left of both is a block.
  const std::string text =
      std::string("gravity = [0, 0, -9.81]\n") + clay +
      fmt::format(
          "[ground]\nshape = {}\n[[body]]\nname = 'upper'\ndensity = 1000\nshape = {}\n"
          "position = [0.2005, 0, 0.3005]\n"
          "orientation = {{ axis = [0, 1, 0], angle_deg = 180 }}\n",
          l, l) +
      run_for(testing::looks_at_numbers ? 0.3 : 0.1);
  Simulation simulation(parse_model(text, "two.toml"));
  run(simulation);
  // It has fallen straight down by 0.0005. Its centre of mass is at (1, 0, 1)/12.
  EXPECT_LT((simulation.state().q[1].x - Vec3(0.2005 - 1.0 / 12.0, 0.0, 0.3 - 1.0 / 12.0)).norm(),
            1e-9);
  EXPECT_LT(speed_of(simulation.state(), 1), 1e-9);
}

TEST_F(MeshSolids, of_thousands_of_triangles_carry_boxes_and_balls) {
  Triangles bowl = testing::turned_about_z(
      [] {
        std::vector<std::array<double, 2>> outline{{0.0, -200.0}, {1200.0, -200.0}};
        for (int k = 20; k >= 0; --k) {
          const double r = 50.0 * k;
          outline.push_back({r, 0.0003 * r * r});
        }
        return outline;
      }(),
      48);
  ASSERT_GT(bowl.corners.size(), 2000U);
  std::string text = std::string("gravity = [0, 0, -9.81]\n") + clay +
                     fmt::format("[ground]\nshape = {}\n", shape_of(bowl, ", scale = 0.001"));
  text += ball("ball", 0.05, {0.6, 0.1, 0.25});
  text +=
      "[[body]]\nname = 'box'\ndensity = 500\nshape = { kind = 'box', size = [0.1, 0.2, 0.15], "
      "material = 'clay' }\nposition = [-0.3, 0.2, 0.3]\nangular_velocity = [3, 1, 2]\n";
  text += run_for(testing::looks_at_numbers ? 0.5 : 0.01);
  Simulation simulation(parse_model(text, "bowl.toml"));
  run(simulation);
  for (std::size_t n = 1; n <= 2; ++n) EXPECT_GT(simulation.state().q[n].x.z(), 0.0);
}

TEST_F(MeshSolids, that_cut_through_themselves_are_refused) {
  Triangles two = testing::box_of_triangles({1, 1, 1});
  const Triangles other = two;
  for (const Vec3& point : other.points) two.points.emplace_back(point + Vec3(0.3, 0.2, 0.4));
  for (const auto& [a, b, c] : other.corners) two.corners.push_back({a + 8, b + 8, c + 8});
  const std::string text = std::string(clay) +
                           fmt::format("[ground]\nshape = {}\n", shape_of(two)) +
                           ball("ball", 0.1, {0, 0, 3}) + run_for(0.1);
  EXPECT_THAT(testing::message_of([&] { Simulation simulation(parse_model(text, "cut.toml")); }),
              HasSubstr("cuts through itself"));
}

/// In the middle of what is solid there is no face nearby; in the notch there is nothing solid.
TEST_F(MeshSolids, that_have_another_wholly_inside_are_refused) {
  const auto start = [&](const Vec3& at) {
    const std::string text =
        std::string(clay) +
        fmt::format("[ground]\nshape = {}\n", shape_of(testing::l_of_triangles(1.0))) +
        ball("ball", 1e-3, at) + run_for(0.1);
    return testing::message_of([&] { Simulation simulation(parse_model(text, "inside.toml")); });
  };
  EXPECT_THAT(start({0.5, 0.0, 0.5}), HasSubstr("'ball' starts wholly inside 'ground'"));
  EXPECT_EQ(start({1.5, 0.0, 1.5}), "");
  EXPECT_EQ(start({-0.5, 0.0, 0.5}), "");
}

// ---- Height fields

std::string rows_of(int rows, int columns, const std::function<double(int, int)>& height) {
  std::string text = "[";
  for (int j = 0; j < rows; ++j) {
    text += "[";
    for (int i = 0; i < columns; ++i) text += fmt::format("{}, ", height(i, j));
    text += "], ";
  }
  return text + "]";
}

TEST(HeightField, that_is_a_plane_lets_a_ball_roll_like_a_half_space) {
  // z = 0.25 x: numbers that are exact.
  const std::string field =
      fmt::format("{{ kind = 'height_field', spacing = 0.125, heights = {}, material = 'clay' }}",
                  rows_of(9, 17, [](int i, int) { return 0.25 * 0.125 * (i - 8); }));
  std::vector<Vec3> ends;
  for (const std::string& ground :
       {field, std::string("{ kind = 'half_space', normal = [-0.25, 0, 1], material = 'clay' }")}) {
    const Vec3 normal = Vec3(-0.25, 0.0, 1.0).normalized();
    const std::string text = std::string("gravity = [0, 0, -9.81]\n") + clay +
                             fmt::format("[ground]\nshape = {}\n", ground) +
                             ball("ball", 0.05, Vec3(0.8, 0.0, 0.2) + 0.05 * normal) +
                             run_for(testing::looks_at_numbers ? 0.8 : 0.1);
    Simulation simulation(parse_model(text, "slope.toml"));
    run(simulation);
    ends.push_back(simulation.state().q[1].x);
  }
  EXPECT_LT((ends[0] - ends[1]).norm(), 1e-11);
  if (testing::looks_at_numbers) {
    EXPECT_LT(ends[0].x(), 0.6);
  }
}

class BumpyField : public ::testing::TestWithParam<double> {};
INSTANTIATE_TEST_SUITE_P(HeightField, BumpyField, ::testing::Values(1.0, 100.0));

TEST_P(BumpyField, lets_nobody_fall_through) {
  const double speed = GetParam();
  for (unsigned seed = 0; seed < testing::random_cases; ++seed) {
    std::mt19937 generator(seed);
    std::uniform_real_distribution<> any(-1.0, 1.0);
    std::string text = std::string("gravity = [0, 0, -9.81]\n") + clay + "[ground]\nshape = [\n";
    text +=
        fmt::format("{{ kind = 'height_field', spacing = 0.1, heights = {}, material = 'clay' }}",
                    rows_of(12, 12, [&](int, int) { return 0.05 * any(generator); }));
    text += "]\n" + ball("ball", 0.06, {-0.2, -0.2, 0.3});
    text += fmt::format(
        "velocity = [0, 0, {0}]\n"
        "[[body]]\nname = 'box'\ndensity = 500\nshape = {{ kind = 'box', size = [0.12, 0.08, 0.1], "
        "material = 'clay' }}\nposition = [0.2, 0.2, 0.3]\nvelocity = [{1}, {2}, {0}]\n"
        "angular_velocity = [{3}, {4}, {5}]\n"
        "[[body]]\nname = 'pill'\ndensity = 500\nshape = {{ kind = 'capsule', radius = 0.03, "
        "length = 0.1, material = 'clay' }}\nposition = [0.2, -0.2, 0.3]\nvelocity = [0, 0, {0}]\n",
        -speed, 0.5 * any(generator), 0.5 * any(generator), 5 * any(generator), 5 * any(generator),
        5 * any(generator));
    text += run_for(testing::looks_at_numbers ? 0.2 : 0.02);
    Simulation simulation(parse_model(text, "bumps.toml"));
    run(simulation);
    for (std::size_t n = 1; n <= 3; ++n) EXPECT_GT(simulation.state().q[n].x.z(), -0.05) << seed;
  }
}

/// A roof with a notch in its floor, which makes it a solid of several parts. Each edge touches as
/// that of one part, but the overlap of a can across the ridge is the same with the parts on both
/// sides of it.
TEST_F(MeshSolids, overlap_cans_across_a_ridge_by_as_much_as_these_are_low) {
  Triangles roof;
  for (const double y : {-1.0, 1.0}) {
    for (const auto& [x, z] : {std::pair(0.0, 0.0), std::pair(-1.0, -1.0), std::pair(-0.2, -1.0),
                               std::pair(0.0, -0.5), std::pair(0.2, -1.0), std::pair(1.0, -1.0)}) {
      roof.points.emplace_back(x, y, z);
    }
  }
  for (int k = 0; k < 6; ++k) roof.add_quad(k, k + 6, (k + 1) % 6 + 6, (k + 1) % 6);
  for (const auto& [a, b, c] :
       {std::array{0, 1, 3}, std::array{1, 2, 3}, std::array{0, 3, 5}, std::array{3, 4, 5}}) {
    roof.corners.push_back({a, b, c});
    roof.corners.push_back({a + 6, c + 6, b + 6});
  }
  const std::string shape = shape_of(roof);
  for (const double low : {1e-7, 1e-5, 1e-3}) {
    const Model model = parse_model(
        std::string(clay) + "[ground]\nshape = " + shape +
            fmt::format("\n[[body]]\nname = 'can'\ndensity = 1000\nshape = {{ kind = 'cylinder', "
                        "radius = 0.1, length = 0.5, material = 'clay' }}\n"
                        "position = [0.05, 0.1, {}]\norientation = {{ axis = [0, 1, 0], angle = {} "
                        "}}\n",
                        0.1 - low, std::numbers::pi / 2.0) +
            run_for(1.0),
        "roof.toml");
    const Machine machine(model);
    // Solved for the place to touch to about 1e-9.
    EXPECT_NEAR(SolidSearch(machine).deepest_overlap(state_at_start(machine).q).depth, low, 1e-9);
  }
}

}  // namespace mesh_solids_test
}  // namespace clatter
