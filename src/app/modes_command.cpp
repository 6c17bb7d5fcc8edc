#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
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

/// How far modes are drawn: displacements as a part of the size of the model, rotations [rad].
constexpr double drawn_displacement = 0.05, drawn_rotation = 0.5;

struct ModesOptions {
  std::filesystem::path model;
  std::filesystem::path out;
  std::vector<std::string> overrides;
  int count = 10;
  bool about_equilibrium = false;
};

void print_table(const std::vector<Mode>& modes) {
  std::vector<std::vector<std::string>> lines = {
      {"mode", "frequency [Hz]", "circular [rad/s]", "damping ratio"}};
  for (std::size_t i = 0; i < modes.size(); ++i) {
    const Mode& mode = modes[i];
    const std::string number = std::to_string(i + 1);
    if (mode.is_free())
      lines.push_back({number, "0", "0", "", "free motion"});
    else if (mode.square < 0.0)
      lines.push_back(
          {number, "", "", "",
           fmt::format("unstable: grows as exp({} t/s)", format_number(std::sqrt(-mode.square)))});
    else
      lines.push_back({number, fmt::format("{:.6g}", mode.frequency()),
                       fmt::format("{:.6g}", std::sqrt(mode.square)),
                       format_number(mode.damping_ratio)});
  }
  print_text(align(lines, {4}));
}

/// A row per mode: its numbers, then its displacement of every node, and where the nodes rest.
class ModesFile {
 public:
  ModesFile(const std::filesystem::path& path, std::vector<std::string> nodes,
            const Configuration& rest, const RunInfo& info)
      : file_(path, channels(nodes), info, {"mode", ""}) {
    for (std::size_t n = 1; n < nodes.size(); ++n)
      rest_.insert(rest_.end(), rest[n].x.begin(), rest[n].x.end());
    for (std::size_t n = 1; n < nodes.size(); ++n) {
      const Quaternion p(rest[n].R);
      rest_.insert(rest_.end(), {p.w(), p.x(), p.y(), p.z()});
    }
  }

  void append(double number, const Mode& mode) {
    const Eigen::Index nodes = mode.shape.size() / 6 - 1;
    std::vector<double> row = {mode.frequency(), mode.square, double(mode.is_free()),
                               mode.damping_ratio};
    for (const Eigen::Index part : {0, 3})
      for (Eigen::Index n = 1; n <= nodes; ++n)
        for (Eigen::Index i = 0; i < 3; ++i) row.push_back(mode.shape[6 * n + part + i]);
    row.insert(row.end(), rest_.begin(), rest_.end());
    file_.append(number, row);
  }
  void close() { file_.close(); }

 private:
  static std::vector<Channel> channels(const std::vector<std::string>& nodes) {
    std::vector<std::string> components, of_quaternions;
    for (std::size_t n = 1; n < nodes.size(); ++n) {
      for (const char* axis : {"/x", "/y", "/z"}) components.push_back(nodes[n] + axis);
      for (const char* part : {"/w", "/x", "/y", "/z"}) of_quaternions.push_back(nodes[n] + part);
    }
    const auto count = static_cast<int>(components.size());
    return {{"frequency", {""}, "Hz", 0},
            {"square", {""}, "1/s2", 1},
            {"free", {""}, "", 2},
            {"damping_ratio", {""}, "", 3},
            {"displacement", components, "m", 4},
            {"rotation", components, "rad", 4 + count},
            {"rest_position", components, "m", 4 + 2 * count},
            {"rest_orientation", of_quaternions, "", 4 + 3 * count}};
  }

  ResultFile file_;
  std::vector<double> rest_;
};

/// The factor that makes a shape large enough to be seen, and small enough to be a shape.
double drawn_size(const NodalVector& shape, double length) {
  double way = 0.0, turn = 0.0;
  for (Eigen::Index n = 0; n < shape.size() / 6; ++n) {
    way = std::max(way, shape.segment<3>(6 * n).norm());
    turn = std::max(turn, shape.segment<3>(6 * n + 3).norm());
  }
  return std::min(drawn_displacement * length / way, drawn_rotation / turn);
}

