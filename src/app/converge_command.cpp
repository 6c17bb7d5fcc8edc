#include <filesystem>
#include <memory>
#include <optional>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include <clatter/io/model_reader.hpp>
#include <clatter/studies/convergence.hpp>

#include "app/command.hpp"
#include "app/console.hpp"

namespace clatter {

namespace {

struct ConvergeOptions {
  std::filesystem::path model;
  std::vector<double> steps;
  int halvings = 5;
  std::optional<double> reference;
  std::vector<std::string> overrides;
  bool json = false;
};

std::string rate_text(const ErrorDecay& decay, std::size_t i) {
  if (decay.rates[i]) return fmt::format("{:.2f}", *decay.rates[i]);
  return i > 0 && decay.errors[i] < exact_error ? "exact" : "";
}

void print_table(const ConvergenceStudy& study) {
  std::vector<std::vector<std::string>> lines = {
      {"step [s]", "error positions", "rate", "error velocities", "rate"}};
  for (std::size_t i = 0; i < study.steps.size(); ++i)
    lines.push_back(
        {fmt::format("{:g}", study.steps[i]), fmt::format("{:.3e}", study.positions.errors[i]),
         rate_text(study.positions, i), fmt::format("{:.3e}", study.velocities.errors[i]),
         rate_text(study.velocities, i)});
  print_text(align(lines, {}));
  say("\norder of positions {}, of velocities {} (reference: step {:g} s)\n",
      order_text(study.positions), order_text(study.velocities), study.reference_step);
}

nlohmann::ordered_json decay_json(const ErrorDecay& decay) {
  nlohmann::ordered_json rates = nlohmann::ordered_json::array();
  for (const auto& rate : decay.rates)
    rates.push_back(rate ? nlohmann::ordered_json(*rate) : nlohmann::ordered_json());
  return {{"errors", decay.errors},
          {"rates", rates},
          {"order", decay.order ? nlohmann::ordered_json(*decay.order) : "exact"}};
}

int study_model(const ConvergeOptions& options) {
  const Model model = read_model(options.model, options.overrides);
  std::vector<double> steps = options.steps;
  if (steps.empty())
    for (int i = 0; i <= options.halvings; ++i)
      steps.push_back(std::ldexp(model.integrator.step, -i));
  const double finest = *std::min_element(steps.begin(), steps.end());

  const bool terminal = isatty(STDERR_FILENO) != 0;
  std::size_t done = 0;
  const auto report = [&](double step) {
    if (terminal)
      fmt::print(stderr, "\r\033[K{} runs done, the last with step {:g} s", ++done, step);
  };
  const ConvergenceStudy study =
      study_convergence(model, steps, options.reference.value_or(finest / 4), report);
  if (terminal) fmt::print(stderr, "\r\033[K");

  if (options.json) {
    const nlohmann::ordered_json json = {{"steps", study.steps},
                                         {"reference_step", study.reference_step},
                                         {"positions", decay_json(study.positions)},
                                         {"velocities", decay_json(study.velocities)}};
    say("{}\n", json.dump(2));
  } else {
    print_table(study);
  }
  return exit_fine;
}

}  // namespace

Action add_converge_command(CLI::App& command) {
  const auto options = std::make_shared<ConvergeOptions>();
  command.add_option("MODEL", options->model, "Model file")->required()->type_name("");
  const auto steps = command.add_option("--steps", options->steps, "Steps to run with [s]")
                         ->delimiter(',')
                         ->allow_extra_args(false)
                         ->check(CLI::PositiveNumber)
                         ->type_name("H1,H2,...");
  command
      .add_option("--halvings", options->halvings,
                  "How often the model's own step is halved, when --steps is not given [5]")
      ->check(CLI::Range(1, 20))
      ->excludes(steps)
      ->type_name("N");
  command
      .add_option("--reference", options->reference,
                  "Step of the run to compare with [a quarter of the smallest]")
      ->check(CLI::PositiveNumber)
      ->type_name("H");
  add_set_option(command, options->overrides);
  command.add_flag("--json", options->json, "Print JSON instead of a table");
  command.footer(
      "The error of a step is the sum of the deviations from the reference run at all common "
      "times,\n"
      "relative to the sum of the reference itself; the order is the slope of log error over log\n"
      "step. All steps must divide the coarsest.\n\n"
      "Examples:\n"
      "  clatter converge block.toml --halvings 4\n"
      "  clatter converge block.toml --steps 1e-2,5e-3,1e-3 --reference 1e-4");
  return [options] { return study_model(*options); };
}

}  // namespace clatter
