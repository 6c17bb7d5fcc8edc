// Every refusal of check(model), for models that are built in code: each case spoils one thing of a
// model that is sound, and expects one mistake with these words.

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <clatter/machine/checks.hpp>
#include <clatter/simulation/simulation.hpp>

#include "unit/machine/sound_model.hpp"

namespace clatter {
namespace checks_test {

using namespace testing::sound;

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

struct Case {
  const char* name;
  std::function<void(Model&)> spoil;
  std::vector<std::string> words;
};

void PrintTo(const Case& c, std::ostream* os) { *os << c.name; }

class Check : public ::testing::TestWithParam<Case> {};

TEST_P(Check, refuses_what_is_spoilt_and_names_it) {
  Model model = sound_model();
  GetParam().spoil(model);
  const std::vector<Mistake> mistakes = check(model);
  std::string all;
  for (const Mistake& mistake : mistakes) all += to_string(mistake) + "\n";
  EXPECT_EQ(mistakes.size(), 1u) << all;
  for (const std::string& words : GetParam().words) {
    EXPECT_NE(all.find(words), std::string::npos) << "'" << words << "' is not in: " << all;
  }
}

TEST(Checks, sound_model_passes) {
  std::string all;
  for (const Mistake& mistake : check(sound_model())) all += to_string(mistake) + "\n";
  EXPECT_EQ(all, "");
}

std::string name_of(const ::testing::TestParamInfo<Case>& info) { return info.param.name; }

// ---- Names

const std::vector<Case> names = {
    {"no_parts", [](Model& m) { m = Model(); }, {"a model needs a body or a beam"}},
    {"body_without_name",
     [](Model& m) { m.bodies.push_back(body("", BodyKind::point, Vec3::Zero())); },
     {"body ''", "'name' must not be empty"}},
    {"body_named_dot",
     [](Model& m) { m.bodies.push_back(body(".", BodyKind::point, Vec3::Zero())); },
     {"body '.'", "means a folder in the paths of results"}},
    {"beam_named_dot_dot",
     [](Model& m) { m.beams.push_back(beam("..", false, Vec3::Zero())); },
     {"beam '..'", "means a folder in the paths of results"}},
    {"spring_named_dot", [](Model& m) { m.springs[coil].name = "."; }, {"spring '.'", "folder"}},
    {"load_named_dot", [](Model& m) { m.loads[push].name = "."; }, {"load '.'", "folder"}},
    {"joint_named_dot", [](Model& m) { m.joints[hinge].name = ".."; }, {"joint '..'", "folder"}},
    {"contact_named_dot", [](Model& m) { m.contacts[bounce].name = "."; }, {"folder"}},
    {"group_named_dot", [](Model& m) { m.contact_groups[0].contact.name = "."; }, {"folder"}},
    {"joint_with_slash",
     [](Model& m) { m.joints[hinge].name = "a/b"; },
     {"joint 'a/b'", "must not hold '/' or control characters"}},
    {"load_with_newline",
     [](Model& m) { m.loads[push].name = "a\nb"; },
     {"must not hold '/' or control characters"}},
    {"spring_without_name", [](Model& m) { m.springs[coil].name = ""; }, {"must not be empty"}},
    {"body_named_ground",
     [](Model& m) { m.bodies.push_back(body("ground", BodyKind::point, Vec3::Zero())); },
     {"'ground' is the fixed world; a body needs another name"}},
    {"two_bodies_of_a_name",
     [](Model& m) { m.bodies.push_back(m.bodies[bead]); },
     {"there are two bodies named 'bead'"}},
    {"two_beams_of_a_name",
     [](Model& m) { m.beams.push_back(m.beams[rod]); },
     {"there are two beams named 'rod'"}},
    {"two_joints_of_a_name",
     [](Model& m) { m.joints[pin].name = "hinge"; },
     {"there are two joints named 'hinge'"}},
    {"contact_and_group_of_a_name",
     [](Model& m) { m.contact_groups[0].contact.name = "bounce"; },
     {"there are two contacts named 'bounce'"}},
    {"beam_named_like_a_body",
     [](Model& m) { m.beams.push_back(beam("ball", false, Vec3::Zero())); },
     {"there is a body named 'ball' already"}},
    {"body_named_like_a_node",
     [](Model& m) { m.bodies.push_back(body("rod.3", BodyKind::point, Vec3::Zero())); },
     {"beam 'rod' has a node 'rod.3', but a body has that name"}},
    {"unknown_body",
     [](Model& m) { m.springs[coil].b.body = "brik"; },
     {"spring 'coil'", "unknown body 'brik'; did you mean 'brick'?"}},
    {"whole_beam",
     [](Model& m) { m.loads[push].at.body = "rod"; },
     {"load 'push'", "'rod' is a beam: name one of its nodes, 'rod.0' to 'rod.4'"}},
    {"unknown_node",
     [](Model& m) { m.joints[hinge].a.body = "rod.5"; },
     {"joint 'hinge'", "beam 'rod' has 5 nodes, but no 'rod.5'"}},
    {"name_of_copies",
     [](Model& m) {
       m.bodies.push_back(body("grain.0", BodyKind::point, Vec3::Zero()));
       m.bodies.push_back(body("grain.1", BodyKind::point, Vec3::Zero()));
       m.contacts[corner].point.body = "grain";
     },
     {"contact 'corner'", "'grain' is repeated: name one of its copies, 'grain.0' to 'grain.1'"}},
    {"unknown_body_in_group",
     [](Model& m) { m.contact_groups[0].spheres[1].centre.body = "brik"; },
     {"contact 'heap'", "unknown body 'brik'"}},
};
INSTANTIATE_TEST_SUITE_P(names, Check, ::testing::ValuesIn(names), name_of);

// ---- Bodies

const std::vector<Case> bodies = {
    {"mass_zero",
     [](Model& m) { m.bodies[ball].mass = 0.0; },
     {"body 'ball': 'mass': expected number > 0, found 0"}},
    {"mass_negative", [](Model& m) { m.bodies[bead].mass = -1.0; }, {"body 'bead'", "found -1"}},
    {"mass_not_a_number",
     [](Model& m) { m.bodies[ball].mass = not_a_number; },
     {"'mass' must be a finite number, not nan"}},
    {"mass_too_large", [](Model& m) { m.bodies[ball].mass = 1e200; }, {"too large to compute"}},
    {"inertia_zero",
     [](Model& m) { m.bodies[brick].inertia.setZero(); },
     {"body 'brick': 'inertia' must be positive"}},
    {"inertia_not_symmetric",
     [](Model& m) { m.bodies[brick].inertia(0, 1) = 0.1; },
     {"'inertia' must be symmetric"}},
    {"inertia_indefinite",
     [](Model& m) { m.bodies[brick].inertia(0, 0) = -1.0; },
     {"'inertia' must be positive definite, but has a principal moment of -1"}},
    {"inertia_of_no_body",
     [](Model& m) { m.bodies[brick].inertia = Vec3(1, 1, 3).asDiagonal(); },
     {"'inertia' belongs to no body"}},
    {"inertia_infinite",
     [](Model& m) { m.bodies[brick].inertia(0, 0) = infinity; },
     {"'inertia' must be finite"}},
    {"inertia_of_planar_body",
     [](Model& m) { m.bodies[disc].inertia(2, 2) = 0.0; },
     {"body 'disc': 'inertia': expected number > 0"}},
    {"shape_of_no_size",
     [](Model& m) { m.bodies[ball].shapes[0].shape = SphereShape{0.0}; },
     {"shape 1 of body 'ball': 'radius': expected number > 0"}},
    {"box_flat",
     [](Model& m) {
       m.bodies[ball].shapes[0].shape = BoxShape{{1, 0, 1}};
     },
     {"'size': expected three numbers > 0"}},
    {"disc_without_thickness",
     [](Model& m) {
       m.bodies[ball].shapes[0].shape = DiscShape{1.0, 0.0};
     },
     {"'thickness'"}},
    {"rod_too_thick",
     [](Model& m) {
       m.bodies[ball].shapes[0].shape = RodShape{1.0, 0.6};
     },
     {"a rod is slender"}},
    {"position_infinite",
     [](Model& m) { m.bodies[ball].position[1] = infinity; },
     {"'position' must be a finite number, not inf"}},
    {"velocity_not_a_number",
     [](Model& m) { m.bodies[ball].velocity[1] = not_a_number; },
     {"'velocity' must be a finite number"}},
    {"orientation_zero",
     [](Model& m) { m.bodies[ball].orientation.coeffs().setZero(); },
     {"body 'ball': 'orientation' must be finite numbers that are not all zero"}},
    {"planar_body_out_of_plane",
     [](Model& m) { m.bodies[disc].position[2] = 0.1; },
     {"body 'disc': 'position': planar bodies stay in the x-y plane"}},
    {"planar_body_leaves_plane",
     [](Model& m) { m.bodies[disc].velocity[2] = 0.1; },
     {"'velocity': planar bodies stay"}},
    {"planar_body_tumbles",
     [](Model& m) {
       m.bodies[disc].angular_velocity = {1, 0, 0};
     },
     {"'angular_velocity': planar bodies turn about z"}},
    {"planar_body_turned_by_orientation",
     [](Model& m) { m.bodies[disc].orientation = Eigen::AngleAxisd(0.3, Vec3::UnitX()); },
     {"body 'disc': 'orientation' has no meaning for a planar body"}},
    {"angle_infinite", [](Model& m) { m.bodies[disc].angle = infinity; }, {"'angle'"}},
    {"point_turns",
     [](Model& m) {
       m.bodies[bead].angular_velocity = {0, 0, 1};
     },
     {"body 'bead': 'angular_velocity' has no meaning for a point body"}},
    {"point_turned",
     [](Model& m) { m.bodies[bead].orientation = Eigen::AngleAxisd(0.3, Vec3::UnitX()); },
     {"'orientation' has no meaning for a point body"}},
    {"point_off_its_centre",
     [](Model& m) {
       m.bodies[bead].centre_of_mass = {0, 0, 1};
     },
     {"'centre_of_mass' has no meaning for a point body"}},
    {"gravity_not_a_number",
     [](Model& m) { m.gravity[0] = not_a_number; },
     {"'gravity' must be a finite number"}},
    {"gravity_out_of_plane",
     [](Model& m) {
       const BodySpec only = m.bodies[disc];
       m = Model();
       m.bodies = {only};
       m.gravity = {0, 0, -9.81};
     },
     {"'gravity': planar bodies stay in the x-y plane"}},
};
INSTANTIATE_TEST_SUITE_P(bodies, Check, ::testing::ValuesIn(bodies), name_of);

// ---- Beams

const std::vector<Case> beams = {
    {"one_point",
     [](Model& m) {
       m.beams.push_back(beam("bar", false, Vec3::Zero())), m.beams[2].points.resize(1);
     },
     {"beam 'bar': 'points': expected at least two corners, found 1"}},
    {"equal_corners",
     [](Model& m) {
       m.beams.push_back(beam("bar", false, Vec3::Zero())), m.beams[2].points[1].setZero();
     },
     {"beam 'bar'", "this corner is where the one before is"}},
    {"point_not_a_number",
     [](Model& m) { m.beams[rod].points[0][0] = not_a_number; },
     {"beam 'rod': 'points' must be a finite number"}},
    {"out_of_plane", [](Model& m) { m.beams[strip].points[1][2] = 1; }, {"beam 'strip'", "x-y"}},
    {"no_elements",
     [](Model& m) { m.beams[rod].elements = 0; },
     {"beam 'rod': 'elements': expected whole number in [1, 100000], found 0"}},
    {"fewer_elements_than_legs",
     [](Model& m) {
       m.beams[rod].points = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}}, m.beams[rod].elements = 1;
     },
     {"2 legs need at least 2 elements"}},
    {"curled_up_in_an_element",
     [](Model& m) {
       m.beams[rod].curvature = {0, 0, 20};
     },
     {"take at least 10 elements"}},
    {"corners_and_curvature",
     [](Model& m) {
       m.beams[rod].points = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}};
       m.beams[rod].curvature = {0, 0, 0.1};
     },
     {"'curvature': a beam with corners cannot have one"}},
    {"planar_beam_twisted",
     [](Model& m) {
       m.beams[strip].curvature = {1, 0, 0};
     },
     {"about z"}},
    {"y_along", [](Model& m) { m.beams[rod].y_axis = Vec3::UnitX(); }, {"must not lie along"}},
    {"y_zero", [](Model& m) { m.beams[rod].y_axis = Vec3::Zero(); }, {"must not be zero"}},
    {"y_in_plane", [](Model& m) { m.beams[strip].y_axis = Vec3::UnitY(); }, {"no meaning"}},
    {"too_many_elements",
     [](Model& m) {
       for (const char* name : {"x", "y"}) {
         m.beams.push_back(beam(name, false, Vec3::Zero()));
         m.beams.back().elements = 100'000;
       }
     },
     {"beam 'y'", "the beams of a model can have 200000 elements together"}},
    {"modulus", [](Model& m) { m.beams[rod].youngs_modulus = -1; }, {"'youngs_modulus'"}},
    {"shear_modulus", [](Model& m) { m.beams[rod].shear_modulus = 0; }, {"'shear_modulus'"}},
    {"density", [](Model& m) { m.beams[rod].density = 0; }, {"beam 'rod': 'density'"}},
    {"damping", [](Model& m) { m.beams[rod].mass_damping = -1; }, {"'mass_damping'"}},
    {"stiffness_damping", [](Model& m) { m.beams[rod].stiffness_damping = -1; }, {">= 0"}},
    {"area",
     [](Model& m) { m.beams[rod].section.shape.reset(), m.beams[rod].section.area = 0; },
     {"'section.area': expected number > 0"}},
    {"torsion_constant",
     [](Model& m) { m.beams[rod].section.shape.reset(), m.beams[rod].section.J = 0; },
     {"'section.J': expected number > 0"}},
    {"section_of_no_area",
     [](Model& m) { m.beams[rod].section.area = 0; },
     {"'section' gives a stiffness or mass that is too large or too small"}},
    {"shear", [](Model& m) { m.beams[rod].section.shear_y = -1; }, {"'section.shear_y'"}},
    {"tube_without_hole",
     [](Model& m) {
       m.beams[rod].section = section_of(TubeSection{0.1, 0.1});
     },
     {"'thickness' of a tube must be less than its 'radius'"}},
    {"flanges_only",
     [](Model& m) {
       m.beams[rod].section.shape = ISection{0.1, 0.1, 0.05, 0.01};
     },
     {"two flanges must be thinner"}},
    {"thick_web",
     [](Model& m) {
       m.beams[rod].section.shape = ISection{0.1, 0.1, 0.01, 0.2};
     },
     {"'web' must not be thicker"}},
    {"section_too_small",
     [](Model& m) { m.beams[rod].density = 1e-99; },
     {"too large or too small to compute with"}},
    {"line_force",
     [](Model& m) { m.beams[rod].line_force[1] = Expression("1/t"); },
     {"'line_force': the formula is inf at t = 0"}},
    {"line_force_out_of_plane",
     [](Model& m) { m.beams[strip].line_force[2] = 1.0; },
     {"beam 'strip': 'line_force'", "x-y plane"}},
    {"line_torque_in_plane",
     [](Model& m) { m.beams[strip].line_torque[0] = 1.0; },
     {"'line_torque': planar bodies turn about z"}},
    {"angular_velocity",
     [](Model& m) {
       m.beams[strip].angular_velocity = {1, 0, 0};
     },
     {"'angular_velocity': planar beams turn about z"}},
    {"velocity",
     [](Model& m) {
       m.beams[strip].velocity = {0, 0, 1};
     },
     {"'velocity'"}},
};
INSTANTIATE_TEST_SUITE_P(beams, Check, ::testing::ValuesIn(beams), name_of);

