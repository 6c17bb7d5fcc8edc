#include <algorithm>
#include <filesystem>
#include <memory>

#include <nlohmann/json.hpp>

#include <clatter/io/model_reader.hpp>
#include <clatter/io/recovery_file.hpp>

#include "app/command.hpp"
#include "app/console.hpp"
#include "app/result_directory.hpp"

namespace clatter {
namespace {

struct RecoverOptions {
  std::filesystem::path results;
  std::vector<std::string> overrides;
  std::filesystem::path curves;
  bool json = false;
};

/// The run is over: all that can change is what is made of its impulses.
void check_override_of_recovery(const std::string& text) {
  const std::string path = text.substr(0, text.find('='));
  if (path.starts_with("material.") || path.find(".recover.") != std::string::npos) {
    return;
  }
  throw Error(
      fmt::format("--set {}: only keys of 'recover' of a contact and of materials can be "
                  "changed after a run",
                  text));
}

Model model_of_results(const Hdf5Reader& results, const std::vector<std::string>& changes) {
  std::vector<std::string> overrides = results.texts("overrides");
  overrides.insert(overrides.end(), changes.begin(), changes.end());
  return parse_model(results.text("model_text"), results.text("model_file"), overrides);
}

void print_impacts(const RecoveredRun& run) {
  std::vector<std::vector<std::string>> lines = {{"contact", "time [s]", "impulse [N s]",
                                                  "speed [m/s]", "lasts [s]", "peak [N]",
                                                  "lost [J]", "pressure [Pa]"}};
  constexpr std::size_t most_lines = 40;  // impacts.csv has all
  bool yields = false;
  for (std::size_t c = 0; c < run.contacts.size(); ++c) {
    for (const ContactImpact& impact : run.contacts[c].impacts) {
      yields = yields || (impact.stress && impact.stress->of_strength.value_or(0.0) > 1.0);
      if (lines.size() > most_lines) continue;
      lines.push_back({run.recoveries[c].contact, fmt::format("{:.6g}", impact.time),
                       format_number(impact.known.impulse), format_number(impact.known.speed),
                       format_number(impact.duration), format_number(impact.peak),
                       format_number(impact.energy_lost),
                       impact.stress ? format_number(impact.stress->pressure) : "-"});
    }
  }
  print_text(align(lines));
  if (run.impacts() > most_lines) say("... and {} more\n", run.impacts() - most_lines);
  if (yields) {
    say("note: where of_strength is more than 1 a body yields, and laws of elastic bodies do not "
        "hold\n");
  }
}

int recover_results(const RecoverOptions& options) {
  for (const std::string& change : options.overrides) check_override_of_recovery(change);
  const ResultDirectory directory{options.results};
  const Hdf5Reader results(directory.results());
  const Model model = model_of_results(results, options.overrides);
  const RecoveredRun run = recover_run(results, model);
  if (run.recoveries.empty()) {
    throw Error(
        fmt::format("{}: no contact of this model has 'recover'", options.results.string()));
  }
  write_impacts(directory.impacts(), run);
  write_recovery(directory.recovery(), run);
  if (!options.curves.empty()) write_curves(options.curves, run);
  if (options.json) {
    say("{}\n", recovery_json(run).dump(2));
  } else {
    print_impacts(run);
    say("\n{} impacts in {} and {}\n", run.impacts(), directory.impacts().string(),
        directory.recovery().string());
  }
  return exit_fine;
}

}  // namespace

Action add_recover_command(CLI::App& command) {
  const auto options = std::make_shared<RecoverOptions>();
  command.add_option("RESULT", options->results, "Result directory of a run")
      ->required()
      ->type_name("");
  add_set_option(command, options->overrides);
  command
      .add_option("--curves", options->curves,
                  "Write time, depth, rate and force of every impact while it lasts (CSV)")
      ->type_name("FILE");
  command.add_flag("--json", options->json, "Print JSON instead of a table");
  command.footer(
      "Finds the forces of impacts, and the stresses they leave, from the impulses of a stored "
      "run\n"
      "whose model has contacts with 'recover'. Writes impacts.csv and recovery.h5 anew; --set "
      "tries\n"
      "another law, profile or stiffness.\n\n"
      "Examples:\n"
      "  clatter recover bounce.clatter\n"
      "  clatter recover bounce.clatter --set contact.floor.recover.law=flores --curves "
      "curves.csv");
  return [options] { return recover_results(*options); };
}

}  // namespace clatter
