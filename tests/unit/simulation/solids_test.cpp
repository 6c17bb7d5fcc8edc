#include <filesystem>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clatter/io/model_reader.hpp>
#include <clatter/machine/state.hpp>
#include <clatter/simulation/simulation.hpp>

#include "support/materials.hpp"
#include "support/meshes.hpp"
#include "support/message_of.hpp"
#include "support/random_cases.hpp"

namespace clatter {
namespace solids_test {

using ::testing::HasSubstr;

// ---- One box, said in four ways

/// On a plane with gravity at a slant, let go with `start`: as a box, a hull, a mesh, eight points.
std::vector<std::string> boxes_on_slope(const std::string& scheme, const std::string& start,
                                        const std::string& mesh_file) {
  constexpr const char* corners =
      "[[-0.1,-0.08,-0.05],[0.1,-0.08,-0.05],[0.1,0.08,-0.05],[-0.1,0.08,-0.05],"
      "[-0.1,-0.08,0.05],[0.1,-0.08,0.05],[0.1,0.08,0.05],[-0.1,0.08,0.05]]";
  const auto model = [&](const std::string& box, const std::string& more) {
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
{}
{}
[integrator]
name = "{}"
step = 1e-3
duration = 0.4
)",
                       testing::stone, box, start, more, scheme);
  };
  return {
      model("shape = { kind = 'box', size = [0.2, 0.16, 0.1], material = 'stone' }", ""),
      model(fmt::format("shape = {{ kind = 'hull', points = {}, material = 'stone' }}", corners),
            ""),
      model(fmt::format("shape = {{ kind = 'mesh', file = '{}', material = 'stone' }}", mesh_file),
            ""),
      model("", fmt::format("[[contact]]\nname = 'c'\npoint = {{ body = 'box', at = {} }}\n"
                            "face = {{ normal = [0, 0, 1] }}\nfriction = 0.3\n"
                            "restitution = 0.5\n",
                            corners))};
}

class EveryScheme : public ::testing::TestWithParam<const char*> {
 protected:
  /// Where they end, and the impulses of the last step along the normal and across.
  struct End {
    NodeState at;
    double normal = 0.0, across = 0.0;
  };
  static std::vector<End> ends_of_boxes(const std::string& start) {
    const std::string file =
        fmt::format("{}twelve_triangles_{}.obj", ::testing::TempDir(), GetParam());
    testing::box_of_triangles({0.2, 0.16, 0.1}).write(file);
    std::vector<End> ends;
    for (const std::string& text : boxes_on_slope(GetParam(), start, file)) {
      Simulation simulation(parse_model(text, "solids.toml"));
      while (!simulation.finished()) simulation.step();
      End end{simulation.state().q[1]};
      for (const ContactState& contact : simulation.state().contacts) {
        end.normal += contact.impulse[0];
        end.across += contact.impulse.tail<2>().norm();
      }
      ends.push_back(end);
    }
    std::filesystem::remove(file);
    EXPECT_GT(ends[0].at.x.x(), 0.1);
    return ends;
  }
};
INSTANTIATE_TEST_SUITE_P(Solids, EveryScheme, ::testing::Values("nsga", "moreau", "nsga_coupled"),
                         [](const auto& test) { return std::string(test.param); });

TEST_P(EveryScheme, slides_a_box_a_hull_a_mesh_and_eight_points_alike) {
  const std::vector<End> ends = ends_of_boxes("position = [0, 0, 0.05]\nvelocity = [0.3, 0, 0]");
  const double weight = 2.0 * 9.81 * 1e-3;  // [N s] in a step, across the plane
  EXPECT_NEAR(ends[0].normal, weight, 1e-8 * weight);
  EXPECT_NEAR(ends[0].across, 0.3 * weight, 1e-8 * weight);
  for (const End& end : ends) {
    EXPECT_LT((end.at.x - ends[0].at.x).norm(), 1e-8);
    EXPECT_LT((end.at.R - ends[0].at.R).norm(), 1e-8);
    EXPECT_NEAR(end.normal, ends[0].normal, 1e-8 * weight);
    EXPECT_NEAR(end.across, ends[0].across, 1e-8 * weight);
  }
}

