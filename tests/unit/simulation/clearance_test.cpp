// Joints with play: a journal that moves in its bearing until it touches.

#include <cmath>

#include <gtest/gtest.h>

#include <clatter/io/model_reader.hpp>

#include "support/run.hpp"

namespace clatter {
namespace clearance_test {

using namespace testing;

/// A rod that hangs in the ground by its upper end, at rest, with a play of 1 mm.
std::string hanging_rod(const std::string& kind, const std::string& joint) {
  const bool planar = kind == "planar";
  return (planar ? "gravity = [0, -10]\n" : "gravity = [0, -10, 0]\n") +
         std::string("[[body]]\nname = \"rod\"\nkind = \"") + kind + "\"\nmass = 2\n" +
         (planar ? "inertia = 0.1\n" : "inertia = [0.1, 0.1, 0.1]\n") +
         (planar ? "position = [0, -0.5]\n" : "position = [0, -0.5, 0]\n") +
         "[[joint]]\nname = \"pin\"\na = \"ground\"\nb = \"rod\"\n" +
         (planar ? "point = [0, 0]\n" : "point = [0, 0, 0]\n") + joint +
         "[integrator]\nstep = 1e-3\nduration = 0.2\n";
}

class Clearance : public ::testing::TestWithParam<const char*> {
 protected:
  std::string kind() const { return GetParam(); }
  std::string joint(const std::string& play) const {
    return std::string("kind = \"") + (kind() == "planar" ? "revolute" : "ball") +
           "\"\nclearance = { play = " + play + ", radius = 0.02 }\n";
  }
};

TEST_P(Clearance, LetsTheJournalFallOntoItsBearingAndCarriesIt) {
  Simulation simulation(parse_model(hanging_rod(kind(), joint("1e-3")), "rod.toml"));
  run(simulation);
  EXPECT_NEAR(value(simulation, "bodies/rod/position", 1), -0.501, 1e-12);
  EXPECT_NEAR(value(simulation, "contacts/pin/gap"), 0.0, 1e-12);
  EXPECT_NEAR(value(simulation, "contacts/pin/normal_force"), 20.0, 1e-6);  // its weight
}

TEST_P(Clearance, OfNothingIsTheIdealJoint) {
  const Model model = parse_model(hanging_rod(kind(), joint("0")), "rod.toml");
  EXPECT_TRUE(model.contacts.empty());
  ASSERT_EQ(model.joints.size(), 1u);
  EXPECT_EQ(model.joints[0].name, "pin");
}

TEST_P(Clearance, KeepsShapesOfTheTwoBodiesFromTouchingElsewhere) {
  const Model model = parse_model(hanging_rod(kind(), joint("1e-3")), "rod.toml");
  ASSERT_EQ(model.exclusions.size(), 1u);
  EXPECT_EQ(model.exclusions[0].bodies[1], "rod");
  const Model touching =
      parse_model(hanging_rod(kind(), joint("1e-3") + "touch = true\n"), "rod.toml");
  EXPECT_TRUE(touching.exclusions.empty());
}

INSTANTIATE_TEST_SUITE_P(Bodies, Clearance, ::testing::Values("planar", "rigid"));

}  // namespace clearance_test
}  // namespace clatter
