#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <mutex>
#include <stdexcept>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <clatter/io/csv_file.hpp>
#include <clatter/io/model_reader.hpp>
#include <clatter/model/nearest_word.hpp>
#include <clatter/recovery/contact_forces.hpp>
#include <clatter/studies/convergence.hpp>
#include <clatter/studies/loop.hpp>
#include <clatter/studies/parallel_runs.hpp>
#include <clatter/studies/spectrum.hpp>
#include <clatter/studies/verification.hpp>

namespace clatter {

namespace {

// ---- Quantities
// -----------------------------------------------------------------------------------

double mean(const IterationStatistics& iterations, long steps) {
  return steps > 0 ? double(iterations.total) / double(steps) : 0.0;
}

double relative(double length, const RunStatistics& run) {
  return run.length > 0.0 ? length / run.length : length;
}

/// Figures of the whole run, besides the channels.
struct RunQuantity {
  const char* name;
  double (*value)(const RunStatistics&);
};
using Figures = RunStatistics;
constexpr std::array run_quantities = {
    RunQuantity{"run/min_gap", [](const Figures& r) { return relative(r.min_gap, r); }},
    RunQuantity{"run/joint_error", [](const Figures& r) { return r.max_joint_error; }},
    RunQuantity{"run/joint_velocity_error",
                [](const Figures& r) { return r.max_joint_velocity_error; }},
    RunQuantity{"run/max_smooth_iterations", [](const Figures& r) { return double(r.smooth.max); }},
    RunQuantity{"run/max_position_iterations",
                [](const Figures& r) { return double(r.position.max); }},
    RunQuantity{"run/max_velocity_iterations",
                [](const Figures& r) { return double(r.velocity.max); }},
    RunQuantity{"run/mean_smooth_iterations",
                [](const Figures& r) { return mean(r.smooth, r.steps); }},
    RunQuantity{"run/mean_position_iterations",
                [](const Figures& r) { return mean(r.position, r.steps); }},
    RunQuantity{"run/mean_velocity_iterations",
                [](const Figures& r) { return mean(r.velocity, r.steps); }},
    RunQuantity{"run/substeps", [](const Figures& r) { return double(r.substeps); }},
    RunQuantity{"run/regularised", [](const Figures& r) { return double(r.regularised); }},
    RunQuantity{"run/stood_in", [](const Figures& r) { return double(r.stood_in); }},
    RunQuantity{"run/recovered", [](const Figures& r) { return double(r.recovered); }},
    RunQuantity{"run/lessened", [](const Figures& r) { return double(r.lessened); }},
    RunQuantity{"run/cut", [](const Figures& r) { return double(r.cut); }},
    RunQuantity{"run/plastic", [](const Figures& r) { return double(r.plastic); }},
};

const RunQuantity* find_run_quantity(const std::string& name) {
  for (const RunQuantity& quantity : run_quantities)
    if (name == quantity.name) return &quantity;
  return nullptr;
}

/// The entry of the row that a quantity names, of watched pairs in any order.
struct Entry {
  std::size_t index;
  double sign;
};
std::optional<Entry> find_entry(const std::string& name, const std::vector<Channel>& channels) {
  const auto find = [&](const std::string& path, double sign) -> std::optional<Entry> {
    for (const Channel& channel : channels) {
      if (!path.starts_with(channel.path)) continue;
      for (std::size_t i = 0; i < channel.components.size(); ++i)
        if (component_name(channel, i) == path)
          return Entry{static_cast<std::size_t>(channel.offset) + i, sign};
    }
    return std::nullopt;
  };
  if (const auto entry = find(name, 1.0)) return entry;
  const auto turned = turned_quantity(name);
  return turned ? find(turned->path, turned->sign) : std::nullopt;
}

/// Of contacts whose forces are recovered: what is known when the run is over. Quantities of
/// impacts have their times.
std::vector<Channel> recovered_channels(const Model& model) {
  std::vector<Channel> channels;
  for (const ContactRecovery& recovery : recoveries_of(model)) {
    channels.push_back({recovery.path() + "/recovered_force", {""}, "N"});
    for (const StressFigure& figure : stress_figures) {
      if (!recovery.has_stress()) break;
      channels.push_back({fmt::format("{}/{}", recovery.path(), figure.name), {""}, figure.unit});
    }
    for (const ImpactFigure& figure : impact_figures()) {
      channels.push_back(
          {fmt::format("impacts/{}/{}", recovery.contact, figure.name), {""}, figure.unit});
    }
  }
  return channels;
}

/// The path of a quantity that is known when the run is over, as it was recovered.
std::optional<std::string> recovered_path(const std::string& quantity, const Model& model) {
  const std::optional<TurnedQuantity> turned = turned_quantity(quantity);
  for (const Channel& channel : recovered_channels(model)) {
    if (channel.path == quantity || (turned && channel.path == turned->path)) return channel.path;
  }
  return std::nullopt;
}

/// What is known of events when the run is over: their times, how often they happened, and what
/// they recorded.
std::vector<Channel> event_channels(const Model& model) {
  std::vector<Channel> channels;
  for (const EventSpec& event : model.events) {
    const std::string path = "events/" + event.name + "/";
    channels.push_back({path + "time", {""}, "s"});
    channels.push_back({path + "count", {""}, ""});
    for (const std::string& quantity : event.record)
      channels.push_back({path + quantity, {""}, ""});
  }
  return channels;
}

bool is_of_event(const std::string& quantity, const Model& model) {
  const std::vector<Channel> channels = event_channels(model);
  return std::any_of(channels.begin(), channels.end(),
                     [&](const Channel& channel) { return channel.path == quantity; });
}

std::optional<double> measured_of_event(const VerifySpec& spec, const Model& model,
                                        const RunStatistics& statistics) {
  for (std::size_t e = 0; e < model.events.size(); ++e) {
    const std::string path = "events/" + model.events[e].name + "/";
    if (!spec.quantity.starts_with(path)) continue;
    const std::string of = spec.quantity.substr(path.size());
    std::vector<double> times, values;
    for (const Happening& each : statistics.happenings) {
      if (each.event != static_cast<int>(e)) continue;
      times.push_back(each.time);
      if (of == "time") {
        values.push_back(each.time);
        continue;
      }
      const std::vector<std::string>& record = model.events[e].record;
      const auto found = std::find(record.begin(), record.end(), of);
      if (found != record.end()) {
        values.push_back(each.values[static_cast<std::size_t>(found - record.begin())]);
      }
    }
    if (of == "count") return static_cast<double>(times.size());
    if (values.size() == times.size()) return measure(spec, times, values);
  }
  return std::nullopt;
}

/// Keeps what recovery needs of a run.
class RecoveredContacts {
 public:
  RecoveredContacts(const Model& model, const std::vector<Channel>& channels)
      : recoveries_(recoveries_of(model)), histories_(recoveries_.size()) {
    for (std::size_t c = 0; c < recoveries_.size(); ++c) {
      for (const HistoryChannel& channel : history_channels) {
        const auto entry =
            find_entry(fmt::format("{}/{}", recoveries_[c].path(), channel.name), channels);
        if (entry) sources_.push_back({c, channel.values, entry->index});
      }
    }
  }

