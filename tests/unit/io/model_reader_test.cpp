#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <clatter/contact/geometry/contact_pair.hpp>
#include <clatter/io/joint_reader.hpp>
#include <clatter/io/model_reader.hpp>

namespace clatter {
namespace {

using std::numbers::pi;

// Round-off of a handful of operations on numbers of size one.
constexpr double round_off = 1e-14;

const std::string run = "[integrator]\nstep = 1e-3\nduration = 1\n";

Model model_of(const std::string& text) { return parse_model(text + run, "model.toml"); }

std::string mistakes_of(const std::string& text) {
  try {
    parse_model(text, "model.toml");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

const std::string rigid_pair = R"toml(
[[body]]
name = "one"
mass = 1
inertia = [1, 1, 1]
position = [1, 2, 3]
orientation = { axis = [1, 2, -1], angle = 0.7 }
[[body]]
name = "two"
mass = 1
inertia = [1, 1, 1]
position = [-1, 0, 1]
orientation = { rotation_vector = [0.3, -2, 1] }
)toml";

const std::string planar_pair = R"toml(
[[body]]
name = "one"
kind = "planar"
mass = 1
inertia = 1
position = [1, 2]
angle = 0.7
[[body]]
name = "two"
kind = "planar"
mass = 1
inertia = 1
position = [-1, 0]
angle_deg = 200
)toml";

Mat3 rotation(const BodySpec& body) { return body.orientation.toRotationMatrix(); }

Vec3 in_space(const Model& model, const Attachment& at) {
  for (const BodySpec& body : model.bodies) {
    if (body.name == at.body) return body.position + rotation(body) * at.point;
  }
  return at.point;
}

Mat3 axes_in_space(const Model& model, const Attachment& at, const Mat3& axes) {
  for (const BodySpec& body : model.bodies) {
    if (body.name == at.body) return rotation(body) * axes;
  }
  return axes;
}

void expect_frame(const Mat3& axes) {
  EXPECT_TRUE((axes.transpose() * axes).isIdentity(round_off)) << axes;
  EXPECT_NEAR(axes.determinant(), 1.0, round_off);
}

// ---- Bodies ------------------------------------------------------------------------------------

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
  EXPECT_EQ(std::get<SphereShape>(*body.shape).radius, 0.5);
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

// ---- Forces ------------------------------------------------------------------------------------

TEST(ReadSpring, reads_all_kinds) {
  const Model model = model_of(rigid_pair + R"toml(
[[spring]]
a = { body = "one", point = [1, 0, 0] }
b = { body = "two" }
stiffness = 5
rest_length = 0
[[spring]]
name = "guide"
kind = "linear"
b = { body = "two" }
axis = [0, 0, 10]
damping = 2
[[spring]]
kind = "torsional"
a = { body = "ground" }
b = { body = "two" }
axis = [0, -1, 0]
stiffness = 3
rest_angle_deg = 90
)toml");
  const SpringSpec& axial = model.springs.at(0);
  EXPECT_EQ(axial.name, "spring1");
  EXPECT_EQ(axial.kind, SpringKind::axial);
  EXPECT_EQ(axial.a.body, "one");
  EXPECT_EQ(axial.a.point, Vec3(1, 0, 0));
  EXPECT_EQ(axial.b.point, Vec3::Zero());
  EXPECT_EQ(axial.rest, 0.0);
  const SpringSpec& linear = model.springs.at(1);
  EXPECT_EQ(linear.name, "guide");
  EXPECT_EQ(linear.kind, SpringKind::linear);
  EXPECT_EQ(linear.a.body, "");
  EXPECT_EQ(linear.axis, Vec3(0, 0, 1));
  EXPECT_FALSE(linear.rest.has_value());
  const SpringSpec& torsional = model.springs.at(2);
  EXPECT_EQ(torsional.name, "spring3");
  EXPECT_EQ(torsional.a.body, "");
  EXPECT_NEAR(*torsional.rest, pi / 2, round_off);
}

TEST(ReadSpring, turns_about_z_between_planar_bodies) {
  const Model model = model_of(planar_pair + R"toml(
[[spring]]
kind = "torsional"
a = { body = "one" }
b = { body = "two" }
stiffness = 3
)toml");
  EXPECT_EQ(model.springs[0].axis, Vec3::UnitZ());
}

TEST(ReadLoad, reads_numbers_and_formulas) {
  const Model model = model_of(rigid_pair + R"toml(
[[load]]
body = "one"
point = [0, 0, 1]
force = [1, "2*t", 0]
torque = [0, 0, "sin(pi*t)"]
axes = "body"
)toml");
  const LoadSpec& load = model.loads.at(0);
  EXPECT_EQ(load.at.body, "one");
  EXPECT_EQ(load.at.point, Vec3(0, 0, 1));
  EXPECT_EQ(load.force[0](3.0), 1.0);
  EXPECT_EQ(load.force[1](3.0), 6.0);
  EXPECT_NEAR(load.torque[2](0.5), 1.0, round_off);
  EXPECT_EQ(load.axes, LoadAxes::body);
}

TEST(ReadLoad, takes_one_torque_on_a_planar_body) {
  const Model model =
      model_of(planar_pair + "[[load]]\nbody = \"one\"\nforce = [1, \"t\"]\ntorque = \"3*t\"\n");
  EXPECT_EQ(model.loads[0].torque[2](2.0), 6.0);
  EXPECT_EQ(model.loads[0].force[1](2.0), 2.0);
}

// ---- Joints ------------------------------------------------------------------------------------

class JointInSpace : public testing::TestWithParam<const char*> {};

TEST_P(JointInSpace, has_points_and_axes_that_coincide_at_the_start) {
  const std::string kind = GetParam();
  const bool has_axis = kind != "fixed" && kind != "ball";
  const Model model =
      model_of(rigid_pair + "[[joint]]\na = \"one\"\nb = \"two\"\nkind = \"" + kind +
               "\"\npoint = [0.5, -3, 2]\n" + (has_axis ? "axis = [3, 4, 0]\n" : "") +
               (kind == "universal" ? "axis2 = [-4, 3, 7]\n" : ""));
  const JointSpec& joint = model.joints.at(0);
  const Vec3 point(0.5, -3, 2);
  EXPECT_TRUE(in_space(model, joint.a).isApprox(point, round_off));
  EXPECT_TRUE(in_space(model, joint.b).isApprox(point, round_off));
  expect_frame(joint.axes_a);
  expect_frame(joint.axes_b);
  const Mat3 a = axes_in_space(model, joint.a, joint.axes_a);
  const Mat3 b = axes_in_space(model, joint.b, joint.axes_b);
  EXPECT_TRUE(a.isApprox(b, round_off));
  if (has_axis) {
    EXPECT_TRUE(a.col(2).isApprox(Vec3(0.6, 0.8, 0), round_off));
  } else {
    EXPECT_TRUE(a.isIdentity(round_off));
  }
  if (kind == "universal") {
    EXPECT_TRUE(a.col(0).isApprox(Vec3(-4, 3, 7).normalized(), round_off));
  }
}

INSTANTIATE_TEST_SUITE_P(kinds, JointInSpace,
                         testing::Values("fixed", "ball", "revolute", "prismatic", "cylindrical",
                                         "universal", "planar", "slot"),
                         [](const auto& kind) { return std::string(kind.param); });

TEST(ReadJoint, in_body_frames_has_coordinate_zero_when_the_axes_agree_at_the_start) {
  // Both bodies turned about x by 90 degrees apart; the axis is x of both.
  const Model model = model_of(R"toml(
[[body]]
name = "one"
mass = 1
inertia = [1, 1, 1]
[[body]]
name = "two"
mass = 1
inertia = [1, 1, 1]
orientation = { axis = [1, 0, 0], angle_deg = 90 }
[[joint]]
kind = "revolute"
a = "one"
b = "two"
point_a = [1, 2, 3]
point_b = [4, 5, 6]
axis_a = [1, 0, 0]
axis_b = [1, 0, 0]
)toml");
  const JointSpec& joint = model.joints[0];
  EXPECT_EQ(joint.a.point, Vec3(1, 2, 3));
  EXPECT_EQ(joint.b.point, Vec3(4, 5, 6));
  expect_frame(joint.axes_b);
  EXPECT_TRUE(axes_in_space(model, joint.a, joint.axes_a)
                  .isApprox(axes_in_space(model, joint.b, joint.axes_b), round_off));
}

TEST(ReadJoint, in_body_frames_with_opposite_axes_still_has_right_handed_frames) {
  const Model model = model_of(rigid_pair + R"toml(
[[joint]]
kind = "cylindrical"
a = "ground"
b = "one"
point_a = [0, 0, 0]
point_b = [0, 0, 0]
axis_a = [0, 0, 1]
axis_b = [0, 0, -1]
)toml");
  expect_frame(model.joints[0].axes_a);
  expect_frame(model.joints[0].axes_b);
  EXPECT_EQ(model.joints[0].axes_b.col(2), Vec3(0, 0, -1));
}

TEST(ReadJoint, between_planar_bodies_keeps_the_normal_of_the_plane_exact) {
  const Model model = model_of(planar_pair + R"toml(
[[joint]]
kind = "prismatic"
a = "one"
b = "two"
point = [3, 4]
axis = [1, 3]
motor = "0.1*t"
[[joint]]
kind = "revolute"
a = "one"
b = "two"
point = [3, 4]
[[joint]]
kind = "prismatic"
a = "one"
b = "ground"
point_a = [0, 0]
point_b = [0, 0]
axis_a = [1, 2]
axis_b = [2, 1]
[[joint]]
kind = "fixed"
a = "one"
b = "two"
point = [3, 4]
)toml");
  for (const JointSpec& joint : model.joints) {
    expect_frame(joint.axes_a);
    expect_frame(joint.axes_b);
    EXPECT_EQ(joint.a.point[2], 0.0);
    const int normal = joint.kind == JointKind::prismatic ? 0 : 2;
    EXPECT_EQ(joint.axes_a.col(normal), Vec3::UnitZ()) << joint.name;
    EXPECT_EQ(joint.axes_b.col(normal), Vec3::UnitZ()) << joint.name;
  }
  EXPECT_EQ((*model.joints[0].motor)(10.0), 1.0);
}

TEST(ReadJoint, of_point_bodies_sits_at_their_origin) {
  const Model model = model_of(R"toml(
[[body]]
name = "bead"
kind = "point"
mass = 1
position = [0.1, 0.2, 0.3]
[[joint]]
kind = "ball"
a = "ground"
b = "bead"
point = [0.1, 0.2, 0.3]
[[joint]]
kind = "distance"
a = "ground"
b = "bead"
point_a = [1, 0, 0]
point_b = [0, 0, 0]
length = 2
)toml");
  EXPECT_EQ(model.joints[0].b.point, Vec3::Zero());
  EXPECT_EQ(model.joints[1].length, 2.0);
  EXPECT_EQ(model.joints[1].a.body, "");
}

TEST(FrameAlong, is_right_handed_for_all_directions_and_the_identity_along_z) {
  EXPECT_EQ(frame_along(Vec3::UnitZ()), Mat3::Identity());
  for (const Vec3& v :
       {Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, -1), Vec3(1, 1, 1), Vec3(-1, 2, 1e-9)}) {
    const Mat3 frame = frame_along(v.normalized());
    expect_frame(frame);
    EXPECT_EQ(frame.col(2), v.normalized());
  }
}

// ---- Contacts ----------------------------------------------------------------------------------

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

// ---- Integrator, output, verification ----------------------------------------------------------

TEST(ReadIntegrator, has_the_defaults_of_its_spec) {
  const IntegratorSpec read = model_of(rigid_pair).integrator;
  const IntegratorSpec plain;
  EXPECT_EQ(read.kind, plain.kind);
  EXPECT_EQ(read.step, 1e-3);
  EXPECT_EQ(read.duration, 1.0);
  EXPECT_EQ(read.rho_inf, plain.rho_inf);
  EXPECT_EQ(read.tolerance, plain.tolerance);
  EXPECT_EQ(read.max_iterations, plain.max_iterations);
  EXPECT_EQ(read.max_halvings, plain.max_halvings);
  EXPECT_EQ(read.position_friction, plain.position_friction);
  EXPECT_EQ(read.scaling, plain.scaling);
  EXPECT_EQ(read.penalty, plain.penalty);
}

TEST(ReadIntegrator, and_output_read_every_key) {
  const Model model = parse_model(rigid_pair + run + R"toml(
rho_inf = 0
tolerance = 1e-8
max_iterations = 7
max_halvings = 0
position_friction = false
scaling = "characteristic_mass"
characteristic_mass = 3
penalty = 2
[output]
interval = 0.1
frame_interval = 0.2
paraview = false
)toml",
                                  "model.toml");
  const IntegratorSpec& read = model.integrator;
  EXPECT_EQ(read.rho_inf, 0.0);
  EXPECT_EQ(read.max_iterations, 7);
  EXPECT_EQ(read.max_halvings, 0);
  EXPECT_FALSE(read.position_friction);
  EXPECT_EQ(read.scaling, Scaling::characteristic_mass);
  EXPECT_EQ(read.characteristic_mass, 3.0);
  EXPECT_EQ(read.penalty, 2.0);
  EXPECT_EQ(model.output.interval, 0.1);
  EXPECT_EQ(model.output.frame_interval, 0.2);
  EXPECT_FALSE(model.output.paraview);
}

