#pragma once

#include <filesystem>
#include <optional>
#include <string>
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
  /// Of solids that met with an edge or a flat face.
  std::size_t without_force() const;
};

/// What to tell of it: impacts without force, and bodies that yield.
std::vector<std::string> notes_on(const RecoveredRun& run);

/// From results of a run of the model; where the keys of recovery may have changed since.
RecoveredRun recover_run(const Hdf5Reader& results, const Model& model);

/// The table of impacts, all contacts one after the other.
void write_impacts(const std::filesystem::path& path, const RecoveredRun& run);
/// The same table as lists, and the recovered force at each sample.
void write_recovery(const std::filesystem::path& path, const RecoveredRun& run);
/// Some impacts of a run: those of one contact, or the one with a number there, as in the table of
/// impacts, that begins with 1.
struct ImpactChoice {
  std::optional<std::string> contact;
  std::optional<std::size_t> impact;
};
/// Time, depth, rate and force of an impact while it lasts.
struct ImpactCurve {
  std::string contact;
  std::size_t number;  ///< from 1
  double time;         ///< when it begins [s]
  Collision collision;
};
/// Throws Error when there are none.
std::vector<ImpactCurve> curves_of(const RecoveredRun& run, const ImpactChoice& choice);
void write_curves(const std::filesystem::path& path, const std::vector<ImpactCurve>& curves);
nlohmann::ordered_json recovery_json(const RecoveredRun& run);

}  // namespace clatter
