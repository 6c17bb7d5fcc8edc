#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <clatter/machine/model.hpp>

namespace clatter {

/// Where a result comes from: enough to make it again.
struct RunInfo {
  std::string command = "run";  ///< that made it
  std::string title;
  std::string model_file;
  std::string model_text;
  std::string model_hash;  ///< SHA-256 of the text
  std::vector<std::string> overrides;
  std::optional<IntegratorSpec> integrator;  ///< as used, after the overrides; only of a run
};

/// Reads the text of model.file; empty for a model built in code.
RunInfo make_run_info(const Model& model, std::vector<std::string> overrides,
                      std::string command = "run");

/// The integrator's settings under the names that they have in model files.
nlohmann::ordered_json settings_json(const IntegratorSpec& integrator);

}  // namespace clatter
