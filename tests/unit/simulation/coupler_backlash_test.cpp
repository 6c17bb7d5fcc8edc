// Couplers with play: gears that rattle between the flanks of their teeth.

#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <clatter/io/model_reader.hpp>
#include <clatter/model/error.hpp>

#include "support/run.hpp"

namespace clatter {
namespace coupler_backlash_test {

using namespace testing;

constexpr double J_1 = 0.02, J_2 = 0.05, r_1 = 0.1, r_2 = 0.25;
/// Of the teeth: J/r^2 of both gears in a row.
const double tooth_mass = 1.0 / (r_1 * r_1 / J_1 + r_2 * r_2 / J_2);

std::string gear(const std::string& name, double inertia, double speed, double x, bool planar,
                 const std::string& of_joint = "") {
  const std::string body =
      planar ? fmt::format(
                   "kind = \"planar\"\ninertia = {}\nposition = [{}, 0]\n"
                   "angular_velocity = {}\n",
                   inertia, x, speed)
             : fmt::format(
                   "kind = \"rigid\"\ninertia = [{0}, {0}, {0}]\nposition = [{1}, 0, 0]\n"
                   "angular_velocity = [0, 0, {2}]\n",
                   inertia, x, speed);
  const std::string joint = planar ? fmt::format("point = [{}, 0]\n", x)
                                   : fmt::format("point = [{}, 0, 0]\naxis = [0, 0, 1]\n", x);
  return "[[body]]\nname = \"" + name + "\"\nmass = 1\n" + body + "[[joint]]\nname = \"" + name +
         "\"\nkind = \"revolute\"\na = \"ground\"\nb = \"" + name + "\"\n" + joint + of_joint;
}

std::string gears(const std::string& backlash, double speed_1, double speed_2,
                  const std::string& integrator, double duration, bool planar = true) {
  return gear("one", J_1, speed_1, 0.0, planar) + gear("two", J_2, speed_2, r_1 + r_2, planar) +
         fmt::format(
             "[[coupler]]\nname = \"teeth\"\njoints = [\"one\", \"two\"]\nratios = [{}, {}]\n", r_1,
             r_2) +
         backlash +
         fmt::format("[integrator]\nname = \"{}\"\nstep = 1e-3\nduration = {}\n", integrator,
                     duration);
}

double speed(const Simulation& simulation, const std::string& body, bool planar = true) {
  return value(simulation, "bodies/" + body + "/angular_velocity", planar ? 0 : 2);
}

struct Case {
  const char* integrator;
  bool planar;
};
class Teeth : public ::testing::TestWithParam<Case> {
 protected:
  static bool is_moreau() { return std::string(GetParam().integrator) == "moreau"; }
};

TEST_P(Teeth, meet_with_the_reflected_inertia_of_both_gears) {
  const char* integrator = GetParam().integrator;
  const bool planar = GetParam().planar;
  const double omega = 3.0, e = 0.6, play = 0.0125;  // meets at 0.0417 s
  Simulation simulation(parse_model(gears("backlash = { play = 0.0125, restitution = 0.6 }\n",
                                          omega, 0.0, integrator, 0.06, planar),
                                    "gears.toml"));
  double met = 0.0;
  while (!simulation.finished()) {
    simulation.step();
    if (met == 0.0 && value(simulation, "contacts/teeth.2/normal_velocity") > 0.0) {
      met = simulation.time();
    }
  }
  // Free flight until then, dated to the step; Moreau's looks at the middle of the step.
  EXPECT_NEAR(met, play / (r_1 * omega), is_moreau() ? 1.5e-3 : 1e-3);
  const double impulse = (1.0 + e) * tooth_mass * r_1 * omega;
  // Nothing but the impulse acts: what is left is round-off and the tolerance of the solver.
  EXPECT_NEAR(speed(simulation, "one", planar), omega - r_1 * impulse / J_1, 1e-8);
  EXPECT_NEAR(speed(simulation, "two", planar), -r_2 * impulse / J_2, 1e-8);
  EXPECT_NEAR(value(simulation, "contacts/teeth.2/normal_velocity"), e * r_1 * omega, 1e-8);
}

TEST_P(Teeth, of_gears_that_have_turned_often_still_meet_where_they_should) {
  const char* integrator = GetParam().integrator;
  const bool planar = GetParam().planar;
  // They roll on each other but for a slow approach: 0.01 m in 2 s, in which one turns 6 times.
  const double omega = 20.0, slow = 0.005;
  Simulation simulation(parse_model(gears("backlash = { play = 0.01 }\n", omega,
                                          -(r_1 * omega - slow) / r_2, integrator, 2.2, planar),
                                    "gears.toml"));
  while (simulation.time() < 1.9) {
    simulation.step();
    ASSERT_NEAR(value(simulation, "contacts/teeth.2/gap"), 0.01 - slow * simulation.time(), 1e-8);
    ASSERT_NEAR(value(simulation, "contacts/teeth.1/gap"), 0.01 + slow * simulation.time(), 1e-8);
  }
  run(simulation);
  EXPECT_GT(value(simulation, "joints/one/coordinate"), 40.0);
  // Moreau's goes on for up to half a step.
  EXPECT_NEAR(value(simulation, "contacts/teeth.2/gap"), 0.0, is_moreau() ? 0.51e-3 * slow : 1e-8);
  EXPECT_NEAR(value(simulation, "contacts/teeth.2/normal_velocity"), 0.0, 1e-8);
}

TEST_P(Teeth, that_stay_closed_drive_as_the_ideal_coupler) {
  const char* integrator = GetParam().integrator;
  const bool planar = GetParam().planar;
  const auto load = [&](const char* body, double torque) {
    return planar ? fmt::format("[[load]]\nbody = \"{}\"\ntorque = {}\n", body, torque)
                  : fmt::format("[[load]]\nbody = \"{}\"\ntorque = [0, 0, {}]\n", body, torque);
  };
  const std::string loads = load("one", 2.0) + load("two", 0.5);
  const auto run_with = [&](const std::string& backlash) {
    auto simulation = std::make_unique<Simulation>(
        parse_model(gears(backlash, 0.0, 0.0, integrator, 0.5, planar) + loads, "gears.toml"));
    run(*simulation);
    return simulation;
  };
  const auto ideal = run_with(""), hard = run_with("backlash = { play = 1e-9 }\n");
  // Force F of the teeth: J_1 w_1' = 2 - r_1 F, J_2 w_2' = 0.5 - r_2 F, r_1 w_1' + r_2 w_2' = 0.
  const double F = (2.0 * r_1 / J_1 + 0.5 * r_2 / J_2) * tooth_mass;
  const double faster = (2.0 - r_1 * F) / J_1 * 0.5;
  EXPECT_NEAR(speed(*hard, "one", planar), speed(*ideal, "one", planar), 1e-3 * faster);
  EXPECT_NEAR(speed(*hard, "one", planar), faster, 1e-3 * faster);  // the play is gone in 1e-5 s
  EXPECT_NEAR(value(*hard, "contacts/teeth.2/normal_force"), F, 1e-6 * F);
  EXPECT_NEAR(std::abs(value(*ideal, "couplers/teeth/force")), F, 1e-6 * F);
}

INSTANTIATE_TEST_SUITE_P(Under, Teeth,
                         ::testing::Values(Case{"nsga", true}, Case{"nsga", false},
                                           Case{"nsga_coupled", true}, Case{"nsga_coupled", false},
                                           Case{"moreau", true}, Case{"moreau", false}),
                         [](const auto& test) {
                           return std::string(test.param.integrator) +
                                  (test.param.planar ? "_planar" : "_in_space");
                         });

/// A motor turns one gear at a constant rate, the other rattles about it: it flies from one flank
/// to the other, 2 play apart, slower by e each time.
TEST(RattlingGear, hits_at_the_times_and_with_the_impulses_of_a_geometric_series) {
  const double u = 0.2, e = 0.8, play = 0.01, Omega = 5.0;
  for (const char* integrator : {"nsga", "nsga_coupled", "moreau"}) {
    std::string model = gear("one", J_1, Omega, 0.0, true, "motor = \"5*t\"\n") +
                        gear("two", J_2, (u - r_1 * Omega) / r_2, r_1 + r_2, true) +
                        fmt::format(
                            "[[coupler]]\nname = \"teeth\"\njoints = [\"one\", \"two\"]\n"
                            "ratios = [{}, {}]\nbacklash = {{ play = {}, restitution = {} }}\n"
                            "[integrator]\nname = \"{}\"\nstep = 2e-4\nduration = 0.95\n",
                            r_1, r_2, play, e, integrator);
    Simulation simulation(parse_model(model, "gears.toml"));
    std::vector<double> times, impulses;
    while (!simulation.finished()) {
      simulation.start_interval();
      simulation.step();
      const double impulse = value(simulation, "contacts/teeth.1/normal_impulse") +
                             value(simulation, "contacts/teeth.2/normal_impulse");
      if (impulse < 1e-9) continue;
      times.push_back(simulation.time());
      impulses.push_back(impulse);
    }
    double t = play / u, v = u;
    ASSERT_EQ(times.size(), 5u) << integrator;
    for (std::size_t k = 0; k < times.size(); ++k) {
      // Each is dated to a step, and a flight that began late ends as late.
      EXPECT_NEAR(times[k], t, 2.01e-4 * static_cast<double>(2 * k + 1)) << integrator;
      // The motor yields nothing: the other gear alone is reflected.
      EXPECT_NEAR(impulses[k], (1.0 + e) * v * J_2 / (r_2 * r_2), 1e-8) << integrator;
      v *= e;
      t += 2.0 * play / v;
    }
  }
}

/// A differential: its cage is struck by what turns its two shafts.
TEST(CouplerWithPlay, of_three_joints_shares_the_impulse_by_its_ratios) {
  for (const char* integrator : {"nsga", "nsga_coupled", "moreau"}) {
    const std::string model =
        gear("cage", 0.3, 0.0, 0.0, false) + gear("left", 0.1, 4.0, 1.0, false) +
        gear("right", 0.2, 2.0, 2.0, false) +
        fmt::format(
            "[[coupler]]\nname = \"pinions\"\njoints = [\"cage\", \"left\", \"right\"]\n"
            "ratios = [2, -1, -1]\nbacklash = {{ play = 0.03, radius = 0.1, restitution = 0.5 }}\n"
            "[integrator]\nname = \"{}\"\nstep = 1e-3\nduration = 0.01\n",
            integrator);
    Simulation simulation(parse_model(model, "differential.toml"));
    run(simulation);
    // At radius 0.1 the row is 0.1 [2, -1, -1]; the sum falls at 6 rad/s.
    const double mass = 1.0 / (0.01 * (4.0 / 0.3 + 1.0 / 0.1 + 1.0 / 0.2));
    const double impulse = 1.5 * mass * 0.6;
    EXPECT_NEAR(speed(simulation, "cage", false), 0.2 * impulse / 0.3, 1e-8) << integrator;
    EXPECT_NEAR(speed(simulation, "left", false), 4.0 - 0.1 * impulse / 0.1, 1e-8) << integrator;
    EXPECT_NEAR(speed(simulation, "right", false), 2.0 - 0.1 * impulse / 0.2, 1e-8) << integrator;
    EXPECT_NEAR(value(simulation, "contacts/pinions.1/normal_impulse"), impulse, 1e-8);
  }
}

TEST(CouplerWithPlay, of_nothing_is_the_ideal_coupler) {
  const Model model =
      parse_model(gears("backlash = { play = 0 }\n", 0.0, 0.0, "nsga", 0.1), "gears.toml");
  EXPECT_TRUE(model.contacts.empty());
  EXPECT_EQ(model.couplers.size(), 1u);
}

TEST(CouplerWithPlay, tells_the_mass_and_force_of_its_impacts) {
  Simulation simulation(parse_model(
      gears("backlash = { play = 1e-3, restitution = 0.5, recover = { stiffness = 1e9 } }\n", 3.0,
            0.0, "nsga", 0.01),
      "gears.toml"));
  run(simulation);
  EXPECT_NEAR(value(simulation, "contacts/teeth.2/effective_mass"), tooth_mass, 1e-12 * tooth_mass);
  EXPECT_NEAR(value(simulation, "contacts/teeth.2/approach_speed"), 0.3, 1e-9);
}

TEST(CouplerWithPlay, that_starts_beyond_its_play_is_refused) {
  const std::string model =
      gears("offset = 0.02\nbacklash = { play = 0.01 }\n", 0.0, 0.0, "nsga", 0.1);
  try {
    Simulation simulation(parse_model(model, "gears.toml"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("what it limits starts 0.01 m beyond"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace coupler_backlash_test
}  // namespace clatter
