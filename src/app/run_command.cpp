#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <spawn.h>
#include <thread>
#include <unistd.h>

#include <sys/wait.h>

#include <clatter/io/contact_problem_file.hpp>
#include <clatter/io/model_reader.hpp>
#include <clatter/io/output_stream.hpp>
#include <clatter/io/recovery_file.hpp>
#include <clatter/io/result_tables.hpp>
#include <clatter/io/summary.hpp>
#include <clatter/simulation/sample_clock.hpp>
#include <clatter/simulation/simulation.hpp>

#include "app/command.hpp"
#include "app/console.hpp"
#include "app/interruption.hpp"
#include "app/newton_trace.hpp"
#include "app/page.hpp"
#include "app/progress.hpp"
#include "app/result_directory.hpp"
#include "app/start_from.hpp"
#include "app/verdict.hpp"

namespace clatter {

namespace {

namespace fs = std::filesystem;

constexpr double default_samples = 10000, default_frames = 200;
/// Of all channels and samples of a crowd: beyond them samples are fewer by default, down to as
/// many as frames.
constexpr double default_numbers = 2e6;
constexpr double worth_telling = 2e8, most_unasked = 2e9;  // [bytes] of results

struct RunOptions {
  fs::path model;
  fs::path out;
  fs::path resume;    // directory of a run to go on with
  std::string from;   // DIRECTORY[@TIME] of a run to start from
  std::string trace;  // FROM:TO, when to trace Newton's method
  std::vector<std::string> overrides;
  bool csv = false, quiet = false, large = false, view = false, dump_contact_problems = false;
  bool strict = false;
};

/// When to write checkpoints: at given times, or so seldom that they hardly cost anything.
class CheckpointClock {
 public:
  CheckpointClock(const OutputSpec& output, double step)
      : is_off_(output.checkpoint_interval == 0.0) {
    if (output.checkpoint_interval && !is_off_) clock_.emplace(*output.checkpoint_interval, step);
  }

  bool is_off() const { return is_off_; }
  bool is_due(long step) const {
    if (is_off_) return false;
    if (clock_) return clock_->is_due(step);
    return Clock::now() - last_ > std::max<Clock::duration>(shortest, parts_of_run * cost_);
  }
  template <class Write>
  void write(const Write& checkpoint) {
    const Clock::time_point begin = Clock::now();
    checkpoint();
    last_ = Clock::now();
    cost_ = last_ - begin;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds shortest{2};
  static constexpr int parts_of_run = 100;  // of the wall time, one for checkpoints

  bool is_off_;
  std::optional<SampleClock> clock_;
  Clock::time_point last_ = Clock::now();
  Clock::duration cost_{};
};

/// A run with everything that it writes. Split from the command so that whatever goes wrong, the
/// files are closed in one place.
class RecordedRun {
 public:
  /// `from`: the checkpoint that the run goes on from, or null.
  RecordedRun(const Model& model, const RunOptions& options, const ResultDirectory& directory,
              const Checkpoint* from)
      : model_(model),
        directory_(directory),
        simulation_(options.from.empty() ? Simulation(model)
                                         : Simulation(model, motions_of(options.from))),
        sample_clock_(sample_interval(), model.integrator.step),
        frame_clock_(frame_interval(), model.integrator.step),
        checkpoint_clock_(model.output, model.integrator.step),
        verdict_(model, simulation_.channels()),
        row_(simulation_.row_size()) {
    summary_.info = make_run_info(model, options.overrides);
    summary_.notices = simulation_.notices();
    if (is_recovered() && sample_interval() > 1.5 * model.integrator.step) {
      summary_.notices.push_back(
          "samples are several steps apart: impacts of a contact within an output interval are "
          "told as one; set output.interval to the step to tell all");
    }
    // Before the results of an earlier run are gone: not every integrator has such problems.
    if (options.dump_contact_problems) dump_contact_problems(directory.contact_problems());
    if (!options.trace.empty()) trace_.emplace(options.trace);
    lock_.emplace(directory.path);
    if (from != nullptr) {
      summary_.info.model_text = from->model_text;
      summary_.info.overrides = from->overrides;
      resume(*from);
      return;
    }
    announce_size(options);
    directory.prepare();
    // First: it marks the directory as ours, should the run be killed.
    write_summary(directory.summary(), summary_);
    if (trace_) trace_->follow(simulation_, directory.newton());
    writer_ =
        std::make_unique<ResultWriter>(directory, model, simulation_, summary_.info, options.csv);
  }

