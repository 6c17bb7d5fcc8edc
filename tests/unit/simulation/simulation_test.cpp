#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clatter/math/so3.hpp>
#include <clatter/simulation/simulation.hpp>

#include "support/beams.hpp"
#include "support/random_state.hpp"
#include "support/run.hpp"
#include "support/scaled_model.hpp"

namespace clatter {
namespace {

using testing::box;
using ::testing::HasSubstr;
using testing::point;
using testing::run;
using testing::value;
using testing::vector;

const Vec3 gravity(0.0, 0.0, -9.81);

Model timed(double step, double duration) {
  Model model;
  model.integrator.step = step;
  model.integrator.duration = duration;
  return model;
}

/// Order of convergence seen between two errors, the second with half the step.
double order(double coarse, double fine) { return std::log2(std::abs(coarse / fine)); }

// ---- Figures of a run

TEST(RunStatistics, smallest_gap_is_that_of_points_over_their_faces) {
  const auto smallest_gap = [](double x) {
    Model model = timed(0.01, 1.0);
    model.bodies = {point("ball", 1.0, Vec3(x, 0.0, 1.0), Vec3(0.0, 0.0, -3.0))};
    ContactSpec plate;
    plate.name = "plate";
    plate.point.body = "ball";
    plate.outline = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}};
    model.contacts = {plate};
    Simulation simulation(model);
    run(simulation);
    EXPECT_NEAR(value(simulation, "bodies/ball/position", 2), x > 1.0 ? -2.0 : 0.0, 1e-12);
    return simulation.statistics().min_gap;
  };
  EXPECT_NEAR(smallest_gap(0.5), 0.0, 1e-12);
  EXPECT_EQ(smallest_gap(1.5), std::numeric_limits<double>::infinity());  // it falls past the edge
}

// ---- Free bodies

TEST(FreeFlight, of_a_point_is_the_exact_parabola) {
  Model model = timed(0.01, 1.0);
  model.gravity = gravity;
  const Vec3 x(1.0, 2.0, 3.0), v(4.0, -5.0, 6.0);
  model.bodies = {point("ball", 0.7, x, v)};
  Simulation simulation(model);
  run(simulation);
  // The scheme is exact for constant acceleration; a hundred steps of a few roundings of numbers
  // up to ten.
  EXPECT_LT((vector(simulation, "bodies/ball/position") - (x + v + 0.5 * gravity)).norm(), 1e-12);
  EXPECT_LT((vector(simulation, "bodies/ball/velocity") - (v + gravity)).norm(), 1e-12);
  EXPECT_NEAR(value(simulation, "energy/scheme_loss"), 0.0, 1e-12 * 100);
}

TEST(FreeFlight, position_is_that_of_the_body_frame_not_of_the_centre_of_mass) {
  Model model = timed(0.01, 1.0);
  BodySpec body = box("b", BodyKind::planar, 1.0, Vec3::Ones(), Vec3(2.0, 1.0, 0.0));
  body.centre_of_mass = Vec3(0.5, 0.0, 0.0);
  body.velocity = Vec3(0.0, -0.5, 0.0);  // the centre of mass is at rest
  body.angular_velocity = Vec3(0.0, 0.0, 1.0);
  model.bodies = {body};
  Simulation simulation(model);
  run(simulation);
  // The frame circles the centre of mass at (2.5, 1).
  EXPECT_NEAR(value(simulation, "bodies/b/position", 0), 2.5 - 0.5 * std::cos(1.0), 1e-13);
  EXPECT_NEAR(value(simulation, "bodies/b/position", 1), 1.0 - 0.5 * std::sin(1.0), 1e-13);
  EXPECT_NEAR(value(simulation, "bodies/b/velocity", 0), 0.5 * std::sin(1.0), 1e-13);
  EXPECT_NEAR(value(simulation, "bodies/b/velocity", 1), -0.5 * std::cos(1.0), 1e-13);
}

Vec3 angular_momentum(const Simulation& simulation, const Mat3& inertia) {
  const Quaternion p(
      value(simulation, "bodies/b/orientation", 0), value(simulation, "bodies/b/orientation", 1),
      value(simulation, "bodies/b/orientation", 2), value(simulation, "bodies/b/orientation", 3));
  return p * (inertia * vector(simulation, "bodies/b/angular_velocity"));
}

