#include <cmath>

#include <gtest/gtest.h>

#include <clatter/simulation/simulation.hpp>

#include "support/impact_models.hpp"
#include "support/run.hpp"

namespace clatter {
namespace ledger_test {

using testing::box;
using testing::falling_on_ground;
using testing::gravity;
using testing::order;
using testing::point;
using testing::run;
using testing::timed;
using testing::value;
using testing::vector;

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

}  // namespace ledger_test
}  // namespace clatter
