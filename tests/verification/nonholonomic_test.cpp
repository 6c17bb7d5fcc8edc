#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>

#include "io/model_reader.hpp"
#include "support/run.hpp"

namespace clatter {
namespace {

using testing::run;
using testing::value;

// Chaplygin's sleigh against its closed form; see examples/nonholonomic/chaplygin-sleigh.toml.
TEST(ChaplyginSleigh, converges_to_its_closed_form_with_second_order) {
  Model model = read_model(std::filesystem::path(CLATTER_SOURCE_DIR) /
                           "examples/nonholonomic/chaplygin-sleigh.toml");
  const auto gd = [](double x) { return 2.0 * std::atan(std::tanh(0.5 * x)); };
  const double start = -std::atanh(0.6), x = 1.2 * 3.0 + start;
  const double w = 2.0 / std::cosh(x), angle = 2.0 / 1.2 * (gd(x) - gd(start));
  const double force = 2.0 * std::tanh(x) * w * 0.32 / 0.5;
  std::array<double, 3> last{};
  for (const double h : {0.02, 0.01, 0.005, 0.0025}) {
    model.integrator.step = h;
    Simulation simulation(model);
    run(simulation);
    const double fx = value(simulation, "joints/blade/force", 0),
                 fy = value(simulation, "joints/blade/force", 1);
    const std::array<double, 3> error{
        std::abs(value(simulation, "bodies/sleigh/angular_velocity") - w),
        std::abs(value(simulation, "bodies/sleigh/angle") - angle),
        std::abs(std::hypot(fx, fy) - force)};
    for (std::size_t i = 0; i < error.size(); ++i) {
      // (W h)^2 with W = 2 rad/s.
      EXPECT_LT(error[i], 4.0 * h * h) << i;
      // Terms of third order are some h W of those of second.
      if (last[i] == 0.0) continue;
      EXPECT_NEAR(std::log2(last[i] / error[i]), 2.0, 10.0 * h) << i << ' ' << h;
    }
    last = error;
  }
}

}  // namespace
}  // namespace clatter