TEST(ReadVerify, reads_every_key) {
  const Model model = model_of(rigid_pair + R"toml(
[[verify]]
source = "001"
example = "4.1"
quantity = "bodies/one/position/z"
measure = "first_time"
threshold = 0.5
below = true
from = 0.1
to = 0.9
oracle = "sqrt(2)"
oracle_kind = "closed form"
compare = "at_most"
tolerance = 1e-3
set = ["integrator.step=1e-4", "body.one.mass=2"]
note = "falls"
[[verify]]
quantity = "positions"
measure = "order"
oracle = 2
oracle_kind = "order"
compare = "at_least"
tolerance = 0.1
steps = [1e-2, 5e-3]
reference_step = 1e-4
[[verify]]
quantity = "bodies/one/position/z"
oracle = 0.5
oracle_kind = "independent computation"
script = "oracles/pair.py"
)toml");
  const VerifySpec& v = model.verify.at(0);
  EXPECT_EQ(v.source, "001");
  EXPECT_EQ(v.example, "4.1");
  EXPECT_EQ(v.measure, "first_time");
  EXPECT_EQ(v.threshold, 0.5);
  EXPECT_TRUE(v.below);
  EXPECT_EQ(v.from, 0.1);
  EXPECT_EQ(v.to, 0.9);
  EXPECT_EQ(v.oracle, "sqrt(2)");
  EXPECT_EQ(v.compare, "at_most");
  EXPECT_EQ(v.tolerance, 1e-3);
  EXPECT_EQ(v.set.size(), 2u);
  EXPECT_EQ(v.note, "falls");
  EXPECT_EQ(model.verify[1].oracle, "2");
  EXPECT_EQ(model.verify[1].steps, (std::vector<double>{1e-2, 5e-3}));
  EXPECT_EQ(model.verify[2].script, "oracles/pair.py");
}

