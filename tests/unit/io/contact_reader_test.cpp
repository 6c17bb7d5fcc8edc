#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <clatter/contact/geometry/contact_pair.hpp>
#include <clatter/io/model_reader.hpp>

#include "support/read_model.hpp"

namespace clatter {
namespace contact_reader_test {

using testing::model_of;
using testing::planar_pair;
using testing::rigid_pair;

TEST(ReadContact, makes_one_contact_of_every_point) {
  const Model model = model_of(rigid_pair + R"toml(
[[contact]]
name = "feet"
point = { body = "one", at = [[1, 0, 0], [0, 1, 0]] }
face = { body = "two", point = [0, 0, 1], normal = [0, 0, 2], outline = [[0, 0, 1], [1, 0, 1], [1, 1, 1]] }
friction = 0.3
restitution = 0.5
tangential_restitution = -0.5
[[contact]]
point = { body = "two", at = [0, 0, 2] }
face = { normal = [1, 0, 0] }
)toml");
  ASSERT_EQ(model.contacts.size(), 3u);
  EXPECT_EQ(model.contacts[0].name, "feet.1");
  EXPECT_EQ(model.contacts[1].name, "feet.2");
  EXPECT_EQ(model.contacts[2].name, "contact2");
  EXPECT_EQ(model.contacts[1].point.point, Vec3(0, 1, 0));
  EXPECT_EQ(model.contacts[1].face.body, "two");
  EXPECT_EQ(model.contacts[1].direction, Vec3(0, 0, 1));
  EXPECT_EQ(model.contacts[1].outline.size(), 3u);
  EXPECT_EQ(model.contacts[1].friction, 0.3);
  EXPECT_EQ(model.contacts[1].restitution, 0.5);
  EXPECT_EQ(model.contacts[1].tangential_restitution, -0.5);
  EXPECT_EQ(model.contacts[2].face.body, "");
  EXPECT_EQ(model.contacts[2].friction, 0.0);
}

TEST(ReadContact, in_the_plane_has_an_outline_of_two_corners) {
  const Model model = model_of(planar_pair + R"toml(
[[contact]]
point = { body = "one" }
face = { body = "two", normal = [0, 1], outline = [[-1, 0], [1, 0]] }
)toml");
  EXPECT_EQ(model.contacts[0].outline.size(), 2u);
}

TEST(ReadContact, has_what_is_to_be_recovered_for_all_that_it_makes) {
  const Model model = model_of(rigid_pair + R"toml(
[[material]]
name = "steel"
youngs_modulus = 2e11
poisson_ratio = 0.25
strength = 3e8
[[material]]
name = "wood"
[[contact]]
point = { body = "one", at = [[1, 0, 0], [0, 1, 0]] }
face = { normal = [0, 0, 1], point = [0, 0, -9] }
recover = { law = "lankarani-nikravesh", profile = "bent", stiffness = 1e8, exponent = 1.2, alpha = 2 }
[[contact]]
sphere = { body = "two", radius = 1 }
face = { normal = [0, 0, 1], point = [0, 0, -9] }
recover = { materials = ["steel", "steel"] }
[[contact]]
point = { body = "two" }
face = { normal = [0, 0, 1], point = [0, 0, -9] }
)toml");
  ASSERT_EQ(model.contacts.size(), 4u);
  for (int i = 0; i < 2; ++i) {
    const RecoverySpec& recovery = model.contacts[i].recovery.value();
    EXPECT_EQ(recovery.law, NormalLawKind::lankarani_nikravesh);
    EXPECT_EQ(recovery.profile, ImpactShape::bent);
    EXPECT_EQ(recovery.stiffness, 1e8);
    EXPECT_EQ(recovery.exponent, 1.2);
    EXPECT_EQ(recovery.alpha, 2.0);
    EXPECT_EQ(recovery.materials[0], "");
  }
  const RecoverySpec& other = model.contacts[2].recovery.value();
  EXPECT_EQ(other.law, NormalLawKind::exact);
  EXPECT_EQ(other.profile, ImpactShape::law);
  EXPECT_FALSE(other.stiffness);
  EXPECT_EQ(other.materials[1], "steel");
  EXPECT_FALSE(model.contacts[3].recovery);
  EXPECT_EQ(model.materials[0].youngs_modulus, 2e11);
  EXPECT_EQ(model.materials[0].poisson_ratio, 0.25);
  EXPECT_EQ(model.materials[0].strength, 3e8);
  EXPECT_FALSE(model.materials[1].youngs_modulus);
}

const std::string three_balls = R"toml(
[[body]]
name = "cue"
mass = 1
shape = { kind = "sphere", radius = 0.25 }
[[body]]
name = "red"
mass = 1
shape = { kind = "sphere", radius = 0.5 }
position = [0, 0, 10]
[[body]]
name = "blue"
mass = 1
shape = { kind = "box", size = [1, 1, 1] }
position = [0, 0, 20]
)toml";

TEST(ReadContact, of_a_sphere_takes_its_radius_from_the_shape_unless_it_is_given) {
  const Model model = model_of(three_balls + R"toml(
[[contact]]
sphere = { body = "red", at = [0, 0, 1] }
face = { body = "cue", point = [1, 0, 0], normal = [0, 0, 2] }
friction = 0.5
rolling_friction = 0.01
drilling_friction = 0.02
[[contact]]
sphere = { body = "red", radius = 0.125 }
other = { body = "blue", radius = 2, at = [0, 1, 0] }
friction = 0.5
patch_radius = 0.25
[[contact]]
sphere = { body = "red" }
hollow = { radius = 3, at = [1, 2, 3] }
)toml");
  ASSERT_EQ(model.contacts.size(), 3u);
  const ContactSpec& floor = model.contacts[0];
  EXPECT_EQ(floor.geometry, SphereOnFace::geometry);
  EXPECT_EQ(floor.point.body, "red");
  EXPECT_EQ(floor.point.point, Vec3(0, 0, 1));
  EXPECT_EQ(floor.radius, 0.5);
  EXPECT_EQ(floor.face.body, "cue");
  EXPECT_EQ(floor.face.point, Vec3(1, 0, 0));
  EXPECT_EQ(floor.direction, Vec3(0, 0, 1));
  EXPECT_EQ(floor.friction, 0.5);
  EXPECT_EQ(floor.rolling_friction, 0.01);
  EXPECT_EQ(floor.drilling_friction, 0.02);
  const ContactSpec& click = model.contacts[1];
  EXPECT_EQ(click.geometry, SphereOnSphere::geometry);
  EXPECT_EQ(click.point.body, "red");
  EXPECT_EQ(click.radius, 0.125);
  EXPECT_EQ(click.face.body, "blue");
  EXPECT_EQ(click.face.point, Vec3(0, 1, 0));
  EXPECT_EQ(click.face_radius, 2.0);
  EXPECT_EQ(click.patch_radius, 0.25);
  const ContactSpec& bowl = model.contacts[2];
  EXPECT_EQ(bowl.geometry, SphereInSphere::geometry);
  EXPECT_EQ(bowl.radius, 0.5);
  EXPECT_EQ(bowl.face.body, "");
  EXPECT_EQ(bowl.face.point, Vec3(1, 2, 3));
  EXPECT_EQ(bowl.face_radius, 3.0);
}

TEST(ReadContact, of_spheres_in_a_bore_is_one_for_each_or_a_group) {
  const auto model_with = [](int balls) {
    return model_of(fmt::format(R"toml(
[[body]]
name = "tube"
mass = 1
inertia = [1, 1, 1]
[[body]]
name = "ball"
mass = 1
shape = {{ kind = "sphere", radius = 0.5 }}
repeat = {{ count = [{}, 1, 1], spacing = [1.5, 1, 1] }}
[[contact]]
name = "pipe"
sphere = {{ body = "ball" }}
bore = {{ body = "tube", point = [1, 2, 3], axis = [0, 3, 4], radius = 2 }}
)toml",
                                balls));
  };
  const Model few = model_with(2);
  ASSERT_EQ(few.contacts.size(), 2u);
  const ContactSpec& pipe = few.contacts[1];
  EXPECT_EQ(pipe.name, "pipe.ball.1");
  EXPECT_EQ(pipe.geometry, SphereInBore::geometry);
  EXPECT_EQ(pipe.radius, 0.5);
  EXPECT_EQ(pipe.face.body, "tube");
  EXPECT_EQ(pipe.face.point, Vec3(1, 2, 3));
  EXPECT_EQ(pipe.direction, Vec3(0, 0.6, 0.8));
  EXPECT_EQ(pipe.face_radius, 2.0);
  const Model many = model_with(61);
  EXPECT_TRUE(many.contacts.empty());
  ASSERT_EQ(many.contact_groups.size(), 1u);
  EXPECT_EQ(many.contact_groups[0].spheres.size(), 61u);
}

