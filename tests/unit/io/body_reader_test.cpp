#include <cmath>
#include <numbers>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <clatter/io/model_reader.hpp>

#include "support/read_model.hpp"

namespace clatter {
namespace body_reader_test {

using std::numbers::pi;
using testing::model_of;
using testing::planar_pair;

// Round-off of a handful of operations on numbers of size one.
constexpr double round_off = 1e-14;

Mat3 rotation(const BodySpec& body) { return body.orientation.toRotationMatrix(); }

TEST(ReadBody, fills_in_every_value_of_a_rigid_body) {
  const Model model = model_of(R"toml(
title = "all of it"
gravity = [0, 0, -9.81]
assemble = true
[[body]]
name = "block"
kind = "rigid"
mass = 2
inertia = [[2, 0.1, 0], [0.1, 2, 0], [0, 0, 3]]
centre_of_mass = [0.1, 0.2, 0.3]
position = [1, 2, 3]
orientation = { quaternion = [0, 0, 0, 5] }
velocity = [4, 5, 6]
angular_velocity = [7, 8, 9]
shape = { kind = "sphere", radius = 0.5 }
)toml");
  EXPECT_EQ(model.title, "all of it");
  EXPECT_EQ(model.gravity, Vec3(0, 0, -9.81));
  EXPECT_TRUE(model.assemble);
  EXPECT_EQ(model.file, "model.toml");
  const BodySpec& body = model.bodies.at(0);
  EXPECT_EQ(body.name, "block");
  EXPECT_EQ(body.kind, BodyKind::rigid);
  EXPECT_EQ(body.mass, 2.0);
  EXPECT_EQ(body.inertia(0, 1), 0.1);
  EXPECT_EQ(body.inertia(2, 2), 3.0);
  EXPECT_EQ(body.centre_of_mass, Vec3(0.1, 0.2, 0.3));
  EXPECT_EQ(body.position, Vec3(1, 2, 3));
  EXPECT_TRUE(body.orientation.isApprox(Quaternion(0, 0, 0, 1)));
  EXPECT_EQ(body.velocity, Vec3(4, 5, 6));
  EXPECT_EQ(body.angular_velocity, Vec3(7, 8, 9));
  EXPECT_EQ(std::get<SphereShape>(body.shapes.at(0).shape).radius, 0.5);
  EXPECT_EQ(body.place.file, "model.toml");
  EXPECT_EQ(body.place.line, 5);
}

TEST(ReadBody, gets_mass_and_inertia_from_shape_and_density) {
  const Model model = model_of(R"toml(
[[body]]
name = "box"
density = 10
shape = { kind = "box", size = [1, 2, 3] }
[[body]]
name = "disc"
kind = "planar"
density = 7
shape = { kind = "disc", radius = 0.5, thickness = 0.1 }
[[body]]
name = "ball"
mass = 3
shape = { kind = "sphere", radius = 2 }
[[body]]
name = "rod"
mass = 12
shape = { kind = "rod", length = 2, radius = 0.1 }
[[body]]
name = "drum"
mass = 12
shape = { kind = "cylinder", length = 2, radius = 1 }
)toml");
  // m (b² + c²) / 12 with m = 60 kg.
  EXPECT_NEAR(model.bodies[0].mass, 60.0, 60.0 * round_off);
  EXPECT_TRUE(model.bodies[0].inertia.diagonal().isApprox(Vec3(65, 50, 25), round_off));
  const double disc = 7.0 * pi * 0.25 * 0.1;
  EXPECT_NEAR(model.bodies[1].mass, disc, round_off);
  EXPECT_NEAR(model.bodies[1].inertia(2, 2), disc * 0.125, round_off);
  EXPECT_TRUE(model.bodies[2].inertia.isApprox(4.8 * Mat3::Identity(), round_off));
  EXPECT_NEAR(model.bodies[3].inertia(1, 1), 4.0, 4.0 * round_off);
  EXPECT_NEAR(model.bodies[4].inertia(2, 2), 6.0, 6.0 * round_off);
}

TEST(ReadBody, reads_all_ways_to_give_an_orientation_alike) {
  const std::string body =
      "[[body]]\nname = \"{}\"\nmass = 1\ninertia = [1, 1, 1]\norientation = {}\n";
  const double half = 0.5 * std::sqrt(0.5);
  const Model model = model_of(
      fmt::format(fmt::runtime(body), "a", "{ axis = [0, 3, 3], angle_deg = 60 }") +
      fmt::format(fmt::runtime(body), "b",
                  fmt::format("{{ axis = [0, 1, 1], angle = {} }}", pi / 3)) +
      fmt::format(fmt::runtime(body), "c",
                  fmt::format("{{ quaternion = [{}, 0, {}, {}] }}", std::cos(pi / 6), half, half)) +
      fmt::format(fmt::runtime(body), "d",
                  fmt::format("{{ rotation_vector = [0, {0}, {0}] }}", pi / 3 * std::sqrt(0.5))));
  for (int i = 1; i < 4; ++i) {
    EXPECT_TRUE(rotation(model.bodies[i]).isApprox(rotation(model.bodies[0]), round_off)) << i;
  }
}

TEST(ReadBody, reads_planar_bodies_in_two_components) {
  const Model model = model_of("gravity = [0, -9.81]\n" + planar_pair +
                               "velocity = [3, 4, 0]\nangular_velocity = 5\n");
  EXPECT_EQ(model.gravity, Vec3(0, -9.81, 0));
  EXPECT_EQ(model.bodies[0].position, Vec3(1, 2, 0));
  EXPECT_EQ(model.bodies[0].angle, 0.7);
  EXPECT_NEAR(model.bodies[1].angle, 200 * pi / 180, round_off);
  EXPECT_EQ(model.bodies[1].velocity, Vec3(3, 4, 0));
  EXPECT_EQ(model.bodies[1].angular_velocity, Vec3(0, 0, 5));
}

TEST(ReadBody, accepts_the_inertia_of_a_flat_plate_written_with_few_digits) {
  EXPECT_NO_THROW(model_of(
      "[[body]]\nname = \"plate\"\nmass = 1\ninertia = [0.0833333, 0.0833333, 0.1666667]\n"));
}

}  // namespace body_reader_test
}  // namespace clatter