// ---- Springs and loads

const std::vector<Case> forces = {
    {"spring_of_ground",
     [](Model& m) { m.springs[coil].a.body = m.springs[coil].b.body = ""; },
     {"spring 'coil'", "both ends are on the ground"}},
    {"spring_of_one_body",
     [](Model& m) { m.springs[coil].a.body = "brick"; },
     {"both ends of the spring are on body 'brick'"}},
    {"spring_without_law",
     [](Model& m) { m.springs[coil].stiffness = 0; },
     {"spring 'coil'", "needs a positive 'stiffness' or 'damping'"}},
    {"stiffness", [](Model& m) { m.springs[coil].stiffness = -5; }, {"'stiffness'", "found -5"}},
    {"damping", [](Model& m) { m.springs[coil].damping = not_a_number; }, {"'damping'"}},
    {"rest_length", [](Model& m) { m.springs[coil].rest = -1; }, {"'rest_length'"}},
    {"rest_angle", [](Model& m) { m.springs[twist].rest = infinity; }, {"'rest_angle'"}},
    {"axis_zero", [](Model& m) { m.springs[guide].axis.setZero(); }, {"'axis' must not be zero"}},
    {"torsional_axis_in_plane",
     [](Model& m) { m.springs[hairspring].axis = Vec3::UnitX(); },
     {"between planar bodies a torsional spring turns about z"}},
    {"linear_axis_out_of_plane",
     [](Model& m) { m.springs[hairspring].kind = SpringKind::linear; },
     {"spring 'hairspring': 'axis': planar bodies stay"}},
    {"torsional_with_point",
     [](Model& m) {
       m.springs[twist].a.point = {1, 0, 0};
     },
     {"'point' has no meaning for a torsional spring"}},
    {"torsional_on_point",
     [](Model& m) { m.springs[twist].b.body = "bead"; },
     {"point body 'bead' does not turn, so it cannot carry a torsional spring"}},
    {"end_off_a_point",
     [](Model& m) {
       m.springs[coil].b = {"bead", {1, 0, 0}};
     },
     {"'b.point': point body 'bead' has no other point than its origin"}},
    {"end_out_of_plane",
     [](Model& m) {
       m.springs[coil].b = {"disc", {0, 0, 1}};
     },
     {"'b.point': planar bodies stay"}},
    {"cable_of_one_point",
     [](Model& m) { m.cables[0].through.resize(1); },
     {"cable 'rope'", "needs two points or more"}},
    {"cable_on_ground",
     [](Model& m) {
       m.cables[0].through = {{"", {0, 0, 1}}, {"ground", {0, 0, 2}}};
     },
     {"cable 'rope'", "all its points are on the ground"}},
    {"cable_on_one_body",
     [](Model& m) {
       m.cables[0].through = {{"brick", {0, 0, 1}}, {"brick", {0, 0, 2}}};
     },
     {"all points of the cable are on body 'brick'"}},
    {"cable_on_unknown_body",
     [](Model& m) { m.cables[0].through[1].body = "brik"; },
     {"cable 'rope'", "unknown body 'brik'"}},
    {"cable_off_a_point",
     [](Model& m) { m.cables[0].through[2].point.x() = 1; },
     {"'through.3.point': point body 'bead' has no other point than its origin"}},
    {"cable_without_stiffness", [](Model& m) { m.cables[0].stiffness = 0; }, {"'stiffness'"}},
    {"cable_that_drives", [](Model& m) { m.cables[0].damping = -1; }, {"'damping'"}},
    {"load_on_ground",
     [](Model& m) { m.loads[push].at.body = ""; },
     {"load 'push'", "a load needs a body that can move, not the ground"}},
    {"force_infinite",
     [](Model& m) { m.loads[push].force[0] = Expression("1/t"); },
     {"'force': the formula is inf at t = 0"}},
    {"torque_infinite",
     [](Model& m) { m.loads[push].torque[0] = not_a_number; },
     {"'torque': the formula is nan at t = 0"}},
    {"torque_on_point",
     [](Model& m) { m.loads[pull].torque[2] = 1.0; },
     {"point body 'bead' does not turn, so it cannot carry a torque"}},
    {"torque_on_planar",
     [](Model& m) { m.loads[turn].torque[0] = 1.0; },
     {"load 'turn': 'torque': planar bodies turn about z"}},
    {"force_on_planar", [](Model& m) { m.loads[turn].force[2] = 1.0; }, {"'force': planar bodies"}},
    {"force_off_a_point",
     [](Model& m) {
       m.loads[pull].at.point = {1, 0, 0};
     },
     {"'point': point body 'bead' has no other point"}},
};
INSTANTIATE_TEST_SUITE_P(forces, Check, ::testing::ValuesIn(forces), name_of);

