// Joints with play: a journal that moves in its bearing until it touches.

#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <clatter/io/model_reader.hpp>
#include <clatter/machine/state.hpp>

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

/// A rod along x in space that turns about y, with a journal of 0.1 m, driven by its weight; with
/// more on one side, so that it also leans on the ends of its journal.
std::string spatial_pendulum(const std::string& joint) {
  return R"(
gravity = [0, 0, -10]
[[body]]
name = "rod"
mass = 2
inertia = [0.02, 0.1, 0.1]
position = [0.5, 0.1, 0]
[[joint]]
name = "pin"
a = "ground"
b = "rod"
point = [0, 0, 0]
)" + joint +
         "[integrator]\nstep = 1e-3\nduration = 0.3\n";
}

Vec3 end_of_pendulum(const std::string& joint) {
  Simulation simulation(parse_model(spatial_pendulum(joint), "rod.toml"));
  run(simulation);
  return vector(simulation, "bodies/rod/position");
}

TEST(ClearanceInSpace, goesToTheIdealJointAsItVanishes) {
  for (const std::string kind : {"revolute", "ball"}) {
    const bool has_axis = kind == "revolute";
    const std::string joint = "kind = \"" + kind + "\"\n" + (has_axis ? "axis = [0, 1, 0]\n" : "");
    const Vec3 ideal = end_of_pendulum(joint);
    for (const double play : {1e-3, 1e-4, 1e-5}) {
      const Vec3 end =
          end_of_pendulum(joint + fmt::format("clearance = {{ play = {}, radius = 0.01{} }}\n",
                                              play, has_axis ? ", length = 0.1" : ""));
      // The journal moves by the play and tilts by two plays over its length; what that does to the
      // time of the fall of 0.5 m by 10 m/s^2 is of the same order.
      EXPECT_LT((end - ideal).norm(), 30.0 * play) << kind << play;
      EXPECT_GT((end - ideal).norm(), 0.0);
    }
  }
}

TEST(ClearanceInSpace, carriesAMomentByTheEndsOfTheJournal) {
  // The rod hangs straight down, 0.1 m beside the middle of the journal: forces at the ends, 0.1 m
  // apart, are 3/2 and -1/2 of the weight.
  const std::string model = R"(
gravity = [0, 0, -10]
[[body]]
name = "rod"
mass = 2
inertia = [0.02, 0.1, 0.1]
position = [0, 0.1, -0.5]
[[joint]]
name = "pin"
kind = "revolute"
a = "ground"
b = "rod"
point = [0, 0, 0]
axis = [0, 1, 0]
clearance = { play = 1e-4, radius = 0.01, length = 0.1, axial_play = 1e-3, friction = 0.1 }
[integrator]
step = 1e-3
duration = 1
)";
  Simulation simulation(parse_model(model, "rod.toml"));
  run(simulation);
  // It leans by 2e-3 rad, so that 1e-3 m of the arm of 0.5 m ... change the forces by 1 %.
  EXPECT_NEAR(value(simulation, "contacts/pin.1/normal_force"), 0.5 * 20.0, 0.5);
  EXPECT_NEAR(value(simulation, "contacts/pin.2/normal_force"), 1.5 * 20.0, 0.5);
  EXPECT_GE(value(simulation, "contacts/pin.3/gap"), 0.0);
  EXPECT_GE(value(simulation, "contacts/pin.4/gap"), 0.0);
}

