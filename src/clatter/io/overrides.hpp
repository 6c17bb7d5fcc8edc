#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <clatter/io/toml.hpp>

namespace clatter {

// An override changes one value of a model file from outside: "integrator.step=1e-4",
// "gravity=[0, 0, -1.62]", "body.block.mass=2". Elements of a list of tables are addressed by their
// name. The value is TOML; what is not TOML is taken as text, so that words need no quotes.

/// Source name under which mistakes in the value of an override are reported.
std::string override_name(std::string_view text);

/// Puts the value into the model, and returns what is wrong when that cannot be done. Whether the
/// value suits its key is left to the reader.
std::optional<std::string> apply_override(toml::table& model, const std::string& text);

/// Returns what is wrong with the path or the value, without changing the model.
std::optional<std::string> check_override(const toml::table& model, const std::string& text);

}  // namespace clatter
