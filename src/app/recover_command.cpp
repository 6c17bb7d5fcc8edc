#include <algorithm>
#include <filesystem>
#include <memory>

#include <nlohmann/json.hpp>

#include <clatter/io/model_reader.hpp>
#include <clatter/io/output_stream.hpp>
#include <clatter/io/recovery_file.hpp>
#include <clatter/view/line_plot.hpp>

#include "app/command.hpp"
#include "app/console.hpp"
#include "app/result_directory.hpp"

namespace clatter {
namespace {

struct RecoverOptions {
  std::filesystem::path results;
  std::vector<std::string> overrides;
  std::filesystem::path curves;
  ImpactChoice choice;
  bool json = false;
};

/// The run is over: all that can change is what is made of its impulses.
void check_override_of_recovery(const std::string& text) {
  const std::string path = text.substr(0, text.find('='));
  if (path.starts_with("material.") || path.starts_with("material_pair.") ||
      path.find(".recover.") != std::string::npos) {
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
  for (std::size_t c = 0; c < run.contacts.size(); ++c) {
    for (const ContactImpact& impact : run.contacts[c].impacts) {
      if (lines.size() > most_lines) continue;
      lines.push_back({run.recoveries[c].contact, fmt::format("{:.6g}", impact.time),
                       format_number(impact.known.impulse), format_number(impact.known.speed),
                       impact.settings ? format_number(impact.duration) : "-",
                       impact.settings ? format_number(impact.peak) : "-",
                       format_number(impact.energy_lost),
                       impact.stress ? format_number(impact.stress->pressure) : "-"});
    }
  }
  print_text(align(lines));
  if (run.impacts() > most_lines) say("... and {} more\n", run.impacts() - most_lines);
  for (const std::string& note : notes_on(run)) say("note: {}\n", note);
}

/// Force over depth and rate over depth: what the loops enclose of the first is lost.
LinePlot loops_of(const std::vector<ImpactCurve>& curves) {
  LinePlot plot;
  plot.x_label = "depth [m]";
  plot.panels = {{"force [N]", {}}, {"rate [m/s]", {}}};
  for (const ImpactCurve& each : curves) {
    LinePlot::Curve force{fmt::format("{}, impact {}", each.contact, each.number), {}, {}};
    for (const CollisionPoint& p : each.collision.curve) {
      force.x.push_back(p.depth);
      force.y.push_back(p.force);
    }
    LinePlot::Curve rate = force;
    for (std::size_t i = 0; i < rate.y.size(); ++i) rate.y[i] = each.collision.curve[i].rate;
    plot.panels[0].curves.push_back(std::move(force));
    plot.panels[1].curves.push_back(std::move(rate));
  }
  return plot;
}

void write_or_draw_curves(const RecoverOptions& options, const RecoveredRun& run) {
  const std::vector<ImpactCurve> curves = curves_of(run, options.choice);
  const std::string ending = options.curves.extension().string();
  if (ending != ".svg") return write_curves(options.curves, curves);
  constexpr std::size_t most_loops = 12;  // that eyes can follow
  if (curves.size() > most_loops) {
    throw Error(
        fmt::format("{}: {} impacts are too many for one drawing; choose with --contact "
                    "and --impact, or write a table (.csv)",
                    options.curves.string(), curves.size()));
  }
  replace_file(options.curves, svg_of(loops_of(curves), 120.0, 150.0));
}

int recover_results(const RecoverOptions& options) {
  for (const std::string& change : options.overrides) check_override_of_recovery(change);
  const ResultDirectory directory{options.results};
  const Hdf5Reader results(directory.results());
  const Model model = model_of_results(results, options.overrides);
  const RecoveredRun run = recover_run(results, model);
  if (run.recoveries.empty()) {
    throw Error(fmt::format("{}: no contact and no material of this model has 'recover'",
                            options.results.string()));
  }
  write_impacts(directory.impacts(), run);
  write_recovery(directory.recovery(), run);
  if (!options.curves.empty()) write_or_draw_curves(options, run);
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
                  "Write time, depth, rate and force of impacts while they last (CSV), or draw "
                  "force and rate over depth (SVG)")
      ->type_name("FILE");
  command.add_option("--contact", options->choice.contact, "Curves of this contact alone")
      ->type_name("NAME");
  command
      .add_option("--impact", options->choice.impact, "Curves of the impact of this number alone")
      ->check(CLI::PositiveNumber)
      ->type_name("K");
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
      "curves.csv\n"
      "  clatter recover bounce.clatter --contact floor --impact 1 --curves loop.svg");
  return [options] { return recover_results(*options); };
}

}  // namespace clatter