  const Simulation& simulation() const { return simulation_; }
  long contact_problems() const { return contact_problems_; }
  long updates_traced() const { return trace_ ? trace_->updates() : 0; }
  /// Whose forces were recovered; none when no contact asks for it.
  std::optional<std::size_t> impacts() const { return impacts_; }
  const std::vector<std::string>& notes_on_forces() const { return notes_on_forces_; }
  const Summary& summary() const { return summary_; }
  /// What speaks against the run.
  const std::vector<std::string>& findings() const { return findings_; }

  /// One file for each problem, numbered in their order.
  void dump_contact_problems(const fs::path& directory) {
    simulation_.on_contact_problem([this, directory](const ContactProblem& problem) {
      fs::create_directories(directory);
      save_contact_problem(directory / fmt::format("{:06}.h5", ++contact_problems_), problem);
    });
  }

  /// Steps to the end, a failure or an interruption, and closes all files.
  void run(Progress& progress) {
    const auto wall_time = [&] { return wall_time_before_ + progress.seconds(); };
    try {
      if (!is_resumed_) record();
      while (!simulation_.finished() && !is_interrupted()) {
        if (!step()) break;
        record();
        writer_->flush_if_due();
        if (checkpoint_clock_.is_due(simulation_.steps_done())) write_checkpoint(wall_time());
        progress.update(simulation_.time(), simulation_.steps_done());
      }
      if (summary_.status == RunStatus::running)
        summary_.status = simulation_.finished() ? RunStatus::finished : RunStatus::interrupted;
      // Before the end is recorded, which a run that goes on does not do here.
      if (!checkpoint_clock_.is_off()) write_checkpoint(wall_time());
      record_last();
    } catch (const std::exception& error) {
      fail(error.what());
    }
    try {
      writer_->close();
    } catch (const std::exception& error) {
      fail(error.what());
    }
    recover_forces_of_contacts();
    summary_.samples = writer_->samples();
    summary_.frames = writer_->frames();
    summary_.time = simulation_.time();
    summary_.wall_time = wall_time();
    summary_.statistics = simulation_.statistics();
    summary_.energy = energy_ledger(simulation_.channels(), row_);
    summary_.pairs = watched_pairs(simulation_.channels(), row_);
    summary_.events = events_of(model_, summary_.statistics);
    findings_ = verdict_.findings(summary_);
    summary_.notices.insert(summary_.notices.end(), findings_.begin(), findings_.end());
    try {
      write_summary(directory_.summary(), summary_);
    } catch (const Error& error) {
      fail(error.what());
    }
  }

 private:
  void resume(const Checkpoint& from) {
    is_resumed_ = true;
    wall_time_before_ = from.wall_time;
    simulation_.resume(from.state, from.statistics);
    stored_step_ = sample_clock_.is_due(from.state.steps) ? from.state.steps : -1;
    drawn_step_ = frame_clock_.is_due(from.state.steps) ? from.state.steps : -1;
    writer_ = std::make_unique<ResultWriter>(directory_, model_, simulation_, summary_.info, from);
  }

  void write_checkpoint(double wall_time) {
    checkpoint_clock_.write([&] {
      writer_->flush();
      Checkpoint checkpoint;
      checkpoint.model_file = summary_.info.model_file;
      checkpoint.model_text = summary_.info.model_text;
      checkpoint.overrides = summary_.info.overrides;
      checkpoint.state = simulation_.state();
      checkpoint.statistics = simulation_.statistics();
      checkpoint.wall_time = wall_time;
      checkpoint.samples = writer_->samples();
      checkpoint.table_bytes = writer_->table_bytes();
      checkpoint.frames = writer_->frames();
      checkpoint.draws = writer_->draws();
      clatter::write_checkpoint(directory_.checkpoint(), checkpoint);
    });
  }

