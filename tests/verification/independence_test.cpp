#include <filesystem>

#include <gtest/gtest.h>

#include <clatter/io/model_reader.hpp>

#include "support/run.hpp"
#include "support/scaled_model.hpp"
#include "support/source_folder.hpp"
#include "support/test_name.hpp"

namespace clatter {
namespace independence_test {

using testing::run;

/// Position of every body after the run, divided by a unit of length, one under the other.
VecX end_positions(const Model& model, double unit) {
  Simulation simulation(model);
  run(simulation);
  std::vector<double> row(static_cast<std::size_t>(simulation.row_size()));
  simulation.sample(row);
  std::vector<double> positions;
  for (const Channel& channel : simulation.channels()) {
    const bool place = channel.path.ends_with("/position");
    const bool turn = channel.path.ends_with("/orientation") || channel.path.ends_with("/angle");
    if (!place && !turn) continue;
    for (std::size_t i = 0; i < channel.components.size(); ++i) {
      positions.push_back(row[static_cast<std::size_t>(channel.offset) + i] / (place ? unit : 1.0));
    }
  }
  return Eigen::Map<VecX>(positions.data(), static_cast<Eigen::Index>(positions.size()));
}

// The subproblems are solved to 1e-10 of their terms and the examples amplify a difference by less
// than ten over their run, so that end states of equivalent runs agree to 1e-9 of the model's size.
constexpr double same = 1e-9;

class Example : public ::testing::TestWithParam<const char*> {
 protected:
  Model model() const { return read_model(source_folder() / "examples" / GetParam()); }
  static double size_of(const Model& model) {
    Simulation simulation(model);
    return simulation.statistics().length;
  }
};

TEST_P(Example, does_not_depend_on_the_penalty) {
  const Model reference = model();
  const VecX expected = end_positions(reference, 1.0);
  for (const double factor : {1e-3, 1e3}) {
    Model changed = reference;
    changed.integrator.penalty = factor;
    EXPECT_LT((end_positions(changed, 1.0) - expected).cwiseAbs().maxCoeff(),
              same * size_of(reference))
        << "penalty " << factor;
  }
}

TEST_P(Example, does_not_depend_on_the_scaling_of_multipliers) {
  const Model reference = model();
  const VecX expected = end_positions(reference, 1.0);
  for (const double factor : {1e-3, 1.0, 1e3}) {
    Model changed = reference;
    double mean = 0.0;
    for (const BodySpec& body : reference.bodies) {
      mean += body.mass / static_cast<double>(reference.bodies.size());
    }
    changed.integrator.scaling = Scaling::characteristic_mass;
    changed.integrator.characteristic_mass = factor * mean;
    EXPECT_LT((end_positions(changed, 1.0) - expected).cwiseAbs().maxCoeff(),
              same * size_of(reference))
        << "characteristic mass times " << factor;
  }
}

TEST_P(Example, does_not_depend_on_the_units) {
  const Model reference = model();
  const VecX expected = end_positions(reference, 1.0);
  for (const double length : {1e-3, 1e3}) {
    for (const double mass : {1e-3, 1e3}) {
      const VecX got = end_positions(testing::scaled(reference, length, mass), length);
      EXPECT_LT((got - expected).cwiseAbs().maxCoeff(), same * size_of(reference))
          << "length unit " << length << ", mass unit " << mass;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Example,
                         ::testing::Values("001/incline.toml", "001/rocking-rod-1.toml",
                                           "001/rocking-rod-2.toml", "001/rocking-rod-3.toml",
                                           "001/rocking-rod-4.toml", "001/spring-chain.toml",
                                           "001/pendulum-on-plate.toml"),
                         [](const auto& parameter) { return testing::test_name(parameter.param); });

}  // namespace independence_test
}  // namespace clatter
