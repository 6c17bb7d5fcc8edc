#include <gtest/gtest.h>

#include <clatter/machine/machine.hpp>

#include "support/random_state.hpp"
#include "support/run.hpp"

namespace clatter {
namespace machine_test {

using testing::Random;

TEST(Machine, counts_the_unknowns_of_each_kind_of_body) {
  Model model;
  model.bodies = {testing::point("p", 1.0, Vec3::Zero()),
                  testing::box("r", BodyKind::rigid, 1.0, Vec3::Ones(), Vec3::Zero()),
                  testing::box("q", BodyKind::planar, 1.0, Vec3::Ones(), Vec3::Zero())};
  const Machine machine(model);
  EXPECT_EQ(machine.dofs(), 3 + 6 + 3);
  EXPECT_EQ(machine.body_count(), 3);
  EXPECT_EQ(machine.total_mass(), 3.0);
}

TEST(Machine, puts_nodes_at_centres_of_mass_and_moves_them_with_the_body) {
  Random random(1);
  BodySpec body = testing::box("b", BodyKind::rigid, 2.0, Vec3::Ones(), random.vector());
  body.centre_of_mass = random.vector();
  body.orientation = random.rotation();
  body.velocity = random.vector();
  body.angular_velocity = random.vector();
  Model model;
  model.bodies = {body};
  const Machine machine(model);
  const Mat3 R = body.orientation.toRotationMatrix();
  const NodeState& state = machine.initial_configuration()[1];
  EXPECT_LT((state.x - body.position - R * body.centre_of_mass).norm(), 1e-15);
  const Vec3 expected = body.velocity + R * body.angular_velocity.cross(body.centre_of_mass);
  EXPECT_LT((machine.initial_velocity().segment<3>(6) - expected).norm(), 1e-15 * 4);
  EXPECT_EQ(Vec3(machine.initial_velocity().segment<3>(9)), body.angular_velocity);
}

TEST(Machine, ignores_velocities_that_a_body_cannot_have) {
  BodySpec planar = testing::box("q", BodyKind::planar, 2.0, Vec3::Ones(), Vec3::Zero());
  planar.centre_of_mass = Vec3(0.5, 0.0, 0.0);
  planar.velocity = Vec3(1.0, 2.0, 3.0);
  planar.angular_velocity = Vec3(4.0, 5.0, 6.0);
  BodySpec point = testing::point("p", 1.0, Vec3::Zero(), Vec3(1.0, 0.0, 0.0));
  point.angular_velocity = Vec3(7.0, 8.0, 9.0);
  Model model;
  model.bodies = {planar, point};
  const Machine machine(model);
  Vec12 expected;
  expected << 1.0, 2.0 + 6.0 * 0.5, 0.0, 0.0, 0.0, 6.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0;
  EXPECT_EQ(Vec12(machine.initial_velocity().tail<12>()), expected);
}

// ---- Rest angles of torsional springs

SpringSpec torsional(std::string a, std::string b, const Vec3& axis) {
  SpringSpec spring;
  spring.name = "s";
  spring.kind = SpringKind::torsional;
  spring.a.body = std::move(a);
  spring.b.body = std::move(b);
  spring.axis = axis;
  spring.stiffness = 2.0;
  return spring;
}

// Torque of the only spring of a machine at the start.
double tension_at_start(const Model& model) {
  const Machine machine(model);
  Spring::Force force;
  machine.all<Spring>()[0].force(machine.initial_configuration(), machine.initial_velocity(),
                                 machine.turns_at_start()[0], force);
  return force.tension;
}

TEST(Machine, rest_angle_of_planar_bodies_is_the_difference_of_their_angles) {
  Model model;
  for (const char* name : {"a", "b"}) {
    model.bodies.push_back(testing::box(name, BodyKind::planar, 1.0, Vec3::Ones(), Vec3::Zero()));
  }
  for (const double difference : {0.5, -2.0, 7.0, 20.0}) {  // also by more than a turn
    model.bodies[0].angle = 0.3;
    model.bodies[1].angle = 0.3 + difference;
    for (const double sign : {1.0, -1.0}) {
      model.springs = {torsional("a", "b", Vec3(0.0, 0.0, sign))};
      EXPECT_NEAR(tension_at_start(model), 0.0, 1e-14);  // as at the start
      model.springs[0].rest = 0.0;
      EXPECT_NEAR(tension_at_start(model), 2.0 * sign * difference, 1e-13);
      model.springs[0].rest = 0.25;
      EXPECT_NEAR(tension_at_start(model), 2.0 * (sign * difference - 0.25), 1e-13);
    }
  }
}

TEST(Machine, rest_angle_in_space_is_zero_where_the_body_frames_agree) {
  const Vec3 axis = Vec3(1.0, 2.0, 2.0) / 3.0;  // in the frame of a
  const Quaternion tilt(Eigen::AngleAxisd(0.7, Vec3::UnitY()));
  Model model;
  for (const char* name : {"a", "b"}) {
    model.bodies.push_back(testing::box(name, BodyKind::rigid, 1.0, Vec3::Ones(), Vec3::Zero()));
    model.bodies.back().orientation = tilt;
  }
  for (const double angle : {0.5, -3.0, 3.0}) {
    model.bodies[1].orientation = tilt * Quaternion(Eigen::AngleAxisd(angle, axis));
    model.springs = {torsional("a", "b", axis)};
    EXPECT_NEAR(tension_at_start(model), 0.0, 1e-14);
    model.springs[0].rest = 0.0;
    EXPECT_NEAR(tension_at_start(model), 2.0 * angle, 1e-13);
    // The other way round, about the same axis, which is the same in both frames.
    model.springs = {torsional("b", "a", axis)};
    model.springs[0].rest = 0.0;
    EXPECT_NEAR(tension_at_start(model), -2.0 * angle, 1e-13);
  }
}

TEST(Machine, delassus_entry_is_the_row_times_inverse_mass_times_the_row) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    Random random(seed);
    Model model;
    model.bodies = {testing::box("a", BodyKind::rigid, 1.5, Vec3::Ones(), Vec3::Zero()),
                    testing::box("b", BodyKind::planar, 0.5, Vec3::Ones(), Vec3::Zero())};
    model.bodies[0].inertia = random.inertia();
    const Machine machine(model);
    const Vec12 g = random.numbers(12);
    const Mat3 J = model.bodies[0].inertia;
    const double expected =
        g.head<3>().squaredNorm() / 1.5 + g.segment<3>(3).dot(J.inverse() * g.segment<3>(3)) +
        g.segment<2>(6).squaredNorm() / 0.5 + g[11] * g[11] / model.bodies[1].inertia(2, 2);
    EXPECT_NEAR(machine.delassus(g, 1, 2), expected, 1e-14 * expected);
    EXPECT_EQ(machine.delassus(g, ground, ground), 0.0);
  }
}