// ---- Joints

const std::vector<Case> joints = {
    {"of_ground",
     [](Model& m) { m.joints[hinge].a.body = m.joints[hinge].b.body = ""; },
     {"joint 'hinge'", "'a' and 'b' are both the ground"}},
    {"of_one_body",
     [](Model& m) { m.joints[hinge].a.body = "brick"; },
     {"'a' and 'b' are the same body 'brick'"}},
    {"revolute_on_point",
     [](Model& m) { m.joints[hinge].b.body = "bead"; },
     {"point body 'bead' does not turn, so it cannot have a revolute joint"}},
    {"ball_in_plane",
     [](Model& m) { m.joints[pin].kind = JointKind::ball; },
     {"joint 'pin'", "a ball joint has no meaning between planar bodies"}},
    {"revolute_axis_in_plane",
     [](Model& m) { m.joints[pin].axes_b = along_x(); },
     {"'axis_b': between planar bodies a revolute joint turns about z"}},
    {"prismatic_axis_out_of_plane",
     [](Model& m) { m.joints[slide].axes_a.setIdentity(); },
     {"'axis_a': between planar bodies a prismatic joint slides in the x-y plane"}},
    {"skate_axis_out_of_plane",
     [](Model& m) { m.joints[skid].axes_b.setIdentity(); },
     {"'axis_b': between planar bodies the z component must be 0"}},
    {"axes_not_perpendicular",
     [](Model& m) { m.joints[hinge].axes_a.col(0) = Vec3::UnitY(); },
     {"'axis_a': the columns must be the axes of a right-handed frame"}},
    {"axes_left_handed",
     [](Model& m) { m.joints[hinge].axes_b.col(0) *= -1.0; },
     {"'axis_b': the columns must be the axes of a right-handed frame"}},
    {"axes_not_numbers",
     [](Model& m) { m.joints[hinge].axes_b(0, 0) = not_a_number; },
     {"'axis_b' must be finite"}},
    {"point_not_a_number",
     [](Model& m) { m.joints[hinge].a.point[0] = not_a_number; },
     {"'point_a' must be a finite number"}},
    {"point_off_a_point",
     [](Model& m) {
       m.joints[link].b.point = {1, 0, 0};
     },
     {"'point_b': point body 'bead' has no other point"}},
    {"point_out_of_plane",
     [](Model& m) {
       m.joints[pin].b.point = {0, 0, 1};
     },
     {"'point_b': planar bodies stay"}},
    {"distance_of_no_length",
     [](Model& m) {
       m.joints[link].a.point = {-2, 3, 0};
     },
     {"joint 'link'", "coincide at the start"}},
    {"length", [](Model& m) { m.joints[link].length = -1; }, {"'length': expected number > 0"}},
    {"length_and_motor",
     [](Model& m) { m.joints[link].length = 1, m.joints[link].motor = Expression(1.0); },
     {"'length' conflicts with 'motor'"}},
    {"length_of_hinge",
     [](Model& m) { m.joints[hinge].length = 1; },
     {"no meaning for a revolute"}},
    {"motor_of_rolling",
     [](Model& m) { m.joints[wheel].motor = Expression("t"); },
     {"joint 'wheel'", "a rolling joint cannot have a motor"}},
    {"motor_infinite",
     [](Model& m) { m.joints[hinge].motor = Expression("1/t"); },
     {"'motor': the formula is inf at t = 0"}},
    {"radius", [](Model& m) { m.joints[wheel].radius = 0; }, {"'radius': expected number > 0"}},
    {"disc_in_plane",
     [](Model& m) {
       m.joints[wheel].b.body = "disc";
       m.joints[wheel].axes_a = along_x();
       m.joints[wheel].is_disc = true;
     },
     {"between planar bodies a disc turns about z"}},
};
INSTANTIATE_TEST_SUITE_P(joints, Check, ::testing::ValuesIn(joints), name_of);

