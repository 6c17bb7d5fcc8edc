#pragma once

#include <vector>

#include <clatter/io/toml_table.hpp>
#include <clatter/model/body_keys.hpp>
#include <clatter/model/specs.hpp>

namespace clatter {

/// Ropes that do not stretch are contacts: how much longer they could be is the gap.
std::vector<ContactSpec> read_ropes(const std::vector<TomlTable>& tables,
                                    const NamedBodies& bodies);

}  // namespace clatter
