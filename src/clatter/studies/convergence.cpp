#include <algorithm>
#include <cmath>
#include <mutex>
#include <string_view>

#include <fmt/format.h>

#include <clatter/model/error.hpp>
#include <clatter/simulation/simulation.hpp>
#include <clatter/studies/convergence.hpp>
#include <clatter/studies/parallel_runs.hpp>

namespace clatter {

namespace {

/// Entries of the row that the errors compare. Groups keep together what has one sign.
struct Selection {
  struct Group {
    int offset, size;
    bool up_to_sign;
  };
  std::vector<Group> positions, velocities;

  explicit Selection(const std::vector<Channel>& channels) {
    for (const Channel& channel : channels) {
      const std::string_view path = channel.path;
      if (!path.starts_with("bodies/") && !path.starts_with("beams/")) continue;
      const std::string_view what = path.substr(path.rfind('/') + 1);
      const int size = static_cast<int>(channel.components.size());
      if (what == "orientation") {
        for (int i = 0; i < size; i += 4) positions.push_back({channel.offset + i, 4, true});
      }
      if (what == "position" || what == "angle") positions.push_back({channel.offset, size, false});
      if (what == "velocity" || what == "angular_velocity")
        velocities.push_back({channel.offset, size, false});
    }
  }
};

/// Rows at the multiples of the coarsest step, the start left out.
using Trajectory = std::vector<std::vector<double>>;

struct Run {
  Trajectory rows;
  std::vector<Channel> channels;
};

Run run_with_step(Model model, double step, long steps_per_sample) {
  model.integrator.step = step;
  Run run;
  try {
    Simulation simulation(model);
    run.channels = simulation.channels();
    std::vector<double> row(simulation.row_size());
    while (!simulation.finished()) {
      simulation.step();
      if (simulation.steps_done() % steps_per_sample == 0) {
        simulation.sample(row);
        run.rows.push_back(row);
      }
      simulation.start_interval();
    }
  } catch (const Error& error) {
    throw Error(fmt::format("with step {:g} s: {}", step, error.what()));
  }
  return run;
}

double error_of(const Trajectory& rows, const Trajectory& reference, std::size_t count,
                const std::vector<Selection::Group>& groups) {
  double difference = 0.0, size = 0.0;
  for (std::size_t n = 0; n < count; ++n) {
    for (const Selection::Group& group : groups) {
      double same = 0.0, opposite = 0.0;
      for (int i = group.offset; i < group.offset + group.size; ++i) {
        same += std::abs(rows[n][i] - reference[n][i]);
        opposite += std::abs(rows[n][i] + reference[n][i]);
        size += std::abs(reference[n][i]);
      }
      difference += group.up_to_sign ? std::min(same, opposite) : same;
    }
  }
  return size > 0.0 ? difference / size : difference;
}

/// How many steps make the coarsest one.
long steps_in(double coarsest, double step) {
  const double ratio = coarsest / step;
  const double whole = std::round(ratio);
  if (std::abs(ratio - whole) > 1e-9 * ratio)
    throw Error(fmt::format(
        "the step {:g} s does not divide the coarsest step {:g} s ({:g} times): the runs "
        "would share no times to compare at",
        step, coarsest, ratio));
  return static_cast<long>(whole);
}

}  // namespace

std::string order_text(const ErrorDecay& decay) {
  return decay.order ? fmt::format("{:.2f}", *decay.order) : "exact";
}

ErrorDecay error_decay(std::span<const double> steps, std::vector<double> errors) {
  ErrorDecay decay;
  decay.errors = std::move(errors);
  const auto is_exact = [&](std::size_t i) { return decay.errors[i] < exact_error; };
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    std::optional<double> rate;
    if (i > 0 && !is_exact(i) && !is_exact(i - 1))
      rate = std::log(decay.errors[i - 1] / decay.errors[i]) / std::log(steps[i - 1] / steps[i]);
    decay.rates.push_back(rate);
    if (is_exact(i)) continue;
    const double x = std::log(steps[i]), y = std::log(decay.errors[i]);
    n += 1, sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  if (n >= 2) decay.order = (n * sxy - sx * sy) / (n * sxx - sx * sx);
  return decay;
}

ConvergenceStudy study_convergence(const Model& model, std::span<const double> steps,
                                   double reference_step,
                                   const std::function<void(double step)>& report,
                                   const Model* reference_model) {
  ConvergenceStudy study;
  study.steps.assign(steps.begin(), steps.end());
  std::sort(study.steps.begin(), study.steps.end(), std::greater<>());
  study.steps.erase(std::unique(study.steps.begin(), study.steps.end()), study.steps.end());
  study.reference_step = reference_step;
  if (study.steps.size() < 2)
    throw Error("a study of convergence needs at least two different steps");
  const double coarsest = study.steps.front(), finest = study.steps.back();
  if (!(finest > 0.0) || !(reference_step > 0.0)) throw Error("steps must be positive");
  if (!(reference_step < finest))
    throw Error(fmt::format("the reference step {:g} s must be smaller than the finest step {:g} s",
                            reference_step, finest));
  if (coarsest > model.integrator.duration * (1 + 1e-9))
    throw Error(fmt::format("the coarsest step {:g} s is longer than the run, {:g} s", coarsest,
                            model.integrator.duration));

  // The longest run first, so that processors are busy to the end.
  std::vector<double> all = {reference_step};
  all.insert(all.end(), study.steps.rbegin(), study.steps.rend());
  std::vector<long> steps_per_sample;
  steps_per_sample.reserve(all.size());
  for (const double step : all) steps_per_sample.push_back(steps_in(coarsest, step));

  std::vector<Run> runs(all.size());
  std::mutex reporting;
  run_in_parallel(all.size(), [&](std::size_t i) {
    const bool is_reference = i == 0 && reference_model != nullptr;
    runs[i] = run_with_step(is_reference ? *reference_model : model, all[i], steps_per_sample[i]);
    const std::scoped_lock lock(reporting);
    if (report) report(all[i]);
  });

  // A duration that is no multiple of a step may end a run one sample earlier than another.
  std::size_t count = runs.front().rows.size();
  for (const Run& run : runs) count = std::min(count, run.rows.size());
  if (count == 0)
    throw Error(
        fmt::format("no times to compare at: the run of {:g} s is shorter than the coarsest "
                    "step {:g} s",
                    model.integrator.duration, coarsest));

  // Bodies and beams come first in a row, the same for all integrators.
  const Selection selection(runs.front().channels);
  const Trajectory& reference = runs.front().rows;
  std::vector<double> positions, velocities;
  for (std::size_t i = runs.size() - 1; i > 0; --i) {
    positions.push_back(error_of(runs[i].rows, reference, count, selection.positions));
    velocities.push_back(error_of(runs[i].rows, reference, count, selection.velocities));
  }
  study.positions = error_decay(study.steps, std::move(positions));
  study.velocities = error_decay(study.steps, std::move(velocities));
  return study;
}

}  // namespace clatter
