#pragma once

#include <vector>

#include <clatter/io/body_keys.hpp>
#include <clatter/io/toml_table.hpp>
#include <clatter/model/model.hpp>

namespace clatter {

std::vector<BushingSpec> read_bushings(const std::vector<TomlTable>& tables,
                                       const NamedBodies& bodies);

}  // namespace clatter
