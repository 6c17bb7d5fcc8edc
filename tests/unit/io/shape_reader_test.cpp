#include <numbers>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clatter/io/model_reader.hpp>

#include "support/read_model.hpp"

namespace clatter {
namespace shape_reader_test {

using std::numbers::pi;
using ::testing::HasSubstr;
using testing::mistakes_of;
using testing::model_of;
using testing::run_keys;

// Round-off of a handful of operations on numbers of size one.
constexpr double round_off = 1e-14;

const std::string materials = R"toml(
[[material]]
name = "steel"
friction = 0.4
restitution = 0.6
rolling_friction = 0.001
tangential_restitution = 0.2
[[material]]
name = "wood"
friction = 0.9
restitution = 0.3
rolling_friction = 0.002
drilling_friction = 0.003
)toml";

std::string body_with(const std::string& shape, const std::string& kind = "rigid") {
  return "[[body]]\nname = \"block\"\nkind = \"" + kind + "\"\ndensity = 1000\nshape = " + shape +
         "\n";
}

TEST(ReadShape, reads_every_kind_in_space) {
  const Model model = model_of(body_with(R"([
    { kind = "sphere", radius = 1 }, { kind = "box", size = [1, 2, 3] },
    { kind = "cylinder", radius = 1, length = 2 }, { kind = "rod", radius = 0.1, length = 2 },
    { kind = "disc", radius = 1, thickness = 0.1 }, { kind = "capsule", radius = 1, length = 2 },
    { kind = "cone", radius = 1, length = 2 }, { kind = "ellipsoid", semi_axes = [1, 2, 3] },
    { kind = "hull", points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]] },
    { kind = "ring", radius = 1, tube_radius = 0.2 }])"));
  const std::vector<PlacedShape>& shapes = model.bodies.at(0).shapes;
  ASSERT_EQ(shapes.size(), 10u);
  EXPECT_EQ(std::get<CapsuleShape>(shapes[5].shape).length, 2.0);
  EXPECT_EQ(std::get<ConeShape>(shapes[6].shape).radius, 1.0);
  EXPECT_EQ(std::get<EllipsoidShape>(shapes[7].shape).semi_axes, Vec3(1, 2, 3));
  EXPECT_EQ(std::get<HullShape>(shapes[8].shape).points.at(3), Vec3(0, 0, 1));
  EXPECT_EQ(std::get<RingShape>(shapes[9].shape).radius, 1.0);
  EXPECT_EQ(std::get<RingShape>(shapes[9].shape).tube_radius, 0.2);
}

TEST(ReadShape, fills_in_every_value) {
  const Model model = model_of(
      materials +
      body_with(
          "{ kind = \"box\", size = [1, 2, 3], position = [1, 2, 3], "
          "orientation = { axis = [0, 0, 1], angle_deg = 90 }, rounding = 0.1, density = 2000, "
          "material = \"steel\" }"));
  const PlacedShape& shape = model.bodies.at(0).shapes.at(0);
  EXPECT_EQ(std::get<BoxShape>(shape.shape).size, Vec3(1, 2, 3));
  EXPECT_EQ(shape.position, Vec3(1, 2, 3));
  EXPECT_LT((shape.orientation * Vec3::UnitX() - Vec3::UnitY()).norm(), round_off);
  EXPECT_EQ(shape.rounding, 0.1);
  EXPECT_EQ(shape.density, 2000.0);
  EXPECT_EQ(shape.material, "steel");
  EXPECT_EQ(model.bodies[0].mass, 12000.0);
}

TEST(ReadShape, planar_bodies_have_polygons_and_angles) {
  const Model model =
      model_of(body_with("{ kind = \"polygon\", points = [[0, 0], [2, 0], [0, 2]], position = [1, "
                         "0], angle_deg = 180 }",
                         "planar"));
  const BodySpec& body = model.bodies.at(0);
  EXPECT_EQ(std::get<PolygonShape>(body.shapes.at(0).shape).thickness, 1.0);
  EXPECT_NEAR(body.mass, 2000.0, 1e-9);
  // The centroid (2/3, 2/3), turned by half a turn.
  EXPECT_LT((body.centre_of_mass - Vec3(1.0 / 3.0, -2.0 / 3.0, 0)).norm(), round_off);
}

