#pragma once

#include <filesystem>
#include <vector>

#include <clatter/io/toml_table.hpp>
#include <clatter/model/drive_specs.hpp>

namespace clatter {

/// The tables that formulas may call, [[table]]; files are looked for from `folder`.
FormulaTables read_formula_tables(const std::vector<TomlTable>& tables,
                                  const std::filesystem::path& folder);
std::vector<SensorSpec> read_sensors(const std::vector<TomlTable>& tables);
std::vector<ControllerSpec> read_controllers(const std::vector<TomlTable>& tables);

}  // namespace clatter