/// In every sample, also of impacts: what the bearing does to a rod that swings and rattles is its
/// inertia less its weight. The coupled scheme balances the forces at the end of the step, others
/// impulses over it.
TEST(ClearanceBalance, holdsInEverySampleOfAllSchemes) {
  for (const bool planar : {true, false}) {
    for (const char* scheme : {"nsga", "nsga_coupled", "moreau"}) {
      for (const double step : {1e-5, 1e-4, 1e-3}) {
        std::string text = hanging_rod(planar ? "planar" : "rigid",
                                       std::string("kind = \"") + (planar ? "revolute" : "ball") +
                                           "\"\nclearance = { play = 1e-3, radius = 0.02, friction "
                                           "= 0.1, restitution = 0.5 }\n");
        const std::string at_rest = "mass = 2\n";
        text.replace(
            text.find(at_rest), at_rest.size(),
            at_rest + (planar ? "velocity = [1, 0]\nangular_velocity = 2\n"
                              : "velocity = [1, 0.2, 0.3]\nangular_velocity = [1, 3, 2]\n"));
        const std::string settings = "step = 1e-3\n";
        text.replace(text.find(settings), settings.size(),
                     fmt::format("name = \"{}\"\nstep = {}\n", scheme, step));
        Simulation simulation(parse_model(text, "rod.toml"));
        const bool by_forces = std::string(scheme) == "nsga_coupled";
        const auto velocity = [&] { return Vec3(of_node(simulation.state().v, 1).head<3>()); };
        const char* kind = by_forces ? "force" : "impulse";
        for (int k = 0; k < 200; ++k) {
          const Vec3 before = velocity();
          simulation.start_interval();
          simulation.step();
          const Vec3 weight = 2.0 * Vec3(0, -10, 0) * (by_forces ? 1.0 : step);
          const Vec3 inertia =
              2.0 * (by_forces ? Vec3(of_node(simulation.state().acceleration, 1).head<3>())
                               : Vec3(velocity() - before));
          double square =
              std::pow(value(simulation, fmt::format("contacts/pin/normal_{}", kind)), 2);
          for (int i = 0; i < (planar ? 1 : 2); ++i) {
            square +=
                std::pow(value(simulation, fmt::format("contacts/pin/tangential_{}", kind), i), 2);
          }
          const double numbers = inertia.norm() + weight.norm() + std::sqrt(square);
          EXPECT_NEAR((inertia - weight).norm(), std::sqrt(square), 1e-10 * numbers)
              << planar << scheme << step << ", " << k;
        }
      }
    }
  }
}

/// Runs with each scheme in steps of all sizes, bodies being thrown at their walls with 1 m/s:
/// nobody leaves its bearing, nothing is gained. Moreau's step holds no positions: bodies may be
/// beyond a wall by what they go in a step.
void rattle(const std::string& model) {
  for (const std::string scheme : {"nsga", "nsga_coupled", "moreau"}) {
    for (const double step : {1e-6, 1e-5, 1e-4, 1e-3}) {
      Simulation simulation(
          parse_model(model + fmt::format("[integrator]\nname = \"{}\"\nstep = {}\nduration = {}\n",
                                          scheme, step, 200 * step),
                      "rattle.toml"));
      const double initial = value(simulation, "energy/total");
      ASSERT_NO_THROW(run(simulation)) << scheme << step;
      const double way = 2.0 * step;  // at speeds up to 2 m/s
      const double beyond = scheme == "moreau" ? way : 0.0;
      const RunStatistics& statistics = simulation.statistics();
      EXPECT_GE(statistics.min_gap, -1e-9 * statistics.length - beyond) << scheme << step;
      EXPECT_LT(statistics.min_gap, 1e-6) << scheme << step;  // they get there
      // What a weight of 20 N does on the way of a step is left open by the first order.
      EXPECT_LE(value(simulation, "energy/total"), initial + 20.0 * way) << scheme << step;
    }
  }
}

TEST(ClearanceInSpace, rattlesInStepsFromAMicrosecondToAMillisecond) {
  for (const char* joint : {"kind = \"revolute\"\naxis = [0, 1, 0]\nclearance = { play = 1e-4, "
                            "radius = 0.01, length = 0.1, friction = 0.1, restitution = 0.5 }\n",
                            "kind = \"ball\"\nclearance = { play = 1e-4, radius = 0.01, friction = "
                            "0.1, restitution = 0.5 }\n"}) {
    rattle(R"(
gravity = [0, 0, -10]
[[body]]
name = "rod"
mass = 2
inertia = [0.02, 0.1, 0.1]
position = [0.5, 0.1, 0]
velocity = [0.5, 0, 1]
[[joint]]
name = "pin"
a = "ground"
b = "rod"
point = [0, 0, 0]
)" + std::string(joint));
  }
}

TEST(ClearanceInThePlane, rattlesInStepsFromAMicrosecondToAMillisecond) {
  for (const char* joint :
       {"kind = \"revolute\"\nclearance = { play = 1e-4, radius = 0.01, friction = 0.1, "
        "restitution "
        "= 0.5 }\n",
        "kind = \"prismatic\"\naxis = [1, 0]\nclearance = { play = 1e-4, radius = 0.02, length = "
        "0.1, friction = 0.1, restitution = 0.5 }\n"}) {
    rattle(R"(
gravity = [0, -10]
[[body]]
name = "rod"
kind = "planar"
mass = 2
inertia = 0.1
position = [0.05, 0]
velocity = [0.5, 1]
angular_velocity = 0.5
[[joint]]
name = "pin"
a = "ground"
b = "rod"
point = [0, 0]
)" + std::string(joint));
  }
}

