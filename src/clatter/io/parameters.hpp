#pragma once

#include <vector>

#include <clatter/io/toml.hpp>
#include <clatter/model/error.hpp>

namespace clatter {

/// Gives a model file its numbers: every text that begins with "=" is a formula in the names of
/// [parameters]. It becomes a number, or if it depends on t, a formula in t alone. Values keep
/// their places in the file.
void apply_parameters(toml::table& model, std::vector<Mistake>& mistakes);

}  // namespace clatter
