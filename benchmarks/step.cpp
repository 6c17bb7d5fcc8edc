// How long a time step takes, where the time goes, and how much of it is more than the linear
// systems need by themselves.
//
// Runs are deterministic, so step k does the same work in every repetition. Each step, and each
// part of it, counts with the least time of all repetitions: what the machine does besides is left
// out, and the ratio of two times from one run means something on a busy machine, too.
//
// The bare time is measured apart: a second run writes down every system that it factorises and
// solves, and the same solver is then given these systems, with nothing in between.

#include <chrono>
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <unistd.h>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <clatter/io/model_reader.hpp>
#include <clatter/io/result_file.hpp>
#include <clatter/io/sha256.hpp>
#include <clatter/model/beam_mesh.hpp>
#include <clatter/schemes/nsga/nsga.hpp>
#include <clatter/simulation/simulation.hpp>

namespace clatter {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_between(Clock::time_point start, Clock::time_point end) {
  return std::chrono::duration<double>(end - start).count();
}

/// Times of pieces of work that are repeated in the same order.
class LeastTimes {
 public:
  void begin_repetition() { next_ = 0; }
  void note(double seconds) {
    if (next_ == least_.size()) least_.push_back(seconds);
    least_[next_] = std::min(least_[next_], seconds);
    ++next_;
  }
  double sum() const { return std::accumulate(least_.begin(), least_.end(), 0.0); }

 private:
  std::vector<double> least_;
  std::size_t next_ = 0;
};

// ---- Models
// ----------------------------------------------------------------------------------------

struct Case {
  std::string name;
  std::function<Model()> model;
  long steps;  ///< that are measured, from the start
};

Model example(const char* file) {
  return read_model(std::filesystem::path(CLATTER_SOURCE_DIR) / "examples" / file);
}

Model bouncing_ball() {
  Model model;
  model.gravity = {0.0, 0.0, -9.81};
  BodySpec ball;
  ball.name = "ball";
  ball.kind = BodyKind::point;
  ball.mass = 1.0;
  ball.position = {0.0, 0.0, 1.0};
  model.bodies.push_back(ball);
  ContactSpec floor;
  floor.name = "floor";
  floor.point.body = "ball";
  floor.restitution = 0.8;
  model.contacts.push_back(floor);
  model.integrator.duration = 4.0;
  return model;
}

/// A beam that swings from a hinge at one end, and bends and twists as it goes.
Model swinging_beam(bool planar, double duration) {
  Model model;
  model.gravity = {0.0, -9.81, 0.0};
  BeamSpec beam;
  beam.name = "beam";
  beam.planar = planar;
  beam.points = {Vec3::Zero(), Vec3(1.0, 0.0, 0.0)};
  beam.elements = 100;
  beam.section = section_of(RectangleSection{0.01, 0.02});
  beam.youngs_modulus = 2.1e9;
  beam.shear_modulus = 8e8;
  beam.density = 7850.0;
  if (!planar) beam.angular_velocity = {0.0, 5.0, 0.0};
  model.beams.push_back(beam);
  JointSpec hinge;
  hinge.name = "hinge";
  hinge.kind = planar ? JointKind::revolute : JointKind::ball;
  hinge.b.body = beam_node_name(beam, 0);
  model.joints.push_back(hinge);
  model.integrator.step = 1e-3;
  model.integrator.duration = duration;
  return model;
}

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"bouncing ball", bouncing_ball, 2000},
      {"rocking rod", [] { return example("001/rocking-rod-1.toml"); }, 300},
      {"crank with clearance", [] { return example("000/slider-crank-with-clearance.toml"); },
       1000},
      {"spatial slider-crank", [] { return example("smooth/slider-crank-3d.toml"); }, 500},
      {"chain of 50 links", [] { return example("smooth/chain.toml"); }, 100},
      {"beam, 100 elements", [] { return swinging_beam(false, 1.0); }, 100},
      {"planar beam, 100", [] { return swinging_beam(true, 1.0); }, 100},
  };
  return all;
}