TEST(ReadShape, planar_boxes_have_a_thickness_of_one_unless_it_is_given) {
  for (const auto& [size, mass] : {std::pair("[2, 3]", 6000.0), std::pair("[2, 3, 0.1]", 600.0)}) {
    const std::string shape = std::string("{ kind = \"box\", size = ") + size + " }";
    EXPECT_NEAR(model_of(body_with(shape, "planar")).bodies.at(0).mass, mass, 1e-9);
  }
}

TEST(ReadShape, centre_of_mass_follows_from_shapes_that_are_not_centred) {
  const Model model = model_of(body_with(R"([{ kind = "box", size = [1, 1, 1] },
    { kind = "box", size = [1, 1, 1], position = [1, 0, 0], density = 3000 }])"));
  EXPECT_LT((model.bodies.at(0).centre_of_mass - Vec3(0.75, 0, 0)).norm(), round_off);
  EXPECT_EQ(model.bodies[0].position, Vec3::Zero());
}

TEST(ReadShape, centre_of_mass_may_be_given_when_it_is_that_of_the_shapes) {
  const std::string box =
      body_with(R"({ kind = "box", size = [1, 1, 1], position = [0.1, 0, 0] })");
  EXPECT_NEAR(model_of(box + "centre_of_mass = [0.1, 0, 0]\n").bodies.at(0).centre_of_mass.x(), 0.1,
              round_off);
  EXPECT_THAT(mistakes_of(box + "centre_of_mass = [0, 0, 0]\n" + run_keys),
              HasSubstr("'centre_of_mass' is that of the shapes, (0.1, 0, 0)"));
}

TEST(ReadShape, mass_is_shared_out_as_one_density) {
  const Model model = model_of(R"(
[[body]]
name = "block"
mass = 3
shape = [{ kind = "box", size = [1, 1, 1] }, { kind = "box", size = [1, 1, 2], position = [0, 0, 1.5] }]
)");
  EXPECT_EQ(model.bodies.at(0).mass, 3.0);
  EXPECT_LT((model.bodies[0].centre_of_mass - Vec3(0, 0, 1)).norm(), round_off);
  EXPECT_NEAR(model.bodies[0].inertia(2, 2), 3.0 / 6.0, round_off);
  EXPECT_NEAR(model.bodies[0].inertia(0, 0), 3.0 * 10.0 / 12.0, round_off);
}

TEST(ReadShape, mass_and_inertia_that_are_given_hold) {
  const Model model = model_of(materials + R"(
[[body]]
name = "block"
mass = 3
inertia = [1, 1, 1]
shape = { kind = "box", size = [1, 1, 1], position = [5, 0, 0], material = "wood" }
)");
  EXPECT_EQ(model.bodies.at(0).centre_of_mass, Vec3::Zero());
  EXPECT_EQ(model.bodies[0].inertia, Mat3::Identity());
}

TEST(ReadGround, half_space_has_a_normal) {
  const Model model = model_of(materials + body_with("{ kind = \"sphere\", radius = 1 }") + R"(
[ground]
shape = [{ kind = "half_space", material = "wood" },
         { kind = "half_space", normal = [2, 0, 0], position = [-5, 0, 0], material = "wood" },
         { kind = "box", size = [1, 1, 1] }]
)");
  ASSERT_EQ(model.ground.size(), 3u);
  EXPECT_LT((model.ground[1].orientation * Vec3::UnitZ() - Vec3::UnitX()).norm(), round_off);
  EXPECT_EQ(model.ground[1].position, Vec3(-5, 0, 0));
  EXPECT_EQ(model.ground[0].material, "wood");
  EXPECT_FALSE(is_planar(model));
}

