#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <clatter/io/model_reader.hpp>
#include <clatter/io/overrides.hpp>

#include "support/message_of.hpp"

namespace clatter {
namespace overrides_test {

const char* const block_on_floor = R"toml(
gravity = [0, 0, -9.81]
[[body]]
name = "block"
shape = { kind = "box", size = [1, 1, 1] }
mass = 1
[[body]]
name = "arm.left"
kind = "point"
mass = 1
[[contact]]
name = "floor"
point = { body = "block" }
face = { normal = [0, 0, 1] }
[[contact]]
point = { body = "arm.left" }
face = { normal = [0, 0, 1] }
[[joint]]
name = "hinge"
kind = "revolute"
a = "ground"
b = "block"
point = [0, 0, 0]
axis = [0, 0, 1]
[integrator]
step = 1e-3
duration = 1
)toml";

Model with(const std::vector<std::string>& overrides) {
  return parse_model(block_on_floor, "block.toml", overrides);
}

std::string mistakes_with(const std::vector<std::string>& overrides) {
  return testing::message_of([&] { with(overrides); });
}

TEST(Overrides, change_keys_of_tables_of_the_model_and_of_named_elements) {
  const Model model = with({"integrator.step=1e-4", "gravity=[0, 0, -1.62]", "body.block.mass=2",
                            "contact.floor.friction=0.2", "body.block.shape.size=[1, 2, 3]"});
  EXPECT_EQ(model.integrator.step, 1e-4);
  EXPECT_EQ(model.gravity, Vec3(0, 0, -1.62));
  EXPECT_EQ(model.bodies[0].mass, 2.0);
  EXPECT_EQ(model.contacts[0].friction, 0.2);
  EXPECT_EQ(std::get<BoxShape>(model.bodies[0].shapes.at(0).shape).size, Vec3(1, 2, 3));
}

TEST(Overrides, create_keys_and_tables_that_the_file_does_not_have) {
  const Model model = with({"output.paraview=false", "body.block.orientation.axis=[0, 0, 1]",
                            "body.block.orientation.angle_deg=180", "title=falling block"});
  EXPECT_FALSE(model.output.paraview);
  EXPECT_NEAR(model.bodies[0].orientation.w(), 0.0, 1e-15);
  EXPECT_EQ(model.title, "falling block");
}

TEST(Overrides, change_beams_by_name_and_the_sections_inside_them) {
  const char* const beam = R"toml(
[[beam]]
name = "rod"
points = [[0, 0, 0], [1, 0, 0]]
elements = 4
section = { kind = "circle", radius = 0.01 }
youngs_modulus = 1e9
poisson_ratio = 0
density = 1000
[[load]]
body = "rod.end"
force = [0, 0, 1]
)toml";
  const std::string text = std::string(beam) + "[integrator]\nstep = 1e-3\nduration = 1\n";
  const std::vector<std::string> overrides = {"beam.rod.elements=16",
                                              "beam.rod.section.radius=0.02", "equilibrium=true",
                                              "beam.rod.mass=lumped"};
  const Model model = parse_model(text, "rod.toml", overrides);
  EXPECT_EQ(model.beams[0].elements, 16);
  EXPECT_EQ(std::get<CircleSection>(*model.beams[0].section.shape).radius, 0.02);
  EXPECT_TRUE(model.beams[0].lumped_mass);
  EXPECT_TRUE(model.equilibrium);
  // The last node moves with the number of elements.
  EXPECT_EQ(model.loads[0].at.body, "rod.16");
}

TEST(Overrides, take_words_and_formulas_without_quotes) {
  const Model model = with({"joint.hinge.motor=0.5*sin(t)", "integrator.name=nsga"});
  EXPECT_EQ(model.joints[0].motor->text(), "0.5*sin(t)");
}

TEST(Overrides, reach_names_with_dots_in_quotes_and_default_names) {
  const Model model = with({"body.\"arm.left\".mass=3", "contact.contact2.friction=0.7"});
  EXPECT_EQ(model.bodies[1].mass, 3.0);
  EXPECT_EQ(model.contacts[1].friction, 0.7);
}

TEST(Overrides, are_applied_in_order_so_that_the_last_wins) {
  EXPECT_EQ(with({"integrator.step=1e-4", "integrator.step=1e-5"}).integrator.step, 1e-5);
}

TEST(Overrides, that_are_wrong_are_named_in_the_message) {
  EXPECT_EQ(mistakes_with({"integrator.stp=1"}),
            "override 'integrator.stp=1': unknown key 'stp' in [integrator]; did you mean 'step'?");
  EXPECT_EQ(mistakes_with({"body.blok.mass=1"}),
            "override 'body.blok.mass=1': there is no body 'blok'; did you mean 'block'?");
  EXPECT_EQ(mistakes_with({"integrator.step=fast"}),
            "override 'integrator.step=fast': 'step': expected number > 0, found text 'fast'");
  EXPECT_EQ(mistakes_with({"gravity"}), "override 'gravity': expected key.path=value");
  EXPECT_EQ(mistakes_with({"gravity="}), "override 'gravity=': expected key.path=value");
  EXPECT_EQ(mistakes_with({"gravity.x=1"}),
            "override 'gravity.x=1': 'gravity' is a value and has no keys");
  EXPECT_EQ(mistakes_with({"body.block=1"}),
            "override 'body.block=1': say which body and which of its keys: body.name.key");
  EXPECT_EQ(mistakes_with({"body=1"}),
            "override 'body=1': 'body' cannot be replaced as a whole; address one of its keys");
}

TEST(Overrides, cannot_smuggle_in_a_second_key) {
  EXPECT_NE(mistakes_with({"title=\"x\"\ngravity=[0, 0, 1]"}), "");
}

TEST(Overrides, are_all_reported_in_one_go) {
  const std::string text = mistakes_with({"a=1", "b=1", "c.d=1"});
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
}

}  // namespace overrides_test
}  // namespace clatter
