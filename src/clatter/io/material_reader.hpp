#pragma once

#include <array>
#include <string>
#include <vector>

#include <clatter/io/toml_table.hpp>
#include <clatter/model/specs.hpp>

namespace clatter {

/// The keys that contacts, materials and their pairs have in common.
void read_surface_law(const TomlTable& table, SurfaceLaw& law);

/// Two names; those that are not two leave the key in doubt.
std::array<std::string, 2> read_two(const TomlTable& table, const char* key, KeyPlaces& keys);

std::vector<MaterialSpec> read_materials(const std::vector<TomlTable>& tables);
std::vector<MaterialPairSpec> read_material_pairs(const std::vector<TomlTable>& tables);
std::vector<BodyPairSpec> read_body_pairs(const std::vector<TomlTable>& tables);

}  // namespace clatter
