#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <clatter/io/model_reader.hpp>
#include <clatter/simulation/event_watch.hpp>
#include <clatter/simulation/simulation.hpp>

namespace clatter {
namespace event_test {

constexpr double g = 9.81, e = 0.8;

Model ball(const std::string& events, const std::string& scheme = "nsga", double step = 1e-2) {
  return parse_model(fmt::format(R"(
gravity = [0, 0, -9.81]
[[body]]
name = "ball"
kind = "point"
mass = 0.3
position = [0, 0, 1]
velocity = [2, 0, 3]
[[contact]]
name = "floor"
point = {{ body = "ball" }}
face = {{ normal = [0, 0, 1] }}
restitution = {}
{}
[integrator]
name = "{}"
step = {}
duration = 2
)",
                                 e, events, scheme, step),
                     "ball.toml");
}

void run(Simulation& simulation) {
  while (!simulation.finished()) simulation.step();
}

/// Free flight has no error but round-off with any of the schemes' parameters, so that times are
/// those of the parabola.
TEST(Event, ends_a_run_at_the_time_of_the_closed_form) {
  for (const char* scheme : {"nsga", "nsga_coupled"}) {
    Simulation simulation(ball(R"([[stop]]
name = "low"
quantity = "bodies/ball/position/z"
value = 0.3
record = ["bodies/ball/velocity/z", "bodies/ball/position/x"]
)",
                               scheme));
    run(simulation);
    const double time = (3.0 + std::sqrt(9.0 + 2.0 * g * 0.7)) / g;
    EXPECT_NEAR(simulation.time(), time, 1e-12) << scheme;
    EXPECT_NEAR(simulation.value("bodies/ball/position/z"), 0.3, 1e-12);
    ASSERT_EQ(simulation.statistics().happenings.size(), 1U);
    const Happening& end = simulation.statistics().happenings[0];
    EXPECT_EQ(end.time, simulation.time());
    EXPECT_NEAR(end.values[0], 3.0 - g * time, 1e-11);
    EXPECT_NEAR(end.values[1], 2.0 * time, 1e-12);
    // The ledger is that of the motion up to there.
    EXPECT_NEAR(simulation.value("energy/total"), 0.5 * 0.3 * 13.0 + 0.3 * g, 1e-12);
  }
}

TEST(Event, is_told_of_both_ways_or_one_and_leaves_the_motion_as_it_is) {
  Simulation told(ball(R"([[event]]
name = "both"
quantity = "bodies/ball/position/z"
value = 1.2
[[event]]
name = "down"
quantity = "bodies/ball/position/z"
value = 1.2
way = "falling"
[[event]]
name = "top"
quantity = "bodies/ball/velocity/z"
way = "falling"
)"));
  Simulation plain(ball(""));
  run(told);
  run(plain);
  EXPECT_EQ(told.value("bodies/ball/position/z"), plain.value("bodies/ball/position/z"));
  EXPECT_EQ(told.time(), plain.time());
  std::vector<double> both, down, top;
  for (const Happening& each : told.statistics().happenings) {
    (each.event == 0 ? both : each.event == 1 ? down : top).push_back(each.time);
  }
  // Up, down, and nothing after the first rebound, which ends lower: 0.8 of sqrt(2 g 1.459 m).
  const double up = (3.0 - std::sqrt(9.0 - 2.0 * g * 0.2)) / g, fall = 6.0 / g - up;
  ASSERT_GE(both.size(), 2U);
  EXPECT_NEAR(both[0], up, 1e-12);
  EXPECT_NEAR(both[1], fall, 1e-12);
  ASSERT_GE(down.size(), 1U);
  EXPECT_NEAR(down[0], fall, 1e-12);
  ASSERT_GE(top.size(), 1U);
  EXPECT_NEAR(top[0], 3.0 / g, 1e-12);
}

/// An impact is dated to where the gap closes: by parts of a step, sharper than the step.
TEST(Event, dates_a_jump) {
  Simulation simulation(ball(R"([[stop]]
quantity = "bodies/ball/velocity/z"
value = 1
way = "rising"
)"));
  run(simulation);
  const double impact = (3.0 + std::sqrt(9.0 + 2.0 * g)) / g;
  EXPECT_NEAR(simulation.time(), impact, 1e-10);
  // Restitution is of the speed at the start of the step, not of that at the impact.
  EXPECT_NEAR(simulation.value("bodies/ball/velocity/z"), e * (g * impact - 3.0), e * g * 1e-2);
}

TEST(Event, of_no_quantity_is_refused) {
  try {
    Simulation simulation(ball("[[stop]]\nquantity = \"bodies/ball/positon/z\"\n"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'bodies/ball/position/z'?"),
              std::string::npos)
        << error.what();
  }
}

TEST(FindCrossing, finds_smooth_and_sudden_ones) {
  const auto find = [](double end, const auto& height) {
    int trials = 0;
    const double at = find_crossing(
        end, height(0.0), height(end),
        [&](double t) {
          ++trials;
          return height(t);
        },
        [&](double h) { return h >= 0.0; });
    EXPECT_LT(trials, 60);
    return at;
  };
  EXPECT_NEAR(find(2.0, [](double t) { return t * t * t - 2.0; }), std::cbrt(2.0), 2e-12);
  EXPECT_NEAR(find(1e-6, [](double t) { return std::exp(1e6 * t) - 1.5; }), 1e-6 * std::log(1.5),
              2e-18);
  EXPECT_NEAR(find(1.0, [](double t) { return t < 0.123456 ? -1e-3 : 1e3; }), 0.123456, 2e-12);
}

}  // namespace event_test
}  // namespace clatter
