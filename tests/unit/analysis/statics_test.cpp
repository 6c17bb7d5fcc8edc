#include <cmath>

#include <gtest/gtest.h>

#include <clatter/analysis/statics.hpp>
#include <clatter/simulation/simulation.hpp>

#include "support/beams.hpp"
#include "support/message_of.hpp"
#include "support/run.hpp"

namespace clatter {
namespace statics_test {

using testing::clamped_rod;
using testing::fixed_to_ground;
using testing::force_on;
using testing::point;
using testing::value;
using testing::vector;

Simulation settled(Model model) {
  model.equilibrium = true;
  return Simulation(model);
}

std::string refusal_of(const Model& model) {
  return testing::message_of([&] { settled(model); });
}

TEST(statics, cantilever_bends_and_shears_as_in_the_textbook) {
  constexpr int n = 40;
  Model model = clamped_rod(n);
  const BeamSpec& beam = model.beams[0];
  const double P = 2.0, EI = beam.youngs_modulus * beam.section.I_y;
  const double kGA = beam.shear_modulus * beam.section.shear_z * beam.section.area;
  model.loads = {force_on("rod.40", {0, 0, -P})};
  const Simulation simulation = settled(model);
  const double deflection = P / (3.0 * EI) + P / kGA;
  const double tip = value(simulation, "beams/rod/position", 3 * n + 2);
  // One-point elements take 1/(4 n^2) of the bending, large rotations their square.
  const double angle = P / (2.0 * EI);
  EXPECT_NEAR(tip, -deflection, (0.25 / (n * n) + angle * angle) * deflection);
  EXPECT_GT(deflection, 1e-4);
  EXPECT_NEAR(value(simulation, "joints/clamp/force", 2), P, 1e-9 * P);
  EXPECT_NEAR(value(simulation, "joints/clamp/torque", 1), -P, 1e-3 * P);
  // Newton's method from an unloaded beam: the load is small, so few updates will do.
  EXPECT_EQ(simulation.statistics().settling->load_steps, 1);
  EXPECT_LE(simulation.statistics().settling->iterations, 5);
  EXPECT_EQ(simulation.statistics().settling->displaced_node, "rod.40");
}

TEST(statics, mass_hangs_where_the_spring_carries_it) {
  Model model;
  model.gravity = {0, 0, -9.81};
  model.bodies = {point("bob", 2.0, {0, 0, -1})};
  SpringSpec spring;
  spring.name = "spring";
  spring.b.body = "bob";
  spring.stiffness = 300.0;
  spring.rest = 0.8;
  model.springs = {spring};
  const Simulation simulation = settled(model);
  EXPECT_NEAR(value(simulation, "bodies/bob/position", 2), -0.8 - 2.0 * 9.81 / 300.0, 1e-10);
  EXPECT_TRUE(simulation.is_balanced());
}

TEST(statics, beam_released_from_stress_curls_into_its_natural_curvature) {
  constexpr int n = 20;
  const double curvature = 3.0;
  Model model = clamped_rod(n);
  model.beams[0].unstressed_curvature = Vec3(0, 0, curvature);
  const Simulation simulation = settled(model);
  // Without stress the nodes lie on a polygon whose sides are as long as the arcs.
  const double h = 1.0 / n, off = std::pow(curvature * h, 2) / 24.0;
  EXPECT_NEAR(value(simulation, "beams/rod/position", 3 * n), std::sin(curvature) / curvature, off);
  EXPECT_NEAR(value(simulation, "beams/rod/position", 3 * n + 1),
              (1.0 - std::cos(curvature)) / curvature, off);
  EXPECT_NEAR(value(simulation, "beams/rod/bending_moment_z"), 0.0,
              1e-9 * curvature * 2.1e11 * model.beams[0].section.I_z);
  EXPECT_NEAR(simulation.statistics().settling->rotation, curvature, 1e-9);
}

TEST(statics, rod_held_by_redundant_joints_is_as_with_one) {
  Model model = clamped_rod(10);
  model.gravity = {0, 0, -9.81};
  const Simulation once = settled(model);
  model.joints.push_back(fixed_to_ground("again", "rod.0", Vec3::Zero()));
  const Simulation twice = settled(model);
  const double tip = value(once, "beams/rod/position", 32);
  EXPECT_NEAR(value(twice, "beams/rod/position", 32), tip, 1e-9 * std::abs(tip));
  const double weight = value(once, "joints/clamp/force", 2);
  EXPECT_NEAR(weight, 0.02 * 0.01 * 7850 * 9.81, 1e-9 * weight);
  for (const char* joint : {"joints/clamp/force", "joints/again/force"})
    EXPECT_NEAR(value(twice, joint, 2), 0.5 * weight, 1e-6 * weight);
}

TEST(statics, rigid_rod_on_a_hinge_hangs_straight_down) {
  Model model;
  model.gravity = {0, -9.81, 0};
  model.bodies = {testing::box("rod", BodyKind::planar, 1.0, {1, 0.1, 0.1}, {0.3, -0.4, 0})};
  model.bodies[0].angle = -std::atan2(0.4, 0.3);
  JointSpec hinge;
  hinge.name = "hinge";
  hinge.kind = JointKind::revolute;
  hinge.b = {"rod", {-0.5, 0, 0}};
  model.joints = {hinge};
  const Simulation simulation = settled(model);
  EXPECT_NEAR(value(simulation, "bodies/rod/position", 0), 0.0, 1e-9);
  EXPECT_NEAR(value(simulation, "bodies/rod/position", 1), -0.5, 1e-9);
}

TEST(statics, body_that_nothing_holds_is_refused) {
  Model model;
  model.gravity = {0, 0, -9.81};
  model.bodies = {point("ball", 1.0, Vec3::Zero())};
  const std::string refusal = refusal_of(model);
  EXPECT_NE(refusal.find("no static equilibrium"), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("'ball'"), std::string::npos) << refusal;
}

TEST(statics, stiff_beam_that_nothing_holds_is_refused) {
  Model model;
  model.gravity = {0, 0, -9.81};
  model.beams = {testing::rod(16)};
  EXPECT_NE(refusal_of(model).find("no static equilibrium"), std::string::npos);
}

TEST(statics, closed_contact_is_refused_with_its_name_and_depth) {
  Model model;
  model.gravity = {0, 0, -9.81};
  model.bodies = {point("ball", 1.0, {0, 0, 0.01})};
  SpringSpec spring;
  spring.name = "spring";
  spring.kind = SpringKind::linear;
  spring.axis = Vec3::UnitZ();
  spring.a.point = {0, 0, 1};
  spring.b.body = "ball";
  spring.stiffness = 9.81 / 0.03;  // 0.03 m of its own
  model.springs = {spring};
  for (const Vec3& axis : {Vec3(1, 0, 0), Vec3(0, 1, 0)}) {
    spring.name += "'";
    spring.axis = axis;
    model.springs.push_back(spring);
  }
  ContactSpec contact;
  contact.name = "floor";
  contact.point.body = "ball";
  model.contacts = {contact};
  const std::string refusal = refusal_of(model);
  EXPECT_NE(refusal.find("contact 'floor'"), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("0.02 m inside"), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("statics with closed contacts is not supported"), std::string::npos)
      << refusal;
}

}  // namespace statics_test
}  // namespace clatter