// ---- Contacts

const std::vector<Case> contacts = {
    {"friction",
     [](Model& m) { m.contacts[bounce].friction = -0.1; },
     {"contact 'bounce'", ">= 0"}},
    {"rolling", [](Model& m) { m.contacts[bounce].rolling_friction = -1; }, {"'rolling_friction'"}},
    {"drilling", [](Model& m) { m.contacts[bounce].drilling_friction = -1; }, {"'drilling_"}},
    {"patch", [](Model& m) { m.contacts[bounce].patch_radius = infinity; }, {"'patch_radius'"}},
    {"restitution", [](Model& m) { m.contacts[bounce].restitution = 1.2; }, {"number in [0, 1]"}},
    {"tangential_restitution",
     [](Model& m) { m.contacts[bounce].tangential_restitution = -2; },
     {"'tangential_restitution': expected number in [-1, 1]"}},
    {"tangential_restitution_without_friction",
     [](Model& m) {
       m.contacts[bounce].friction = 0, m.contacts[bounce].tangential_restitution = 1;
     },
     {"'tangential_restitution' has no meaning without 'friction'"}},
    {"patch_without_friction",
     [](Model& m) { m.contacts[bounce].friction = 0, m.contacts[bounce].patch_radius = 1; },
     {"'patch_radius' has no meaning without 'friction'"}},
    {"patch_and_drilling",
     [](Model& m) { m.contacts[bounce].patch_radius = m.contacts[bounce].drilling_friction = 1; },
     {"'drilling_friction' conflicts with 'patch_radius'"}},
    {"rolling_of_points",
     [](Model& m) { m.contacts[corner].rolling_friction = 1; },
     {"contact 'corner': 'rolling_friction' needs a body that can turn in this way"}},
    {"drilling_of_planar",
     [](Model& m) { m.contacts[edge].drilling_friction = 1; },
     {"'drilling_friction' needs a body that can turn in this way"}},
    {"of_ground",
     [](Model& m) { m.contacts[corner].point.body = ""; },
     {"a contact needs a body: point and face are both on the ground"}},
    {"of_one_body",
     [](Model& m) { m.contacts[clash].face.body = "ball"; },
     {"the two spheres of the contact are on the same body 'ball'"}},
    {"face_on_point",
     [](Model& m) { m.contacts[bounce].face.body = "bead"; },
     {"point body 'bead' has no face"}},
    {"off_a_point",
     [](Model& m) {
       m.contacts[corner].point.point = {1, 0, 0};
     },
     {"'point.point': point body 'bead' has no other point"}},
    {"point_out_of_plane",
     [](Model& m) {
       m.contacts[edge].point.point = {0, 0, 1};
     },
     {"contact 'edge'", "x-y plane"}},
    {"radius", [](Model& m) { m.contacts[bounce].radius = 0; }, {"'radius': expected number > 0"}},
    {"face_radius", [](Model& m) { m.contacts[clash].face_radius = -1; }, {"'face_radius'"}},
    {"hollow_too_small",
     [](Model& m) { m.contacts[cup].face_radius = 0.4; },
     {"a sphere of radius 0.5 m does not fit into a hollow one of 0.4 m"}},
    {"normal",
     [](Model& m) { m.contacts[bounce].direction.setZero(); },
     {"'normal' must not be zero"}},
    {"normal_out_of_plane",
     [](Model& m) {
       m.contacts[edge].direction = {0, 1, 1};
     },
     {"contact 'edge': 'normal': planar bodies stay"}},
    {"outline_of_two",
     [](Model& m) { m.contacts[ledge].outline.resize(2); },
     {"'outline': expected at least three corners, found 2"}},
    {"outline_in_plane_of_three",
     [](Model& m) {
       m.contacts[edge].outline.push_back({2, 0, 0});
     },
     {"'outline': a face in the plane has two corners, found 3"}},
    {"outline_on_a_line",
     [](Model& m) {
       m.contacts[ledge].outline[2] = {2, 0, 0};
     },
     {"the corners lie on one line"}},
    {"outline_off_the_plane",
     [](Model& m) {
       m.contacts[ledge].outline[2] = {0, 1, 0.1};
     },
     {"this corner is 0.1 m off the plane of the face"}},
    {"outline_not_a_number",
     [](Model& m) { m.contacts[ledge].outline[2][0] = not_a_number; },
     {"'outline' must be a finite number"}},
    {"group_of_no_spheres",
     [](Model& m) { m.contact_groups[0].spheres.clear(); },
     {"contact 'heap'", "a group of spheres has no spheres"}},
    {"group_radius", [](Model& m) { m.contact_groups[0].spheres[0].radius = 0; }, {"'radius'"}},
    {"group_with_a_body_twice",
     [](Model& m) { m.contact_groups[0].spheres[1].centre.body = "ball"; },
     {"has body 'ball' twice"}},
    {"group_on_its_own_face",
     [](Model& m) { m.contact_groups[0].contact.face.body = "brick"; },
     {"sphere and face of the contact are on the same body 'brick'"}},
    {"group_with_outline",
     [](Model& m) { m.contact_groups[0].contact.outline = m.contacts[ledge].outline; },
     {"a face that a group of spheres touches has no edge"}},
    {"group_in_hollow",
     [](Model& m) { m.contact_groups[1].contact.geometry = SphereInSphere::geometry; },
     {"a group of spheres can touch one surface or other spheres from outside"}},
    {"group_of_overlapping_lists",
     [](Model& m) { m.contact_groups[1].among_themselves = false; },
     {"must name the same bodies, with 'among_themselves', or have none in common"}},
};
INSTANTIATE_TEST_SUITE_P(contacts, Check, ::testing::ValuesIn(contacts), name_of);

