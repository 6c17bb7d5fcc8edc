#include <numbers>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <clatter/io/beam_reader.hpp>
#include <clatter/io/model_reader.hpp>

#include "support/read_model.hpp"

namespace clatter {
namespace beam_reader_test {

using std::numbers::pi;
using testing::model_of;

// Round-off of a handful of operations on numbers of size one.
constexpr double round_off = 1e-14;

// Keys that every beam needs and that these tests do not care about.
const std::string material = R"toml(
section = { kind = "rectangle", width = 0.02, height = 0.05 }
youngs_modulus = 200e9
poisson_ratio = 0.25
density = 7850
)toml";

const std::string rod = R"toml(
[[beam]]
name = "rod"
points = [[0, 0, 1], [2, 0, 1], [2, 2, 1]]
elements = 8
)toml" + material;

const std::string planar_rod = R"toml(
[[beam]]
name = "rod"
kind = "planar"
points = [[1, 0], [1, 2]]
elements = 4
)toml" + material;

std::string mistakes_of(const std::string& text) {
  return testing::mistakes_of(text + testing::run_keys);
}

// ---- What a beam is ----------------------------------------------------------------------------

TEST(ReadBeam, fills_in_every_value_of_a_spatial_beam) {
  const Model model = model_of(R"toml(
gravity = [0, 0, -9.81]
equilibrium = true
[[beam]]
name = "bow"
kind = "spatial"
start = [1, 2, 3]
direction = [0, 0, 5]
length = 2
elements = 10
y_axis = [3, 0, 0]
curvature = [0.1, 0.2, 0.3]
unstressed_curvature = [0.4, 0.5, 0.6]
section = { kind = "constants", area = 1e-3, I_y = 2e-7, I_z = 3e-7, J = 4e-7, shear_y = 0.5, shear_z = 0.6 }
youngs_modulus = 210e9
shear_modulus = 80e9
density = 7850
mass = "lumped"
mass_damping = 0.1
stiffness_damping = 1e-4
line_force = [1, "2*t", 3]
line_torque = [4, 5, "6*t"]
line_axes = "section"
velocity = [7, 8, 9]
angular_velocity = [10, 11, 12]
)toml");
  EXPECT_TRUE(model.equilibrium);
  EXPECT_TRUE(model.bodies.empty());
  const BeamSpec& beam = model.beams.at(0);
  EXPECT_EQ(beam.name, "bow");
  EXPECT_FALSE(beam.planar);
  ASSERT_EQ(beam.points.size(), 2u);
  EXPECT_EQ(beam.points[0], Vec3(1, 2, 3));
  EXPECT_EQ(beam.points[1], Vec3(1, 2, 5));
  EXPECT_EQ(beam.elements, 10);
  EXPECT_EQ(*beam.y_axis, Vec3::UnitX());
  EXPECT_EQ(beam.curvature, Vec3(0.1, 0.2, 0.3));
  EXPECT_EQ(*beam.unstressed_curvature, Vec3(0.4, 0.5, 0.6));
  EXPECT_EQ(beam.section.area, 1e-3);
  EXPECT_EQ(beam.section.I_y, 2e-7);
  EXPECT_EQ(beam.section.I_z, 3e-7);
  EXPECT_EQ(beam.section.J, 4e-7);
  EXPECT_EQ(beam.section.shear_y, 0.5);
  EXPECT_EQ(beam.section.shear_z, 0.6);
  EXPECT_FALSE(beam.section.shape.has_value());
  EXPECT_EQ(beam.youngs_modulus, 210e9);
  EXPECT_EQ(beam.shear_modulus, 80e9);
  EXPECT_EQ(beam.density, 7850.0);
  EXPECT_TRUE(beam.lumped_mass);
  EXPECT_EQ(beam.mass_damping, 0.1);
  EXPECT_EQ(beam.stiffness_damping, 1e-4);
  EXPECT_EQ(beam.line_force[1](2.0), 4.0);
  EXPECT_EQ(beam.line_torque[2](2.0), 12.0);
  EXPECT_EQ(beam.line_axes, LoadAxes::body);
  EXPECT_EQ(beam.velocity, Vec3(7, 8, 9));
  EXPECT_EQ(beam.angular_velocity, Vec3(10, 11, 12));
  EXPECT_EQ(beam.place.line, 4);
}