TEST(FreeFlight, of_a_tumbling_body_keeps_angular_momentum_to_second_order) {
  const auto error = [](double step) {
    Model model = timed(step, 2.0);
    model.gravity = gravity;
    BodySpec body = box("b", BodyKind::rigid, 1.0, Vec3(0.3, 1.0, 2.0), Vec3::Zero());
    body.angular_velocity = Vec3(0.2, 3.0, 0.1);  // about the unstable axis
    body.orientation = exp_so3(Vec3(0.3, -0.4, 0.5));
    model.bodies = {body};
    Simulation simulation(model);
    const Vec3 before = angular_momentum(simulation, body.inertia);
    run(simulation);
    return (angular_momentum(simulation, body.inertia) - before).norm() / before.norm();
  };
  const double coarse = error(0.02), fine = error(0.01);
  EXPECT_NEAR(order(coarse, fine), 2.0, 0.3);
  // (step times spin)^2 = 9e-4 in each of the two radians-long seconds.
  EXPECT_LT(fine, 1e-3);
}

TEST(FreeFlight, about_a_principal_axis_is_exact) {
  Model model = timed(0.01, 1.0);
  BodySpec body = box("b", BodyKind::rigid, 1.0, Vec3(0.3, 1.0, 2.0), Vec3::Zero());
  body.angular_velocity = Vec3(0.0, 0.0, 2.0);
  model.bodies = {body};
  Simulation simulation(model);
  run(simulation);
  EXPECT_NEAR(value(simulation, "bodies/b/orientation", 0), std::cos(1.0), 1e-13);
  EXPECT_NEAR(value(simulation, "bodies/b/orientation", 3), std::sin(1.0), 1e-13);
}

// ---- Joints

/// Crank, coupler and rocker between two pivots of the ground, in the x-y plane.
Model four_bar(BodyKind kind) {
  Model model = timed(2e-3, 0.6);
  model.gravity = Vec3(0.0, -9.81, 0.0);
  const double pi = std::numbers::pi;
  const Vec3 O(0.0, 0.0, 0.0), D(3.0, 0.0, 0.0), A(std::cos(pi / 3.0), std::sin(pi / 3.0), 0.0);
  // B is 2.5 from A and 2 from D.
  const Vec3 between = D - A;
  const double d = between.norm();
  const double along = (2.5 * 2.5 - 2.0 * 2.0 + d * d) / (2.0 * d);
  const Vec3 across = Vec3::UnitZ().cross(between / d);
  const Vec3 B = A + along / d * between + std::sqrt(2.5 * 2.5 - along * along) * across;
  const auto bar = [&](const char* name, const Vec3& from, const Vec3& to) {
    const double length = (to - from).norm();
    BodySpec body = box(name, kind, length, Vec3(length, 0.1, 0.1), 0.5 * (from + to));
    body.angle = std::atan2(to.y() - from.y(), to.x() - from.x());
    body.orientation = exp_so3(body.angle * Vec3::UnitZ());
    model.bodies.push_back(body);
    return length;
  };
  const double crank = bar("crank", O, A), coupler = bar("coupler", A, B),
               rocker = bar("rocker", B, D);
  const auto pin = [&](const char* name, const Attachment& a, const Attachment& b) {
    JointSpec joint;
    joint.name = name;
    joint.kind = JointKind::revolute;
    joint.a = a;
    joint.b = b;
    model.joints.push_back(joint);
  };
  const auto start = [](double length) { return Vec3(-0.5 * length, 0.0, 0.0); };
  const auto end = [](double length) { return Vec3(0.5 * length, 0.0, 0.0); };
  pin("O", {"", O}, {"crank", start(crank)});
  pin("A", {"crank", end(crank)}, {"coupler", start(coupler)});
  pin("B", {"coupler", end(coupler)}, {"rocker", start(rocker)});
  pin("D", {"rocker", end(rocker)}, {"", D});
  return model;
}

TEST(FourBar, in_space_has_redundant_joints_and_moves_as_in_the_plane) {
  Simulation space(four_bar(BodyKind::rigid)), plane(four_bar(BodyKind::planar));
  ASSERT_EQ(space.notices().size(), 1u);
  EXPECT_THAT(space.notices()[0], HasSubstr("3 of the 20 joint conditions are redundant"));
  EXPECT_TRUE(plane.notices().empty());
  double swept = 0.0;
  while (!plane.finished()) {
    space.step();
    plane.step();
    for (const char* name : {"crank", "coupler", "rocker"}) {
      const std::string path = std::string("bodies/") + name;
      // Both solve the same equations to 1e-10 of their terms in each of the 300 steps; errors
      // mostly cancel.
      for (int i = 0; i < 2; ++i) {
        ASSERT_NEAR(value(space, path + "/position", i), value(plane, path + "/position", i), 1e-9);
        ASSERT_NEAR(value(space, path + "/velocity", i), value(plane, path + "/velocity", i),
                    1e-9 * 10);
      }
      EXPECT_NEAR(value(space, path + "/position", 2), 0.0, 1e-12);
    }
    swept = std::max(swept, std::abs(value(plane, "bodies/crank/angle") - std::numbers::pi / 3.0));
  }
  EXPECT_GT(swept, 0.5);  // it did move
  EXPECT_GT(space.statistics().regularised, 0);
  EXPECT_EQ(plane.statistics().regularised, 0);
  // Joints are solved for at both levels in every step: nothing drifts.
  EXPECT_LT(space.statistics().max_joint_error, 1e-11);
  EXPECT_LT(plane.statistics().max_joint_error, 1e-11);
}

