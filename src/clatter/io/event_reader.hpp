#pragma once

#include <vector>

#include <clatter/io/toml_table.hpp>
#include <clatter/model/specs.hpp>

namespace clatter {

/// `events` tell, `stops` end the run as well.
std::vector<EventSpec> read_events(const std::vector<TomlTable>& events,
                                   const std::vector<TomlTable>& stops);

}  // namespace clatter