// ---- Measurements
// ----------------------------------------------------------------------------------

/// All in seconds per step.
struct Times {
  double step = 0.0, smooth = 0.0, position = 0.0, velocity = 0.0, linear_algebra = 0.0;
  double sample = 0.0, write = 0.0;
  double bare = 0.0;
  double systems = 0.0,
         pivot_searches = 0.0;  ///< factorisations per step, and of these not in old pivots
  std::string hash;

  double rest() const { return step - smooth - position - velocity; }
  double ratio() const { return step / bare; }
};

class StepMeasurement {
 public:
  explicit StepMeasurement(const Case& given) : model_(given.model()), steps_(given.steps) {
    model_.integrator.duration = model_.integrator.step * static_cast<double>(steps_);
    record_systems();
  }

  /// One run; returns its time.
  double repeat_steps() {
    Simulation simulation(model_);
    for (LeastTimes* times : {&step_, &smooth_, &position_, &velocity_, &linear_algebra_}) {
      times->begin_repetition();
    }
    double total = 0.0;
    RunStatistics before = simulation.statistics();
    for (long k = 0; k < steps_; ++k) {
      const Clock::time_point start = Clock::now();
      simulation.step();
      const double time = seconds_between(start, Clock::now());
      const RunStatistics& after = simulation.statistics();
      step_.note(time);
      smooth_.note(after.smooth_time - before.smooth_time);
      position_.note(after.position_time - before.position_time);
      velocity_.note(after.velocity_time - before.velocity_time);
      linear_algebra_.note(after.linear_algebra_time - before.linear_algebra_time);
      before = after;
      total += time;
    }
    check(simulation);
    return total;
  }

  /// As many rows as a chunk of the file holds: it is compressed as a whole.
  void repeat_output() {
    Model model = model_;
    model.integrator.duration = model.integrator.step * static_cast<double>(rows_);
    const std::filesystem::path path = std::filesystem::temp_directory_path() /
                                       fmt::format("clatter-bench-step-{}.h5", ::getpid());
    Simulation simulation(model);
    ResultFile file(path, simulation.channels(), make_run_info(model, {}));
    std::vector<double> row(static_cast<std::size_t>(simulation.row_size()));
    sample_.begin_repetition();
    write_.begin_repetition();
    while (!simulation.finished()) {
      simulation.step();
      const Clock::time_point start = Clock::now();
      simulation.sample(row);
      simulation.start_interval();
      const Clock::time_point sampled = Clock::now();
      file.append(simulation.time(), row);
      sample_.note(seconds_between(start, sampled));
      write_.note(seconds_between(sampled, Clock::now()));
    }
    const Clock::time_point start = Clock::now();
    file.close();
    write_.note(seconds_between(start, Clock::now()));
    std::filesystem::remove(path);
  }

  void repeat_bare() {
    bare_.begin_repetition();
    replay(nsga_->smooth_matrix(), smooth_tape_);
    replay(nsga_->contact_matrix(), contact_tape_);
  }

  Times times() const {
    const auto per = [](long count, const LeastTimes& times) {
      return times.sum() / static_cast<double>(count);
    };
    Times t;
    t.step = per(steps_, step_);
    t.smooth = per(steps_, smooth_);
    t.position = per(steps_, position_);
    t.velocity = per(steps_, velocity_);
    t.linear_algebra = per(steps_, linear_algebra_);
    t.sample = per(rows_, sample_);
    t.write = per(rows_, write_);
    t.bare = per(steps_, bare_);
    t.systems = static_cast<double>(smooth_tape_.size() + contact_tape_.size()) /
                static_cast<double>(steps_);
    t.pivot_searches = static_cast<double>(pivot_searches_) / static_cast<double>(steps_);
    t.hash = hash_;
    return t;
  }