// Bends by 4e-13 m at most, which the stiffness along the beam would take for round-off.
TEST(Beam, sags_in_proportion_to_the_least_gravity) {
  const auto lowest = [](double g) {
    Model model = testing::clamped_rod(20);
    model.beams[0].section = section_of(CircleSection{0.01});
    model.gravity = {0, 0, -g};
    model.integrator.step = 1e-4;
    model.integrator.duration = 0.04;
    Simulation simulation(model);
    double deepest = 0.0;
    while (!simulation.finished()) {
      simulation.step();
      deepest = std::min(deepest, testing::value(simulation, "beams/rod/position", 62));  // z of 20
    }
    return deepest / g;
  };
  const double moderate = lowest(1e-3);
  EXPECT_LT(moderate, -1e-4);
  EXPECT_NEAR(lowest(1e-9), moderate, 1e-6 * std::abs(moderate));
}

TEST(Reaction, of_a_hinge_carries_the_weight_of_what_hangs_on_it) {
  Model model = timed(0.01, 0.1);
  model.gravity = gravity;
  model.bodies = {box("b", BodyKind::rigid, 2.0, Vec3::Ones(), Vec3(0.0, 0.0, -1.0))};
  JointSpec joint;
  joint.name = "hook";
  joint.kind = JointKind::ball;
  joint.b = {"b", Vec3(0.0, 0.0, 1.0)};
  model.joints = {joint};
  Simulation simulation(model);
  run(simulation);
  EXPECT_LT((vector(simulation, "joints/hook/force") - Vec3(0.0, 0.0, 2.0 * 9.81)).norm(), 1e-9);
  EXPECT_LT(vector(simulation, "joints/hook/torque").norm(), 1e-9);
}

TEST(Reaction, of_a_cantilever_is_a_force_and_a_torque_at_the_wall) {
  Model model = timed(0.01, 0.1);
  model.gravity = gravity;
  model.bodies = {box("b", BodyKind::rigid, 2.0, Vec3::Ones(), Vec3(1.5, 0.0, 0.0))};
  JointSpec joint;
  joint.name = "wall";
  joint.kind = JointKind::fixed;
  joint.b = {"b", Vec3(-1.5, 0.0, 0.0)};
  model.joints = {joint};
  Simulation simulation(model);
  run(simulation);
  // Weight down at x = 1.5 is held by a torque about -y.
  const Vec3 torque(0.0, -1.5 * 2.0 * 9.81, 0.0);
  EXPECT_LT((vector(simulation, "joints/wall/force") - Vec3(0.0, 0.0, 2.0 * 9.81)).norm(), 1e-9);
  EXPECT_LT((vector(simulation, "joints/wall/torque") - torque).norm(), 1e-9);
}

TEST(Motor, moves_its_joint_exactly_as_told) {
  Model model = timed(0.01, 1.0);
  model.gravity = gravity;
  model.bodies = {box("arm", BodyKind::rigid, 2.0, Vec3(1.0, 0.1, 0.1), Vec3(0.5, 0.0, 0.0))};
  JointSpec joint;
  joint.name = "drive";
  joint.kind = JointKind::revolute;
  joint.b = {"arm", Vec3(-0.5, 0.0, 0.0)};
  joint.motor = Expression("10*t^2");
  model.joints = {joint};
  Simulation simulation(model);
  while (!simulation.finished()) {
    simulation.step();
    const double t = simulation.time();
    // Held at both levels; the target's rate is a difference quotient good to 1e-12.
    ASSERT_NEAR(value(simulation, "joints/drive/coordinate"), 10.0 * t * t, 1e-11);
    ASSERT_NEAR(value(simulation, "bodies/arm/angular_velocity", 2), 20.0 * t, 1e-9);
  }
}

// ---- Energy