// ---- Runs

const std::vector<Case> runs = {
    {"step", [](Model& m) { m.integrator.step = 0; }, {"integrator: 'step': expected number > 0"}},
    {"duration", [](Model& m) { m.integrator.duration = infinity; }, {"'duration'"}},
    {"duration_below_step",
     [](Model& m) { m.integrator.step = 2; },
     {"'duration' must be at least one 'step' of 2 s, not 1 s"}},
    {"rho_inf", [](Model& m) { m.integrator.rho_inf = 1.1; }, {"'rho_inf'", "in [0, 1]"}},
    {"theta", [](Model& m) { m.integrator.theta = 0.4; }, {"'theta'", "in [0.5, 1]"}},
    {"tolerance", [](Model& m) { m.integrator.tolerance = 0; }, {"'tolerance'", "in (0, 1]"}},
    {"max_iterations", [](Model& m) { m.integrator.max_iterations = 0; }, {"'max_iterations'"}},
    {"max_halvings", [](Model& m) { m.integrator.max_halvings = -1; }, {"'max_halvings'"}},
    {"penalty", [](Model& m) { m.integrator.penalty = 0; }, {"'penalty'"}},
    {"impact_tolerance_alone",
     [](Model& m) { m.integrator.impact_tolerance = 0.1; },
     {"'impact_tolerance' has no meaning without multi_impact = true"}},
    {"max_impacts_alone",
     [](Model& m) { m.integrator.max_impacts = 3; },
     {"'max_impacts' has no meaning without multi_impact = true"}},
    {"max_impacts",
     [](Model& m) { m.integrator.multi_impact = true, m.integrator.max_impacts = 0; },
     {"'max_impacts': expected whole number"}},
    {"impact_tolerance",
     [](Model& m) { m.integrator.multi_impact = true, m.integrator.impact_tolerance = -1; },
     {"'impact_tolerance': expected number >= 0"}},
    {"characteristic_mass_alone",
     [](Model& m) { m.integrator.characteristic_mass = 1; },
     {"'characteristic_mass' has no meaning without scaling"}},
    {"characteristic_mass",
     [](Model& m) {
       m.integrator.scaling = Scaling::characteristic_mass;
       m.integrator.characteristic_mass = 0;
     },
     {"'characteristic_mass': expected number > 0"}},
    {"multi_impact_of_moreau",
     [](Model& m) { m.integrator.kind = IntegratorKind::moreau, m.integrator.multi_impact = true; },
     {"'multi_impact' is not for the integrator \"moreau\", only for \"nsga\""}},
    {"locate_impacts_of_moreau",
     [](Model& m) {
       m.integrator.kind = IntegratorKind::moreau, m.integrator.locate_impacts = true;
     },
     {"'locate_impacts' is not for the integrator \"moreau\""}},
    {"position_friction_of_coupled",
     [](Model& m) {
       m.integrator.kind = IntegratorKind::nsga_coupled;
       m.integrator.position_friction = false;
     },
     {"'position_friction' is not for the integrator \"nsga_coupled\""}},
    {"contact_solver_of_coupled",
     [](Model& m) {
       m.integrator.kind = IntegratorKind::nsga_coupled;
       m.integrator.contact_solver = ContactSolverKind::newton;
     },
     {"'contact_solver' is not for the integrator \"nsga_coupled\", only for \"nsga\" and"}},
    {"output_interval", [](Model& m) { m.output.interval = 0; }, {"output: 'interval'"}},
    {"frame_interval", [](Model& m) { m.output.frame_interval = -1; }, {"'frame_interval'"}},
    {"verify_window",
     [](Model& m) { m.verify[0].from = 2, m.verify[0].to = 1; },
     {"figure 'bodies/ball/position/x': 'to' must be after 'from'"}},
    {"verify_nothing",
     [](Model& m) { m.verify[0].quantity = ""; },
     {"'quantity' must not be empty"}},
    {"verify_tolerance", [](Model& m) { m.verify[0].tolerance = -1; }, {"'tolerance'"}},
    {"verify_order_of_a_coordinate",
     [](Model& m) {
       m.verify[0].measure = "order", m.verify[0].steps = {1e-2, 1e-3};
     },
     {"for measure \"order\" it is \"positions\" or \"velocities\""}},
    {"verify_order_of_one_step",
     [](Model& m) {
       m.verify[0].measure = "order";
       m.verify[0].quantity = "positions";
       m.verify[0].steps = {1e-2};
     },
     {"an order needs at least two time steps"}},
    {"verify_order_of_no_step",
     [](Model& m) {
       m.verify[0].measure = "order";
       m.verify[0].quantity = "positions";
       m.verify[0].steps = {1e-2, 0.0};
     },
     {"'steps': expected numbers > 0, found 0"}},
};
INSTANTIATE_TEST_SUITE_P(runs, Check, ::testing::ValuesIn(runs), name_of);