  bool is_recovered() const { return !recoveries_of(model_).empty(); }

  /// After the results are complete: a force is told from an impact by the step that follows.
  void recover_forces_of_contacts() {
    if (!is_recovered() || summary_.status == RunStatus::failed) return;
    try {
      const RecoveredRun recovered = recover_run(Hdf5Reader(directory_.results()), model_);
      write_impacts(directory_.impacts(), recovered);
      write_recovery(directory_.recovery(), recovered);
      impacts_ = recovered.impacts();
      notes_on_forces_ = notes_on(recovered);
    } catch (const std::exception& error) {
      fail(error.what());
    }
  }

  double sample_interval() const {
    if (model_.output.interval) return *model_.output.interval;
    const double most =
        model_.bodies.size() < crowd_of_bodies
            ? default_samples
            : std::clamp(default_numbers / simulation_.row_size(), default_frames, default_samples);
    return model_.integrator.step * std::ceil(double(simulation_.steps_total()) / most);
  }

  /// Much is told before it is written, and what may fill a disk must be asked for, unless the
  /// model itself says how often.
  void announce_size(const RunOptions& options) const {
    const double duration = model_.integrator.duration;
    const double samples = duration / sample_interval() + 1,
                 frames = duration / frame_interval() + 1;
    const auto expected = [&](double of_samples, double of_frames) {
      return expected_bytes(model_, simulation_.row_size(), of_samples, of_frames);
    };
    const double bytes = expected(samples, frames);
    const double unasked = expected(model_.output.interval ? 0.0 : samples,
                                    model_.output.frame_interval ? 0.0 : frames);
    if (unasked > most_unasked && !options.large) {
      throw Error(fmt::format(
          "the results would take about {:.1f} GB ({} channels of {} bodies): ask for it with "
          "--large, or write less with output.interval, output.frame_interval or "
          "output.paraview = false",
          1e-9 * bytes, simulation_.channels().size(), model_.bodies.size()));
    }
    if (bytes > worth_telling && !options.quiet) {
      say("the results will take about {:.1f} GB\n", 1e-9 * bytes);
    }
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
    verdict_.look_at(simulation_.time(), row_);
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
  const ResultDirectory& directory_;
  Simulation simulation_;
  std::optional<DirectoryLock> lock_;
  SampleClock sample_clock_, frame_clock_;
  CheckpointClock checkpoint_clock_;
  Verdict verdict_;
  std::vector<std::string> findings_;
  std::vector<double> row_;
  long contact_problems_ = 0;
  std::optional<NewtonTrace> trace_;
  std::optional<std::size_t> impacts_;
  std::vector<std::string> notes_on_forces_;
  Summary summary_;
  std::unique_ptr<ResultWriter> writer_;
  bool is_resumed_ = false;
  double wall_time_before_ = 0.0;
  long stored_step_ = -1, drawn_step_ = -1;
};

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
  if (run.stood_in > 0) {
    lines.push_back({"steps by nsga", std::to_string(run.stood_in),
                     "(the coupled scheme could not take them)"});
  }
  if (run.max_sweeps > 0) lines.push_back({"most sweeps", std::to_string(run.max_sweeps)});
  if (run.unfinished > 0) {
    lines.push_back({"unfinished solves", std::to_string(run.unfinished),
                     "(large islands of contacts that did not reach the tolerance)"});
  }
  if (run.asleep > 0) {
    lines.push_back({"bodies asleep", std::to_string(run.asleep), "(at rest, and left there)"});
  }
  if (run.max_impacts > 1) {
    lines.push_back({"most impacts in a step", std::to_string(run.max_impacts)});
  }
  if (run.lessened > 0) {
    lines.push_back({"steps with less restitution", std::to_string(run.lessened),
                     "(as given it would have added energy there)"});
  }
  if (run.plastic > 0) {
    lines.push_back({"steps without restitution", std::to_string(run.plastic),
                     "(contacts jammed; the impact law had no solution)"});
  }
  if (run.cut > 0) {
    lines.push_back({"steps cut for their energy", std::to_string(run.cut),
                     "(whole they would have added half of it or more)"});
  }
  if (std::isfinite(run.min_gap))
    lines.push_back({has_edges(model) ? "smallest gap (over faces)" : "smallest gap",
                     format_number(run.min_gap), "m"});
  if (run.max_joint_error > 0)
    lines.push_back(
        {"largest joint error", format_number(run.max_joint_error), "of the size of the model"});
  for (const auto& [name, value] : summary.energy)
    if (value != 0.0) lines.push_back({"energy/" + name, format_number(value), "J"});
  constexpr std::size_t most_events = 10;
  for (std::size_t i = 0; i < summary.events.size(); ++i) {
    const EventSummary& event = summary.events[i];
    if (i >= most_events && !event.ended_run) continue;
    const std::string end = event.ended_run ? ", which ended the run" : "";
    const std::string rest = i == most_events ? " (others are in summary.json)" : "";
    lines.push_back({"event " + event.name, fmt::format("{:.9g}", event.time), "s" + end + rest});
  }
  constexpr std::size_t most_pairs = 20;  // summary.json has all
  for (std::size_t i = 0; i < std::min(summary.pairs.size(), most_pairs); ++i) {
    const PairSummary& pair = summary.pairs[i];
    lines.push_back({"pairs/" + pair.names + "/gap", format_number(pair.gap),
                     fmt::format("m, {} point{}, {} N", pair.points, pair.points == 1 ? "" : "s",
                                 format_number(pair.force.norm()))});
  }
  say("\n{}\n", align(lines, {0, 2}));
  say("results in {}: {} samples", directory.path.string(), summary.samples);
  if (summary.frames > 0) say(", {} frames (frames.pvd)", summary.frames);
  say("\n");
}

/// Refuses what a run that goes on cannot change: only its end.
void check_resume(const RunOptions& options) {
  if (!options.model.empty() || !options.out.empty() || !options.from.empty() || options.csv ||
      !options.trace.empty()) {
    throw Error(
        "--resume goes on with the model and the results of its directory: give no MODEL, "
        "--out, --from, --csv or --trace with it");
  }
  for (const std::string& change : options.overrides) {
    if (!change.starts_with("integrator.duration=")) {
      throw Error(
          fmt::format("--set {}: a run that goes on can only change integrator.duration", change));
    }
  }
}

Model model_of(const RunOptions& options, const Checkpoint* from) {
  if (from == nullptr) return read_model(options.model, options.overrides);
  std::vector<std::string> overrides = from->overrides;
  overrides.insert(overrides.end(), options.overrides.begin(), options.overrides.end());
  return parse_model(from->model_text, from->model_file, overrides);
}

/// `clatter view` as a process of its own: HDF5 serves one thread.
pid_t start_view(const ResultDirectory& directory) {
  std::string program = fs::read_symlink("/proc/self/exe").string(), command = "view";
  std::string results = directory.path.string();
  char* arguments[] = {program.data(), command.data(), results.data(), nullptr};
  pid_t child = -1;
  if (posix_spawn(&child, program.c_str(), nullptr, nullptr, arguments, environ) != 0) return -1;
  return child;
}

/// Until Ctrl-C, which ends the view as well.
void wait_for_view(pid_t view) {
  while (!is_interrupted() && waitpid(view, nullptr, WNOHANG) == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  kill(view, SIGTERM);
}

/// Writes the page, and leaves the view open for a look.
void show_results(const ResultDirectory& directory, pid_t view) {
  const fs::path page = directory.path.stem().string() + ".html";
  replace_file(page, page_of({directory.path.string()}, PageLimits{}));
  say("{}: the same as one page, to be kept or sent\n", page.string());
  std::fflush(stdout);
  if (view > 0) wait_for_view(view);
}

int run_model(const RunOptions& options) {
  catch_interruptions();
  if (options.view) read_page();  // before the run, should it not be built
  const bool resumes = !options.resume.empty();
  if (resumes) check_resume(options);
  if (!resumes && options.model.empty()) {
    fmt::print(stderr, "clatter run: give a MODEL, or a result directory with --resume\n");
    return exit_usage;
  }
  const ResultDirectory directory = resumes
                                        ? ResultDirectory{options.resume}
                                        : result_directory(options.out, options.model, ".clatter");
  std::optional<Checkpoint> from;
  if (resumes) from = read_checkpoint(directory.checkpoint());
  const Model model = model_of(options, from ? &*from : nullptr);

  RecordedRun run(model, options, directory, from ? &*from : nullptr);
  if (from && !options.quiet) say("going on from t = {:g} s\n", run.simulation().time());
  if (!options.quiet)
    for (const std::string& notice : run.summary().notices) say("note: {}\n", notice);
  const pid_t view = options.view ? start_view(directory) : -1;
  Progress progress(model.integrator.duration, run.simulation().steps_total(), options.quiet);
  run.run(progress);
  progress.clear();

  const Summary& summary = run.summary();
  if (!options.quiet) {
    print_summary(summary, model, directory);
    if (run.impacts())
      say("{} impacts recovered, in impacts.csv and recovery.h5\n", *run.impacts());
    for (const std::string& note : run.notes_on_forces()) say("note: {}\n", note);
    for (const std::string& finding : run.findings()) say("warning: {}\n", finding);
    if (options.dump_contact_problems) {
      say("{} contact problems in {}\n", run.contact_problems(),
          directory.contact_problems().string());
    }
    if (!options.trace.empty()) {
      say("{} updates of Newton's method in {}\n", run.updates_traced(),
          directory.newton().string());
    }
  }
  if (options.view) show_results(directory, view);
  switch (summary.status) {
    case RunStatus::finished:
      if (!options.strict || run.findings().empty()) return exit_fine;
      fmt::print(stderr, "clatter: --strict: {}\n", fmt::join(run.findings(), "; "));
      return exit_failed;
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
  command.add_option("MODEL", options->model, "Model file")->type_name("");
  command.add_option("--out", options->out, "Result directory [<model>.clatter]")->type_name("DIR");
  command.add_option("--resume", options->resume, "Go on with the run of a result directory")
      ->type_name("DIR");
  command
      .add_option("--from", options->from,
                  "Start bodies and beams of the same names as they were in the results of another "
                  "run, at its end or at a time")
      ->type_name("DIR[@TIME]");
  add_set_option(command, options->overrides);
  command.add_flag("--csv", options->csv, "Also write all channels to results.csv");
  command.add_flag("--dump-contact-problems", options->dump_contact_problems,
                   "Write the contact problem of every step to contact-problems/");
  command
      .add_option(
          "--trace", options->trace,
          "Write how Newton's method converges in the steps from FROM to TO [s] to newton.csv")
      ->type_name("FROM:TO");
  command.add_flag("--large", options->large, "Write results of more than 2 GB, too");
  command.add_flag("--view", options->view,
                   "Show the run in the browser while it goes on, and write <model>.html");
  command.add_flag(
      "--strict", options->strict,
      "Fail where the end of the run warns: its scheme has added or taken much energy, "
      "or contacts have let bodies through");
  command.add_flag("--quiet", options->quiet, "Print nothing but errors");
  command.footer(
      "The result directory holds results.h5 (every channel over time), summary.json (settings,\n"
      "iterations, energies), frames.pvd (for ParaView) and checkpoint (to go on from). A result\n"
      "directory of an earlier run is overwritten. Ctrl-C or SIGTERM ends the run after the "
      "present\n"
      "step and keeps what there is; --resume goes on from there, or from the last checkpoint of "
      "a\n"
      "run that was killed, as if nothing had happened.\n\n"
      "Examples:\n"
      "  clatter run block.toml\n"
      "  clatter run block.toml --out fine --set integrator.step=1e-5 --csv\n"
      "  clatter run --resume block.clatter --set integrator.duration=20\n"
      "  clatter run brake.toml --from drive.clatter@2.5");
  return [options] { return run_model(*options); };
}

}  // namespace clatter