TEST(ReadBeam, has_the_defaults_of_its_spec) {
  const Model model = model_of(rod);
  EXPECT_FALSE(model.equilibrium);
  const BeamSpec& beam = model.beams.at(0);
  const BeamSpec plain;
  EXPECT_EQ(beam.points.size(), 3u);
  EXPECT_EQ(beam.planar, plain.planar);
  EXPECT_FALSE(beam.y_axis.has_value());
  EXPECT_FALSE(beam.unstressed_curvature.has_value());
  EXPECT_EQ(beam.curvature, plain.curvature);
  EXPECT_EQ(beam.lumped_mass, plain.lumped_mass);
  EXPECT_EQ(beam.mass_damping, plain.mass_damping);
  EXPECT_EQ(beam.stiffness_damping, plain.stiffness_damping);
  EXPECT_EQ(beam.line_axes, plain.line_axes);
  EXPECT_EQ(beam.line_force[0](1.0), 0.0);
  EXPECT_EQ(beam.velocity, plain.velocity);
  EXPECT_EQ(beam.angular_velocity, plain.angular_velocity);
}

TEST(ReadBeam, reads_planar_beams_in_two_components_and_single_numbers) {
  const Model model = model_of(R"toml(
gravity = [0, -9.81]
[[beam]]
name = "bow"
kind = "planar"
start = [1, 2]
direction = [0, 1]
length = 2
elements = 10
curvature = 0.3
unstressed_curvature = 0
section = { kind = "constants", area = 1e-3, I_z = 3e-7 }
youngs_modulus = 210e9
shear_modulus = 80e9
density = 7850
line_force = ["t", 2]
line_torque = "3*t"
velocity = [7, 8]
angular_velocity = 12
)toml");
  const BeamSpec& beam = model.beams.at(0);
  EXPECT_TRUE(beam.planar);
  EXPECT_EQ(beam.points[1], Vec3(1, 4, 0));
  EXPECT_EQ(beam.curvature, Vec3(0, 0, 0.3));
  EXPECT_EQ(*beam.unstressed_curvature, Vec3::Zero());
  EXPECT_EQ(beam.section.shear_y, 1.0);
  EXPECT_EQ(beam.line_force[0](2.0), 2.0);
  EXPECT_EQ(beam.line_torque[2](2.0), 6.0);
  EXPECT_EQ(beam.velocity, Vec3(7, 8, 0));
  EXPECT_EQ(beam.angular_velocity, Vec3(0, 0, 12));
}

TEST(ReadBeam, gets_the_constants_of_named_sections_and_lets_shear_be_changed) {
  const auto section = [](const std::string& text) {
    return model_of(
               "[[beam]]\nname = \"rod\"\npoints = [[0, 0, 0], [1, 0, 0]]\nelements = 1\n"
               "youngs_modulus = 1e9\npoisson_ratio = 0\ndensity = 1000\nsection = " +
               text + "\n")
        .beams.at(0)
        .section;
  };
  const BeamSection circle = section("{ kind = \"circle\", radius = 0.1 }");
  EXPECT_EQ(circle.area, section_of(CircleSection{0.1}).area);
  EXPECT_EQ(std::get<CircleSection>(*circle.shape).radius, 0.1);
  const BeamSection tube = section("{ kind = \"tube\", radius = 0.1, thickness = 0.02 }");
  EXPECT_EQ(tube.J, section_of(TubeSection{0.1, 0.02}).J);
  const BeamSection rectangle =
      section("{ kind = \"rectangle\", width = 0.1, height = 0.3, shear_z = 0.7 }");
  EXPECT_EQ(rectangle.I_y, section_of(RectangleSection{0.1, 0.3}).I_y);
  EXPECT_EQ(rectangle.shear_y, 5.0 / 6.0);
  EXPECT_EQ(rectangle.shear_z, 0.7);
  const BeamSection i =
      section("{ kind = \"I\", width = 0.1, height = 0.2, flange = 0.01, web = 0.006 }");
  EXPECT_EQ(i.I_y, section_of(ISection{0.1, 0.2, 0.01, 0.006}).I_y);
}