 private:
  void record_systems() {
    const double h = model_.integrator.step;
    machine_ = std::make_unique<Machine>(model_);
    nsga_ = std::make_unique<Nsga>(*machine_, model_.integrator);
    State state = state_at_start(*machine_);
    if (!nsga_->start(state)) throw std::runtime_error(nsga_->failure());
    machine_->count_turns(state.q, state.turns);
    SystemMatrix &smooth = nsga_->smooth_matrix(), &contact = nsga_->contact_matrix();
    const long searches = smooth.pivot_searches + contact.pivot_searches;
    smooth.tape = &smooth_tape_;
    contact.tape = &contact_tape_;
    for (long k = 0; k < steps_; ++k) {
      const double t = h * static_cast<double>(k), end = h * static_cast<double>(k + 1);
      state.time = t;
      if (!nsga_->step(state, end - t)) throw std::runtime_error(nsga_->failure());
    }
    smooth.tape = contact.tape = nullptr;
    pivot_searches_ = smooth.pivot_searches + contact.pivot_searches - searches;
  }

  /// The tape must hold the systems of this run, and every run must end alike.
  void check(const Simulation& simulation) {
    const auto taped = static_cast<long>(smooth_tape_.size() + contact_tape_.size());
    std::vector<double> row(static_cast<std::size_t>(simulation.row_size()));
    simulation.sample(row);
    const std::string hash =
        sha256({reinterpret_cast<const char*>(row.data()), row.size() * sizeof(double)});
    // The start has one factorisation of its own.
    if (simulation.statistics().factorisations != taped + 1 || (!hash_.empty() && hash != hash_)) {
      throw std::runtime_error("two runs of one model differ");
    }
    hash_ = hash;
  }

  void replay(SystemMatrix& matrix, std::vector<SolvedSystem>& tape) {
    for (SolvedSystem& system : tape) {
      matrix.exchange_values(system);
      // A step has just written its matrix, so it finds it in the cache; let the copy be there,
      // too.
      touch(matrix);
      Clock::time_point start = Clock::now();
      matrix.factorise(system.weights, system.smallest_pivot_ratio);
      double time = seconds_between(start, Clock::now());
      for (const VecX& right_side : system.right_sides) {
        x_ = right_side;
        start = Clock::now();
        matrix.solve(x_);
        time += seconds_between(start, Clock::now());
      }
      bare_.note(time);
      matrix.exchange_values(system);
    }
  }

  static void touch(const SystemMatrix& matrix) {
    double sum = 0.0;
    for (const double value : matrix.values()) sum += value;
    benchmark::DoNotOptimize(sum);
  }

  static constexpr long rows_ = 1024;
  Model model_;
  long steps_;
  std::unique_ptr<Machine> machine_;
  std::unique_ptr<Nsga> nsga_;
  std::vector<SolvedSystem> smooth_tape_, contact_tape_;
  long pivot_searches_ = 0;
  VecX x_;
  std::string hash_;
  LeastTimes step_, smooth_, position_, velocity_, linear_algebra_, bare_, sample_, write_;
};

/// All of a long run at once: ten thousand steps.
void run_beam(benchmark::State& state) {
  long steps = 0, updates = 0;
  for ([[maybe_unused]] auto _ : state) {
    Simulation simulation(swinging_beam(false, 10.0));
    while (!simulation.finished()) simulation.step();
    steps = simulation.steps_done();
    const RunStatistics& run = simulation.statistics();
    updates = run.smooth.total + run.position.total + run.velocity.total;
  }
  state.counters["steps"] = static_cast<double>(steps);
  state.counters["updates"] = static_cast<double>(updates);
}

