#include <limits>

#include <gtest/gtest.h>

#include <clatter/simulation/simulation.hpp>

#include "support/run.hpp"

namespace clatter {
namespace run_statistics_test {

using testing::point;
using testing::run;
using testing::timed;
using testing::value;

TEST(RunStatistics, smallest_gap_is_that_of_points_over_their_faces) {
  const auto smallest_gap = [](double x) {
    Model model = timed(0.01, 1.0);
    model.bodies = {point("ball", 1.0, Vec3(x, 0.0, 1.0), Vec3(0.0, 0.0, -3.0))};
    ContactSpec plate;
    plate.name = "plate";
    plate.point.body = "ball";
    plate.outline = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}};
    model.contacts = {plate};
    Simulation simulation(model);
    run(simulation);
    EXPECT_NEAR(value(simulation, "bodies/ball/position", 2), x > 1.0 ? -2.0 : 0.0, 1e-12);
    return simulation.statistics().min_gap;
  };
  EXPECT_NEAR(smallest_gap(0.5), 0.0, 1e-12);
  EXPECT_EQ(smallest_gap(1.5), std::numeric_limits<double>::infinity());  // it falls past the edge
}

}  // namespace run_statistics_test
}  // namespace clatter
