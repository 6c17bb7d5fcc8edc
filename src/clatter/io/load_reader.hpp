#pragma once

#include <vector>

#include <clatter/io/toml_table.hpp>
#include <clatter/model/body_keys.hpp>
#include <clatter/model/specs.hpp>

namespace clatter {

std::vector<LoadSpec> read_loads(const std::vector<TomlTable>& tables, const NamedBodies& bodies);

}  // namespace clatter
