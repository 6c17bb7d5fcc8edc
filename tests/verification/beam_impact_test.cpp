#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/beam.hpp"
#include "support/run.hpp"

namespace clatter {
namespace beam_impact_test {

using testing::example;
using testing::order_of;
using testing::value;

/// What the bar of examples/beams/bar-against-wall.toml leaves on a mesh of n elements, with c h
/// half of an element and the impact in the middle of a step.
struct Rebound {
  double impulse = 0.0, duration = 0.0, impact_loss, momentum, spread = 0.0;

  explicit Rebound(int n, bool lumped = false) {
    const double h = 0.5e-3 / n, gap = 19.5 * h;
    Simulation simulation(
        example("beams/bar-against-wall.toml",
                {fmt::format("beam.bar.elements={}", n), fmt::format("integrator.step={:.17g}", h),
                 fmt::format("beam.bar.points=[[{:.17g}, 0], [{:.17g}, 0]]", gap, 1.0 + gap),
                 lumped ? "beam.bar.mass=lumped" : "beam.bar.mass=consistent"}));
    while (!simulation.finished()) {
      simulation.start_interval();
      simulation.step();
      impulse += value(simulation, "contacts/wall/normal_impulse");
      if (value(simulation, "contacts/wall/status") > 0.0) duration += h;
    }
    impact_loss = value(simulation, "energy/impact_loss");
    momentum = value(simulation, "system/linear_momentum");
    for (int i = 0; i <= n; ++i) {
      spread += std::abs(value(simulation, "beams/bar/velocity", 2 * i) - 1.0) / (n + 1);
    }
  }
};

TEST(BeamImpact, bar_that_hits_a_wall_rebounds_and_what_the_mesh_takes_falls_with_it) {
  const std::vector<int> elements{25, 50, 100};
  for (const bool lumped : {false, true}) {
    std::vector<double> loss, impulse, spread;
    for (const int n : elements) {
      const Rebound bar(n, lumped);
      loss.push_back(bar.impact_loss);
      impulse.push_back(2.0 - bar.impulse);
      spread.push_back(bar.spread);
      EXPECT_NEAR(bar.momentum, bar.impulse - 1.0, 1e-12);
      EXPECT_NEAR(bar.duration, 2e-3, 2e-3 / n) << n;  // 2 L/c, to the time of two elements
    }
    // The node at the wall loses its speed: its mass m is L/n times 1/(2 sqrt 3) of the bar's
    // (consistent) or half of it (lumped), and the ledger has m v^2/2 in the step of an impact at
    // its end, up to twice that when the position has to be corrected as well.
    const double node = lumped ? 0.5 : 0.5 / std::sqrt(3.0);
    EXPECT_NEAR(order_of(elements, loss), 1.0, 0.02);
    EXPECT_GT(loss.back() * elements.back(), 0.5 * node);
    EXPECT_LT(loss.back() * elements.back(), node);
    // Waves of the length of elements are dispersed: the front is n^(-2/3) long (Airy), and there
    // is the node: an order between 2/3 and 1.
    EXPECT_GT(order_of(elements, impulse), 0.6);
    EXPECT_LT(order_of(elements, impulse), 1.1);
    EXPECT_LT(impulse.back(), 2.0 * std::pow(elements.back(), -2.0 / 3.0));
    EXPECT_GT(impulse.back(), 0.0);
    EXPECT_TRUE(std::is_sorted(spread.rbegin(), spread.rend()));
  }
}

}  // namespace beam_impact_test
}  // namespace clatter