TEST(ReadGround, is_in_the_plane_when_all_bodies_are) {
  const Model model =
      model_of(materials + body_with("{ kind = \"disc\", radius = 1, thickness = 1 }", "planar") +
               R"(
[ground]
shape = [{ kind = "half_space", normal = [1, 1], material = "wood" },
         { kind = "polygon", points = [[0, 0], [0, 1], [1, 0]], position = [0, -1], angle = 0.5 }]
)");
  EXPECT_TRUE(is_planar(model));
  const Vec3 out = model.ground.at(0).orientation * Vec3::UnitY();
  EXPECT_LT((out - Vec3(1, 1, 0).normalized()).norm(), round_off);
}

TEST(ReadMaterial, combines_two_by_the_rule) {
  const Model model = model_of(materials + body_with("{ kind = \"sphere\", radius = 1 }"));
  const SurfaceLaw law = law_between(model, "steel", "wood");
  EXPECT_NEAR(law.friction, 0.6, round_off);
  EXPECT_EQ(law.restitution, 0.3);
  EXPECT_EQ(law.rolling_friction, 0.002);
  EXPECT_EQ(law.drilling_friction, 0.003);
  EXPECT_EQ(law.tangential_restitution, 0.1);
  EXPECT_EQ(law.patch_radius, 0.0);
  const SurfaceLaw back = law_between(model, "wood", "steel");
  EXPECT_EQ(back.friction, law.friction);
  EXPECT_EQ(law_between(model, "wood", "wood").friction, 0.9);
}

TEST(ReadMaterial, pair_replaces_the_rule) {
  const Model model = model_of(materials + R"(
[[material_pair]]
materials = ["wood", "steel"]
friction = 0.1
)" + body_with("{ kind = \"sphere\", radius = 1 }"));
  const SurfaceLaw law = law_between(model, "steel", "wood");
  EXPECT_EQ(law.friction, 0.1);
  EXPECT_EQ(law.restitution, 0.0);
  EXPECT_EQ(law.drilling_friction, 0.0);
}

TEST(ReadMaterial, without_friction_there_is_nothing_that_needs_it) {
  const Model model = model_of(materials + "[[material]]\nname = \"ice\"\n" +
                               body_with("{ kind = \"sphere\", radius = 1 }"));
  EXPECT_EQ(law_between(model, "ice", "steel").friction, 0.0);
  EXPECT_EQ(law_between(model, "ice", "steel").tangential_restitution, 0.0);
}

TEST(ReadJoint, lets_shapes_of_its_bodies_touch_on_request) {
  const std::string joint =
      "[[joint]]\nkind = \"ball\"\na = \"one\"\nb = \"two\"\npoint = [0, 0, 0]\n";
  EXPECT_FALSE(model_of(testing::rigid_pair + joint).joints.at(0).touch);
  EXPECT_TRUE(model_of(testing::rigid_pair + joint + "touch = true\n").joints.at(0).touch);
}

TEST(ReadExclusion, names_bodies_and_the_ground) {
  const Model model = model_of(testing::rigid_pair +
                               "[[exclude]]\nbodies = [\"one\", \"two\"]\n"
                               "[[exclude]]\nbodies = [\"one\", \"ground\"]\n");
  ASSERT_EQ(model.exclusions.size(), 2u);
  EXPECT_EQ(model.exclusions[0].bodies[1], "two");
  EXPECT_EQ(model.exclusions[1].bodies[1], "");
}

TEST(ReadShape, overrides_change_one_shape_but_not_one_of_several) {
  const std::string list = body_with("[{ kind = \"sphere\", radius = 1 }]") + run_keys;
  EXPECT_THAT(testing::message_of([&] {
                const std::vector<std::string> changes = {"body.block.shape.radius=2"};
                parse_model(list, "model.toml", changes);
              }),
              HasSubstr("'shape' is a list here"));
}

}  // namespace shape_reader_test
}  // namespace clatter
