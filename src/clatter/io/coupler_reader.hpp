#pragma once

#include <vector>

#include <clatter/io/toml_table.hpp>
#include <clatter/model/model.hpp>

namespace clatter {

/// `joints`: those of the same file, by whose names couplers call them.
std::vector<CouplerSpec> read_couplers(const std::vector<TomlTable>& tables,
                                       const std::vector<JointSpec>& joints);

}  // namespace clatter