TEST_P(EveryScheme, drops_a_box_a_hull_a_mesh_and_eight_points_alike) {
  const std::vector<End> ends = ends_of_boxes(
      "position = [0, 0, 0.2]\norientation = { rotation_vector = [0.2, 0.1, 0.3] }\n"
      "velocity = [0.3, 0, 0]");
  // The coupled scheme remembers forces of points that have left the face, which solids forget, and
  // points sink in with Moreau's.
  const std::size_t same = std::string(GetParam()) == "nsga" ? 4 : 3;
  for (std::size_t k = 1; k < same; ++k) {
    EXPECT_LT((ends[k].at.x - ends[0].at.x).norm(), 1e-8);
    EXPECT_LT((ends[k].at.R - ends[0].at.R).norm(), 1e-8);
  }
}

// ---- Nothing goes through

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
                                       testing::glass, disc, disc, GetParam());
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
                     testing::stone, more);
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
  std::string text = std::string("gravity = [0, 0, -9.81]\n") + testing::clay +
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

/// Most of its contacts hardly bear, and any of them might: what is not solved by Newton's method
/// on the reactions needs active sets found first, which takes a thousand times longer.
TEST(Solids, in_a_wall_stand_without_being_recovered) {
  std::string text =
      "gravity = [0, 0, -9.81]\n[[material]]\nname = 'stone'\nfriction = 0.4\n"
      "[ground]\nshape = { kind = 'half_space', material = 'stone' }\n";
  for (const bool odd : {false, true}) {
    text += fmt::format(
        "[[body]]\nname = '{}'\nmass = 1\nposition = [{}, 0, {}]\n"
        "shape = {{ kind = 'box', size = [0.199, 0.1, 0.1], material = 'stone' }}\n"
        "repeat = {{ count = [{}, 1, 3], spacing = [0.2, 1, 0.2] }}\n",
        odd ? "odd" : "even", odd ? 0.1 : 0.0, odd ? 0.15 : 0.05, odd ? 5 : 6);
  }
  const int steps = testing::looks_at_numbers ? 60 : 5;
  Simulation simulation(
      parse_model(text + "[integrator]\nstep = 1e-3\nduration = 1\n", "wall.toml"));
  const Configuration start = simulation.state().q;
  for (int k = 0; k < steps; ++k) simulation.step();
  EXPECT_EQ(simulation.statistics().recovered, 0);
  for (std::size_t n = 1; n < start.size(); ++n) {
    EXPECT_LT((simulation.state().q[n].x - start[n].x).norm(), 1e-9) << n;
  }
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
  const std::string text = std::string(testing::clay) + R"(
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
  std::string text = std::string("gravity = [4, 2, -9.81]\n") + testing::clay;
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

/// Three blocks a layer, crosswise. Corrections of overlaps that are round-off would never end.
TEST(Stack, at_rest_is_not_corrected_by_moreau) {
  std::string text =
      "gravity = [0, 0, -9.81]\n[[material]]\nname = \"wood\"\nfriction = 0.4\n"
      "[ground]\nshape = { kind = \"half_space\", material = \"wood\" }\n";
  for (int block = 0; block < 36; ++block) {
    const int layer = block / 3;
    const double across = 0.0251 * (block % 3 - 1), up = 0.0075 + 0.015 * layer;
    text += fmt::format(
        "[[body]]\nname = \"b{}\"\ndensity = 600\nposition = {}\nshape = {{ kind = \"box\", "
        "size = {}, material = \"wood\" }}\n",
        block,
        layer % 2 == 0 ? fmt::format("[0, {}, {}]", across, up)
                       : fmt::format("[{}, 0, {}]", across, up),
        layer % 2 == 0 ? "[0.075, 0.025, 0.015]" : "[0.025, 0.075, 0.015]");
  }
  text += "[integrator]\nname = \"moreau\"\nstep = 1e-3\nduration = 0.02\n";
  Simulation simulation(parse_model(text, "stack.toml"));
  while (!simulation.finished()) simulation.step();
  EXPECT_EQ(simulation.statistics().position.total, 0);
  EXPECT_LT(simulation.value("energy/kinetic"), 1e-20);
}

}  // namespace solids_test
}  // namespace clatter
