#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include <clatter/machine/model.hpp>

namespace clatter {

// Model files are TOML; docs/model-file.md describes them. Overrides such as "integrator.step=1e-4"
// change single values before the model is checked, see overrides.hpp.

/// What a model is read for.
enum class ModelUse {
  run,
  rest,  ///< statics, modes: no [integrator] is needed, and its place is empty without
};

/// Throws Error with all mistakes of the file, in the order of the file; mistakes in overrides come
/// first. A file that is not TOML at all has a single mistake.
Model read_model(const std::filesystem::path& path, std::span<const std::string> overrides = {},
                 ModelUse use = ModelUse::run);

/// The same from text; `file_name` is for the places of mistakes.
Model parse_model(std::string_view text, std::string file_name,
                  std::span<const std::string> overrides = {}, ModelUse use = ModelUse::run);

}  // namespace clatter
