#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <spawn.h>
#include <unistd.h>

#include <sys/ioctl.h>
#include <sys/wait.h>

#include <clatter/io/output_stream.hpp>
#include <clatter/model/error.hpp>
#include <clatter/view/line_plot.hpp>
#include <clatter/view/result_reader.hpp>

#include "app/command.hpp"
#include "app/console.hpp"
#include "app/result_directory.hpp"

namespace clatter {
namespace {

namespace fs = std::filesystem;

struct PlotOptions {
  fs::path results;
  std::vector<std::string> patterns;
  std::vector<std::string> others;  // results to draw beside
  std::string against;              // channel along the axis instead of time
  fs::path out;
  std::optional<std::string> title;
  std::optional<double> from, to;
  double width = 160.0, height = 0.0;  // [mm]
};

constexpr double height_of_one = 80.0, height_of_panel = 55.0;  // [mm]

/// The curves of one run, added to the panels of their units.
void add_run(LinePlot& plot, const PlotOptions& options, const fs::path& directory, bool is_named) {
  const ResultReader results(ResultDirectory{directory}.results());
  const auto of_times = [&](const std::vector<double>& values) {
    std::vector<double> kept;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double time = results.times()[i];
      if (time >= options.from.value_or(time) && time <= options.to.value_or(time))
        kept.push_back(values[i]);
    }
    return kept;
  };
  const auto values_of = [&](const ChannelComponent& component) {
    const std::vector<double> rows = results.values(*component.channel);
    const std::size_t width = component.channel->components.size();
    std::vector<double> values(results.rows());
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = rows[i * width + component.component];
    return of_times(values);
  };
  std::vector<double> x = of_times(results.times());
  plot.x_label = "time [s]";
  if (!options.against.empty()) {
    const auto found = select_components(results.channels(), std::span(&options.against, 1));
    if (found.size() != 1) {
      throw Error(fmt::format("--against {}: it has {} components; name one of them",
                              options.against, found.size()));
    }
    x = values_of(found[0]);
    const std::string& unit = found[0].channel->unit;
    plot.x_label = found[0].path() + (unit.empty() ? "" : fmt::format(" [{}]", unit));
  }
  for (const ChannelComponent& component :
       select_components(results.channels(), options.patterns)) {
    const std::string& unit = component.channel->unit;
    const std::string label = unit.empty() ? "number" : fmt::format("[{}]", unit);
    auto panel = std::find_if(plot.panels.begin(), plot.panels.end(),
                              [&](const LinePlot::Panel& each) { return each.label == label; });
    if (panel == plot.panels.end()) panel = plot.panels.insert(panel, {label, {}});
    std::string name = component.path();
    if (is_named) name = fmt::format("{}: {}", directory.filename().string(), name);
    panel->curves.push_back({std::move(name), x, values_of(component)});
  }
}

/// Through librsvg's program, which the Debian package librsvg2-bin has.
void write_pdf(const fs::path& path, const std::string& svg) {
  const fs::path drawing = fs::path(path) += ".svg";
  replace_file(drawing, svg);
  std::string program = "rsvg-convert", format = "--format=pdf", out = "--output=" + path.string();
  std::string in = drawing.string();
  char* arguments[] = {program.data(), format.data(), out.data(), in.data(), nullptr};
  pid_t child = 0;
  const int error = posix_spawnp(&child, program.c_str(), nullptr, nullptr, arguments, environ);
  int status = -1;
  if (error == 0) waitpid(child, &status, 0);
  std::error_code ignored;
  fs::remove(drawing, ignored);
  if (error == ENOENT) {
    throw Error(
        "PDF needs the program rsvg-convert, which is not installed (Debian package librsvg2-bin); "
        "SVG needs nothing");
  }
  if (error != 0 || status != 0) {
    throw Error(fmt::format("{}: rsvg-convert could not write it", path.string()));
  }
}

int plot_results(const PlotOptions& options) {
  LinePlot plot;
  add_run(plot, options, options.results, !options.others.empty());
  for (const std::string& other : options.others) add_run(plot, options, other, true);
  plot.title = options.title.value_or("");
  if (options.out.empty()) {
    winsize window{};
    const bool is_terminal = isatty(STDOUT_FILENO) != 0 &&
                             ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 20;
    const int columns = is_terminal ? window.ws_col : 100;
    const auto panels = static_cast<int>(plot.panels.size());
    const int rows =
        is_terminal ? std::clamp((window.ws_row - 4) / std::max(panels, 1) - 2, 5, 20) : 12;
    print_text(text_of(plot, columns, rows));
    return exit_fine;
  }
  const std::string ending = options.out.extension().string();
  if (ending != ".svg" && ending != ".pdf") {
    throw Error(fmt::format("{}: plots are written as .svg or .pdf", options.out.string()));
  }
  double height = options.height;
  if (height == 0.0) {
    height = plot.panels.size() == 1 ? height_of_one
                                     : height_of_panel * static_cast<double>(plot.panels.size());
  }
  const std::string svg = svg_of(plot, options.width, height);
  if (ending == ".svg") {
    replace_file(options.out, svg);
  } else {
    write_pdf(options.out, svg);
  }
  std::size_t curves = 0;
  for (const LinePlot::Panel& panel : plot.panels) curves += panel.curves.size();
  say("{} curve{} in {}\n", curves, curves == 1 ? "" : "s", options.out.string());
  return exit_fine;
}

}  // namespace

Action add_plot_command(CLI::App& command) {
  const auto options = std::make_shared<PlotOptions>();
  command.add_option("RESULT", options->results, "Result directory of a run")
      ->required()
      ->type_name("");
  command.add_option("CHANNEL", options->patterns, "What to draw; * stands for any letters")
      ->required()
      ->type_name("");
  command.add_option("-o,--out", options->out, "Write an SVG or PDF file; else draw here")
      ->type_name("FILE");
  command.add_option("--with", options->others, "Draw the same channels of another run, too")
      ->allow_extra_args(false)
      ->type_name("RESULT");
  command.add_option("--against", options->against, "A channel along the axis instead of time")
      ->type_name("CHANNEL");
  command.add_option("--from", options->from, "Begin of what is drawn [s]")->type_name("TIME");
  command.add_option("--to", options->to, "End of what is drawn [s]")->type_name("TIME");
  command.add_option("--title", options->title, "What stands above")->type_name("TEXT");
  command.add_option("--width", options->width, "Of the drawing in mm [160]")
      ->check(CLI::Range(40.0, 2000.0))
      ->type_name("MM");
  command.add_option("--height", options->height, "Of the drawing in mm [80, or 55 for each unit]")
      ->check(CLI::Range(30.0, 5000.0))
      ->type_name("MM");
  command.footer(
      "Channels with different units are drawn above each other. Without components all of a "
      "channel\n"
      "are drawn: bodies/ball/position is x, y and z.\n\n"
      "Examples:\n"
      "  clatter plot block.clatter energy/total\n"
      "  clatter plot block.clatter 'contacts/*/gap' 'contacts/*/normal_force' -o gaps.svg\n"
      "  clatter plot fine.clatter bodies/ball/position/z --with coarse.clatter -o both.pdf\n"
      "  clatter plot ball.clatter bodies/ball/velocity/z --against bodies/ball/position/z");
  return [options] { return plot_results(*options); };
}

}  // namespace clatter
