#pragma once

#include <vector>

#include <clatter/io/toml_table.hpp>
#include <clatter/model/specs.hpp>

namespace clatter {

/// `model` is the whole file, in which the changes of each run are looked up.
std::vector<VerifySpec> read_verify(const std::vector<TomlTable>& tables, const toml::table& model);

}  // namespace clatter
