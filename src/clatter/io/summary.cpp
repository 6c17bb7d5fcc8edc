#include <nlohmann/json.hpp>

#include <clatter/io/output_stream.hpp>
#include <clatter/io/summary.hpp>
#include <clatter/version.hpp>

namespace clatter {

namespace {

nlohmann::ordered_json iterations_json(const IterationStatistics& iterations, long steps) {
  return {{"total", iterations.total},
          {"mean", steps > 0 ? double(iterations.total) / double(steps) : 0.0},
          {"max", iterations.max}};
}

nlohmann::ordered_json modes_json(const std::vector<Mode>& modes) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Mode& mode : modes)
    list.push_back({{"frequency", mode.frequency()},
                    {"square", mode.square},
                    {"free", mode.is_free()},
                    {"damping_ratio", mode.damping_ratio}});
  return list;
}

/// What only steps through time give.
void add_steps(nlohmann::ordered_json& json, const Summary& summary) {
  const RunStatistics& statistics = summary.statistics;
  json["steps"] = statistics.steps;
  json["substeps"] = statistics.substeps;
  json["regularised"] = statistics.regularised;
  json["recovered"] = statistics.recovered;
  json["stood_in"] = statistics.stood_in;
  json["lessened"] = statistics.lessened;
  json["plastic"] = statistics.plastic;
  json["cut"] = statistics.cut;
  json["asleep"] = statistics.asleep;
  json["unfinished"] = statistics.unfinished;
  json["max_sweep_residual"] = statistics.max_sweep_residual;
  json["max_sweeps"] = statistics.max_sweeps;
  json["max_impacts"] = statistics.max_impacts;
  json["iterations"] = {{"smooth", iterations_json(statistics.smooth, statistics.steps)},
                        {"position", iterations_json(statistics.position, statistics.steps)},
                        {"velocity", iterations_json(statistics.velocity, statistics.steps)}};
  json["cost"] = {{"smooth_time", statistics.smooth_time},
                  {"position_time", statistics.position_time},
                  {"velocity_time", statistics.velocity_time},
                  {"linear_algebra_time", statistics.linear_algebra_time},
                  {"factorisations", statistics.factorisations},
                  {"solves", statistics.solves}};
}

}  // namespace

std::string_view to_string(RunStatus status) {
  switch (status) {
    case RunStatus::running:
      return "running";
    case RunStatus::finished:
      return "finished";
    case RunStatus::interrupted:
      return "interrupted";
    case RunStatus::failed:
      return "failed";
  }
  return "";
}

std::vector<std::pair<std::string, double>> energy_ledger(const std::vector<Channel>& channels,
                                                          std::span<const double> row) {
  constexpr std::string_view folder = "energy/";
  std::vector<std::pair<std::string, double>> ledger;
  for (const Channel& channel : channels)
    if (channel.path.starts_with(folder))
      ledger.emplace_back(channel.path.substr(folder.size()), row[channel.offset]);
  return ledger;
}

std::vector<PairSummary> watched_pairs(const std::vector<Channel>& channels,
                                       std::span<const double> row) {
  constexpr std::string_view folder = "pairs/";
  std::vector<PairSummary> pairs;
  for (const Channel& channel : channels) {
    if (!channel.path.starts_with(folder)) continue;
    const std::size_t end = channel.path.rfind('/');
    const std::string quantity = channel.path.substr(end + 1);
    const auto value = row.subspan(static_cast<std::size_t>(channel.offset));
    if (quantity == "gap") {  // the first of each pair
      pairs.push_back({channel.path.substr(folder.size(), end - folder.size()), value[0]});
    } else if (quantity == "points") {
      pairs.back().points = static_cast<int>(value[0]);
    } else if (quantity == "force") {
      std::copy_n(value.begin(), channel.components.size(), pairs.back().force.begin());
    }
  }
  return pairs;
}

std::vector<EventSummary> events_of(const Model& model, const RunStatistics& statistics) {
  std::vector<EventSummary> events;
  for (const Happening& each : statistics.happenings) {
    const EventSpec& spec = model.events.at(static_cast<std::size_t>(each.event));
    EventSummary& event = events.emplace_back();
    event.name = spec.name;
    event.time = each.time;
    event.ended_run = spec.ends_run;
    for (std::size_t i = 0; i < each.values.size(); ++i) {
      event.values.emplace_back(spec.record.at(i), each.values[i]);
    }
  }
  return events;
}

nlohmann::ordered_json summary_json(const Summary& summary) {
  const RunStatistics& statistics = summary.statistics;
  nlohmann::ordered_json json;
  json["clatter_version"] = version;
  json["command"] = summary.info.command;
  json["status"] = to_string(summary.status);
  if (!summary.message.empty()) json["message"] = summary.message;
  json["time"] = summary.time;
  json["wall_time"] = summary.wall_time;
  json["model"] = {{"title", summary.info.title},
                   {"file", summary.info.model_file},
                   {"sha256", summary.info.model_hash},
                   {"overrides", summary.info.overrides}};
  if (summary.info.integrator) json["integrator"] = settings_json(*summary.info.integrator);
  json["samples"] = summary.samples;
  json["frames"] = summary.frames;
  if (summary.info.integrator) add_steps(json, summary);
  if (const auto& settling = statistics.settling)
    json["equilibrium"] = {
        {"load_steps", settling->load_steps},     {"iterations", settling->iterations},
        {"displacement", settling->displacement}, {"displaced_node", settling->displaced_node},
        {"rotation", settling->rotation},         {"rotated_node", settling->rotated_node}};
  // JSON has no infinity: without contacts min_gap is null.
  json["min_gap"] = statistics.min_gap;
  json["max_joint_error"] = statistics.max_joint_error;
  json["max_joint_velocity_error"] = statistics.max_joint_velocity_error;
  json["length"] = statistics.length;
  json["energy"] = nlohmann::ordered_json::object();
  for (const auto& [name, value] : summary.energy) json["energy"][name] = value;
  for (const PairSummary& pair : summary.pairs) {
    json["pairs"][pair.names] = {
        {"gap", pair.gap},
        {"points", pair.points},
        {"force", std::vector<double>(pair.force.begin(), pair.force.end())}};
  }
  for (const EventSummary& event : summary.events) {
    nlohmann::ordered_json one = {{"name", event.name}, {"time", event.time}};
    for (const auto& [quantity, value] : event.values) one["values"][quantity] = value;
    json["events"].push_back(std::move(one));
    if (event.ended_run) json["stopped_by"] = event.name;
  }
  if (!summary.modes.empty()) json["modes"] = modes_json(summary.modes);
  json["notices"] = summary.notices;
  return json;
}

void write_summary(const std::filesystem::path& path, const Summary& summary) {
  // File names and titles may hold any bytes; those that are no UTF-8 are replaced.
  using Json = nlohmann::ordered_json;
  const std::string text =
      summary_json(summary).dump(2, ' ', false, Json::error_handler_t::replace);
  replace_file(path, text + "\n");
}

}  // namespace clatter
