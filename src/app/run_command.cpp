#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>

#include <clatter/io/contact_problem_file.hpp>
#include <clatter/io/model_reader.hpp>
#include <clatter/io/summary.hpp>
#include <clatter/simulation/sample_clock.hpp>
#include <clatter/simulation/simulation.hpp>

#include "app/command.hpp"
#include "app/console.hpp"
#include "app/interruption.hpp"
#include "app/progress.hpp"
#include "app/result_directory.hpp"

namespace clatter {

namespace {

namespace fs = std::filesystem;

constexpr double default_samples = 10000, default_frames = 200;

struct RunOptions {
  fs::path model;
  fs::path out;
  std::vector<std::string> overrides;
  bool csv = false, quiet = false, dump_contact_problems = false;
};

/// A run with everything that it writes. Split from the command so that whatever goes wrong, the
/// files are closed in one place.
class RecordedRun {
 public:
  RecordedRun(const Model& model, const RunOptions& options, const ResultDirectory& directory)
      : model_(model),
        simulation_(model),
        summary_path_(directory.summary()),
        sample_clock_(sample_interval(), model.integrator.step),
        frame_clock_(frame_interval(), model.integrator.step),
        row_(simulation_.row_size()) {
    summary_.info = make_run_info(model, options.overrides);
    summary_.notices = simulation_.notices();
    // Before the results of an earlier run are gone: not every integrator has such problems.
    if (options.dump_contact_problems) dump_contact_problems(directory.contact_problems());
    directory.prepare();
    // First: it marks the directory as ours, should the run be killed.
    write_summary(summary_path_, summary_);
    writer_ = std::make_unique<ResultWriter>(directory, model, simulation_.channels(),
                                             summary_.info, options.csv);
  }

  const Simulation& simulation() const { return simulation_; }
  long contact_problems() const { return contact_problems_; }
  const Summary& summary() const { return summary_; }

  /// One file for each problem, numbered in their order.
  void dump_contact_problems(const fs::path& directory) {
    simulation_.on_contact_problem([this, directory](const ContactProblem& problem) {
      fs::create_directories(directory);
      save_contact_problem(directory / fmt::format("{:06}.h5", ++contact_problems_), problem);
    });
  }

  /// Steps to the end, a failure or an interruption, and closes all files.
  void run(Progress& progress) {
    try {
      record();
      while (!simulation_.finished() && !is_interrupted()) {
        if (!step()) break;
        record();
        writer_->flush_if_due();
        progress.update(simulation_.time(), simulation_.steps_done());
      }
      if (summary_.status == RunStatus::running)
        summary_.status = simulation_.finished() ? RunStatus::finished : RunStatus::interrupted;
      record_last();
    } catch (const std::exception& error) {
      fail(error.what());
    }
    try {
      writer_->close();
    } catch (const std::exception& error) {
      fail(error.what());
    }
    summary_.samples = writer_->samples();
    summary_.frames = writer_->frames();
    summary_.time = simulation_.time();
    summary_.wall_time = progress.seconds();
    summary_.statistics = simulation_.statistics();
    summary_.energy = energy_ledger(simulation_.channels(), row_);
    try {
      write_summary(summary_path_, summary_);
    } catch (const Error& error) {
      fail(error.what());
    }
  }

 private:
  double sample_interval() const {
    if (model_.output.interval) return *model_.output.interval;
    return model_.integrator.step * std::ceil(double(simulation_.steps_total()) / default_samples);
  }

  double frame_interval() const {
    return model_.output.frame_interval.value_or(model_.integrator.duration / default_frames);
  }

  /// False when there is no next state; the last good one is still to be recorded.
  bool step() {
    try {
      simulation_.step();
      return true;
    } catch (const std::exception& error) {
      fail(error.what());
      return false;
    }
  }

  void record() {
    const long step = simulation_.steps_done();
    const bool sample = sample_clock_.is_due(step);
    const bool frame = writer_->draws() && frame_clock_.is_due(step);
    if (sample || frame) simulation_.sample(row_);
    if (sample) store(step);
    if (frame) draw(step);
  }

  /// The end is kept even when no sample is due.
  void record_last() {
    const long step = simulation_.steps_done();
    simulation_.sample(row_);
    if (stored_step_ != step) store(step);
    if (writer_->draws() && drawn_step_ != step) draw(step);
  }

  void store(long step) {
    writer_->store(simulation_.time(), row_);
    simulation_.start_interval();
    stored_step_ = step;
  }

  void draw(long step) {
    writer_->draw(simulation_.time(), row_);
    drawn_step_ = step;
  }

  void fail(const std::string& message) {
    // The first message is the cause; when a disk is full, more of the same follow.
    if (summary_.status == RunStatus::failed) return;
    summary_.status = RunStatus::failed;
    summary_.message = message;
  }

