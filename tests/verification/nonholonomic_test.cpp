#include <array>
#include <cmath>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include <clatter/io/model_reader.hpp>

#include "support/run.hpp"
#include "support/source_folder.hpp"

namespace clatter {
namespace nonholonomic_test {

using testing::run;
using testing::value;

struct Scheme {
  IntegratorKind kind;
  int order;
};

class ChaplyginSleigh : public ::testing::TestWithParam<Scheme> {};

// Against the closed form; see examples/nonholonomic/chaplygin-sleigh.toml.
TEST_P(ChaplyginSleigh, converges_to_its_closed_form_with_the_order_of_the_scheme) {
  Model model = read_model(source_folder() / "examples/nonholonomic/chaplygin-sleigh.toml");
  model.integrator.kind = GetParam().kind;
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
      EXPECT_LT(error[i], std::pow(2.0 * h, GetParam().order)) << i;  // W = 2 rad/s
      // Terms of the next order are some h W of those of this one.
      if (last[i] == 0.0) continue;
      EXPECT_NEAR(std::log2(last[i] / error[i]), GetParam().order, 10.0 * h) << i << ' ' << h;
    }
    last = error;
  }
}

INSTANTIATE_TEST_SUITE_P(Schemes, ChaplyginSleigh,
                         ::testing::Values(Scheme{IntegratorKind::nsga, 2},
                                           Scheme{IntegratorKind::nsga_coupled, 2},
                                           Scheme{IntegratorKind::moreau, 1}),
                         [](const auto& test) { return std::string(to_string(test.param.kind)); });

}  // namespace nonholonomic_test
}  // namespace clatter
