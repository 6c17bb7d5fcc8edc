#include <cmath>

#include <gtest/gtest.h>

#include <clatter/math/so3.hpp>
#include <clatter/simulation/simulation.hpp>

#include "support/run.hpp"

namespace clatter {
namespace free_flight_test {

using testing::box;
using testing::gravity;
using testing::order;
using testing::point;
using testing::run;
using testing::timed;
using testing::value;
using testing::vector;

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

}  // namespace free_flight_test
}  // namespace clatter