TEST(Machine, gyroscopic_force_does_no_work) {
  Random random(2);
  Model model;
  model.bodies = {testing::box("a", BodyKind::rigid, 1.5, Vec3::Ones(), Vec3::Zero())};
  model.bodies[0].inertia = random.inertia();
  const Machine machine(model);
  const NodalVector v = random.numbers(12);
  NodalVector f = NodalVector::Zero(12);
  Instant instant = machine.instant_at_start();
  machine.forces(machine.initial_configuration(), v, instant, f);
  EXPECT_GT(f.norm(), 0.1);
  EXPECT_NEAR(f.tail<6>().dot(v.tail<6>()), 0.0, 1e-15 * 4);
}

TEST(Machine, names_the_body_that_does_not_exist) {
  Model model;
  LoadSpec load;
  load.name = "push";
  load.at.body = "nobody";
  model.loads = {load};
  try {
    const Machine machine(model);
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("'nobody'"), std::string::npos);
  }
}

TEST(Machine, refuses_an_axial_spring_without_a_direction_by_name) {
  Model model;
  model.bodies = {testing::point("p", 1.0, Vec3(1.0, 0.0, 0.0))};
  SpringSpec spring;
  spring.name = "coil";
  spring.a.point = Vec3(1.0, 0.0, 0.0);
  spring.b.body = "p";
  model.springs = {spring};
  try {
    const Machine machine(model);
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("'coil'"), std::string::npos);
  }
}

}  // namespace machine_test
}  // namespace clatter
