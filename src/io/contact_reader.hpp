#pragma once

#include <vector>

#include "io/body_lookup.hpp"
#include "io/toml_table.hpp"
#include "model/model.hpp"

namespace clatter {

std::vector<ContactSpec> read_contacts(const std::vector<TomlTable>& tables,
                                       const BodyLookup& bodies);

}  // namespace clatter