std::string sliding_block(const std::string& joint) {
  return R"(
gravity = [0, -10]
[[body]]
name = "block"
kind = "planar"
mass = 2
inertia = 0.01
velocity = [1, 0]
[[joint]]
name = "guide"
kind = "prismatic"
a = "ground"
b = "block"
point = [0, 0]
axis = [1, 0]
)" + joint +
         "[integrator]\nstep = 1e-3\nduration = 0.2\n";
}

TEST(ClearanceInThePlane, ofAPrismaticJointLetsTheBlockDownOntoItsSlot) {
  const std::string clearance =
      "clearance = { play = 1e-3, radius = 0.02, length = 0.1, friction = 0.2 }\n";
  Simulation simulation(parse_model(sliding_block(clearance), "block.toml"));
  run(simulation);
  EXPECT_NEAR(value(simulation, "bodies/block/position", 1), -1e-3, 1e-12);
  double lower = 0.0, upper = 0.0;
  for (const int i : {1, 2}) {
    lower += value(simulation, fmt::format("contacts/guide.{}/normal_force", i));
    upper += value(simulation, fmt::format("contacts/guide.{}/normal_force", i + 2));
  }
  EXPECT_NEAR(lower + upper, 20.0, 1e-9);
  EXPECT_NEAR(std::min(lower, upper), 0.0, 1e-12);
  // Braked by friction once it has fallen, after sqrt(2 play/g) = 14 ms, and to first order of the
  // step that the impact is dated to.
  EXPECT_NEAR(value(simulation, "bodies/block/velocity", 0), 1.0 - 0.2 * 10.0 * 0.2, 5e-3);
}

/// A square block of 40 mm in a guide along x, with its centre of mass beside it.
std::string block_in_guide(const std::string& joint, const std::string& integrator,
                           const std::string& mass = "") {
  return R"(
gravity = [0, 0, -10]
[[body]]
name = "block"
mass = 2
inertia = [0.01, 0.02, 0.02]
velocity = [1, 0, 0]
)" + mass +
         R"(
[[joint]]
name = "guide"
kind = "prismatic"
a = "ground"
b = "block"
point = [0, 0, 0]
axis = [1, 0, 0]
)" + joint +
         "[integrator]\n" + integrator;
}

double sum_of(const Simulation& simulation, int first, int last, const char* what) {
  double sum = 0.0;
  for (int i = first; i <= last; ++i) {
    sum += value(simulation, fmt::format("contacts/guide.{}/{}", i, what));
  }
  return sum;
}

TEST(ClearanceInSpace, ofAPrismaticJointLetsTheBlockDownOntoItsGuide) {
  const std::string clearance =
      "clearance = { play = 1e-3, radius = 0.02, length = 0.1, across = [0, 0, 1], friction = 0.2 "
      "}\n";
  const Model model =
      parse_model(block_in_guide(clearance, "step = 1e-3\nduration = 0.2\n"), "block.toml");
  ASSERT_EQ(model.contacts.size(), 16u);
  Simulation simulation(model);
  run(simulation);
  EXPECT_NEAR(value(simulation, "bodies/block/position", 2), -1e-3, 1e-12);
  EXPECT_NEAR(sum_of(simulation, 1, 4, "normal_force"), 20.0, 1e-9);  // on the side below
  EXPECT_NEAR(sum_of(simulation, 5, 16, "normal_force"), 0.0, 1e-12);
  // As in the plane.
  EXPECT_NEAR(value(simulation, "bodies/block/velocity", 0), 1.0 - 0.2 * 10.0 * 0.2, 5e-3);
}

