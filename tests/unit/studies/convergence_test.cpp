#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <clatter/model/error.hpp>
#include <clatter/studies/convergence.hpp>

namespace clatter {
namespace convergence_test {

TEST(error_decay, finds_the_power_of_a_power_law) {
  const std::vector<double> steps = {0.4, 0.2, 0.05};
  std::vector<double> errors;
  for (const double h : steps) errors.push_back(3.0 * std::pow(h, 1.5));
  const ErrorDecay decay = error_decay(steps, errors);
  EXPECT_FALSE(decay.rates[0]);
  EXPECT_NEAR(decay.rates[1].value(), 1.5, 1e-12);
  EXPECT_NEAR(decay.rates[2].value(), 1.5, 1e-12);
  EXPECT_NEAR(decay.order.value(), 1.5, 1e-12);
}

TEST(error_decay, round_off_has_no_order) {
  const ErrorDecay decay = error_decay(std::vector<double>{0.4, 0.2, 0.1}, {1e-14, 0.0, 3e-15});
  EXPECT_FALSE(decay.order);
  EXPECT_FALSE(decay.rates[1]);
}

TEST(error_decay, exact_steps_do_not_spoil_the_order_of_the_others) {
  const ErrorDecay decay = error_decay(std::vector<double>{0.4, 0.2, 0.1}, {4e-2, 1e-2, 1e-15});
  EXPECT_NEAR(decay.order.value(), 2.0, 1e-12);
}

TEST(error_decay, failed_run_is_not_exact) {
  const ErrorDecay decay = error_decay(std::vector<double>{0.4, 0.2}, {1e-2, std::nan("")});
  ASSERT_TRUE(decay.order);
  EXPECT_TRUE(std::isnan(*decay.order));
}

Model pendulum(BodyKind kind) {
  Model model;
  model.gravity = Vec3(0, -9.81, 0);
  BodySpec body;
  body.name = "arm";
  body.kind = kind;
  body.mass = 1.0;
  body.inertia = Vec3(0.1, 0.1, 0.1).asDiagonal();
  body.position = Vec3(0.5, 0, 0);
  model.bodies.push_back(body);
  JointSpec joint;
  joint.name = "pivot";
  joint.kind = JointKind::revolute;
  joint.b = {"arm", Vec3(-0.5, 0, 0)};
  model.joints.push_back(joint);
  model.integrator.duration = 0.4;
  return model;
}

// The generalized-alpha scheme is of second order in positions and velocities; with four to sixteen
// steps per halving of the reference the slope is within a tenth of it.
TEST(study_convergence, smooth_motion_is_of_second_order) {
  for (const BodyKind kind : {BodyKind::planar, BodyKind::rigid}) {
    const ConvergenceStudy study =
        study_convergence(pendulum(kind), std::vector<double>{5e-3, 2e-2, 1e-2}, 1e-3);
    EXPECT_EQ(study.steps, (std::vector<double>{2e-2, 1e-2, 5e-3}));
    EXPECT_NEAR(study.positions.order.value(), 2.0, 0.1);
    EXPECT_NEAR(study.velocities.order.value(), 2.0, 0.1);
  }
}

/// A rod that hangs from the ground at one end and swings, twisting and bending.
Model swinging_rod(bool planar) {
  BeamSpec rod;
  rod.name = "rod";
  rod.planar = planar;
  rod.points = {Vec3::Zero(), Vec3(1, 0, 0)};
  rod.elements = 3;
  rod.section = section_of(CircleSection{0.1});
  rod.youngs_modulus = rod.shear_modulus = 1e5;
  rod.density = 1000.0;
  rod.unstressed_curvature = planar ? Vec3(0, 0, 0.3) : Vec3(0.1, 0.2, 0.3);
  Model model;
  model.gravity = Vec3(0, -9.81, 0);
  model.beams = {rod};
  JointSpec joint;
  joint.name = "pivot";
  joint.kind = planar ? JointKind::revolute : JointKind::ball;
  joint.b = {"rod.0", Vec3::Zero()};
  model.joints = {joint};
  model.integrator.duration = 0.4;
  return model;
}

// Sections rock against shear with about sqrt(G A / (rho I)) = 200 rad/s, the fastest motion: the
// largest step takes a sixteenth of a period.
TEST(study_convergence, nodes_of_beams_count) {
  for (const bool planar : {true, false}) {
    const ConvergenceStudy study =
        study_convergence(swinging_rod(planar), std::vector<double>{2e-3, 1e-3, 5e-4}, 1e-4);
    EXPECT_NEAR(study.positions.order.value(), 2.0, 0.1);
    EXPECT_NEAR(study.velocities.order.value(), 2.0, 0.1);
  }
}

TEST(study_convergence, body_at_rest_is_exact) {
  Model model;
  BodySpec body;
  body.name = "stone";
  body.mass = 1.0;
  body.inertia = Mat3::Identity();
  model.bodies.push_back(body);
  const ConvergenceStudy study = study_convergence(model, std::vector<double>{0.2, 0.1}, 0.05);
  EXPECT_FALSE(study.positions.order);
  EXPECT_FALSE(study.velocities.order);
}

TEST(study_convergence, refuses_steps_that_share_no_times) {
  const Model model = pendulum(BodyKind::planar);
  EXPECT_THROW(study_convergence(model, std::vector<double>{1e-2, 4e-3}, 1e-3), Error);
  EXPECT_THROW(study_convergence(model, std::vector<double>{1e-2, 5e-3}, 3e-3), Error);
  EXPECT_THROW(study_convergence(model, std::vector<double>{1e-2, 5e-3}, 5e-3), Error);
  EXPECT_THROW(study_convergence(model, std::vector<double>{1e-2}, 1e-3), Error);
  EXPECT_THROW(study_convergence(model, std::vector<double>{1.0, 0.5}, 1e-3), Error);
  EXPECT_THROW(study_convergence(model, std::vector<double>{1e-2, -5e-3}, 1e-3), Error);
}

TEST(study_convergence, reports_every_run) {
  int runs = 0;
  study_convergence(pendulum(BodyKind::planar), std::vector<double>{2e-2, 1e-2}, 5e-3,
                    [&](double) { ++runs; });
  EXPECT_EQ(runs, 3);
}

}  // namespace convergence_test
}  // namespace clatter