/// What one element costs in one Newton update, by itself: its force, and its tangent.
void run_element(benchmark::State& state, bool tangent) {
  const Machine machine(swinging_beam(false, 1.0));
  Configuration q = machine.initial_configuration();
  NodalVector increment = machine.initial_velocity();
  for (Eigen::Index i = 0; i < increment.size(); ++i) {
    increment[i] = 1e-3 * std::sin(static_cast<double>(i));
  }
  retract(machine.nodes(), machine.initial_configuration(), increment, q);
  const std::vector<BeamElement>& elements = machine.beam_elements();
  Vec12 f;
  Mat12 first, second;
  for ([[maybe_unused]] auto _ : state) {
    if (tangent) {
      for (std::size_t e = 0; e + 1 < elements.size(); e += 2) {
        const BeamElement &one = elements[e], &other = elements[e + 1];
        BeamElement::tangents({one, one.helix(q), nullptr, nullptr, first},
                              {other, other.helix(q), nullptr, nullptr, second}, increment,
                              {1.0, 1.0, 1.0});
        benchmark::DoNotOptimize(first.data());
        benchmark::ClobberMemory();
      }
    } else {
      for (const BeamElement& element : elements) {
        element.force(element.helix(q), increment, f);
        benchmark::DoNotOptimize(f.data());
        benchmark::ClobberMemory();
      }
    }
  }
  state.counters["elements/s"] =
      benchmark::Counter(static_cast<double>(machine.beam_elements().size()),
                         benchmark::Counter::kIsIterationInvariantRate);
}

// ---- Report
// ----------------------------------------------------------------------------------------

struct Row {
  std::string name;
  Times times;
};
std::vector<Row> table;

void measure(benchmark::State& state, const Case& given) {
  StepMeasurement measurement(given);
  int outputs = 3;
  for ([[maybe_unused]] auto _ : state) {
    state.SetIterationTime(measurement.repeat_steps());
    measurement.repeat_bare();
    if (outputs-- > 0) measurement.repeat_output();
  }
  const Times t = measurement.times();
  state.counters["steps/s"] = 1.0 / t.step;
  state.counters["smooth"] = t.smooth;
  state.counters["position"] = t.position;
  state.counters["velocity"] = t.velocity;
  state.counters["linear_algebra"] = t.linear_algebra;
  state.counters["sample"] = t.sample;
  state.counters["write"] = t.write;
  state.counters["bare"] = t.bare;
  state.counters["ratio"] = t.ratio();
  state.SetLabel(t.hash.substr(0, 16));
  table.push_back({given.name, t});
}

void print_table() {
  if (table.empty()) return;
  fmt::print(R"(
Microseconds per step. Linear algebra is contained in smooth, position and velocity; the rest of a
step is set-up and book-keeping. Sampling and writing a row at every step come on top. The ratio is
that of a step to the bare time for factorising and solving the same systems; where hardly a step
solves any, as in free flight, it means little.

)");
  fmt::print("{:22}{:>9}{:>9}{:>9}{:>10}{:>10}{:>7}{:>9}{:>9}{:>7}{:>9}{:>8}{:>8}{:>8}  {}\n", "",
             "steps/s", "step", "smooth", "position", "velocity", "rest", "lin.alg.", "bare",
             "ratio", "systems", "pivots", "sample", "write", "final state");
  for (const auto& [name, t] : table) {
    constexpr double us = 1e6;
    fmt::print(
        "{:22}{:9.0f}{:9.2f}{:9.2f}{:10.2f}{:10.2f}{:7.2f}{:9.2f}{:9.2f}{:7.2f}{:9.2f}{:8.2f}"
        "{:8.2f}{:8.2f}  {}\n",
        name, 1.0 / t.step, us * t.step, us * t.smooth, us * t.position, us * t.velocity,
        us * t.rest(), us * t.linear_algebra, us * t.bare, t.ratio(), t.systems, t.pivot_searches,
        us * t.sample, us * t.write, t.hash.substr(0, 16));
  }
}

}  // namespace
}  // namespace clatter

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  for (const clatter::Case& given : clatter::cases()) {
    std::string name = "step/" + given.name;
    std::replace(name.begin(), name.end(), ' ', '_');
    benchmark::RegisterBenchmark(name.c_str(), clatter::measure, given)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond)
        ->Iterations(20);
  }
  benchmark::RegisterBenchmark("beam/10000_steps", clatter::run_beam)
      ->Unit(benchmark::kMillisecond)
      ->Iterations(1);
  benchmark::RegisterBenchmark("beam/force_of_100_elements", clatter::run_element, false);
  benchmark::RegisterBenchmark("beam/tangent_of_100_elements", clatter::run_element, true);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  clatter::print_table();
}
