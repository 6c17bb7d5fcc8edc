#include <fmt/format.h>
#include <gtest/gtest.h>

#include <clatter/studies/convergence.hpp>

#include "support/beam.hpp"
#include "support/run.hpp"

namespace clatter {
namespace beam_flight_test {

using testing::example;
using testing::value;

TEST(BeamFlight, momenta_and_energy_of_a_free_frame_are_kept_to_the_order_of_the_scheme) {
  const std::vector<double> steps{8e-3, 4e-3, 2e-3};
  std::vector<double> spin_errors, energy_errors;
  for (const double h : steps) {
    Simulation simulation(
        example("beams/frame-in-flight.toml",
                {fmt::format("integrator.step={}", h), "integrator.duration=15"}));
    while (simulation.time() < 5.0 + 0.5 * h) simulation.step();
    const Vec3 linear = testing::vector(simulation, "system/linear_momentum"),
               spin = testing::vector(simulation, "system/angular_momentum");
    const double energy = value(simulation, "energy/total");
    double spin_error = 0.0, energy_error = 0.0, linear_error = 0.0;
    while (!simulation.finished()) {
      simulation.step();
      const Vec3 now = testing::vector(simulation, "system/linear_momentum"),
                 spin_now = testing::vector(simulation, "system/angular_momentum");
      linear_error = std::max(linear_error, (now - linear).norm());
      spin_error = std::max(spin_error, (spin_now - spin).norm());
      energy_error = std::max(energy_error, std::abs(value(simulation, "energy/total") - energy));
    }
    // Round-off of 2500 steps and more; internal forces are pairs.
    EXPECT_LT(linear_error, 1e-12 * linear.norm());
    spin_errors.push_back(spin_error / spin.norm());
    energy_errors.push_back(energy_error / energy);
  }
  // Second order, with what a tumble of a few turns adds to it.
  EXPECT_NEAR(*error_decay(steps, spin_errors).order, 2.0, 0.3);
  EXPECT_NEAR(*error_decay(steps, energy_errors).order, 2.0, 0.3);
  // (h w)^2/12 for w = 10 1/s of bending and tumbling, and w = 50 1/s of the vibrations
  EXPECT_LT(spin_errors.back(), 3.3e-5);
  EXPECT_LT(energy_errors.back(), 8.3e-4);
}

}  // namespace beam_flight_test
}  // namespace clatter