TEST(ReadBeam, gets_the_shear_modulus_from_poissons_ratio) {
  EXPECT_EQ(model_of(rod).beams[0].shear_modulus, 200e9 / 2.5);
  const std::string auxetic =
      "[[beam]]\nname = \"rod\"\npoints = [[0, 0, 0], [1, 0, 0]]\n"
      "elements = 1\nsection = { kind = \"circle\", radius = 0.1 }\n"
      "youngs_modulus = 1e9\ndensity = 1\npoisson_ratio = -0.5\n";
  EXPECT_EQ(model_of(auxetic).beams[0].shear_modulus, 1e9);
}

TEST(ReadBeam, with_a_damping_ratio_has_this_ratio_at_both_frequencies) {
  const BeamSpec beam =
      model_of(rod + "damping_ratio = 0.03\ndamping_frequencies = [2, 50]\n").beams.at(0);
  for (const double f : {2.0, 50.0}) {
    const double w = 2.0 * pi * f;
    EXPECT_NEAR(beam.mass_damping / (2.0 * w) + 0.5 * beam.stiffness_damping * w, 0.03, round_off);
  }
  const double between = 2.0 * pi * 10.0;
  EXPECT_LT(beam.mass_damping / (2.0 * between) + 0.5 * beam.stiffness_damping * between, 0.03);
}

TEST(ReadBeam, counts_for_the_dimension_of_gravity) {
  EXPECT_EQ(model_of("gravity = [0, -9.81]\n" + planar_rod).gravity, Vec3(0, -9.81, 0));
  // Two components are too few as soon as one beam or body is spatial, and said once.
  const std::string refusal =
      "model.toml:1:11: 'gravity': expected [x, y, z]; [x, y] is for planar bodies only";
  EXPECT_EQ(mistakes_of("gravity = [0, -9.81]\n" + rod), refusal);
  const std::string planar_body =
      "[[body]]\nname = \"one\"\nkind = \"planar\"\nmass = 1\ninertia = 1\n";
  EXPECT_EQ(mistakes_of("gravity = [0, -9.81]\n" + rod + planar_body), refusal);
  EXPECT_EQ(model_of("gravity = [0, -9.81]\n" + planar_rod + planar_body).gravity,
            Vec3(0, -9.81, 0));
  // Three are good for both, but nothing may pull out of the plane when all is planar.
  EXPECT_EQ(model_of("gravity = [0, 0, -9.81]\n" + rod + planar_body).gravity, Vec3(0, 0, -9.81));
  EXPECT_EQ(mistakes_of("gravity = [0, 0, -9.81]\n" + planar_rod + planar_body),
            "model.toml:1:18: 'gravity': planar bodies stay in the x-y plane, so the z component "
            "must be 0 or left out");
}

// ---- Nodes as bodies ---------------------------------------------------------------------------

TEST(BeamNodes, are_named_by_number_or_as_start_and_end) {
  const Model model = model_of(rod + R"toml(
[[load]]
body = "rod.start"
force = [1, 0, 0]
[[load]]
body = "rod.end"
torque = [1, 0, 0]
[[load]]
body = "rod.3"
force = [1, 0, 0]
[[spring]]
a = { body = "rod.2", point = [0, 0, 0.1] }
b = { body = "rod.end" }
stiffness = 1
)toml");
  EXPECT_EQ(model.loads[0].at.body, "rod.0");
  EXPECT_EQ(model.loads[1].at.body, "rod.8");
  EXPECT_EQ(model.loads[2].at.body, "rod.3");
  EXPECT_EQ(model.springs[0].a.body, "rod.2");
  EXPECT_EQ(model.springs[0].a.point, Vec3(0, 0, 0.1));
  EXPECT_EQ(model.springs[0].b.body, "rod.8");
}

