#pragma once

#include <filesystem>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <clatter/io/hdf5_reader.hpp>
#include <clatter/recovery/contact_forces.hpp>

namespace clatter {

/// The forces of all contacts of a run that are to be recovered.
struct RecoveredRun {
  std::vector<double> time;  ///< of the samples [s]
  std::vector<ContactRecovery> recoveries;
  std::vector<ContactForces> contacts;  ///< as many

  std::size_t impacts() const;
};

/// From results of a run of the model; where the keys of recovery may have changed since.
RecoveredRun recover_run(const Hdf5Reader& results, const Model& model);

/// The table of impacts, all contacts one after the other.
void write_impacts(const std::filesystem::path& path, const RecoveredRun& run);
/// The same table as lists, and the recovered force at each sample.
void write_recovery(const std::filesystem::path& path, const RecoveredRun& run);
/// Time, depth, rate and force of every impact while it lasts.
void write_curves(const std::filesystem::path& path, const RecoveredRun& run);
nlohmann::ordered_json recovery_json(const RecoveredRun& run);

}  // namespace clatter