  void take(double time, const std::vector<double>& row) {
    for (ContactHistory& history : histories_) history.time.push_back(time);
    for (const Source& from : sources_) {
      (histories_[from.contact].*from.values).push_back(row[from.entry]);
    }
  }

  /// Once the run is over, of a path of recovered_channels().
  std::optional<double> measured(const VerifySpec& spec, const std::string& path) const {
    for (std::size_t c = 0; c < recoveries_.size(); ++c) {
      const std::string& name = recoveries_[c].contact;
      if (path.find("/" + name + "/") == std::string::npos) continue;
      const ContactForces forces = recover_forces(histories_[c], recoveries_[c]);
      if (path == recoveries_[c].path() + "/recovered_force") {
        return measure(spec, histories_[c].time, forces.force);
      }
      for (const StressFigure& figure : stress_figures) {
        if (path != fmt::format("{}/{}", recoveries_[c].path(), figure.name)) continue;
        return measure(spec, histories_[c].time, stress_history(figure, forces));
      }
      for (const ImpactFigure& figure : impact_figures()) {
        if (path != fmt::format("impacts/{}/{}", name, figure.name)) continue;
        std::vector<double> times, values;
        for (const ContactImpact& impact : forces.impacts) {
          times.push_back(impact.time);
          values.push_back(figure.value(impact));
        }
        return measure(spec, times, values);
      }
    }
    return std::nullopt;
  }

