#pragma once

#include <string>
#include <vector>

#include <clatter/io/model_keys.hpp>
#include <clatter/io/toml.hpp>
#include <clatter/math/formula.hpp>
#include <clatter/model/error.hpp>

namespace clatter {

/// Whether a value has the type and range of its description; if not, a mistake is added.
/// `heading`: of the table it stands in, for messages.
/// `tables`: those that formulas may call.
bool check_value(const KeyDescription& row, const toml::node& value, const std::string& heading,
                 const FormulaTables* tables, std::vector<Mistake>& mistakes);

/// What a value must be, in a message: the documentation can refer to a section, a message cannot.
std::string expected_value(const KeyDescription& row);

}  // namespace clatter