TEST(Ledger, of_a_damped_driven_oscillator_closes_at_second_order) {
  const auto loss = [](double step) {
    Model model = timed(step, 2.0);
    model.bodies = {point("m", 1.0, Vec3(0.3, 0.0, 0.0))};
    SpringSpec spring;
    spring.name = "s";
    spring.kind = SpringKind::linear;
    spring.b.body = "m";
    spring.stiffness = 40.0;
    spring.damping = 0.8;
    spring.rest = 0.0;
    model.springs = {spring};
    LoadSpec load;
    load.name = "f";
    load.at.body = "m";
    load.force[0] = Expression("3*sin(5*t)");
    model.loads = {load};
    Simulation simulation(model);
    run(simulation);
    EXPECT_GT(value(simulation, "energy/damper_loss"), 0.5);
    EXPECT_GT(std::abs(value(simulation, "energy/load_work")), 0.1);
    return value(simulation, "energy/scheme_loss");
  };
  const double coarse = loss(4e-3), middle = loss(2e-3), fine = loss(1e-3);
  EXPECT_NEAR(order(coarse, middle), 2.0, 0.2);
  EXPECT_NEAR(order(middle, fine), 2.0, 0.1);
}

TEST(Ledger, of_a_motor_is_the_kinetic_energy_it_gave_at_second_order) {
  const auto loss = [](double step) {
    Model model = timed(step, 1.0);
    model.bodies = {box("arm", BodyKind::planar, 2.0, Vec3(1.0, 0.1, 0.1), Vec3(0.5, 0.0, 0.0))};
    JointSpec joint;
    joint.name = "drive";
    joint.kind = JointKind::revolute;
    joint.b = {"arm", Vec3(-0.5, 0.0, 0.0)};
    joint.motor = Expression("1-cos(2*t)");
    model.joints = {joint};
    Simulation simulation(model);
    run(simulation);
    const double inertia = model.bodies[0].inertia(2, 2) + 2.0 * 0.25;
    const double spin = 2.0 * std::sin(2.0);
    EXPECT_NEAR(value(simulation, "energy/kinetic"), 0.5 * inertia * spin * spin, 1e-9);
    EXPECT_NEAR(value(simulation, "energy/motor_work"), 0.5 * inertia * spin * spin,
                100.0 * step * step);
    return value(simulation, "energy/scheme_loss");
  };
  EXPECT_NEAR(order(loss(0.01), loss(0.005)), 2.0, 0.3);
}

/// A mass is lifted at constant speed: the force is there from the start.
TEST(Ledger, of_a_motor_is_the_weight_it_lifted_with_every_integrator) {
  for (const IntegratorKind kind :
       {IntegratorKind::nsga, IntegratorKind::nsga_coupled, IntegratorKind::moreau}) {
    Model model = timed(0.01, 1.0);
    model.integrator.kind = kind;
    model.gravity = Vec3(0.0, 0.0, -10.0);
    model.bodies = {box("load", BodyKind::rigid, 2.0, Vec3(1.0, 0.1, 0.1), Vec3::Zero())};
    model.bodies[0].velocity = Vec3(0.0, 0.0, 1.0);
    JointSpec joint;
    joint.name = "lift";
    joint.kind = JointKind::prismatic;
    joint.b.body = "load";
    joint.motor = Expression("t");
    model.joints = {joint};
    Simulation simulation(model);
    run(simulation);
    EXPECT_NEAR(value(simulation, "energy/motor_work"), 2.0 * 10.0, 1e-9);
    EXPECT_NEAR(value(simulation, "energy/scheme_loss"), 0.0, 1e-9);
  }
}

Model falling_on_ground(double step, double duration, double height, const Vec3& velocity) {
  Model model = timed(step, duration);
  model.bodies = {point("ball", 2.0, Vec3(0.0, 0.0, height), velocity)};
  ContactSpec contact;
  contact.name = "floor";
  contact.point.body = "ball";
  contact.direction = Vec3::UnitZ();
  model.contacts = {contact};
  return model;
}

class Bounce : public ::testing::TestWithParam<double> {};

TEST_P(Bounce, loses_one_minus_e_squared_of_the_energy_of_approach) {
  const double e = GetParam();
  Model model = falling_on_ground(0.01, 1.0, 1.0, Vec3(1.0, 0.0, -3.0));
  model.contacts[0].restitution = e;
  Simulation simulation(model);
  run(simulation);
  // Without gravity nothing but the impact changes the velocity.
  EXPECT_NEAR(value(simulation, "bodies/ball/velocity", 2), 3.0 * e, 1e-13);
  EXPECT_NEAR(value(simulation, "bodies/ball/velocity", 0), 1.0, 1e-13);
  EXPECT_NEAR(value(simulation, "energy/impact_loss"), 0.5 * 2.0 * 9.0 * (1.0 - e * e), 1e-12);
  EXPECT_NEAR(value(simulation, "contacts/floor/normal_impulse"), 2.0 * 3.0 * (1.0 + e), 1e-12);
  EXPECT_NEAR(value(simulation, "energy/scheme_loss"), 0.0, 1e-12);
  EXPECT_GE(simulation.statistics().min_gap, -1e-14);
}

INSTANTIATE_TEST_SUITE_P(Restitution, Bounce, ::testing::Values(0.0, 0.3, 0.7, 1.0));

