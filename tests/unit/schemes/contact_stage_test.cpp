#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <clatter/io/model_reader.hpp>
#include <clatter/simulation/simulation.hpp>

namespace clatter {
namespace {

/// A rod on an axle, held by a spring, falls on a floor and slides there; further corners of it, so
/// many, never touch.
Model rod_on_axle(const std::string& integrator, int others) {
  std::string corners = "[1, 0]";
  for (int i = 0; i < others; ++i) corners += fmt::format(", [{}, 0.2]", 0.01 * i);
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
                                 corners, integrator),
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

INSTANTIATE_TEST_SUITE_P(Schemes, ManyContacts,
                         ::testing::Values("nsga", "nsga_coupled", "moreau"));

}  // namespace
}  // namespace clatter
