#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clatter/math/so3.hpp>
#include <clatter/simulation/simulation.hpp>

#include "support/impact_models.hpp"
#include "support/message_of.hpp"
#include "support/run.hpp"

namespace clatter {
namespace start_test {

using testing::ball_on_ground;
using testing::box;
using testing::chain;
using testing::falling_on_ground;
using testing::gravity;
using ::testing::HasSubstr;
using testing::point;
using testing::run;
using testing::timed;
using testing::value;
using testing::vector;

/// Message of the error that building the simulation gives.
std::string refusal(const Model& model) {
  return testing::message_of([&] { const Simulation simulation(model); });
}

Model pendulum() {
  Model model = timed(0.01, 0.1);
  model.gravity = gravity;
  model.bodies = {box("rod", BodyKind::rigid, 1.0, Vec3(1.0, 0.1, 0.1), Vec3(0.5, 0.0, 0.0))};
  JointSpec joint;
  joint.name = "pivot";
  joint.kind = JointKind::revolute;
  joint.axes_a << 1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0;  // joint z along space -y
  joint.axes_b = joint.axes_a;
  joint.b = {"rod", Vec3(-0.5, 0.0, 0.0)};
  model.joints = {joint};
  return model;
}

TEST(Start, inside_a_face_is_refused_with_contact_body_and_depth) {
  Model model = falling_on_ground(0.01, 1.0, -0.125, Vec3::Zero());
  const std::string message = refusal(model);
  EXPECT_THAT(message, HasSubstr("contact 'floor'"));
  EXPECT_THAT(message, HasSubstr("'ball'"));
  EXPECT_THAT(message, HasSubstr("0.125 m"));
  EXPECT_THAT(message, HasSubstr("'ground'"));
}

TEST(Start, of_spheres_inside_what_they_touch_is_refused_in_their_words) {
  Model model = chain(BodyKind::rigid, Vec3::UnitX(), 1.0, false);
  model.bodies[2].position.x() -= 0.0625;
  EXPECT_THAT(refusal(model),
              HasSubstr("contact 'bc': the sphere on 'b' starts 0.0625 m inside the sphere on "
                        "'c'; move one of them"));
  model = ball_on_ground(BodyKind::rigid, 1e-3, 0.1);
  model.bodies[0].position.z() = 0.125;
  EXPECT_THAT(refusal(model),
              HasSubstr("contact 'floor': the sphere on 'ball' starts 0.125 m inside the face on "
                        "'ground'"));
  model.contacts[0].geometry = SphereInSphere::geometry;
  model.contacts[0].face_radius = 1.0;
  model.contacts[0].face.point = Vec3(0.0, 0.0, 1.125);
  EXPECT_THAT(refusal(model),
              HasSubstr("contact 'floor': the sphere on 'ball' starts 0.25 m outside the hollow "
                        "sphere on 'ground'"));
}

TEST(Start, with_a_joint_that_does_not_fit_is_refused_by_name) {
  Model model = pendulum();
  model.bodies[0].position.x() += 0.25;
  EXPECT_THAT(refusal(model), HasSubstr("joint 'pivot' does not fit"));
  EXPECT_THAT(refusal(model), HasSubstr("0.25 m"));
  model = pendulum();
  model.bodies[0].orientation = exp_so3(Vec3(0.0, 0.0, 0.1));  // not about the axis of the joint
  model.joints[0].b.point = model.bodies[0].orientation.conjugate() * Vec3(-0.5, 0.0, 0.0);
  EXPECT_THAT(refusal(model), HasSubstr("joint 'pivot' does not fit"));
  EXPECT_THAT(refusal(model), HasSubstr("0.0998 rad"));  // sin 0.1
}

TEST(Start, with_velocities_that_tear_a_joint_is_refused_by_name) {
  Model model = pendulum();
  model.bodies[0].velocity = Vec3(0.5, 0.0, 0.0);
  EXPECT_THAT(refusal(model), HasSubstr("tear joint 'pivot' apart at 0.5 m/s"));
}

TEST(Start, names_every_mistake_at_once) {
  Model model = pendulum();
  model.joints.push_back(model.joints[0]);
  model.joints[1].name = "second";
  model.bodies[0].position.x() += 0.25;
  try {
    const Simulation simulation(model);
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    ASSERT_EQ(error.mistakes().size(), 2u);
    EXPECT_THAT(error.mistakes()[0].message, HasSubstr("'pivot'"));
    EXPECT_THAT(error.mistakes()[1].message, HasSubstr("'second'"));
  }
}

TEST(Start, with_velocities_that_fit_is_accepted) {
  Model model = pendulum();
  model.bodies[0].velocity = Vec3(0.0, 0.0, 1.0);
  model.bodies[0].angular_velocity = Vec3(0.0, -2.0, 0.0);
  EXPECT_EQ(refusal(model), "");
}

// The rate of a formula is a difference quotient and zero only to round-off.
TEST(Start, at_rest_with_a_motor_that_starts_at_rest_is_accepted) {
  Model model = timed(1e-3, 1.0);
  model.bodies = {point("slider", 1.0, Vec3(0.0, 0.0, 1.0))};
  JointSpec joint;
  joint.name = "drive";
  joint.kind = JointKind::distance;
  joint.b.body = "slider";
  for (const char* motor : {"1", "1+t^3", "1+0.1*t^2", "1.3-0.3*cos(t)", "1+1e-3*(t-sin(t))"}) {
    model.joints = {joint};
    model.joints[0].motor = Expression(std::string(motor));
    EXPECT_EQ(refusal(model), "") << motor;
  }
}

TEST(Start, with_assembly_moves_bodies_onto_their_joints_and_says_so) {
  Model model = pendulum();
  model.assemble = true;
  model.bodies.push_back(point("bystander", 1.0, Vec3(0.0, 5.0, 0.0)));
  model.bodies[0].position += Vec3(0.03, 0.02, 0.01);
  model.bodies[0].orientation = exp_so3(Vec3(0.02, 0.1, -0.03));
  model.bodies[0].velocity = Vec3(0.5, 0.2, 1.0);
  Simulation simulation(model);
  ASSERT_EQ(simulation.notices().size(), 1u);
  EXPECT_THAT(simulation.notices()[0], HasSubstr("assembly moved body 'rod'"));
  // The pivot of the rod is at the origin and its axis along y.
  const Quaternion p(value(simulation, "bodies/rod/orientation", 0),
                     value(simulation, "bodies/rod/orientation", 1),
                     value(simulation, "bodies/rod/orientation", 2),
                     value(simulation, "bodies/rod/orientation", 3));
  const Vec3 pivot = vector(simulation, "bodies/rod/position") + p * Vec3(-0.5, 0.0, 0.0);
  EXPECT_LT(pivot.norm(), 1e-13);
  EXPECT_LT((p * Vec3::UnitY() - Vec3::UnitY()).norm(), 1e-13);
  const Vec3 pivot_velocity =
      vector(simulation, "bodies/rod/velocity") +
      p * vector(simulation, "bodies/rod/angular_velocity").cross(Vec3(-0.5, 0.0, 0.0));
  EXPECT_LT(pivot_velocity.norm(), 1e-13);
  EXPECT_NO_THROW(run(simulation));
}

TEST(Start, with_assembly_of_a_model_that_fits_says_nothing) {
  Model model = pendulum();
  model.assemble = true;
  Simulation simulation(model);
  EXPECT_TRUE(simulation.notices().empty());
}

TEST(Start, with_joints_that_cannot_fit_is_refused) {
  Model model = timed(0.01, 0.1);
  model.assemble = true;
  model.bodies = {point("p", 1.0, Vec3(1.0, 0.0, 0.0))};
  JointSpec link;
  link.name = "short";
  link.kind = JointKind::distance;
  link.b.body = "p";
  link.length = 1.0;
  JointSpec far = link;
  far.name = "far";
  far.a.point = Vec3(10.0, 0.0, 0.0);
  model.joints = {link, far};
  EXPECT_THAT(refusal(model), HasSubstr("cannot be assembled"));
}

}  // namespace start_test
}  // namespace clatter