TEST(Bounce, under_gravity_closes_the_ledger_to_first_order) {
  const auto loss = [](double step) {
    Model model = falling_on_ground(step, 0.9, 1.0, Vec3::Zero());
    model.gravity = gravity;
    model.contacts[0].restitution = 0.5;
    Simulation simulation(model);
    run(simulation);
    // One impact at 0.4515 s with the energy 2 g * 1 m; the next at 0.903 s.
    EXPECT_NEAR(value(simulation, "energy/impact_loss"), 2.0 * 9.81 * 0.75, 100.0 * step);
    return std::abs(value(simulation, "energy/scheme_loss"));
  };
  // The position of the impact within its step is lost: an error of at most m g v step.
  for (const double step : {1e-2, 1e-3, 1e-4}) EXPECT_LT(loss(step), 2.0 * 9.81 * 4.5 * step);
}

TEST(Sliding, loses_friction_times_distance_and_stops) {
  const double mu = 0.3, speed = 2.0, mass = 2.0, weight = mass * 9.81;
  Model model = falling_on_ground(0.01, 1.0, 0.0, Vec3(speed * 0.6, speed * 0.8, 0.0));
  model.gravity = gravity;
  model.contacts[0].friction = mu;
  Simulation simulation(model);
  const double stop = speed / (mu * 9.81);  // 0.68 s
  while (!simulation.finished()) {
    simulation.step();
    const double t = simulation.time();
    const double distance = vector(simulation, "bodies/ball/position").head<2>().norm();
    const double loss = value(simulation, "energy/friction_loss");
    if (t < stop) {
      // Constant forces: the scheme and the trapezoidal rule are exact.
      ASSERT_NEAR(distance, speed * t - 0.5 * mu * 9.81 * t * t, 1e-12);
      ASSERT_NEAR(loss, mu * weight * distance, 1e-11);
      ASSERT_EQ(value(simulation, "contacts/floor/status"), 2.0);
      if (t > 0.015) {  // the first step closes the contact, which counts as an impact
        ASSERT_NEAR(value(simulation, "contacts/floor/normal_force"), weight, 1e-10);
        const Vec3 push(value(simulation, "contacts/floor/tangential_force", 0),
                        value(simulation, "contacts/floor/tangential_force", 1), 0.0);
        ASSERT_NEAR(push.norm(), mu * weight, 1e-10);
      }
    }
  }
  EXPECT_EQ(value(simulation, "contacts/floor/status"), 1.0);
  EXPECT_NEAR(value(simulation, "energy/friction_loss"), 0.5 * mass * speed * speed, 1e-10);
  EXPECT_LT(vector(simulation, "bodies/ball/velocity").norm(), 1e-13);
}

// ---- Balls

/// A solid ball, or a disc in the plane.
BodySpec ball(std::string name, BodyKind kind, double mass, double radius, const Vec3& position,
              const Vec3& velocity = Vec3::Zero()) {
  BodySpec body;
  body.name = std::move(name);
  body.kind = kind;
  body.mass = mass;
  body.inertia = kind == BodyKind::planar ? inertia_of(DiscShape{radius, 0.1}, mass)
                                          : inertia_of(SphereShape{radius}, mass);
  body.position = position;
  body.velocity = velocity;
  return body;
}

constexpr double ball_mass = 2.0, ball_radius = 0.25;

/// A ball that lies on the ground, under gravity.
Model ball_on_ground(BodyKind kind, double step, double duration) {
  Model model = timed(step, duration);
  const Vec3 up = kind == BodyKind::planar ? Vec3::UnitY() : Vec3::UnitZ();
  model.gravity = -9.81 * up;
  model.bodies = {ball("ball", kind, ball_mass, ball_radius, ball_radius * up)};
  ContactSpec contact;
  contact.name = "floor";
  contact.geometry = SphereOnFace::geometry;
  contact.point.body = "ball";
  contact.radius = ball_radius;
  contact.direction = up;
  model.contacts = {contact};
  return model;
}

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

// ---- Impacts that are passed on

/// Three equal balls in a row along `way`; the first hits the other two, which touch.
Model chain(BodyKind kind, const Vec3& way, double restitution, bool multi_impact) {
  Model model = timed(1e-3, 0.2);
  const double mass = 1.0, radius = 0.125;
  model.bodies = {ball("a", kind, mass, radius, -0.1 * way, way),
                  ball("b", kind, mass, radius, 0.25 * way),
                  ball("c", kind, mass, radius, 0.5 * way)};
  for (const auto* pair : {"ab", "bc"}) {
    ContactSpec contact;
    contact.name = pair;
    contact.geometry = SphereOnSphere::geometry;
    contact.point.body = std::string(1, pair[0]);
    contact.face.body = std::string(1, pair[1]);
    contact.radius = contact.face_radius = radius;
    contact.restitution = restitution;
    model.contacts.push_back(contact);
  }
  model.integrator.multi_impact = multi_impact;
  return model;
}