TEST(ReadContact, of_a_disc_in_the_plane_takes_its_radius_from_the_shape) {
  const Model model = model_of(R"toml(
[[body]]
name = "disc"
kind = "planar"
mass = 1
shape = { kind = "disc", radius = 0.25, thickness = 0.1 }
[[contact]]
sphere = { body = "disc" }
face = { normal = [0, 1] }
rolling_friction = 0.01
)toml");
  EXPECT_EQ(model.contacts[0].radius, 0.25);
}

/// Names of the contacts that two lists of spheres give.
std::vector<std::string> pairs_of(const std::string& sphere, const std::string& other) {
  std::vector<std::string> names;
  for (const ContactSpec& contact :
       model_of(three_balls + "[[contact]]\nname = \"c\"\nsphere = { radius = 1, bodies = " +
                sphere + " }\nother = { radius = 1, bodies = " + other + " }\n")
           .contacts) {
    names.push_back(contact.name);
  }
  return names;
}

TEST(ReadContact, pairs_every_sphere_of_one_list_with_every_one_of_the_other_once) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(pairs_of(R"(["cue"])", R"(["red", "blue"])"), (Names{"c.cue.red", "c.cue.blue"}));
  EXPECT_EQ(pairs_of(R"(["cue", "red"])", R"(["blue"])"), (Names{"c.cue.blue", "c.red.blue"}));
  const Names all{"c.cue.red", "c.cue.blue", "c.red.blue"};
  EXPECT_EQ(pairs_of(R"(["cue", "red", "blue"])", R"(["cue", "red", "blue"])"), all);
  // The order in the second list does not matter.
  EXPECT_EQ(pairs_of(R"(["cue", "red"])", R"(["red", "cue"])"), (Names{"c.cue.red"}));
  EXPECT_EQ(pairs_of(R"(["cue", "red", "blue"])", R"(["blue", "red", "cue"])").size(), 3u);
  EXPECT_EQ(pairs_of(R"(["cue", "red"])", R"(["red", "blue"])"),
            (Names{"c.cue.red", "c.cue.blue", "c.red.blue"}));
  EXPECT_EQ(pairs_of(R"(["cue", "red", "blue"])", R"(["red"])"),
            (Names{"c.cue.red", "c.blue.red"}));
}

}  // namespace contact_reader_test
}  // namespace clatter