int find_modes_of(const ModesOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const Model given = read_model(options.model, options.overrides, ModelUse::rest);
  Model model = at_rest(given, 0.0);
  model.equilibrium = model.equilibrium || options.about_equilibrium;
  Simulation simulation(model);
  const Modes found = simulation.modes(options.count);

  Summary summary;
  summary.info = make_run_info(model, options.overrides, "modes");
  summary.notices = simulation.notices();
  summary.statistics = simulation.statistics();
  summary.modes = found.modes;
  if (starts_moving(given))
    summary.notices.emplace_back("the initial velocities of the model are ignored");
  if (!simulation.is_balanced())
    summary.notices.emplace_back(
        "the machine is not in equilibrium at the start, and would leave it; --static finds the "
        "modes about the static equilibrium");
  if (found.asymmetry > largest_symmetric)
    summary.notices.push_back(fmt::format(
        "the stiffness is not symmetric (by {} between two modes): loads that turn with the "
        "machine, "
        "skates or rolling under force, or no equilibrium. The modes are those of its symmetric "
        "part",
        format_number(found.asymmetry)));

  const ResultDirectory directory = result_directory(options.out, options.model, ".modes.clatter");
  directory.prepare();
  write_summary(directory.summary(), summary);
  ModesFile file(directory.modes(), simulation.node_names(), simulation.state().q, summary.info);
  std::unique_ptr<ParaviewSeries> frames;
  if (model.output.paraview)
    frames = std::make_unique<ParaviewSeries>(directory.path, model, simulation.channels());
  std::vector<double> row(static_cast<std::size_t>(simulation.row_size()));
  double number = 0.0;
  for (const Mode& mode : found.modes) {
    file.append(++number, mode);
    if (!frames) continue;
    simulation.sample_displaced(drawn_size(mode.shape, summary.statistics.length) * mode.shape,
                                row);
    frames->append(number, row);
    ++summary.frames;
  }
  file.close();
  summary.status = RunStatus::finished;
  summary.wall_time =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  write_summary(directory.summary(), summary);

  for (const std::string& notice : summary.notices) say("note: {}\n", notice);
  if (found.modes.empty())
    say("the machine has no modes: its joints leave nothing to move\n");
  else
    print_table(found.modes);
  say("\nresults in {}: modes.h5", directory.path.string());
  if (summary.frames > 0) say(", {} frames (frames.pvd)", summary.frames);
  say("\n");
  return exit_fine;
}

}  // namespace

Action add_modes_command(CLI::App& command) {
  const auto options = std::make_shared<ModesOptions>();
  command.add_option("MODEL", options->model, "Model file")->required()->type_name("");
  command.add_option("--count", options->count, "How many modes, the lowest first [10]")
      ->check(CLI::Range(1, 10000))
      ->type_name("N");
  command.add_flag("--static", options->about_equilibrium,
                   "About the static equilibrium, as with equilibrium = true in the model");
  command.add_option("--out", options->out, "Result directory [<model>.modes.clatter]")
      ->type_name("DIR");
  add_set_option(command, options->overrides);
  command.footer(
      "Finds the small vibrations about the start, or about the static equilibrium, with loads "
      "and\n"
      "motors as they are at t = 0. Initial velocities are ignored, contacts hold nothing, and no\n"
      "[integrator] is needed. The result directory holds modes.h5 (numbers and shapes),\n"
      "summary.json and frames.pvd (for ParaView: a frame per mode, whose number is the time).\n\n"
      "Examples:\n"
      "  clatter modes beam.toml --count 6\n"
      "  clatter modes crane.toml --static --set load.hook.force='[0,0,-5000]'");
  return [options] { return find_modes_of(*options); };
}

}  // namespace clatter
