#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <clatter/io/model_reader.hpp>
#include <clatter/simulation/simulation.hpp>

namespace clatter {
namespace contact_stage_test {

/// The lowest corner, and so many that come near and do not touch: with nsga, which penetrates
/// nothing, they may lie close to it and are near also at rest.
std::string corners(const std::string& integrator, int others) {
  const double above = integrator == "nsga" ? 1e-6 : 4e-3;
  std::string list = "[1, 0]";
  for (int i = 0; i < others; ++i) {
    list += fmt::format(", [{:.9f}, {}]", 1.0 - 0.1 * above * i, above);
  }
  return list;
}

/// A rod on an axle, held by a spring, falls on a floor and slides there; further corners of it, so
/// many, come near and do not touch.
Model rod_on_axle(const std::string& integrator, int others) {
  return parse_model(fmt::format(R"(
gravity = [0, -9.81]
[[body]]
name = "rod"
kind = "planar"
mass = 2
inertia = 0.5
centre_of_mass = [0.5, 0]
position = [0, 0.5]
[[joint]]
name = "axle"
kind = "revolute"
a = "ground"
b = "rod"
point = [0, 0.5]
[[spring]]
name = "string"
kind = "axial"
a = {{ point = [0.5, 2] }}
b = {{ body = "rod", point = [0.5, 0] }}
stiffness = 3
[[contact]]
name = "tip"
point = {{ body = "rod", at = [{}] }}
face = {{ point = [0, 0], normal = [0, 1] }}
friction = 0.3
restitution = 0.5
[integrator]
name = "{}"
step = 1e-3
duration = 2
)",
                                 corners(integrator, others), integrator),
                     "rod.toml");
}

class ManyContacts : public ::testing::TestWithParam<const char*> {};

// Many contacts are condensed on the bodies that they touch, few are solved with the whole machine.
TEST_P(ManyContacts, of_a_body_on_an_axle_move_it_as_the_one_that_touches_alone) {
  Simulation alone(rod_on_axle(GetParam(), 0)), among_many(rod_on_axle(GetParam(), 20));
  bool touched = false;
  while (!alone.finished()) {
    alone.step();
    among_many.step();
    touched = touched || alone.value("contacts/tip.1/status") > 0.0 ||
              alone.value("contacts/tip.1/normal_impulse") > 0.0;
  }
  EXPECT_TRUE(touched);
  // Tolerance of each problem 1e-10; impacts amplify by a few.
  for (const char* what : {"bodies/rod/angle", "bodies/rod/angular_velocity",
                           "energy/friction_loss", "energy/impact_loss"}) {
    EXPECT_NEAR(among_many.value(what), alone.value(what), 1e-7) << what;
  }
  // Of a contact at rest, round-off of the gap decides whether Moreau's method sees it in a step.
  if (GetParam() == std::string("moreau")) return;
  const char* reaction = "joints/axle/force/y";
  EXPECT_NEAR(among_many.value(reaction), alone.value(reaction), 1e-6);
  EXPECT_NEAR(among_many.value("contacts/tip.1/gap"), alone.value("contacts/tip.1/gap"), 1e-9);
}

/// Two rods, one hung on the other, fall on a floor with knee and toe, and slide.
Model leg(const std::string& integrator, int others) {
  return parse_model(fmt::format(R"(
gravity = [0, -9.81]
[[body]]
name = "thigh"
kind = "planar"
mass = 2
inertia = 0.5
centre_of_mass = [0.5, 0]
position = [0, 0.3]
[[body]]
name = "shank"
kind = "planar"
mass = 1
inertia = 0.1
centre_of_mass = [0.5, 0]
position = [1, 0.3]
angle = 0.1
[[joint]]
name = "hip"
kind = "revolute"
a = "ground"
b = "thigh"
point = [0, 0.3]
[[joint]]
name = "knee"
kind = "revolute"
a = "thigh"
b = "shank"
point = [1, 0.3]
[[contact]]
name = "cap"
point = {{ body = "thigh", at = [{0}] }}
face = {{ point = [0, 0], normal = [0, 1] }}
friction = 0.3
[[contact]]
name = "toe"
point = {{ body = "shank", at = [{0}] }}
face = {{ point = [0, 0], normal = [0, 1] }}
friction = 0.3
restitution = 0.3
[integrator]
name = "{1}"
step = 1e-3
duration = 1
)",
                                 corners(integrator, others), integrator),
                     "leg.toml");
}

// What one body of a linkage meets moves the other, which has contacts, too.
TEST_P(ManyContacts, of_tied_bodies_move_them_as_those_that_touch_alone) {
  Simulation alone(leg(GetParam(), 0)), among_many(leg(GetParam(), 20));
  bool both = false;
  while (!alone.finished()) {
    alone.step();
    among_many.step();
    both = both || (alone.value("contacts/cap.1/status") > 0.0 &&
                    alone.value("contacts/toe.1/status") > 0.0);
  }
  EXPECT_TRUE(both);
  // Each problem is solved to 1e-10, which impacts and a thousand steps of slip amplify.
  for (const char* what : {"bodies/thigh/angle", "bodies/shank/angle", "bodies/shank/velocity/x",
                           "energy/friction_loss", "energy/impact_loss"}) {
    EXPECT_NEAR(among_many.value(what), alone.value(what), 1e-6) << what;
  }
}

INSTANTIATE_TEST_SUITE_P(Schemes, ManyContacts,
                         ::testing::Values("nsga", "nsga_coupled", "moreau"));

}  // namespace contact_stage_test
}  // namespace clatter