TEST(ReadVerify, reads_every_kind_of_oracle) {
  for (const char* kind : {"closed form", "conservation", "order", "published",
                           "prototype of the same scheme", "own converged run"}) {
    const Model model = model_of(
        rigid_pair + fmt::format("[[verify]]\nquantity = \"bodies/one/position/z\"\noracle = 0\n"
                                 "oracle_kind = \"{}\"\n",
                                 kind));
    EXPECT_EQ(model.verify.at(0).oracle_kind, kind);
    EXPECT_EQ(model.verify[0].script, "");
  }
}

// ---- Files -------------------------------------------------------------------------------------

std::string mistake_in_file(const std::filesystem::path& path) {
  try {
    read_model(path);
  } catch (const Error& error) {
    EXPECT_EQ(error.mistakes().size(), 1u);
    return error.mistakes().at(0).message;
  }
  return "";
}

TEST(ReadModel, tells_a_missing_file_from_a_directory_and_an_empty_file) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / "clatter_model_reader_test";
  std::filesystem::create_directories(folder);
  EXPECT_EQ(mistake_in_file(folder / "none.toml"), "there is no such file");
  EXPECT_EQ(mistake_in_file(folder), "this is a directory, not a model file");
  std::ofstream(folder / "empty.toml").close();
  EXPECT_EQ(mistake_in_file(folder / "empty.toml"),
            "the file is empty: a model needs [[body]] or [[beam]], and [integrator]");
  std::filesystem::remove_all(folder);
}