struct ChainCase {
  const char* name;
  double restitution;
  bool multi_impact;
  Vec3 speeds;  // of the three in the end
};

class Chain : public ::testing::TestWithParam<ChainCase> {};

TEST_P(Chain, closes_the_ledger_at_round_off) {
  for (const BodyKind kind : {BodyKind::rigid, BodyKind::planar}) {
    const Vec3 way =
        kind == BodyKind::planar ? Vec3(0.6, 0.8, 0.0) : Vec3(2.0 / 7.0, 3.0 / 7.0, 6.0 / 7.0);
    Simulation simulation(chain(kind, way, GetParam().restitution, GetParam().multi_impact));
    run(simulation);
    const double before = 0.5, after = 0.5 * GetParam().speeds.squaredNorm();
    const int axes = kind == BodyKind::planar ? 2 : 3;
    int component = 0;
    for (const char* name : {"a", "b", "c"}) {
      for (int i = 0; i < axes; ++i) {
        EXPECT_NEAR(value(simulation, std::string("bodies/") + name + "/velocity", i),
                    GetParam().speeds[component] * way[i], 1e-12)
            << name << i;
      }
      ++component;
    }
    EXPECT_NEAR(value(simulation, "energy/kinetic"), after, 1e-12);
    EXPECT_NEAR(value(simulation, "energy/impact_loss"), before - after, 1e-12);
    EXPECT_NEAR(value(simulation, "energy/scheme_loss"), 0.0, 1e-12);
    EXPECT_GE(simulation.statistics().min_gap, -1e-13);
  }
}