  const Model& model_;
  Simulation simulation_;
  fs::path summary_path_;
  SampleClock sample_clock_, frame_clock_;
  std::vector<double> row_;
  long contact_problems_ = 0;
  Summary summary_;
  std::unique_ptr<ResultWriter> writer_;
  long stored_step_ = -1, drawn_step_ = -1;
};

/// What the scheme itself has done to the energy. One that is driven too hard, by turns of a radian
/// in a step, say, can add energy to a motion; one that damps can take what the motion lives of.
/// More than a tenth of all energies is no round-off and no error of a single impact.
std::optional<std::vector<std::string>> line_on_the_scheme(const Summary& summary) {
  double taken = 0.0, others = 0.0;
  for (const auto& [name, value] : summary.energy) {
    if (name == "scheme_loss") {
      taken = value;
    } else if (name != "total") {
      others += std::abs(value);
    }
  }
  if (std::abs(taken) <= 0.1 * others) return std::nullopt;
  return taken < 0.0 ? std::vector<std::string>{"the scheme has added energy", "",
                                                "(take a shorter step, or a smaller rho_inf)"}
                     : std::vector<std::string>{"the scheme has taken energy", "",
                                                "(take a shorter step, or rho_inf nearer to 1)"};
}

/// Whether points may pass beside a face, where their gaps do not count.
bool has_edges(const Model& model) {
  return std::any_of(model.contacts.begin(), model.contacts.end(),
                     [](const ContactSpec& contact) { return !contact.outline.empty(); });
}

void print_summary(const Summary& summary, const Model& model, const ResultDirectory& directory) {
  const RunStatistics& run = summary.statistics;
  say("{}: {:g} s simulated in {:.3g} s of wall time, {} steps, {:.0f} steps/s\n\n",
      to_string(summary.status), summary.time, summary.wall_time, run.steps,
      double(run.steps) / std::max(summary.wall_time, 1e-9));

  const auto iterations = [&](const char* name, const IterationStatistics& count) {
    return std::vector<std::string>{
        name, fmt::format("{:.2f}", double(count.total) / double(std::max(run.steps, 1L))),
        std::to_string(count.max)};
  };
  print_text(align({{"iterations per step", "mean", "max"},
                    iterations("  smooth motion", run.smooth),
                    iterations("  position correction", run.position),
                    iterations("  velocity jump", run.velocity)}));

  std::vector<std::vector<std::string>> lines;
  if (run.substeps > 0) lines.push_back({"substeps", std::to_string(run.substeps)});
  if (run.regularised > 0) lines.push_back({"regularised solves", std::to_string(run.regularised)});
  if (run.recovered > 0) lines.push_back({"solves by Gauss-Seidel", std::to_string(run.recovered)});
  if (run.max_sweeps > 0) lines.push_back({"most sweeps", std::to_string(run.max_sweeps)});
  if (run.unfinished > 0) {
    lines.push_back({"unfinished solves", std::to_string(run.unfinished),
                     "(more sweeps were needed to reach the tolerance of large islands)"});
  }
  if (run.max_impacts > 1) {
    lines.push_back({"most impacts in a step", std::to_string(run.max_impacts)});
  }
  if (run.plastic > 0) {
    lines.push_back({"steps without restitution", std::to_string(run.plastic),
                     "(contacts jammed; the impact law had no solution)"});
  }
  if (std::isfinite(run.min_gap))
    lines.push_back({has_edges(model) ? "smallest gap (over faces)" : "smallest gap",
                     format_number(run.min_gap), "m"});
  if (run.max_joint_error > 0)
    lines.push_back(
        {"largest joint error", format_number(run.max_joint_error), "of the size of the model"});
  for (const auto& [name, value] : summary.energy)
    if (value != 0.0) lines.push_back({"energy/" + name, format_number(value), "J"});
  if (const auto line = line_on_the_scheme(summary)) lines.push_back(*line);
  say("\n{}\n", align(lines, {0, 2}));
  say("results in {}: {} samples", directory.path.string(), summary.samples);
  if (summary.frames > 0) say(", {} frames (frames.pvd)", summary.frames);
  say("\n");
}

int run_model(const RunOptions& options) {
  catch_interruptions();
  const Model model = read_model(options.model, options.overrides);
  const ResultDirectory directory = result_directory(options.out, options.model, ".clatter");

  RecordedRun run(model, options, directory);
  if (!options.quiet)
    for (const std::string& notice : run.simulation().notices()) say("note: {}\n", notice);
  Progress progress(model.integrator.duration, run.simulation().steps_total(), options.quiet);
  run.run(progress);
  progress.clear();

  const Summary& summary = run.summary();
  if (!options.quiet) {
    print_summary(summary, model, directory);
    if (options.dump_contact_problems) {
      say("{} contact problems in {}\n", run.contact_problems(),
          directory.contact_problems().string());
    }
  }
  switch (summary.status) {
    case RunStatus::finished:
      return exit_fine;
    case RunStatus::interrupted:
      return exit_interrupted;
    default:
      break;
  }
  fmt::print(stderr, "clatter: the run stopped at t = {:g} s: {}\n", summary.time, summary.message);
  return exit_failed;
}

}  // namespace

Action add_run_command(CLI::App& command) {
  const auto options = std::make_shared<RunOptions>();
  command.add_option("MODEL", options->model, "Model file")->required()->type_name("");
  command.add_option("--out", options->out, "Result directory [<model>.clatter]")->type_name("DIR");
  add_set_option(command, options->overrides);
  command.add_flag("--csv", options->csv, "Also write all channels to results.csv");
  command.add_flag("--dump-contact-problems", options->dump_contact_problems,
                   "Write the contact problem of every step to contact-problems/");
  command.add_flag("--quiet", options->quiet, "Print nothing but errors");
  command.footer(
      "The result directory holds results.h5 (every channel over time), summary.json (settings,\n"
      "iterations, energies) and frames.pvd (for ParaView). A result directory of an earlier run "
      "is\n"
      "overwritten. Ctrl-C ends the run after the present step and keeps what there is.\n\n"
      "Examples:\n"
      "  clatter run block.toml\n"
      "  clatter run block.toml --out fine --set integrator.step=1e-5 --csv");
  return [options] { return run_model(*options); };
}

}  // namespace clatter