TEST(BeamNodes, have_the_place_and_axes_of_their_section_in_joints) {
  const Model model = model_of(rod + R"toml(
[[body]]
name = "block"
mass = 1
inertia = [1, 1, 1]
position = [1, 1, 1]
orientation = { axis = [1, 2, 3], angle = 0.4 }
[[joint]]
kind = "revolute"
a = "rod.end"
b = "block"
point = [2, 3, 4]
axis = [0, 0, 1]
)toml");
  const BeamMesh::Node end = mesh_of(model.beams[0]).nodes.back();
  const JointSpec& joint = model.joints[0];
  EXPECT_EQ(joint.a.body, "rod.8");
  const Vec3 at_node = end.position + end.orientation * joint.a.point;
  EXPECT_TRUE(at_node.isApprox(Vec3(2, 3, 4), round_off));
  const Mat3 block = model.bodies[0].orientation.toRotationMatrix();
  EXPECT_TRUE((end.orientation * joint.axes_a).isApprox(block * joint.axes_b, round_off));
  EXPECT_TRUE((end.orientation * joint.axes_a).col(2).isApprox(Vec3::UnitZ(), round_off));
}

TEST(BeamNodes, of_planar_beams_are_planar_bodies) {
  const Model model = model_of(planar_rod + R"toml(
[[joint]]
kind = "revolute"
a = "ground"
b = "rod.start"
point = [1, 0]
[[joint]]
kind = "fixed"
a = "rod.1"
b = "rod.3"
point = [1, 1]
[[load]]
body = "rod.end"
force = [1, 0]
torque = "t"
)toml");
  for (const JointSpec& joint : model.joints) {
    EXPECT_EQ(joint.axes_a.col(2), Vec3::UnitZ());
    EXPECT_EQ(joint.axes_b.col(2), Vec3::UnitZ());
    EXPECT_EQ(joint.b.point[2], 0.0);
  }
  // The beam is along y, so x of its nodes is y of space.
  EXPECT_TRUE(model.joints[1].a.point.isApprox(Vec3(0.5, 0, 0), round_off));
  EXPECT_EQ(model.loads[0].torque[2](3.0), 3.0);
}

TEST(BeamNodes, all_touch_when_a_contact_names_their_beam) {
  const Model model = model_of(rod + R"toml(
[[contact]]
name = "floor"
point = { body = "rod", at = [0, 0, -0.01] }
face = { normal = [0, 0, 1] }
friction = 0.3
[[contact]]
name = "wall"
point = { body = "rod", at = [[0, 1, 0], [0, -1, 0]] }
face = { normal = [1, 0, 0] }
[[contact]]
name = "tip"
point = { body = "rod.end" }
face = { normal = [1, 0, 0] }
)toml");
  ASSERT_EQ(model.contacts.size(), 9u + 18u + 1u);
  for (int i = 0; i < 9; ++i) {
    const ContactSpec& contact = model.contacts[static_cast<std::size_t>(i)];
    EXPECT_EQ(contact.name, fmt::format("floor.{}", i));
    EXPECT_EQ(contact.point.body, fmt::format("rod.{}", i));
    EXPECT_EQ(contact.point.point, Vec3(0, 0, -0.01));
    EXPECT_EQ(contact.friction, 0.3);
  }
  EXPECT_EQ(model.contacts[9].name, "wall.0.1");
  EXPECT_EQ(model.contacts[10].name, "wall.0.2");
  EXPECT_EQ(model.contacts[10].point.point, Vec3(0, -1, 0));
  EXPECT_EQ(model.contacts[26].name, "wall.8.2");
  EXPECT_EQ(model.contacts[27].name, "tip");
}