 private:
  struct Source {
    std::size_t contact;
    std::vector<double> ContactHistory::*values;
    std::size_t entry;  // of the row
  };
  std::vector<ContactRecovery> recoveries_;
  std::vector<ContactHistory> histories_;
  std::vector<Source> sources_;
};

/// What an entry measures: a channel, or "atan2(y, x)", the angle of two channels [rad].
struct Quantities {
  std::vector<std::string> names;  ///< one, or y and x
  double value(const std::vector<double>& row, const std::vector<Entry>& entries) const {
    const auto at = [&](const Entry& entry) { return entry.sign * row[entry.index]; };
    return names.size() == 1 ? at(entries[0]) : std::atan2(at(entries[0]), at(entries[1]));
  }
};

Quantities quantities_of(const std::string& quantity) {
  constexpr std::string_view begin = "atan2(";
  const std::size_t comma = quantity.find(", ");
  if (!quantity.starts_with(begin) || !quantity.ends_with(')') || comma == std::string::npos)
    return {{quantity}};
  return {{quantity.substr(begin.size(), comma - begin.size()),
           quantity.substr(comma + 2, quantity.size() - comma - 3)}};
}

/// More components than this are those of a beam's nodes or elements, perhaps thousands: a message
/// does not list them, and a correction changes either the channel or the component, not both.
constexpr std::size_t few_components = 9;

/// What a quantity that does not exist may have been meant to be.
std::vector<std::string> similar_quantities(std::string_view wrong,
                                            const std::vector<Channel>& channels) {
  std::vector<std::string> similar;
  similar.reserve(run_quantities.size() + channels.size());
  for (const RunQuantity& quantity : run_quantities) similar.emplace_back(quantity.name);
  const auto ends_in = [&](const std::string& component) {
    return wrong.size() > component.size() && wrong.ends_with(component) &&
           wrong[wrong.size() - component.size() - 1] == '/';
  };
  for (const Channel& channel : channels) {
    const bool all =
        channel.components.size() <= few_components || wrong.starts_with(channel.path + "/");
    for (std::size_t i = 0; i < channel.components.size(); ++i)
      if (all || ends_in(channel.components[i])) similar.push_back(component_name(channel, i));
  }
  return similar;
}

/// What may stand behind a quantity that only begins the name of one: components of a channel, or
/// of one node in it.
std::vector<std::string> components_behind(const std::string& quantity,
                                           const std::vector<Channel>& channels) {
  std::vector<std::string> behind;
  for (const Channel& channel : channels) {
    if (!quantity.starts_with(channel.path)) continue;
    for (std::size_t i = 0; i < channel.components.size(); ++i) {
      const std::string name = component_name(channel, i);
      if (name.starts_with(quantity + "/")) behind.push_back(name.substr(quantity.size() + 1));
    }
  }
  return behind;
}

Mistake unknown_quantity(const Place& place, const std::string& quantity,
                         const std::vector<Channel>& channels) {
  std::string message = fmt::format("the run has no quantity '{}'", quantity);
  const std::vector<std::string> missing = components_behind(quantity, channels);
  if (missing.size() > few_components)
    message += fmt::format("; add one of its components: {}, ..., {}",
                           fmt::join(missing.begin(), missing.begin() + 4, ", "), missing.back());
  else if (!missing.empty())
    message += fmt::format("; add one of its components: {}", fmt::join(missing, ", "));
  else
    message += did_you_mean(quantity, similar_quantities(quantity, channels));
  return {place, message};
}

/// What is wrong with the quantity of an entry; nothing for a figure of the whole run.
std::vector<Mistake> quantity_mistakes(const VerifySpec& spec, const Model& model,
                                       const std::vector<Channel>& channels) {
  std::vector<Mistake> mistakes;
  if (find_run_quantity(spec.quantity) || recovered_path(spec.quantity, model) ||
      is_of_event(spec.quantity, model)) {
    return mistakes;
  }
  std::vector<std::string> names = quantities_of(spec.quantity).names;
  if (!spec.over.empty()) names.push_back(spec.over);
  for (const std::string& name : names) {
    if (find_entry(name, channels)) continue;
    std::vector<Channel> all = recovered_channels(model);
    const std::vector<Channel> of_events = event_channels(model);
    all.insert(all.end(), of_events.begin(), of_events.end());
    all.insert(all.end(), channels.begin(), channels.end());
    mistakes.push_back(unknown_quantity(spec.place, name, all));
  }
  return mistakes;
}

bool is_order(const VerifySpec& spec) { return spec.measure == "order"; }

double oracle_of(const VerifySpec& spec) {
  try {
    return Expression(spec.oracle)(0.0);
  } catch (const std::exception& error) {
    throw Error(spec.place, fmt::format("oracle: {}", error.what()));
  }
}

/// Times come from sums of steps; bounds are meant to include the sample that they name.
double slack(double time) { return 1e-9 * std::abs(time); }

// ---- Runs
// -----------------------------------------------------------------------------------------

/// One run, or for orders one study of convergence, and the entries that it serves.
struct Job {
  Model model;
  std::vector<Verification*> entries;
};

void judge(Verification& entry, std::optional<double> measured) {
  entry.measured = measured;
  const bool agreed = measured && agrees(entry.spec, *measured, entry.oracle);
  entry.pass = entry.spec.differs.empty() ? agreed : measured && !agreed;
  if (!measured && entry.problem.empty())
    entry.problem = "there is nothing to measure in that time";
}

void run_orders(const Job& job) {
  const VerifySpec& first = job.entries.front()->spec;
  const double finest =
      first.steps.empty() ? 0.0 : *std::min_element(first.steps.begin(), first.steps.end());
  const ConvergenceStudy study =
      study_convergence(job.model, first.steps, first.reference_step.value_or(finest / 4));
  for (Verification* entry : job.entries) {
    const ErrorDecay& decay =
        entry->spec.quantity == "positions" ? study.positions : study.velocities;
    if (decay.order) {
      judge(*entry, decay.order);
    } else {
      // Nothing but round-off: better than any order that could be asked for. What is shown is the
      // largest error and what still counts as round-off.
      entry->quantity =
          fmt::format("largest error of {}, exact but for round-off", entry->spec.quantity);
      entry->measured = *std::max_element(decay.errors.begin(), decay.errors.end());
      entry->oracle = 0.0;
      entry->spec.tolerance = exact_error;
      entry->pass = entry->spec.compare != "at_most";
    }
  }
}

void run_once(const Job& job) {
  Simulation simulation(job.model);
  const std::vector<Channel>& channels = simulation.channels();
  struct Series {
    Quantities quantities;
    std::vector<Entry> entries;  // of the row
    std::vector<double> samples;
  };
  std::map<std::string, Series> series;  // each quantity once
  const auto record = [&](const std::string& quantity) {
    if (quantity.empty() || find_run_quantity(quantity) || series.contains(quantity)) return;
    Series one{quantities_of(quantity), {}, {}};
    for (const std::string& name : one.quantities.names)
      if (const std::optional<Entry> found = find_entry(name, channels))
        one.entries.push_back(*found);
    if (one.entries.size() == one.quantities.names.size()) series.emplace(quantity, std::move(one));
  };
  for (Verification* entry : job.entries) {
    record(entry->spec.quantity);
    record(entry->spec.over);
  }

  std::vector<double> row(simulation.row_size()), times;
  const auto take_sample = [&] {
    simulation.sample(row);
    simulation.start_interval();
    times.push_back(simulation.time());
    for (auto& [name, one] : series) one.samples.push_back(one.quantities.value(row, one.entries));
  };
  RecoveredContacts recovered(job.model, channels);
  const auto take_all = [&] {
    take_sample();
    recovered.take(times.back(), row);
  };
  take_all();
  while (!simulation.finished()) {
    simulation.step();
    take_all();
  }

  for (Verification* entry : job.entries) {
    const VerifySpec& spec = entry->spec;
    if (const RunQuantity* quantity = find_run_quantity(spec.quantity)) {
      judge(*entry, quantity->value(simulation.statistics()));
    } else if (const auto path = recovered_path(spec.quantity, job.model)) {
      judge(*entry, recovered.measured(spec, *path));
    } else if (is_of_event(spec.quantity, job.model)) {
      judge(*entry, measured_of_event(spec, job.model, simulation.statistics()));
    } else if (const auto found = series.find(spec.quantity); found != series.end()) {
      const auto over = series.find(spec.over);
      judge(*entry,
            measure(spec, times, found->second.samples,
                    over == series.end() ? std::span<const double>() : over->second.samples));
    } else {
      for (const Mistake& mistake : quantity_mistakes(spec, job.model, channels))
        entry->problem = to_string(mistake);
    }
  }
}

}  // namespace

std::vector<Mistake> verification_mistakes(const Model& model,
                                           const std::vector<Channel>& channels) {
  std::vector<Mistake> mistakes;
  for (const VerifySpec& spec : model.verify) {
    if (is_order(spec)) {
      if (spec.quantity != "positions" && spec.quantity != "velocities")
        mistakes.push_back({spec.place, fmt::format("an order is measured of 'positions' or "
                                                    "'velocities', not of '{}'",
                                                    spec.quantity)});
    } else {
      const std::vector<Mistake> wrong = quantity_mistakes(spec, model, channels);
      mistakes.insert(mistakes.end(), wrong.begin(), wrong.end());
    }
    try {
      oracle_of(spec);
    } catch (const Error& error) {
      mistakes.insert(mistakes.end(), error.mistakes().begin(), error.mistakes().end());
    }
  }
  return mistakes;
}

std::optional<double> measure(const VerifySpec& spec, std::span<const double> times,
                              std::span<const double> values, std::span<const double> over) {
  if (times.empty()) return std::nullopt;
  if (spec.measure == "final") return values.back();

  if (spec.measure == "at") {
    const double at = spec.at.value_or(times.back());
    if (at < times.front() - slack(at) || at > times.back() + slack(at)) return std::nullopt;
    // Between samples a straight line; on a sample, which is the normal case, its own value.
    std::size_t i = 0;
    while (i + 1 < times.size() && times[i] < at - slack(at)) ++i;
    if (i == 0 || std::abs(times[i] - at) <= slack(at)) return values[i];
    const double part = (at - times[i - 1]) / (times[i] - times[i - 1]);
    return values[i - 1] + part * (values[i] - values[i - 1]);
  }

  const bool is_loop = spec.measure == "loop_area" || spec.measure == "loop_damping";
  if (spec.measure == "frequency" || is_loop) {
    const auto inside = [&](double t) {
      return !(spec.from && t < *spec.from - slack(*spec.from)) &&
             !(spec.to && t > *spec.to + slack(*spec.to));
    };
    const auto begin = std::find_if(times.begin(), times.end(), inside);
    const auto end = std::find_if_not(begin, times.end(), inside);
    const auto first = static_cast<std::size_t>(begin - times.begin()),
               count = static_cast<std::size_t>(end - begin);
    if (is_loop) {
      if (over.size() != values.size()) return std::nullopt;
      const Loop loop = loop_of(over.subspan(first, count), values.subspan(first, count));
      return spec.measure == "loop_area" ? loop.area : loop.damping();
    }
    return strongest_frequency(times.subspan(first, count), values.subspan(first, count),
                               {spec.band.at(0), spec.band.at(1)});
  }

  std::optional<double> result;
  const auto update = [&](double value, auto&& combine) {
    result = result ? combine(*result, value) : value;
  };
  const auto smaller = [](double a, double b) { return std::min(a, b); };
  const auto larger = [](double a, double b) { return std::max(a, b); };
  for (std::size_t i = 0; i < times.size(); ++i) {
    const double t = times[i], value = values[i];
    if (spec.from && t < *spec.from - slack(*spec.from)) continue;
    if (spec.to && t > *spec.to + slack(*spec.to)) break;
    const double threshold = spec.threshold.value_or(0.0);
    if (std::isnan(value)) return value;
    const bool reached = spec.below ? value <= threshold : value >= threshold;
    if (spec.measure == "min") {
      update(value, smaller);
    } else if (spec.measure == "max") {
      update(value, larger);
    } else if (spec.measure == "max_abs") {
      update(std::abs(value), larger);
    } else if (spec.measure == "sum") {
      update(value, std::plus<>());
    } else if (spec.measure == "first_time") {
      if (reached) return t;
    } else if (spec.measure == "last_time") {
      if (reached) result = t;
    } else {
      throw Error(spec.place, fmt::format("there is no measure '{}'", spec.measure));
    }
  }
  return result;
}

bool agrees(const VerifySpec& spec, double measured, double oracle) {
  if (spec.compare == "at_least") return measured >= oracle - spec.tolerance;
  if (spec.compare == "at_most") return measured <= oracle + spec.tolerance;
  return std::abs(measured - oracle) <= spec.tolerance;
}

std::string describe(const VerifySpec& spec) {
  const std::string& quantity = spec.quantity;
  std::string text = quantity;
  if (!find_run_quantity(quantity)) {
    if (spec.measure == "final") text += " at the end";
    if (spec.measure == "at") text += fmt::format(" at t={}", spec.at.value_or(0.0));
    if (spec.measure == "min") text = "smallest " + quantity;
    if (spec.measure == "max") text = "largest " + quantity;
    if (spec.measure == "max_abs") text = "largest |" + quantity + "|";
    if (spec.measure == "sum") text = "sum of " + quantity;
    if (spec.measure == "frequency") text = "strongest frequency of " + quantity;
    if (spec.measure == "order") text = "order of " + quantity;
    if (spec.measure == "loop_area")
      text = fmt::format("loop area of {} over {}", quantity, spec.over);
    if (spec.measure == "loop_damping")
      text = fmt::format("damping ratio of the loop of {} over {}", quantity, spec.over);
    if (spec.measure == "first_time" || spec.measure == "last_time")
      text = fmt::format("{} time of {} {} {}", spec.measure == "first_time" ? "first" : "last",
                         quantity, spec.below ? "<=" : ">=", spec.threshold.value_or(0.0));
    if (spec.from) text += fmt::format(" from t={}", *spec.from);
    if (spec.to) text += fmt::format(" to t={}", *spec.to);
  }
  if (spec.compare == "at_least") text += ", at least";
  if (spec.compare == "at_most") text += ", at most";
  if (!spec.set.empty()) text += fmt::format(" ({})", fmt::join(spec.set, ", "));
  return text;
}

std::vector<Verification> verify(
    std::span<const Model> models,
    const std::function<void(std::size_t done, std::size_t total)>& report) {
  std::vector<Verification> results;
  std::vector<std::size_t> model_of;
  for (std::size_t m = 0; m < models.size(); ++m) {
    for (const VerifySpec& spec : models[m].verify) {
      Verification entry;
      entry.spec = spec;
      entry.model_file = models[m].file;
      entry.quantity = describe(spec);
      entry.oracle = oracle_of(spec);
      results.push_back(std::move(entry));
      model_of.push_back(m);
    }
  }

  // Entries of the same model and overrides share a run; orders with the same steps share a study.
  using Key = std::tuple<std::size_t, std::vector<std::string>, bool, std::vector<double>, double>;
  std::map<Key, std::size_t> job_of;
  std::vector<Job> jobs;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const VerifySpec& spec = results[i].spec;
    const Key key = is_order(spec) ? Key{model_of[i], spec.set, true, spec.steps,
                                         spec.reference_step.value_or(0.0)}
                                   : Key{model_of[i], spec.set, false, {}, 0.0};
    const auto [found, is_new] = job_of.emplace(key, jobs.size());
    if (is_new) {
      const Model& model = models[model_of[i]];
      jobs.push_back({spec.set.empty() ? model : read_model(model.file, spec.set), {}});
    }
    jobs[found->second].entries.push_back(&results[i]);
  }