// ---- Shapes and materials

PlacedShape& shape_of(Model& m, Bodies body, Shape shape) {
  m.bodies[body].shapes = {PlacedShape{std::move(shape)}};
  return m.bodies[body].shapes[0];
}

void add_ground(Model& m, Shape shape, std::string material = "") {
  PlacedShape placed{std::move(shape)};
  placed.material = std::move(material);
  m.ground = {placed};
}

MaterialSpec material(std::string name, double friction) {
  MaterialSpec material;
  material.name = std::move(name);
  material.law.friction = friction;
  return material;
}

MaterialSpec elastic(std::string name) {
  MaterialSpec elastic = material(std::move(name), 0.1);
  elastic.youngs_modulus = 2e11;
  return elastic;
}

const std::vector<Case> solids = {
    {"rounding_negative",
     [](Model& m) { m.bodies[ball].shapes[0].rounding = -1; },
     {"shape 1 of body 'ball': 'rounding': expected number >= 0"}},
    {"density_negative",
     [](Model& m) { m.bodies[ball].shapes[0].density = -1; },
     {"'density': expected number >= 0"}},
    {"place_of_shape_infinite",
     [](Model& m) { m.bodies[ball].shapes[0].position[0] = infinity; },
     {"'position' must be a finite number"}},
    {"turn_of_shape_zero",
     [](Model& m) { m.bodies[ball].shapes[0].orientation.coeffs().setZero(); },
     {"'orientation' must be finite numbers that are not all zero"}},
    {"half_space_of_body",
     [](Model& m) { shape_of(m, ball, HalfSpaceShape{}); },
     {"a half_space is for the ground"}},
    {"polygon_in_space",
     [](Model& m) {
       shape_of(m, ball, PolygonShape{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}});
     },
     {"a polygon is for planar bodies"}},
    {"polygon_of_ground_in_space",
     [](Model& m) {
       add_ground(m, PolygonShape{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}});
     },
     {"a polygon is for models in the plane"}},
    {"polygon_that_crosses_itself",
     [](Model& m) {
       shape_of(m, disc, PolygonShape{{{0, 0, 0}, {1, 1, 0}, {1, 0, 0}, {0, 1, 0}}});
     },
     {"the side from corner 3 crosses or touches that from corner 1"}},
    {"polygon_on_a_line",
     [](Model& m) {
       shape_of(m, disc, PolygonShape{{{0, 0, 0}, {1, 1, 0}, {2, 2, 0}}});
     },
     {"the corners lie on one line"}},
    {"polygon_of_two_corners",
     [](Model& m) {
       shape_of(m, disc, PolygonShape{{{0, 0, 0}, {1, 1, 0}}});
     },
     {"a polygon has at least three corners, found 2"}},
    {"cone_in_the_plane",
     [](Model& m) {
       shape_of(m, disc, ConeShape{1, 1});
     },
     {"a cone is no shape in the plane: use a box, disc, capsule or polygon"}},
    {"shape_tilted_out_of_the_plane",
     [](Model& m) {
       shape_of(m, disc, BoxShape{{1, 1, 1}}).orientation =
           Quaternion(Eigen::AngleAxisd(0.1, Vec3::UnitX()));
     },
     {"shapes in the plane are turned about z only"}},
    {"shape_out_of_the_plane",
     [](Model& m) {
       shape_of(m, disc, BoxShape{{1, 1, 1}}).position[2] = 1;
     },
     {"'position': planar bodies stay in the x-y plane"}},
    {"hull_in_a_plane",
     [](Model& m) {
       shape_of(m, ball, HullShape{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}});
     },
     {"the points lie in one plane"}},
    {"hull_of_three_points",
     [](Model& m) {
       shape_of(m, ball, HullShape{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}});
     },
     {"a hull has at least four points, found 3"}},
    {"ellipsoid_flat",
     [](Model& m) {
       shape_of(m, ball, EllipsoidShape{{1, 0, 1}});
     },
     {"'semi_axes': expected three numbers > 0"}},
    {"mesh_without_triangles",
     [](Model& m) { shape_of(m, ball, MeshShape{}); },
     {"a closed surface has at least four triangles"}},
    {"half_space_rounded",
     [](Model& m) {
       add_ground(m, HalfSpaceShape{});
       m.ground[0].rounding = 1;
     },
     {"shape 1 of the ground: 'rounding' has no meaning for a half_space"}},
    {"material_unknown",
     [](Model& m) { m.bodies[ball].shapes[0].material = "steel"; },
     {"shape 1 of body 'ball': unknown material 'steel': the model has no [[material]]"}},
    {"material_misspelt",
     [](Model& m) {
       m.materials = {material("steel", 0.1)};
       add_ground(m, HalfSpaceShape{}, "stel");
     },
     {"unknown material 'stel'; did you mean 'steel'?"}},
    {"material_of_sphere_in_the_plane",
     [](Model& m) {
       m.materials = {material("steel", 0.1)};
       shape_of(m, disc, SphereShape{1}).material = "steel";
     },
     {"a sphere does not touch in the plane; use a disc"}},
    {"material_of_box_of_a_point",
     [](Model& m) {
       m.materials = {material("steel", 0.1)};
       shape_of(m, bead, BoxShape{{1, 1, 1}}).material = "steel";
     },
     {"touches as a sphere only, not as a box; make it a rigid body"}},
    {"materials_of_one_name",
     [](Model& m) {
       m.materials = {material("steel", 0.1), material("steel", 0.2)};
     },
     {"there are two materials named 'steel'"}},
    {"material_with_negative_friction",
     [](Model& m) { m.materials = {material("steel", -0.1)}; },
     {"material 'steel': 'friction': expected number >= 0"}},
    {"materials_that_cannot_be_combined",
     [](Model& m) {
       m.materials = {material("steel", 0.1), material("felt", 0.2)};
       m.materials[0].law.drilling_friction = 0.1;
       m.materials[1].law.patch_radius = 0.1;
     },
     {"material 'steel': 'drilling_friction' conflicts with 'patch_radius' of material 'felt'"}},
    {"material_with_modulus_zero",
     [](Model& m) {
       m.materials = {material("steel", 0.1)};
       m.materials[0].youngs_modulus = 0.0;
     },
     {"material 'steel': 'youngs_modulus': expected number > 0"}},
    {"material_with_large_poisson_ratio",
     [](Model& m) {
       m.materials = {elastic("steel")};
       m.materials[0].poisson_ratio = 0.6;
     },
     {"material 'steel': 'poisson_ratio': expected number in (-1, 0.5]"}},
    {"material_with_strength_but_no_modulus",
     [](Model& m) {
       m.materials = {material("steel", 0.1)};
       m.materials[0].strength = 3e8;
     },
     {"material 'steel': 'strength' has no meaning without 'youngs_modulus'"}},
    {"recovery_without_stiffness",
     [](Model& m) { m.contacts[bounce].recovery.emplace(); },
     {"contact 'bounce': 'recover' needs 'stiffness', or the 'materials' that it follows from"}},
    {"recovery_with_negative_stiffness",
     [](Model& m) { m.contacts[bounce].recovery.emplace().stiffness = -1.0; },
     {"contact 'bounce': 'recover.stiffness': expected number > 0"}},
    {"recovery_of_unknown_material",
     [](Model& m) {
       m.materials = {elastic("steel")};
       m.contacts[bounce].recovery.emplace().materials = {"steel", "stel"};
     },
     {"contact 'bounce': unknown material 'stel'; did you mean 'steel'?"}},
    {"recovery_of_material_without_modulus",
     [](Model& m) {
       m.materials = {elastic("steel"), material("wood", 0.1)};
       m.contacts[bounce].recovery.emplace().materials = {"steel", "wood"};
     },
     {"contact 'bounce': material 'wood' has no 'youngs_modulus'"}},
    {"recovery_of_a_point_from_materials",
     [](Model& m) {
       m.materials = {elastic("steel")};
       m.contacts[corner].recovery.emplace().materials = {"steel", "steel"};
     },
     {"contact 'corner': 'materials': a point has no radius"}},
    {"recovery_by_hooke_from_materials",
     [](Model& m) {
       m.materials = {elastic("steel")};
       RecoverySpec& recovery = m.contacts[bounce].recovery.emplace();
       recovery.materials = {"steel", "steel"};
       recovery.law = NormalLawKind::hooke;
     },
     {"contact 'bounce': the law \"hooke\" needs a 'stiffness' in N/m"}},
    {"recovery_by_hooke_with_exponent",
     [](Model& m) {
       RecoverySpec& recovery = m.contacts[bounce].recovery.emplace();
       recovery.stiffness = 1e6;
       recovery.exponent = 1.5;
       recovery.law = NormalLawKind::hooke;
     },
     {"contact 'bounce': 'exponent' has no meaning for the law \"hooke\""}},
    {"recovery_with_exponent_of_materials",
     [](Model& m) {
       m.materials = {elastic("steel")};
       RecoverySpec& recovery = m.contacts[bounce].recovery.emplace();
       recovery.materials = {"steel", "steel"};
       recovery.exponent = 1.2;
     },
     {"contact 'bounce': 'exponent' has no meaning without 'stiffness'"}},
    {"recovery_of_a_group",
     [](Model& m) { m.contact_groups[0].contact.recovery.emplace().stiffness = 1e8; },
     {"contact 'heap': 'recover': a group of spheres has no results of single pairs"}},
    {"pair_of_unknown_material",
     [](Model& m) {
       m.materials = {material("steel", 0.1)};
       m.material_pairs.emplace_back().materials = {"steel", "wood"};
     },
     {"material pair 'steel' and 'wood': unknown material 'wood'"}},
    {"pair_twice",
     [](Model& m) {
       m.materials = {material("steel", 0.1), material("wood", 0.1)};
       m.material_pairs.emplace_back().materials = {"steel", "wood"};
       m.material_pairs.emplace_back().materials = {"wood", "steel"};
     },
     {"the pair 'wood' and 'steel' is there twice"}},
    {"exclusion_of_unknown_body",
     [](Model& m) {
       m.exclusions.emplace_back().bodies = {"ball", "brik"};
     },
     {"unknown body 'brik'; did you mean 'brick'?"}},
    {"exclusion_of_one_body",
     [](Model& m) {
       m.exclusions.emplace_back().bodies = {"ball", "ball"};
     },
     {"shapes of one body never touch each other"}},
};
INSTANTIATE_TEST_SUITE_P(solids, Check, ::testing::ValuesIn(solids), name_of);

