#include <array>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clatter/io/model_reader.hpp>
#include <clatter/simulation/simulation.hpp>

#include "support/impact_models.hpp"
#include "support/run.hpp"
#include "support/source_folder.hpp"

namespace clatter {
namespace impact_sequence_test {

using testing::chain;
using ::testing::HasSubstr;
using testing::run;
using testing::value;

struct ChainCase {
  const char* name;
  double restitution;
  bool multi_impact;
  Vec3 speeds;  // of the three in the end
};

class Chain : public ::testing::TestWithParam<ChainCase> {};

TEST_P(Chain, closes_the_ledger_at_round_off) {
  for (const BodyKind kind : {BodyKind::rigid, BodyKind::planar}) {
    const Vec3 way =
        kind == BodyKind::planar ? Vec3(0.6, 0.8, 0.0) : Vec3(2.0 / 7.0, 3.0 / 7.0, 6.0 / 7.0);
    Simulation simulation(chain(kind, way, GetParam().restitution, GetParam().multi_impact));
    run(simulation);
    const double before = 0.5, after = 0.5 * GetParam().speeds.squaredNorm();
    const int axes = kind == BodyKind::planar ? 2 : 3;
    int component = 0;
    for (const char* name : {"a", "b", "c"}) {
      for (int i = 0; i < axes; ++i) {
        EXPECT_NEAR(value(simulation, std::string("bodies/") + name + "/velocity", i),
                    GetParam().speeds[component] * way[i], 1e-12)
            << name << i;
      }
      ++component;
    }
    EXPECT_NEAR(value(simulation, "energy/kinetic"), after, 1e-12);
    EXPECT_NEAR(value(simulation, "energy/impact_loss"), before - after, 1e-12);
    EXPECT_NEAR(value(simulation, "energy/scheme_loss"), 0.0, 1e-12);
    EXPECT_GE(simulation.statistics().min_gap, -1e-13);
  }
}

// In sequence, a to b, b to c and, unless nothing is lost, a to b again; or all at once.
INSTANTIATE_TEST_SUITE_P(
    OfThreeBalls, Chain,
    ::testing::Values(
        ChainCase{"elastic_in_sequence", 1.0, true, Vec3(0.0, 0.0, 1.0)},
        ChainCase{"half_elastic_in_sequence", 0.5, true, Vec3(0.203125, 0.234375, 0.5625)},
        ChainCase{"elastic_at_once", 1.0, false, Vec3(-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0)},
        ChainCase{"half_elastic_at_once", 0.5, false, Vec3(0.0, 0.5, 0.5)},
        ChainCase{"plastic_at_once", 0.0, false, Vec3(1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0)}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(Chain, counts_the_impacts_of_its_sequence) {
  Simulation simulation(chain(BodyKind::rigid, Vec3::UnitX(), 0.5, true));
  run(simulation);
  EXPECT_EQ(simulation.statistics().max_impacts, 3);
}

TEST(Chain, fails_clearly_when_its_sequence_is_longer_than_allowed) {
  Model model = chain(BodyKind::rigid, Vec3::UnitX(), 0.5, true);
  model.integrator.max_impacts = 2;
  Simulation simulation(model);
  try {
    run(simulation);
    ADD_FAILURE() << "the sequence of three impacts should not fit";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("the sequence of impacts did not end after 2 of them; see "
                                        "integrator.max_impacts and impact_tolerance"));
    EXPECT_THAT(error.what(), HasSubstr("t = 0."));
  }
  // Nothing of the failed step remains.
  EXPECT_EQ(value(simulation, "bodies/a/velocity"), 1.0);
  EXPECT_EQ(value(simulation, "contacts/ab/status"), 0.0);
  EXPECT_EQ(value(simulation, "energy/impact_loss"), 0.0);
  model.integrator.max_impacts = 3;
  Simulation longer(model);
  EXPECT_NO_THROW(run(longer));
}

TEST(Chain, ends_where_the_approach_is_slower_than_the_tolerance) {
  // The third impact of the sequence is one of 0.0625 m/s.
  Model model = chain(BodyKind::rigid, Vec3::UnitX(), 0.5, true);
  model.integrator.impact_tolerance = 0.07;
  Simulation simulation(model);
  while (value(simulation, "bodies/c/velocity") == 0.0) simulation.step();
  EXPECT_EQ(simulation.statistics().max_impacts, 2);
  EXPECT_NEAR(value(simulation, "bodies/a/velocity"), 0.25, 1e-13);
  EXPECT_NEAR(value(simulation, "bodies/b/velocity"), 0.1875, 1e-13);
}

// A cut of 1e-5 of the finer step around the impact would be so short that within it weight gives
// the balls less speed than round-off leaves of that of the cue ball.
TEST(BilliardBreak, struck_balls_press_on_the_cloth_in_the_shortest_cut) {
  const auto speeds_after = [](const char* step) {
    const std::vector<std::string> changes{std::string("integrator.step=") + step,
                                           "integrator.locate_impacts=true",
                                           "integrator.duration=0.115"};
    Simulation simulation(
        read_model(source_folder() / "examples/000/billiard-break.toml", changes));
    run(simulation);
    return std::array{value(simulation, "bodies/ball2/velocity", 0),
                      value(simulation, "bodies/ball3/velocity", 0),
                      value(simulation, "bodies/ball4/velocity", 1)};
  };
  const auto coarse = speeds_after("1e-4"), fine = speeds_after("2e-5");
  // Friction of the cloth changes speeds by mu g h = 2e-4 m/s in a step.
  for (std::size_t i = 0; i < fine.size(); ++i) EXPECT_NEAR(fine[i], coarse[i], 4e-4) << i;
}

}  // namespace impact_sequence_test
}  // namespace clatter