/// What is pulled at the side leans on two corners one across the other, and on two edges when it
/// is turned about the axis: until then it moves as geometry says.
TEST(ClearanceInSpace, ofAPrismaticJointLetsTheBlockTiltUntilItsCornersTouch) {
  const double play = 1e-3, half = 0.02, length = 0.1;
  const std::string clearance = fmt::format(
      "clearance = {{ play = {}, radius = {}, length = {}, width = 0.06, across = [0.3, 0, 2] }}\n",
      play, half, length);
  const std::string rest = "step = 1e-3\nduration = 0.3\n";
  const auto torque = [&](const char* axis) {
    Simulation simulation(parse_model(
        block_in_guide(clearance, rest + fmt::format("[[load]]\nbody = \"block\"\ntorque = {}\n"
                                                     "force = [0, 0, 20]\n",
                                                     axis)),
        "block.toml"));
    run(simulation);
    EXPECT_GE(simulation.statistics().min_gap, -1e-9 * length);
    // Of the quaternion of a small turn.
    return Vec3(2.0 * vector(simulation, "bodies/block/orientation").tail<2>().norm(),
                2.0 * value(simulation, "bodies/block/orientation", 1),
                2.0 * value(simulation, "bodies/block/orientation", 2));
  };
  // About y: half sin(a) length/2 + half cos(a) = half + play. About x the width of 0.06 counts.
  const auto angle = [&](double arm) {
    double a = 0.0;
    for (int k = 0; k < 50; ++k) a = std::asin((half + play - half * std::cos(a)) / arm);
    return a;
  };
  EXPECT_NEAR(torque("[0, 2, 0]").z(), 2.0 * std::sin(0.5 * angle(0.5 * length)), 1e-9);
  EXPECT_NEAR(torque("[2, 0, 0]").y(), 2.0 * std::sin(0.5 * angle(0.03)), 1e-9);
}

TEST(ClearanceInSpace, ofAPrismaticJointGoesToTheIdealOneAsItVanishes) {
  const std::string mass = "centre_of_mass = [0, 0.01, -0.02]\nangular_velocity = [0, 0, 0]\n";
  const std::string run_for =
      "step = 1e-3\nduration = 0.3\n[[load]]\nbody = \"block\"\nforce = "
      "[3, 5, 0]\npoint = [0.03, 0, 0.05]\n";
  const auto end = [&](const std::string& joint) {
    Simulation simulation(parse_model(block_in_guide(joint, run_for, mass), "block.toml"));
    run(simulation);
    return vector(simulation, "bodies/block/position");
  };
  const Vec3 ideal = end("");
  for (const double play : {1e-3, 1e-4, 1e-5}) {
    const Vec3 at =
        end(fmt::format("clearance = {{ play = {}, radius = 0.02, length = 0.1 }}\n", play));
    // It moves by the play, and leans by two plays over its thickness at most, by which the load
    // turns.
    EXPECT_LT((at - ideal).norm(), 10.0 * play) << play;
    EXPECT_GT((at - ideal).norm(), 0.0);
  }
  EXPECT_EQ(end("clearance = { play = 0, radius = 0.02, length = 0.1 }\n"), ideal);
}

TEST(ClearanceInSpace, ofAPrismaticJointRattlesInStepsOfAllSizes) {
  std::string model = block_in_guide(
      "clearance = { play = 1e-4, radius = 0.02, length = 0.1, friction = 0.1, "
      "restitution = 0.6 }\n",
      "", "centre_of_mass = [0.01, 0.01, -0.02]\nangular_velocity = [0, 20, 0]\n");
  model.resize(model.find("[integrator]"));
  rattle(model);
}

TEST(Backlash, stopsARevoluteJointAtItsAngleAndAPrismaticOneAtItsWay) {
  const std::string model = R"(
[[body]]
name = "wheel"
kind = "planar"
mass = 1
inertia = 0.01
angular_velocity = 1
[[joint]]
name = "hub"
kind = "revolute"
a = "ground"
b = "wheel"
point = [0, 0]
backlash = { play = 0.1, radius = 0.05, restitution = 0.5 }
[integrator]
step = 1e-3
duration = 0.25
)";
  Simulation simulation(parse_model(model, "wheel.toml"));
  double largest = 0.0;
  while (!simulation.finished()) {
    simulation.step();
    largest = std::max(largest, value(simulation, "joints/hub/coordinate"));
  }
  EXPECT_NEAR(largest, 0.1, 1e-3);  // within the way of a step
  EXPECT_NEAR(value(simulation, "bodies/wheel/angular_velocity"), -0.5, 1e-9);
  const std::string slide = "backlash = { play = 0.05 }\n";
  Simulation sliding(parse_model(sliding_block(slide), "block.toml"));
  run(sliding);
  EXPECT_NEAR(value(sliding, "joints/guide/coordinate"), 0.05, 1e-9);
  EXPECT_NEAR(value(sliding, "bodies/block/velocity", 0), 0.0, 1e-12);
}