TEST(ReadModel, refuses_every_truncation_of_a_good_model_without_falling_over) {
  const std::string text = rigid_pair + "[[joint]]\nkind = \"ball\"\na = \"one\"\nb = \"two\"\n" +
                           "point = [0, 0, 0]\n[integrator]\nduration = 1\nstep = 1e-3";
  ASSERT_EQ(mistakes_of(text), "");
  for (std::size_t length = 0; length < text.size() - std::string("= 1e-3").size(); ++length) {
    EXPECT_NE(mistakes_of(text.substr(0, length)), "") << text.substr(0, length);
  }
}

TEST(ReadModel, reads_windows_line_ends_and_a_byte_order_mark) {
  std::string text = "\xEF\xBB\xBF";
  for (const char c : rigid_pair + run) text += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(parse_model(text, "model.toml").bodies.size(), 2u);
}

TEST(ReadModel, reads_ten_thousand_bodies) {
  std::string text;
  for (int i = 0; i < 10000; ++i) {
    text += fmt::format(
        "[[body]]\nname = \"b{}\"\nkind = \"point\"\nmass = {}\nposition = [{}, 0, 0]\n", i, i + 1,
        3 * i);
  }
  text += "[[load]]\nbody = \"b9999\"\nforce = [1, 0, 0]\n";
  const Model model = model_of(text);
  ASSERT_EQ(model.bodies.size(), 10000u);
  for (int i = 0; i < 10000; ++i) {  // none is lost, doubled or swapped
    const BodySpec& body = model.bodies[static_cast<std::size_t>(i)];
    ASSERT_EQ(body.name, fmt::format("b{}", i));
    ASSERT_EQ(body.mass, i + 1);
    ASSERT_EQ(body.position, Vec3(3.0 * i, 0.0, 0.0));
    ASSERT_EQ(body.place.line, 1 + 5 * i);
  }
  EXPECT_EQ(model.loads[0].at.body, "b9999");
  // A mistake among them is found, and found alone.
  const std::size_t at = text.find("mass = 5001\n");
  const std::string wrong = text.substr(0, at) + "mass = -5001\n" + text.substr(at + 12);
  EXPECT_EQ(mistakes_of(wrong + run),
            "model.toml:25004:8: 'mass': expected number > 0, found -5001");
}

TEST(ReadModel, reports_mistakes_in_the_order_of_the_file) {
  const std::string text =
      "zebra = 1\n[[body]]\nname = \"a\"\nmass = 0\nkind = \"point\"\napple = 1\n";
  const std::string mistakes = mistakes_of(text + run);
  EXPECT_LT(mistakes.find("zebra"), mistakes.find("mass"));
  EXPECT_LT(mistakes.find("mass"), mistakes.find("apple"));
}

}  // namespace
}  // namespace clatter
