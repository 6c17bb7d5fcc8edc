#pragma once

#include <vector>

#include <clatter/io/toml_table.hpp>
#include <clatter/model/specs.hpp>

namespace clatter {

/// The keys that contacts, materials and their pairs have in common.
void read_surface_law(const TomlTable& table, SurfaceLaw& law);

std::vector<MaterialSpec> read_materials(const std::vector<TomlTable>& tables);
std::vector<MaterialPairSpec> read_material_pairs(const std::vector<TomlTable>& tables);
std::vector<BodyPairSpec> read_body_pairs(const std::vector<TomlTable>& tables);

}  // namespace clatter
