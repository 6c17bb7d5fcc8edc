#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include <clatter/simulation/simulation.hpp>

#include "support/impact_models.hpp"
#include "support/run.hpp"
#include "support/scaled_model.hpp"

namespace clatter {
namespace ball_test {

using testing::ball;
using testing::ball_mass;
using testing::ball_on_ground;
using testing::ball_radius;
using testing::run;
using testing::timed;
using testing::value;
using testing::vector;

// It slides until 2/7 (disc: 1/3) of its speed are lost, then rolls.
TEST(Ball, that_slides_rolls_in_the_end_with_the_speed_that_its_inertia_leaves) {
  const double mu = 0.2, speed = 2.0;
  for (const BodyKind kind : {BodyKind::rigid, BodyKind::planar}) {
    const bool planar = kind == BodyKind::planar;
    Model model = ball_on_ground(kind, 1e-3, 0.5);
    const Vec3 way = planar ? Vec3::UnitX() : Vec3(0.6, 0.8, 0.0);
    const Vec3 up = planar ? Vec3::UnitY() : Vec3::UnitZ();
    model.bodies[0].velocity = speed * way;
    model.contacts[0].friction = mu;
    Simulation simulation(model);
    run(simulation);
    const double kept = planar ? 2.0 / 3.0 : 5.0 / 7.0;
    EXPECT_NEAR(value(simulation, "contacts/floor/status"), 1.0, 0.0);
    // Slip stops within a step, so that friction is off by at most what it does in one.
    const double error = 2.0 * mu * 9.81 * 1e-3;
    const Vec3 rolling = kept * speed * way;
    const Vec3 spin = up.cross(rolling) / ball_radius;
    EXPECT_NEAR(value(simulation, "bodies/ball/velocity", 0), rolling.x(), error);
    EXPECT_NEAR(value(simulation, "bodies/ball/velocity", 1), rolling.y(), error);
    if (planar) {
      EXPECT_NEAR(value(simulation, "bodies/ball/angular_velocity"), spin.z(), error / ball_radius);
    } else {
      // In the axes of the ball, which has turned.
      EXPECT_NEAR(vector(simulation, "bodies/ball/angular_velocity").norm(), spin.norm(),
                  error / ball_radius);
    }
    EXPECT_NEAR(value(simulation, "energy/friction_loss"),
                0.5 * ball_mass * speed * speed * (1.0 - kept), 0.01);
    EXPECT_GT(value(simulation, "energy/friction_loss"), 0.0);
  }
}

TEST(Ball, that_rolls_is_slowed_down_by_rolling_friction) {
  const double length = 0.01, speed = 1.0;
  for (const BodyKind kind : {BodyKind::rigid, BodyKind::planar}) {
    const bool planar = kind == BodyKind::planar;
    Model model = ball_on_ground(kind, 1e-3, 0.4);
    model.bodies[0].velocity = Vec3(speed, 0.0, 0.0);
    model.bodies[0].angular_velocity =
        planar ? Vec3(0.0, 0.0, -speed / ball_radius) : Vec3(0.0, speed / ball_radius, 0.0);
    model.contacts[0].friction = 0.5;
    model.contacts[0].rolling_friction = length;
    Simulation simulation(model);
    run(simulation);
    // (m + I/r^2) a = -length m g/r
    const double deceleration = (planar ? 2.0 / 3.0 : 5.0 / 7.0) * length * 9.81 / ball_radius;
    EXPECT_NEAR(value(simulation, "bodies/ball/velocity", 0), speed - 0.4 * deceleration, 1e-3);
    EXPECT_EQ(value(simulation, "contacts/floor/status"), 1.0);
    EXPECT_EQ(value(simulation, "contacts/floor/rolling_status"), 2.0);
    double power = 0.0, torque = 0.0;
    for (int i = 0; i < (planar ? 1 : 2); ++i) {
      const double moment = value(simulation, "contacts/floor/rolling_torque", i);
      torque = std::hypot(torque, moment);
      power += moment * value(simulation, "contacts/floor/rolling_velocity", i);
    }
    EXPECT_NEAR(torque, length * ball_mass * 9.81, 1e-9);
    EXPECT_LT(power, 0.0);
    const double spin = value(simulation, "bodies/ball/velocity", 0) / ball_radius;
    EXPECT_NEAR(power, -torque * spin, 1e-9);
    const double lost = 0.5 * ball_mass * (planar ? 1.5 : 1.4) *
                        (speed * speed - std::pow(speed - 0.4 * deceleration, 2));
    EXPECT_NEAR(value(simulation, "energy/friction_loss"), lost, 2e-3 * lost);
  }
}

TEST(Ball, that_rolls_stops_and_stays) {
  Model model = ball_on_ground(BodyKind::rigid, 1e-3, 1.0);
  model.bodies[0].velocity = Vec3(0.2, 0.0, 0.0);
  model.bodies[0].angular_velocity = Vec3(0.0, 0.2 / ball_radius, 0.0);
  model.contacts[0].friction = 0.5;
  model.contacts[0].rolling_friction = 0.02;
  Simulation simulation(model);
  run(simulation);
  EXPECT_LT(vector(simulation, "bodies/ball/velocity").norm(), 1e-12);
  EXPECT_LT(vector(simulation, "bodies/ball/angular_velocity").norm(), 1e-12);
  EXPECT_EQ(value(simulation, "contacts/floor/rolling_status"), 1.0);
}

/// On a slope: gravity leans by its tangent along x.
Model ball_on_slope(BodyKind kind, double tangent, double rolling_friction) {
  Model model = ball_on_ground(kind, 1e-3, 0.3);
  model.gravity.x() = 9.81 * tangent;
  model.contacts[0].friction = 0.5;
  model.contacts[0].rolling_friction = rolling_friction;
  model.contacts[0].drilling_friction = kind == BodyKind::rigid ? 0.01 : 0.0;
  return model;
}

TEST(Ball, on_a_slope_that_rolling_friction_holds_stays_where_it_is) {
  const double tangent = 0.05;
  for (const BodyKind kind : {BodyKind::rigid, BodyKind::planar}) {
    Simulation simulation(ball_on_slope(kind, tangent, 1.01 * tangent * ball_radius));
    run(simulation);
    // Round-off of each of 300 steps.
    EXPECT_LT(std::abs(value(simulation, "bodies/ball/position", 0)), 300 * 1e-16 * ball_radius);
    EXPECT_EQ(value(simulation, "contacts/floor/rolling_status"), 1.0);
  }
}

// (m + I/r^2) a = m g (tangent - length/r), and a t^2/2 is of the second order of the scheme.
TEST(Ball, on_a_slope_that_rolling_friction_does_not_hold_rolls_with_what_is_left) {
  const double tangent = 0.05, length = 0.4 * tangent * ball_radius;
  for (const BodyKind kind : {BodyKind::rigid, BodyKind::planar}) {
    Simulation simulation(ball_on_slope(kind, tangent, length));
    run(simulation);
    const double kept = kind == BodyKind::planar ? 2.0 / 3.0 : 5.0 / 7.0;
    const double acceleration = kept * 9.81 * (tangent - length / ball_radius);
    EXPECT_NEAR(value(simulation, "bodies/ball/velocity", 0), 0.3 * acceleration, 1e-12);
    EXPECT_NEAR(value(simulation, "bodies/ball/position", 0), 0.045 * acceleration, 1e-12);
  }
}

// A weight above a point, off by a part of the length of rolling friction.
TEST(Ball, on_a_pin_stands_as_long_as_rolling_friction_holds_it) {
  const double length = 0.01;
  for (const double part : {0.99, 1.01}) {
    Model model = ball_on_ground(BodyKind::rigid, 1e-3, 0.3);
    model.bodies[0].position = Vec3(part * length, 0.0, ball_radius);
    model.contacts[0].geometry = PointOnFace::geometry;
    model.contacts[0].point.point = Vec3(-part * length, 0.0, -ball_radius);
    model.contacts[0].radius = 0.0;
    model.contacts[0].friction = 0.5;
    model.contacts[0].rolling_friction = length;
    Simulation simulation(model);
    run(simulation);
    const double turned = vector(simulation, "bodies/ball/angular_velocity").norm();
    if (part < 1.0) {
      EXPECT_LT(turned, 1e-12);
      EXPECT_NEAR(value(simulation, "bodies/ball/position", 0), part * length, 300 * 1e-16);
    } else {  // m g (part - 1) length on the inertia about the point, and ever more
      EXPECT_GT(turned, 0.3 * 9.81 * 0.01 * length / (1.4 * ball_radius * ball_radius));
    }
  }
}

TEST(Ball, that_spins_about_the_normal_is_slowed_down_by_drilling_friction) {
  const double length = 0.01, spin = 8.0;
  const double inertia = 0.4 * ball_mass * ball_radius * ball_radius;
  for (const double sense : {1.0, -1.0}) {
    Model model = ball_on_ground(BodyKind::rigid, 1e-3, 0.5);
    model.bodies[0].angular_velocity = Vec3(0.0, 0.0, sense * spin);
    model.contacts[0].drilling_friction = length;
    Simulation simulation(model);
    run(simulation);
    const double torque = length * ball_mass * 9.81;
    EXPECT_NEAR(value(simulation, "bodies/ball/angular_velocity", 2),
                sense * (spin - 0.5 * torque / inertia), 1e-3 * spin);
    EXPECT_NEAR(value(simulation, "contacts/floor/drilling_torque"), -sense * torque, 1e-9);
    EXPECT_GT(sense * value(simulation, "contacts/floor/drilling_velocity"), 0.0);
    EXPECT_EQ(value(simulation, "contacts/floor/drilling_status"), 2.0);
  }
}

// A patch of radius R resists spin alone with the moment 3 pi/16 mu R N.
TEST(Ball, that_spins_on_a_patch_is_slowed_down_by_its_sliding_friction) {
  const double mu = 0.3, patch = 0.05, spin = 8.0;
  const double inertia = 0.4 * ball_mass * ball_radius * ball_radius;
  Model model = ball_on_ground(BodyKind::rigid, 1e-3, 0.5);
  model.bodies[0].angular_velocity = Vec3(0.0, 0.0, spin);
  model.contacts[0].friction = mu;
  model.contacts[0].patch_radius = patch;
  Simulation simulation(model);
  run(simulation);
  const double torque = 3.0 * std::numbers::pi / 16.0 * mu * patch * ball_mass * 9.81;
  EXPECT_NEAR(value(simulation, "bodies/ball/angular_velocity", 2), spin - 0.5 * torque / inertia,
              1e-3 * spin);
}

TEST(Ball, at_rest_in_a_bowl_presses_on_it_with_its_weight) {
  for (const BodyKind kind : {BodyKind::rigid, BodyKind::planar}) {
    Model model = ball_on_ground(kind, 1e-3, 0.1);
    const Vec3 up = model.contacts[0].direction;
    model.contacts[0].geometry = SphereInSphere::geometry;
    model.contacts[0].face_radius = 1.0;
    model.contacts[0].face.point = up;  // the bowl touches the origin from above
    model.contacts[0].friction = 0.3;
    Simulation simulation(model);
    run(simulation);
    EXPECT_NEAR(value(simulation, "contacts/floor/normal_force"), ball_mass * 9.81, 1e-9);
    EXPECT_LT((vector(simulation, "bodies/ball/position") - ball_radius * up).norm(), 1e-12);
  }
}

/// Two spinning balls that meet off centre, with friction.
Model glancing_balls(BodyKind kind, double step) {
  const bool planar = kind == BodyKind::planar;
  Model model = timed(step, 1.0);
  model.bodies = {ball("one", kind, 1.0, 0.25, Vec3(-1.0, 0.0, 0.0), Vec3(2.0, 0.3, 0.0)),
                  ball("two", kind, 3.0, 0.5, Vec3(0.5, 0.4, 0.0), Vec3(-0.5, 0.1, 0.0))};
  model.bodies[0].angular_velocity = planar ? Vec3(0.0, 0.0, 6.0) : Vec3(3.0, -4.0, 5.0);
  model.bodies[1].angular_velocity = planar ? Vec3(0.0, 0.0, 1.0) : Vec3(1.0, 2.0, -1.0);
  ContactSpec click;
  click.name = "click";
  click.geometry = SphereOnSphere::geometry;
  click.point.body = "one";
  click.radius = 0.25;
  click.face.body = "two";
  click.face_radius = 0.5;
  click.friction = 0.2;
  click.rolling_friction = 0.01;
  click.drilling_friction = planar ? 0.0 : 0.01;
  click.restitution = 0.8;
  model.contacts = {click};
  return model;
}

TEST(Balls, that_meet_off_centre_keep_their_momentum) {
  for (const BodyKind kind : {BodyKind::rigid, BodyKind::planar}) {
    for (const double step : {1e-2, 1e-3}) {
      Simulation simulation(glancing_balls(kind, step));
      const Vec3 linear = vector(simulation, "system/linear_momentum");
      const Vec3 angular = vector(simulation, "system/angular_momentum");
      run(simulation);
      EXPECT_GT(value(simulation, "bodies/two/velocity", 0), -0.4) << "they did not meet";
      EXPECT_LT((vector(simulation, "system/linear_momentum") - linear).norm(), 1e-13);
      // The correction of positions, of what the step goes too far, moves bodies that have speed.
      EXPECT_LT((vector(simulation, "system/angular_momentum") - angular).norm(), 10.0 * step);
      EXPECT_GT(value(simulation, "energy/friction_loss"), 0.0);
      EXPECT_GT(value(simulation, "energy/impact_loss"), 0.0);
    }
  }
}

/// A ball that slides and spins in every direction on the ground, with all kinds of friction.
Model whirling_ball() {
  Model model = ball_on_ground(BodyKind::rigid, 1e-3, 0.4);
  model.bodies[0].velocity = Vec3(1.0, -0.5, 0.0);
  model.bodies[0].angular_velocity = Vec3(8.0, 3.0, 10.0);
  model.contacts[0].friction = 0.3;
  model.contacts[0].rolling_friction = 0.01;
  model.contacts[0].drilling_friction = 0.02;
  return model;
}

/// The same with sliding and drilling in one, in a bowl whose centre is off that of a heavy body.
Model ball_in_free_bowl() {
  Model model = whirling_ball();
  model.bodies.push_back(ball("bowl", BodyKind::rigid, 5.0, 1.0, Vec3(0.5, 0.0, 1.0)));
  ContactSpec& contact = model.contacts[0];
  contact.geometry = SphereInSphere::geometry;
  contact.face = {"bowl", Vec3(-0.5, 0.0, 0.0)};
  contact.face_radius = 1.0;
  contact.drilling_friction = 0.0;
  contact.patch_radius = 0.05;
  contact.restitution = 0.5;
  model.gravity = Vec3::Zero();
  model.bodies[0].velocity.z() = -1.0;
  return model;
}

/// Positions in units of `length` and velocities of all bodies after the run.
VecX end_state(const Model& model, double length = 1.0) {
  Simulation simulation(model);
  run(simulation);
  std::vector<double> values, row(static_cast<std::size_t>(simulation.row_size()));
  simulation.sample(row);
  for (const Channel& channel : simulation.channels()) {
    if (!channel.path.starts_with("bodies/")) continue;
    const double unit = channel.unit.starts_with("m") ? length : 1.0;
    for (std::size_t i = 0; i < channel.components.size(); ++i) {
      values.push_back(row[static_cast<std::size_t>(channel.offset) + i] / unit);
    }
  }
  return Eigen::Map<VecX>(values.data(), static_cast<Eigen::Index>(values.size()));
}

TEST(Balls, move_alike_whatever_units_penalty_and_scaling) {
  for (const Model& model :
       {glancing_balls(BodyKind::rigid, 1e-2), glancing_balls(BodyKind::planar, 1e-2),
        whirling_ball(), ball_in_free_bowl()}) {
    const VecX expected = end_state(model);
    // The problems of hundreds of steps are solved to 1e-10 of numbers of order ten each.
    const auto expect_same = [&](const VecX& found, const char* what) {
      EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 1e-6) << what;
    };
    expect_same(end_state(testing::scaled(model, 1e3, 1e-3), 1e3), "millimetres and tonnes");
    expect_same(end_state(testing::scaled(model, 1e-3, 1e3), 1e-3), "kilometres and grams");
    Model changed = model;
    changed.integrator.penalty = 10.0;
    expect_same(end_state(changed), "penalty");
    changed.integrator.penalty = 1.0;
    changed.integrator.scaling = Scaling::characteristic_mass;
    expect_same(end_state(changed), "scaling");
  }
}

}  // namespace ball_test
}  // namespace clatter
