#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>

#include <clatter/io/model_reader.hpp>
#include <clatter/io/summary.hpp>
#include <clatter/machine/at_rest.hpp>
#include <clatter/simulation/simulation.hpp>

#include "app/command.hpp"
#include "app/console.hpp"
#include "app/result_directory.hpp"

namespace clatter {

namespace {

/// Modes nearest to zero among which an unstable one is looked for.
constexpr int modes_to_judge = 10;
/// Parts of a reaction below this, relative to the largest, are round-off and read 0.
constexpr double smallest_part = 1e-8;

struct StaticOptions {
  std::filesystem::path model;
  std::filesystem::path out;
  std::vector<std::string> overrides;
  double time = 0.0;
  bool csv = false, quiet = false;
};

/// A row of channels by name.
class Values {
 public:
  Values(const std::vector<Channel>& channels, std::span<const double> row) : row_(row) {
    for (const Channel& channel : channels) channels_[channel.path] = &channel;
  }

  /// Empty when there is no such channel.
  std::span<const double> of(const std::string& path) const {
    const auto found = channels_.find(path);
    if (found == channels_.end()) return {};
    return row_.subspan(static_cast<std::size_t>(found->second->offset),
                        found->second->components.size());
  }

 private:
  std::map<std::string, const Channel*> channels_;
  std::span<const double> row_;
};

/// What the ground does to the machine at its joints.
void print_reactions(const Model& model, const Values& values) {
  struct Reaction {
    std::string joint;
    double parts[6];
  };
  std::vector<Reaction> reactions;
  double largest[2] = {0.0, 0.0};  // force, torque
  for (const JointSpec& joint : model.joints) {
    if (!joint.a.body.empty() && !joint.b.body.empty()) continue;
    const double sign = joint.b.body.empty() ? -1.0 : 1.0;  // channels tell what acts on b
    Reaction& reaction = reactions.emplace_back(Reaction{joint.name, {}});
    const std::span<const double> both[2] = {values.of("joints/" + joint.name + "/force"),
                                             values.of("joints/" + joint.name + "/torque")};
    for (std::size_t i = 0; i < 6; ++i) {
      reaction.parts[i] = sign * both[i / 3][i % 3];
      largest[i / 3] = std::max(largest[i / 3], std::abs(reaction.parts[i]));
    }
  }
  if (reactions.empty()) return;
  std::vector<std::vector<std::string>> lines = {
      {"reaction of the ground", "force x [N]", "y", "z", "torque x [N m]", "y", "z"}};
  for (const Reaction& reaction : reactions) {
    auto& line = lines.emplace_back(std::vector<std::string>{"  " + reaction.joint});
    for (std::size_t i = 0; i < 6; ++i) {
      const double part = reaction.parts[i];
      line.push_back(format_number(std::abs(part) > smallest_part * largest[i / 3] ? part : 0.0));
    }
  }
  say("\n{}", align(lines));
}

/// The element with the largest value, and that value.
std::pair<std::size_t, double> extreme(std::span<const double> values) {
  std::size_t at = 0;
  for (std::size_t e = 1; e < values.size(); ++e)
    if (std::abs(values[e]) > std::abs(values[at])) at = e;
  return {at + 1, values[at]};
}

void print_sections(const Model& model, const Values& values) {
  if (model.beams.empty()) return;
  std::vector<std::vector<std::string>> lines = {
      {"largest in a beam", "axial force [N]", "element", "bending moment [N m]", "element"}};
  for (const BeamSpec& beam : model.beams) {
    const std::string path = "beams/" + beam.name;
    const auto [axial_at, axial] = extreme(values.of(path + "/axial_force"));
    const std::span<const double> about_y = values.of(path + "/bending_moment_y");
    const std::span<const double> about_z = values.of(path + "/bending_moment_z");
    std::vector<double> moments(about_z.begin(), about_z.end());
    for (std::size_t e = 0; e < moments.size(); ++e)
      moments[e] = std::hypot(moments[e], about_y.empty() ? 0.0 : about_y[e]);
    const auto [moment_at, moment] = extreme(moments);
    lines.push_back({"  " + beam.name, format_number(axial), std::to_string(axial_at),
                     format_number(moment), std::to_string(moment_at)});
  }
  say("\n{}", align(lines));
}

/// Whether a small push grows, by the modes about the equilibrium.
std::string stability(const std::vector<Mode>& modes) {
  const Mode& lowest = modes.front();
  const auto count = [&](auto is_such) {
    return std::count_if(modes.begin(), modes.end(), is_such);
  };
  const auto free = count([](const Mode& mode) { return mode.is_free(); });
  if (!lowest.is_free() && lowest.square < 0.0)
    return fmt::format("unstable: the smallest push grows as exp({} t/s)",
                       format_number(std::sqrt(-lowest.square)));
  if (free > 0)
    return fmt::format("indifferent: nothing resists {} of its motions",
                       free == modes_to_judge ? "many" : std::to_string(free));
  return fmt::format("stable: the lowest mode vibrates at {} Hz",
                     format_number(lowest.frequency()));
}

int find_statics(const StaticOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const Model given = read_model(options.model, options.overrides, ModelUse::rest);
  Model model = at_rest(given, options.time);
  model.equilibrium = true;
  Simulation simulation(model);

  Summary summary;
  summary.info = make_run_info(model, options.overrides, "static");
  summary.notices = simulation.notices();
  if (starts_moving(given))
    summary.notices.insert(summary.notices.begin(),
                           "the initial velocities of the model are ignored");
  summary.statistics = simulation.statistics();
  summary.time = options.time;
  std::string judgement;
  try {
    const Modes modes = simulation.modes(modes_to_judge);
    summary.modes = modes.modes;
    if (!modes.modes.empty()) judgement = stability(modes.modes);
    if (modes.asymmetry > largest_symmetric)
      summary.notices.emplace_back(
          "loads that turn with the machine: stability is judged without the growing vibrations "
          "(flutter) that these may give");
  } catch (const Error& error) {
    judgement = fmt::format("not known whether it is stable: {}", error.what());
  }

  const ResultDirectory directory = result_directory(options.out, options.model, ".static.clatter");
  directory.prepare();
  write_summary(directory.summary(), summary);
  ResultWriter writer(directory, model, simulation, summary.info, options.csv);
  std::vector<double> row(static_cast<std::size_t>(simulation.row_size()));
  simulation.sample(row);
  writer.store(options.time, row);
  if (writer.draws()) writer.draw(options.time, row);
  writer.close();
  summary.samples = writer.samples();
  summary.frames = writer.frames();
  summary.energy = energy_ledger(simulation.channels(), row);
  summary.status = RunStatus::finished;
  summary.wall_time =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  write_summary(directory.summary(), summary);

  if (options.quiet) return exit_fine;
  const std::string headline = to_string(*summary.statistics.settling);
  for (const std::string& notice : summary.notices)
    if (notice != headline) say("note: {}\n", notice);
  say("{}\n", headline);
  const Values values(simulation.channels(), row);
  print_reactions(model, values);
  print_sections(model, values);
  if (!judgement.empty()) say("\n{}\n", judgement);
  say("\nresults in {}\n", directory.path.string());
  return exit_fine;
}

}  // namespace

Action add_static_command(CLI::App& command) {
  const auto options = std::make_shared<StaticOptions>();
  command.add_option("MODEL", options->model, "Model file")->required()->type_name("");
  command.add_option("--out", options->out, "Result directory [<model>.static.clatter]")
      ->type_name("DIR");
  command
      .add_option("--time", options->time, "When loads and motors have the values to take [s] [0]")
      ->check([](const std::string& text) {
        double value = 0.0;
        const bool is_number = CLI::detail::lexical_cast(text, value) && std::isfinite(value);
        return std::string(is_number ? "" : "--time: expected a number of seconds");
      })
      ->type_name("T");
  add_set_option(command, options->overrides);
  command.add_flag("--csv", options->csv, "Also write all channels to results.csv");
  command.add_flag("--quiet", options->quiet, "Print nothing but errors");
  command.footer(
      "Finds how the machine stands still under its loads, starting from where the model file has\n"
      "it and letting the loads grow. The result directory is that of clatter run, with one "
      "sample.\n"
      "Initial velocities are ignored, contacts hold nothing, and no [integrator] is needed.\n\n"
      "Examples:\n"
      "  clatter static beam.toml\n"
      "  clatter static crane.toml --time 2.5 --out raised");
  return [options] { return find_statics(*options); };
}

}  // namespace clatter
