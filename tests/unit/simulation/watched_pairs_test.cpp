#include <cmath>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clatter/io/model_reader.hpp>
#include <clatter/simulation/contact_point.hpp>

#include "support/read_model.hpp"
#include "support/run.hpp"

namespace clatter {
namespace watched_pairs_test {

using ::testing::HasSubstr;
using testing::mistakes_of;
using testing::value;
using testing::vector;

class EverySchemeWatched : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Watched, EverySchemeWatched,
                         ::testing::Values("nsga", "moreau", "nsga_coupled"),
                         [](const auto& test) { return std::string(test.param); });

/// A crate of 2 kg on a slope, with a ball of 3 kg above it.
Simulation crate_on_slope(const std::string& scheme, const std::string& watches) {
  return Simulation(parse_model(fmt::format(R"(
gravity = [3, 0, -9]
[[material]]
name = "wood"
friction = 0.6
[ground]
shape = {{ kind = "half_space", material = "wood" }}
[[body]]
name = "crate"
mass = 2
shape = {{ kind = "box", size = [1, 1, 0.5], material = "wood" }}
position = [0, 0, 0.25]
[[body]]
name = "ball"
mass = 3
shape = {{ kind = "sphere", radius = 0.1, material = "wood" }}
position = [0.5, 0, 2]
[[load]]
body = "ball"
force = [-9, 0, 27]
{}
[integrator]
name = "{}"
step = 1e-3
duration = 0.1
)",
                                            watches, scheme),
                                "crate.toml"));
}

constexpr const char* both_ways = R"(
[[watch]]
bodies = ["ground", "crate"]
[[watch]]
bodies = ["ball", "c*"]
)";

TEST_P(EverySchemeWatched, crate_bears_on_the_ground_with_its_weight_where_that_acts) {
  Simulation crate = crate_on_slope(GetParam(), both_ways);
  testing::run(crate);
  const std::string pair = "pairs/ground/crate/";
  EXPECT_NEAR(value(crate, pair + "gap"), 0.0, 1e-12);
  EXPECT_EQ(value(crate, pair + "points"), 4.0);
  EXPECT_EQ(value(crate, pair + "status"), 1.0);
  // On the crate: what holds its weight. Impulses of all hundred steps; the first may be no force.
  EXPECT_LT((vector(crate, pair + "force") - Vec3(-6, 0, 18)).norm(), 1e-8);
  EXPECT_LT((vector(crate, pair + "impulse") - 0.1 * Vec3(-6, 0, 18)).norm(), 1e-9);
  // The line of action of the weight meets the ground beside the middle: x = h g_x / g_z.
  EXPECT_LT((vector(crate, pair + "position") - Vec3(0.25 * 3.0 / 9.0, 0, 0)).norm(), 1e-8);
  EXPECT_LT((vector(crate, pair + "normal") - Vec3::UnitZ()).norm(), 1e-12);
}

TEST_P(EverySchemeWatched, points_of_contact_are_the_corners_and_share_the_weight) {
  Simulation crate = crate_on_slope(GetParam(), both_ways);
  testing::run(crate);
  const std::vector<ContactPoint> points = crate.contact_points();
  const std::vector<std::string> names = crate.part_names();
  ASSERT_EQ(points.size(), 4u);
  Vec3 sum = Vec3::Zero();
  for (const ContactPoint& point : points) {
    EXPECT_EQ(names[static_cast<std::size_t>(point.a)], "ground");
    EXPECT_EQ(names[static_cast<std::size_t>(point.b)], "crate");
    EXPECT_LT((point.position.cwiseAbs() - Vec3(0.5, 0.5, 0.0)).norm(), 1e-8);
    EXPECT_LT((point.normal - Vec3::UnitZ()).norm(), 1e-12);
    EXPECT_GE(point.force.z(), -1e-12);
    EXPECT_EQ(point.status, ContactStatus::stick);
    sum += point.force;
  }
  EXPECT_LT((sum - Vec3(-6, 0, 18)).norm(), 1e-8);
}

TEST_P(EverySchemeWatched, pair_that_is_apart_has_its_distance_and_no_place) {
  Simulation crate = crate_on_slope(GetParam(), both_ways);
  const std::string pair = "pairs/ball/crate/";
  EXPECT_NEAR(value(crate, pair + "gap"), 2.0 - 0.5 - 0.1, 1e-12);
  EXPECT_EQ(value(crate, pair + "points"), 0.0);
  EXPECT_EQ(value(crate, pair + "status"), 0.0);
  EXPECT_EQ(vector(crate, pair + "force"), Vec3::Zero());
  EXPECT_TRUE(std::isnan(value(crate, pair + "position")));
  EXPECT_TRUE(std::isnan(value(crate, pair + "normal")));
}

TEST_P(EverySchemeWatched, ball_that_rebounds_has_given_the_wall_twice_its_momentum) {
  Simulation ball(parse_model(fmt::format(R"(
[[material]]
name = "rubber"
restitution = 1
[[body]]
name = "wall"
mass = 1e9
shape = {{ kind = "box", size = [1, 4, 4], material = "rubber" }}
position = [1.5, 0, 0]
[[body]]
name = "ball"
mass = 0.5
shape = {{ kind = "sphere", radius = 0.2, material = "rubber" }}
velocity = [4, 0, 0]
[[watch]]
bodies = ["ball", "wall"]
[integrator]
name = "{}"
step = 1e-3
duration = 0.4
)",
                                          GetParam()),
                              "ball.toml"));
  testing::run(ball);
  // On the wall, the second of the two, whichever is a of the contact.
  EXPECT_LT((vector(ball, "pairs/ball/wall/impulse") - Vec3(4, 0, 0)).norm(), 1e-7);
  ball.start_interval();
  EXPECT_EQ(vector(ball, "pairs/ball/wall/impulse"), Vec3::Zero());
}

TEST(WatchedPairs, take_in_contacts_and_groups_too) {
  Simulation discs(parse_model(R"(
gravity = [0, -10]
[[body]]
name = "disc"
kind = "planar"
mass = 2
shape = { kind = "disc", radius = 0.5, thickness = 0.1 }
position = [0, 0.5]
repeat = { count = [3, 1], spacing = [2, 1] }
[[contact]]
name = "floor"
sphere = { body = "disc", radius = 0.5 }
face = { point = [0, 0], normal = [0, 1] }
[[watch]]
bodies = ["ground", "disc.1"]
[integrator]
step = 1e-3
duration = 0.01
)",
                               "discs.toml"));
  testing::run(discs);
  EXPECT_NEAR(value(discs, "pairs/ground/disc.1/force", 1), 20.0, 1e-9);
  EXPECT_NEAR(value(discs, "pairs/ground/disc.1/gap"), 0.0, 1e-12);
}

TEST(WatchedPairs, of_unknown_or_single_bodies_are_refused) {
  const std::string bodies = testing::rigid_pair;
  const auto watch = [&](const std::string& names) {
    return mistakes_of(bodies + "[[watch]]\nbodies = " + names + "\n" + testing::run_keys);
  };
  EXPECT_EQ(watch(R"(["one", "t*"])"), "");
  EXPECT_THAT(watch(R"(["one", "tow"])"), HasSubstr("no body or beam is called 'tow'; did you"));
  EXPECT_THAT(watch(R"(["one", "x*"])"), HasSubstr("no body or beam is called 'x*'"));
  EXPECT_THAT(watch(R"(["one", "one"])"), HasSubstr("a body does not touch itself; name two"));
  EXPECT_THAT(watch(R"(["one"])"), HasSubstr("'bodies'"));
}

}  // namespace watched_pairs_test
}  // namespace clatter
