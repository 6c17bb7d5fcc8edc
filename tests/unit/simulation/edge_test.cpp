#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include <clatter/simulation/simulation.hpp>

#include "support/impact_models.hpp"
#include "support/run.hpp"

namespace clatter {
namespace edge_test {

using testing::box;
using testing::falling_on_ground;
using testing::gravity;
using testing::timed;
using testing::value;

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
    // It leaves in the step that begins beyond the edge, so at most one step late.
    const double height = value(simulation, "bodies/ball/position", 2);
    ASSERT_NEAR(height, -0.5 * 9.81 * beyond * beyond, 9.81 * (beyond + step) * step);
    ASSERT_NEAR(value(simulation, "bodies/ball/position", 0), 2.0 * simulation.time(), 1e-12);
    if (beyond > 1.5 * step) {
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

/// A point that slides along a floor to a wall which begins at its edge: in the step that ends
/// there its smooth motion has left the floor.
TEST(Edge, where_a_floor_and_a_wall_meet_holds_a_point) {
  for (const IntegratorKind scheme : {IntegratorKind::nsga, IntegratorKind::nsga_coupled}) {
    for (const double step : {1e-4, 1e-3, 7.3e-3, 0.05}) {
      for (const double restitution : {0.0, 0.5}) {
        Model model = falling_on_ground(step, 1.0, 0.0, Vec3(1.0, 0.1, 0.0));
        model.integrator.kind = scheme;
        model.gravity = gravity;
        model.bodies[0].position.x() = 0.5;
        model.contacts[0].outline = {
            {0.0, -1.0, 0.0}, {1.0, -1.0, 0.0}, {1.0, 1.0, 0.0}, {0.0, 1.0, 0.0}};
        ContactSpec wall = model.contacts[0];
        wall.name = "wall";
        wall.face.point = Vec3(1.0, 0.0, 0.0);
        wall.direction = -Vec3::UnitX();
        wall.restitution = restitution;
        wall.outline = {{1.0, -1.0, 0.0}, {1.0, 1.0, 0.0}, {1.0, 1.0, 1.0}, {1.0, -1.0, 1.0}};
        model.contacts.push_back(wall);
        Simulation simulation(model);
        while (!simulation.finished()) {
          simulation.step();
          ASSERT_NEAR(value(simulation, "bodies/ball/position", 2), 0.0, 1e-13)
              << to_string(scheme) << step << " at " << simulation.time();
        }
        EXPECT_NEAR(value(simulation, "bodies/ball/velocity", 0), -restitution, 1e-12);
        EXPECT_NEAR(value(simulation, "bodies/ball/position", 1), 0.1 * simulation.time(), 1e-12);
      }
    }
  }
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

}  // namespace edge_test
}  // namespace clatter