/// A driven crank of 0.5 kg, a light rod and a rocker of 20 kg. `joint`: of the three pins that are
/// not driven.
std::string four_bar(const std::string& scheme, double rod, const std::string& joint) {
  const double x = 0.325, y = 0.19843134832984433;  // where rod and rocker meet
  return fmt::format(R"toml(
gravity = [0, -9.81]
[[body]]
name = "crank"
kind = "planar"
mass = 0.5
inertia = 4e-4
position = [0.05, 0]
[[body]]
name = "rod"
kind = "planar"
mass = {0}
inertia = {1}
position = [{2}, {3}]
[[body]]
name = "rocker"
kind = "planar"
mass = 20
inertia = 0.07
position = [{4}, {3}]
[[joint]]
name = "drive"
kind = "revolute"
a = "ground"
b = "crank"
point = [0, 0]
motor = "30*t*t/(t + 0.05)"
[[joint]]
name = "A"
kind = "revolute"
a = "crank"
b = "rod"
point = [0.1, 0]
{7}
[[joint]]
name = "B"
kind = "revolute"
a = "rod"
b = "rocker"
point = [{5}, {6}]
{7}
[[joint]]
name = "D"
kind = "revolute"
a = "ground"
b = "rocker"
point = [0.3, 0]
{7}
[integrator]
name = "{8}"
step = 1e-4
duration = 0.05
)toml",
                     rod, rod * 0.0075, 0.5 * (0.1 + x), 0.5 * y, 0.5 * (0.3 + x), x, y, joint,
                     scheme);
}

/// An arm flies around; its journal has come to rest on the bearing and slides along in it, the
/// normal turning by 0.02 rad in a step: there is no more rebound, and so no impact.
TEST(ClearanceInThePlane, ofAJournalThatSlidesAroundTellsNoImpacts) {
  Simulation simulation(parse_model(R"(
[[body]]
name = "arm"
kind = "planar"
mass = 1
inertia = 0.003
position = [0.1, 0]
velocity = [0, 20]
angular_velocity = 200
[[joint]]
name = "hub"
kind = "revolute"
a = "ground"
b = "arm"
point = [0, 0]
clearance = { play = 1e-3, radius = 0.01, restitution = 0.4, recover = { stiffness = 1e9 } }
[integrator]
name = "nsga_coupled"
step = 1e-4
duration = 0.1
)",
                                    "arm.toml"));
  double impulse = 0.0, percussion = 0.0;
  while (!simulation.finished()) {
    simulation.start_interval();
    simulation.step();
    if (simulation.time() < 0.05) continue;
    impulse += value(simulation, "contacts/hub/normal_impulse");
    percussion += std::abs(value(simulation, "contacts/hub/normal_percussion"));
  }
  EXPECT_NEAR(impulse, 0.05 * 4000.0, 0.1 * 200.0);  // m omega^2 r
  EXPECT_LT(percussion, 0.02 * impulse);             // of the order of the turn in a step
}

/// Forces on the rod are ten thousand times its weight: within a step it would swing in its play
/// several times around.
TEST(ClearanceInThePlane, holdsARodOfLessThanAGramBetweenHeavyLinks) {
  Simulation ideal(parse_model(four_bar("nsga", 1e-4, ""), "bar.toml"));
  run(ideal);
  constexpr double play = 1e-4;
  for (const auto& [rod, friction] : {std::pair(1e-4, 0.1), std::pair(1e-3, 0.3)}) {
    for (const char* scheme : {"nsga", "nsga_coupled", "moreau"}) {
      Simulation simulation(parse_model(
          four_bar(scheme, rod,
                   fmt::format("clearance = {{ play = {}, radius = 0.005, friction = {} }}\n", play,
                               friction)),
          "bar.toml"));
      ASSERT_NO_THROW(run(simulation)) << scheme << ", " << rod;
      // Moreau's step holds no positions: see its own part of the theory.
      const bool holds = std::string(scheme) != "moreau";
      if (holds) {
        EXPECT_GE(simulation.statistics().min_gap, -1e-9 * simulation.statistics().length);
      }
      // Three plays in line, on the rocker of 0.2 m, and five times that for levers and drift.
      EXPECT_NEAR(value(simulation, "bodies/rocker/angle"), value(ideal, "bodies/rocker/angle"),
                  5.0 * 3.0 * play / 0.2)
          << scheme << ", " << rod;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Bodies, Clearance, ::testing::Values("planar", "rigid"));

}  // namespace clearance_test
}  // namespace clatter
