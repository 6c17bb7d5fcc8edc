#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include <clatter/io/toml_table.hpp>
#include <clatter/model/specs.hpp>

namespace clatter {

/// The keys that contacts, materials and their pairs have in common.
void read_surface_law(const TomlTable& table, SurfaceLaw& law);

/// Those of a law of forces in the table `key`, whose places go to `keys`.
void read_force_law(const TomlTable& table, const char* key, ForceLawSpec& law, KeyPlaces& keys);
/// The table `recover`, if there is one.
std::optional<RecoverySpec> read_recovery(const TomlTable& table, KeyPlaces& keys);
/// The table `compliance`, if there is one.
std::optional<ComplianceSpec> read_compliance(const TomlTable& table, KeyPlaces& keys);

/// Two names; those that are not two leave the key in doubt.
std::array<std::string, 2> read_two(const TomlTable& table, const char* key, KeyPlaces& keys);

std::vector<MaterialSpec> read_materials(const std::vector<TomlTable>& tables);
std::vector<MaterialPairSpec> read_material_pairs(const std::vector<TomlTable>& tables);
std::vector<BodyPairSpec> read_body_pairs(const std::vector<TomlTable>& tables);

}  // namespace clatter