  std::mutex reporting;
  std::size_t done = 0;
  run_in_parallel(jobs.size(), [&](std::size_t i) {
    const Job& job = jobs[i];
    try {
      is_order(job.entries.front()->spec) ? run_orders(job) : run_once(job);
    } catch (const Error& error) {
      for (Verification* entry : job.entries) entry->problem = error.what();
    }
    const std::scoped_lock lock(reporting);
    ++done;
    if (report) report(done, jobs.size());
  });
  return results;
}

nlohmann::ordered_json verification_json(std::span<const Verification> verifications) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Verification& entry : verifications) {
    nlohmann::ordered_json measured;
    if (entry.measured) measured = *entry.measured;
    list.push_back({{"source", entry.spec.source},
                    {"example", entry.spec.example},
                    {"quantity", entry.quantity},
                    {"measured", measured},
                    {"oracle", entry.oracle},
                    {"oracle_kind", entry.spec.oracle_kind},
                    {"tolerance", entry.spec.tolerance},
                    {"pass", entry.pass}});
    if (!entry.spec.printed_at.empty()) list.back()["printed_at"] = entry.spec.printed_at;
    if (!entry.spec.differs.empty()) list.back()["differs"] = entry.spec.differs;
    if (!entry.spec.note.empty()) list.back()["note"] = entry.spec.note;
    list.back()["model"] = entry.model_file;
  }
  return list;
}

}  // namespace clatter
