#pragma once

#include <vector>

#include <clatter/io/toml_table.hpp>
#include <clatter/model/specs.hpp>

namespace clatter {

std::vector<CouplerSpec> read_couplers(const std::vector<TomlTable>& tables);

}  // namespace clatter