// ---- Together

TEST(Checks, simulation_of_a_bad_model_tells_all_mistakes_at_once) {
  Model model;
  model.bodies = {body("ball", BodyKind::rigid, Vec3::Zero()),
                  body("brick", BodyKind::rigid, {2, 0, 0})};
  model.joints = {joint("hinge", JointKind::revolute, "ball", "brik")};
  model.contacts = {contact("floor", SphereOnFace::geometry, "ball", "")};
  model.bodies[0].mass = -1.0;
  model.contacts[0].restitution = 2.0;
  model.integrator.step = 0.0;
  try {
    const Simulation simulation(model);
    FAIL() << "the model was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.mistakes().size(), 4u) << error.what();
    const std::string all = error.what();
    for (const char* words :
         {"body 'ball': 'mass'", "joint 'hinge': unknown body 'brik'; did you mean 'brick'?",
          "contact 'floor': 'restitution'", "integrator: 'step'"}) {
      EXPECT_NE(all.find(words), std::string::npos) << words << " is not in: " << all;
    }
  }
}

TEST(Checks, ends_of_beams_and_the_ground_can_be_named_in_code) {
  Model model;
  model.beams = {beam("rod", false, Vec3::Zero())};
  JointSpec clamp = joint("clamp", JointKind::fixed, "ground", "rod.start");
  model.joints = {clamp};
  model.loads = {load("push", "rod.end")};
  model.loads[0].force[1] = 1.0;
  model.equilibrium = true;
  EXPECT_NO_THROW(Simulation{model});
}

}  // namespace checks_test
}  // namespace clatter
