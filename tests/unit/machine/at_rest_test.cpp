#include <gtest/gtest.h>

#include <clatter/machine/at_rest.hpp>

namespace clatter {
namespace at_rest_test {

Model moving() {
  Model model;
  BodySpec body;
  body.name = "block";
  body.velocity = {1, 2, 3};
  body.angular_velocity = {0, 0, 1};
  model.bodies = {body};
  LoadSpec load;
  load.name = "push";
  load.force[1] = Expression("3*t");
  model.loads = {load};
  JointSpec joint;
  joint.name = "crank";
  joint.motor = Expression("t^2");
  model.joints = {joint};
  BeamSpec beam;
  beam.line_force[2] = Expression("1/t");
  model.beams = {beam};
  return model;
}

TEST(at_rest, stops_everything_and_keeps_loads_and_motors_of_that_time) {
  const Model model = at_rest(moving(), 2.0);
  EXPECT_TRUE(starts_moving(moving()));
  EXPECT_FALSE(starts_moving(model));
  EXPECT_TRUE(model.loads[0].force[1].is_constant());
  EXPECT_EQ(model.loads[0].force[1](0.0), 6.0);
  EXPECT_EQ((*model.joints[0].motor)(5.0), 4.0);
  EXPECT_EQ(model.beams[0].line_force[2](0.0), 0.5);
}

TEST(at_rest, formula_without_a_value_then_is_refused) {
  EXPECT_THROW(at_rest(moving(), 0.0), Error);
}

}  // namespace at_rest_test
}  // namespace clatter