TEST(BeamNodes, may_touch_faces_on_nodes_of_another_beam) {
  std::string other = rod;
  other.replace(other.find("rod"), 3, "arm.left");
  const Model model = model_of(rod + other + R"toml(
[[contact]]
point = { body = "rod" }
face = { body = "arm.left.end", normal = [0, 0, 1] }
)toml");
  EXPECT_EQ(model.contacts[3].face.body, "arm.left.8");
}

TEST(BeamNodes, beyond_the_last_are_refused_with_their_number) {
  const std::string mistake = mistakes_of(rod + "[[load]]\nbody = \"rod.9\"\nforce = [1, 0, 0]\n");
  EXPECT_NE(mistake.find("beam 'rod' has 9 nodes, but no 'rod.9'"), std::string::npos) << mistake;
}

TEST(BeamNodes, have_a_single_spelling) {
  for (const char* end :
       {"03", "-0", "+1", "3 ", "0x1", "", "1e0", "99999999999999999999", "Start"}) {
    EXPECT_NE(
        mistakes_of(rod + fmt::format("[[load]]\nbody = \"rod.{}\"\nforce = [1, 0, 0]\n", end)), "")
        << end;
  }
}

TEST(BeamNodes, by_the_thousand_do_not_fill_the_hint_for_an_unknown_name) {
  std::string fine = rod;
  fine.replace(fine.find("elements = 8"), 12, "elements = 1000");
  const auto mistake = [&](const std::string& body) {
    return mistakes_of(fine + fmt::format("[[load]]\nbody = \"{}\"\nforce = [1, 0, 0]\n", body));
  };
  EXPECT_NE(mistake("elephant").find("expected one of 'ground', 'rod.start', 'rod.end'"),
            std::string::npos);
  EXPECT_NE(mistake("rd.999").find("did you mean 'rod.999'?"), std::string::npos);
  EXPECT_NE(mistake("rod_start").find("did you mean 'rod.start'?"), std::string::npos);
}

TEST(BeamNodes, leave_room_for_bodies_with_dots_in_their_names) {
  const Model model = model_of(rod + R"toml(
[[body]]
name = "rod.clamp"
mass = 1
inertia = [1, 1, 1]
[[joint]]
kind = "fixed"
a = "rod.clamp"
b = "rod.0"
point = [0, 0, 0]
)toml");
  EXPECT_EQ(model.joints[0].a.body, "rod.clamp");
}

TEST(NodeIndex, reads_numbers_and_ends) {
  EXPECT_EQ(node_index("start", 5), 0);
  EXPECT_EQ(node_index("end", 5), 4);
  EXPECT_EQ(node_index("0", 5), 0);
  EXPECT_EQ(node_index("4", 5), 4);
  EXPECT_EQ(node_index("5", 5), std::nullopt);
  EXPECT_EQ(node_index("-1", 5), std::nullopt);
}

TEST(ReadBeam, survives_every_truncation_of_the_file_and_gives_each_mistake_a_place) {
  const std::string text =
      rod +
      "curvature = [0, 0, 1]\n[[joint]]\nkind = \"fixed\"\na = \"ground\"\nb = \"rod.end\"\n" +
      "point = [0, 0, 0]\n[[contact]]\npoint = { body = \"rod\" }\nface = { normal = [0, 0, 1] }\n";
  for (std::size_t length = 0; length < text.size(); ++length) {
    try {
      parse_model(text.substr(0, length) + "\n" + testing::run_keys, "model.toml");
    } catch (const Error& error) {
      for (const Mistake& mistake : error.mistakes()) EXPECT_GT(mistake.place.line, 0);
    }
  }
}

}  // namespace beam_reader_test
}  // namespace clatter
