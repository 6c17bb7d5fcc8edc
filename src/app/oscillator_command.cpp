#include <algorithm>
#include <memory>
#include <numbers>

#include <nlohmann/json.hpp>

#include <clatter/model/error.hpp>
#include <clatter/model/scheme_kinds.hpp>
#include <clatter/studies/amplification.hpp>

#include "app/command.hpp"
#include "app/console.hpp"

namespace clatter {
namespace {

struct OscillatorOptions {
  std::vector<std::string> integrators, settings;
  std::vector<double> angles;
  double damping = 0.0;
  bool json = false;
};

struct Study {
  std::string integrator;
  double angle = 0.0;
  Amplification found;
  std::string refusal;
};

std::string number_or_dash(const std::optional<double>& value) {
  return value ? format_number(std::abs(*value) < 1e-9 ? 0.0 : *value) : "-";
}

nlohmann::json number_or_null(const std::optional<double>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json();
}

void print_table(const std::vector<Study>& studies) {
  std::vector<std::vector<std::string>> lines = {
      {"integrator", "angle", "spectral radius", "damping ratio", "frequency", "steps a period"}};
  for (const Study& study : studies) {
    if (!study.refusal.empty()) {
      lines.push_back({study.integrator, format_number(study.angle), "-", "-", "-", "-"});
      continue;
    }
    lines.push_back({study.integrator, format_number(study.angle),
                     format_number(study.found.radius()), number_or_dash(study.found.damping()),
                     number_or_dash(study.found.frequency()),
                     format_number(2.0 * std::numbers::pi / study.angle)});
  }
  print_text(align(lines));
  std::vector<std::string> told;
  for (const Study& study : studies) {
    const std::string line = fmt::format("{}: {}", study.integrator, study.refusal);
    if (study.refusal.empty() || std::find(told.begin(), told.end(), line) != told.end()) continue;
    told.push_back(line);
    say("{}\n", line);
  }
}

nlohmann::json to_json(const std::vector<Study>& studies) {
  nlohmann::json list = nlohmann::json::array();
  for (const Study& study : studies) {
    nlohmann::json entry = {{"integrator", study.integrator}, {"angle", study.angle}};
    if (!study.refusal.empty()) {
      entry["refused"] = study.refusal;
      list.push_back(std::move(entry));
      continue;
    }
    entry["spectral_radius"] = study.found.radius();
    entry["damping_ratio"] = number_or_null(study.found.damping());
    entry["frequency"] = number_or_null(study.found.frequency());
    nlohmann::json roots = nlohmann::json::array();
    for (const auto& root : study.found.eigenvalues) roots.push_back({root.real(), root.imag()});
    entry["eigenvalues"] = roots;
    list.push_back(std::move(entry));
  }
  return list;
}

int study_oscillator(const OscillatorOptions& options) {
  std::vector<Study> studies;
  for (const std::string& integrator : options.integrators) {
    for (const double angle : options.angles) {
      Study study{integrator, angle, {}, {}};
      try {
        study.found = amplification_of(integrator, angle, options.damping, options.settings);
      } catch (const Error& error) {
        study.refusal = error.mistakes().front().message;
      }
      studies.push_back(std::move(study));
    }
  }
  if (options.json) {
    say("{}\n", to_json(studies).dump(2));
  } else {
    print_table(studies);
  }
  const bool any = std::any_of(studies.begin(), studies.end(),
                               [](const Study& study) { return study.refusal.empty(); });
  return any ? exit_fine : exit_failed;
}

}  // namespace

Action add_oscillator_command(CLI::App& command) {
  const auto options = std::make_shared<OscillatorOptions>();
  options->integrators.assign(integrator_names.begin(), integrator_names.end());
  options->angles = {0.01, 0.1, 0.5, 1.0, 2.0, 2.5, 3.0, 10.0, 100.0};
  command
      .add_option("INTEGRATOR", options->integrators,
                  "Names as in [integrator] of a model file [all of them]")
      ->check(
          CLI::IsMember(std::vector<std::string>(integrator_names.begin(), integrator_names.end())))
      ->type_name("");
  command
      .add_option("--angle", options->angles,
                  "Frequency of the oscillator times the step [0.01 ... 100]")
      ->check(CLI::Range(1e-4, 1e8))
      ->type_name("W");
  command.add_option("--damping", options->damping, "Damping ratio of the oscillator itself [0]")
      ->check(CLI::Range(0.0, 1.0))
      ->type_name("XI");
  command
      .add_option("--set", options->settings,
                  "A key of [integrator], such as rho_inf=0.5; may be given several times")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  command.add_flag("--json", options->json, "Print JSON, with all eigenvalues");
  command.footer(
      "What integrators make of an oscillator in a step, by the eigenvalues of the matrix that\n"
      "takes it from step to step, found by steps of the integrator itself. Above a spectral\n"
      "radius of 1 it grows; the damping ratio is numerical, the frequency relative to the true\n"
      "one.\n\n"
      "Examples:\n"
      "  clatter oscillator newmark --set gamma=1 --set beta=0.49\n"
      "  clatter oscillator nsga --set rho_inf=0.5 --angle 1 --angle 1000\n"
      "  clatter oscillator energy_consistent --set variant=simo-tarnow");
  return [options] { return study_oscillator(*options); };
}

}  // namespace clatter
