#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <clatter/io/run_info.hpp>
#include <clatter/simulation/channel.hpp>
#include <clatter/simulation/simulation.hpp>

namespace clatter {

/// How a run ended, or that it has not.
enum class RunStatus { running, finished, interrupted, failed };

std::string_view to_string(RunStatus status);

/// How two parts that are watched touch at the end.
struct PairSummary {
  std::string names;  ///< "A/B"
  double gap = 0.0;   ///< [m]
  int points = 0;
  Vec3 force = Vec3::Zero();  ///< on B [N]
};

/// That an event happened, with what it recorded.
struct EventSummary {
  std::string name;
  double time = 0.0;  ///< [s]
  bool ended_run = false;
  std::vector<std::pair<std::string, double>> values;
};

/// The short account of a run that stands in summary.json.
struct Summary {
  RunInfo info;
  RunStatus status = RunStatus::running;
  std::string message;     ///< why it failed
  double time = 0.0;       ///< [s] simulated
  double wall_time = 0.0;  ///< [s] including output
  long samples = 0, frames = 0;
  RunStatistics statistics;
  std::vector<std::pair<std::string, double>> energy;  ///< the ledger at the end [J]
  std::vector<PairSummary> pairs;
  std::vector<EventSummary> events;
  std::vector<Mode> modes;  ///< those asked for
  std::vector<std::string> notices;
};

/// The ledger in a row: name and value of all channels energy/NAME.
std::vector<std::pair<std::string, double>> energy_ledger(const std::vector<Channel>& channels,
                                                          std::span<const double> row);

/// The same of all channels pairs/A/B.
std::vector<PairSummary> watched_pairs(const std::vector<Channel>& channels,
                                       std::span<const double> row);

std::vector<EventSummary> events_of(const Model& model, const RunStatistics& statistics);

nlohmann::ordered_json summary_json(const Summary& summary);

/// Replaces the file at once, so that readers never see half of it. Throws Error.
void write_summary(const std::filesystem::path& path, const Summary& summary);

}  // namespace clatter