// In sequence, a to b, b to c and, unless nothing is lost, a to b again; or all at once.
INSTANTIATE_TEST_SUITE_P(
    OfThreeBalls, Chain,
    ::testing::Values(
        ChainCase{"elastic_in_sequence", 1.0, true, Vec3(0.0, 0.0, 1.0)},
        ChainCase{"half_elastic_in_sequence", 0.5, true, Vec3(0.203125, 0.234375, 0.5625)},
        ChainCase{"elastic_at_once", 1.0, false, Vec3(-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0)},
        ChainCase{"half_elastic_at_once", 0.5, false, Vec3(0.0, 0.5, 0.5)},
        ChainCase{"plastic_at_once", 0.0, false, Vec3(1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0)}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(Chain, counts_the_impacts_of_its_sequence) {
  Simulation simulation(chain(BodyKind::rigid, Vec3::UnitX(), 0.5, true));
  run(simulation);
  EXPECT_EQ(simulation.statistics().max_impacts, 3);
}

TEST(Chain, fails_clearly_when_its_sequence_is_longer_than_allowed) {
  Model model = chain(BodyKind::rigid, Vec3::UnitX(), 0.5, true);
  model.integrator.max_impacts = 2;
  Simulation simulation(model);
  try {
    run(simulation);
    ADD_FAILURE() << "the sequence of three impacts should not fit";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("the sequence of impacts did not end after 2 of them; see "
                                        "integrator.max_impacts and impact_tolerance"));
    EXPECT_THAT(error.what(), HasSubstr("t = 0."));
  }
  // Nothing of the failed step remains.
  EXPECT_EQ(value(simulation, "bodies/a/velocity"), 1.0);
  EXPECT_EQ(value(simulation, "contacts/ab/status"), 0.0);
  EXPECT_EQ(value(simulation, "energy/impact_loss"), 0.0);
  model.integrator.max_impacts = 3;
  Simulation longer(model);
  EXPECT_NO_THROW(run(longer));
}

TEST(Chain, ends_where_the_approach_is_slower_than_the_tolerance) {
  // The third impact of the sequence is one of 0.0625 m/s.
  Model model = chain(BodyKind::rigid, Vec3::UnitX(), 0.5, true);
  model.integrator.impact_tolerance = 0.07;
  Simulation simulation(model);
  while (value(simulation, "bodies/c/velocity") == 0.0) simulation.step();
  EXPECT_EQ(simulation.statistics().max_impacts, 2);
  EXPECT_NEAR(value(simulation, "bodies/a/velocity"), 0.25, 1e-13);
  EXPECT_NEAR(value(simulation, "bodies/b/velocity"), 0.1875, 1e-13);
}

// ---- What cannot start

/// Message of the error that building the simulation gives.
std::string refusal(const Model& model) {
  try {
    const Simulation simulation(model);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
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
  EXPECT_EQ(refusal(model), "accepted");
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
    EXPECT_EQ(refusal(model), "accepted") << motor;
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

// ---- Steps that fail

TEST(FailedStep, leaves_everything_as_it_was_and_tells_when) {
  Model model = timed(0.002, 1.0);
  model.gravity = gravity;
  model.bodies = {point("p", 1.0, Vec3(0.0, 0.0, 0.0), Vec3(1.0, 0.0, 0.0)),
                  box("arm", BodyKind::planar, 2.0, Vec3(1.0, 0.1, 0.1), Vec3(0.5, 0.0, 0.0))};
  LoadSpec load;
  load.name = "ends at 10.6 ms";
  load.at.body = "p";
  load.force[1] = Expression("sqrt(0.0106-t)");
  model.loads = {load};
  JointSpec joint;
  joint.name = "drive";
  joint.kind = JointKind::revolute;
  joint.b = {"arm", Vec3(-0.5, 0.0, 0.0)};
  joint.motor = Expression("sin(t)");
  model.joints = {joint};
  model.bodies[1].angular_velocity = Vec3(0.0, 0.0, 1.0);
  model.bodies[1].velocity = Vec3(0.0, 0.5, 0.0);
  ContactSpec contact;
  contact.name = "floor";
  contact.point.body = "p";
  contact.direction = Vec3::UnitZ();
  contact.friction = 0.1;
  model.contacts = {contact};
  Simulation simulation(model);
  for (int i = 0; i < 5; ++i) simulation.step();
  const auto row = [&] {
    std::vector<double> all(static_cast<std::size_t>(simulation.row_size()));
    simulation.sample(all);
    return all;
  };
  const std::vector<double> before = row();
  // Parts of the step from 10 ms succeed, up to 10.59 ms, then none does.
  for (int attempt = 0; attempt < 2; ++attempt) {
    try {
      simulation.step();
      ADD_FAILURE() << "the step should fail";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("t = 0.01 s"));
      EXPECT_THAT(error.what(), HasSubstr("smooth motion"));
    }
    EXPECT_EQ(simulation.steps_done(), 5);
    EXPECT_DOUBLE_EQ(simulation.time(), 0.01);
    const std::vector<double> after = row();
    for (const Channel& channel : simulation.channels()) {
      for (std::size_t i = 0; i < channel.components.size(); ++i) {
        const std::size_t k = static_cast<std::size_t>(channel.offset) + i;
        EXPECT_EQ(before[k], after[k]) << channel.path << " " << channel.components[i];
      }
    }
  }
}

TEST(FailedStep, is_retried_in_parts) {
  // A stiff pendulum of large amplitude; Newton gets too few iterations for the whole step.
  Model model = timed(0.1, 1.0);
  model.gravity = gravity;
  model.bodies = {point("p", 1.0, Vec3(1.0, 0.0, 0.0), Vec3(0.0, 0.0, 3.0))};
  JointSpec link;
  link.name = "link";
  link.kind = JointKind::distance;
  link.b.body = "p";
  model.joints = {link};
  model.integrator.max_iterations = 2;
  Simulation simulation(model);
  run(simulation);
  EXPECT_GT(simulation.statistics().substeps, 0);
  EXPECT_EQ(simulation.statistics().steps, 10);
  EXPECT_NEAR(vector(simulation, "bodies/p/position").norm(), 1.0, 1e-13);
}

// ---- Faces with edges

TEST(Edge, lets_a_sliding_point_go_and_does_not_pull_it_back) {
  const double step = 1e-3;
  Model model = falling_on_ground(step, 1.0, 0.0, Vec3(2.0, 0.0, 0.0));
  model.gravity = gravity;
  model.contacts[0].outline = {
      {-1.0, -1.0, 0.0}, {1.0, -1.0, 0.0}, {1.0, 1.0, 0.0}, {-1.0, 1.0, 0.0}};
  Simulation simulation(model);
  while (!simulation.finished()) {
    simulation.step();
    const double beyond = std::max(0.0, simulation.time() - 0.5);
    // It leaves in the step in which it passes the edge, so at most one step early or late.
    const double height = value(simulation, "bodies/ball/position", 2);
    ASSERT_NEAR(height, -0.5 * 9.81 * beyond * beyond, 9.81 * (beyond + step) * step);
    ASSERT_NEAR(value(simulation, "bodies/ball/position", 0), 2.0 * simulation.time(), 1e-12);
    if (beyond > 0.0) {
      ASSERT_EQ(value(simulation, "contacts/floor/status"), 0.0);
    }
  }
  // Penetration is not counted beside the face.
  EXPECT_GE(simulation.statistics().min_gap, -1e-13);
}

TEST(Edge, does_not_catch_a_point_that_fell_past_it_and_comes_back_below) {
  Model model = falling_on_ground(1e-3, 1.0, 0.0, Vec3(2.0, 0.0, 0.0));
  model.gravity = gravity;
  model.contacts[0].outline = {
      {-1.0, -1.0, 0.0}, {1.0, -1.0, 0.0}, {1.0, 1.0, 0.0}, {-1.0, 1.0, 0.0}};
  LoadSpec wind;
  wind.name = "wind";
  wind.at.body = "ball";
  wind.force[0] = Expression("t > 0.5 ? -60 : 0");
  model.loads = {wind};
  Simulation simulation(model);
  bool came_back = false;
  double last = 0.0;
  while (!simulation.finished()) {
    simulation.step();
    const double x = value(simulation, "bodies/ball/position", 0);
    const double z = value(simulation, "bodies/ball/position", 2);
    ASSERT_LE(z, last + 1e-12);
    last = z;
    if (simulation.time() > 0.51 && x < 0.9) {
      came_back = true;
      ASSERT_EQ(value(simulation, "contacts/floor/status"), 0.0);
      ASSERT_LT(z, 0.0);
    }
  }
  EXPECT_TRUE(came_back);
  EXPECT_NEAR(last, -0.5 * 9.81 * 0.25, 9.81 * 0.5 * 1e-3 * 2.0);
}

TEST(Edge, does_not_catch_a_point_that_enters_below_the_face_from_beside) {
  Model model = falling_on_ground(1e-2, 2.0, -0.01, Vec3(2.0, 0.0, 0.0));
  model.bodies[0].position.x() = -2.0;
  model.contacts[0].outline = {
      {-1.0, -1.0, 0.0}, {1.0, -1.0, 0.0}, {1.0, 1.0, 0.0}, {-1.0, 1.0, 0.0}};
  Simulation simulation(model);
  while (!simulation.finished()) {
    simulation.step();
    ASSERT_EQ(value(simulation, "contacts/floor/status"), 0.0);
  }
  EXPECT_NEAR(value(simulation, "bodies/ball/position", 0), 2.0, 1e-13);
  EXPECT_NEAR(value(simulation, "bodies/ball/position", 2), -0.01, 1e-15);
}

TEST(Edge, catches_a_point_that_rose_from_below_once_it_falls_from_above) {
  Model model = falling_on_ground(1e-3, 2.0, -0.5, Vec3(1.0, 0.0, 4.0));
  model.gravity = gravity;
  model.bodies[0].position.x() = -1.05;
  model.contacts[0].outline = {
      {-1.0, -1.0, 0.0}, {1.0, -1.0, 0.0}, {1.0, 1.0, 0.0}, {-1.0, 1.0, 0.0}};
  model.contacts[0].friction = 1.0;
  Simulation simulation(model);
  double highest = -1.0;
  while (!simulation.finished()) {
    simulation.step();
    highest = std::max(highest, value(simulation, "bodies/ball/position", 2));
  }
  EXPECT_NEAR(highest, 16.0 / (2.0 * 9.81) - 0.5, 1e-3 * 4.0);  // nothing held it on the way up
  EXPECT_NEAR(value(simulation, "bodies/ball/position", 2), 0.0, 1e-13);
  EXPECT_EQ(value(simulation, "contacts/floor/status"), 1.0);
}

TEST(Edge, of_a_planar_face_is_its_end) {
  Model model = timed(1e-3, 1.0);
  model.gravity = Vec3(0.0, -9.81, 0.0);
  BodySpec block = box("block", BodyKind::planar, 1.0, Vec3(0.2, 0.2, 0.2), Vec3(0.0, 0.1, 0.0));
  block.velocity = Vec3(2.0, 0.0, 0.0);
  model.bodies = {block};
  ContactSpec contact;
  contact.face.point = Vec3::Zero();
  contact.direction = Vec3::UnitY();
  contact.outline = {{-1.0, 0.0, 0.0}, {1.0, 0.0, 0.0}};
  for (const double side : {-1.0, 1.0}) {
    contact.name = side < 0.0 ? "rear" : "front";
    contact.point = {"block", Vec3(0.1 * side, -0.1, 0.0)};
    model.contacts.push_back(contact);
  }
  Simulation simulation(model);
  while (!simulation.finished()) {
    simulation.step();
    // The front corner is free beyond the end, the rear one still carries.
    if (std::abs(simulation.time() - 0.5) < 0.02) {
      ASSERT_EQ(value(simulation, "contacts/front/status"), 0.0);
      ASSERT_EQ(value(simulation, "contacts/rear/status"), 2.0);
    }
  }
  EXPECT_LT(value(simulation, "bodies/block/position", 1), -0.5);
  EXPECT_LT(value(simulation, "bodies/block/angle"), -0.05);  // it tipped over the edge
}

}  // namespace
}  // namespace clatter
