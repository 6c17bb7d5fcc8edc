#include <fmt/format.h>

#include <clatter/io/material_reader.hpp>

namespace clatter {

std::array<std::string, 2> read_two(const TomlTable& table, const char* key, KeyPlaces& keys) {
  const std::optional<std::vector<std::string>> names = table.texts(key);
  if (names && names->size() == 2) return {(*names)[0], (*names)[1]};
  if (names) {
    table.refuse(key, fmt::format("'{}': expected two names, found {}", key, names->size()));
  }
  keys.doubt(key);
  return {};
}

void read_surface_law(const TomlTable& table, SurfaceLaw& law) {
  law.friction = table.number("friction").value_or(law.friction);
  law.rolling_friction = table.number("rolling_friction").value_or(law.rolling_friction);
  law.drilling_friction = table.number("drilling_friction").value_or(law.drilling_friction);
  law.patch_radius = table.number("patch_radius").value_or(law.patch_radius);
  law.restitution = table.number("restitution").value_or(law.restitution);
  law.tangential_restitution =
      table.number("tangential_restitution").value_or(law.tangential_restitution);
}

void read_force_law(const TomlTable& table, const char* key, ForceLawSpec& law, KeyPlaces& keys) {
  KeyPlaces own = table.key_places();
  if (const auto name = table.text("law")) law.law = normal_law_of(*name).value();
  law.stiffness = table.number("stiffness");
  law.exponent = table.number("exponent");
  law.length = table.number("length");
  if (table.has("materials")) law.materials = read_two(table, "materials", own);
  keys.add_nested(key, own);
}

std::optional<RecoverySpec> read_recovery(const TomlTable& table, KeyPlaces& keys) {
  const std::optional<TomlTable> from = table.table("recover");
  if (!from) return std::nullopt;
  RecoverySpec recovery;
  read_force_law(*from, "recover", recovery, keys);
  if (const auto profile = from->text("profile")) {
    recovery.profile = impact_shape_of(*profile).value();
  }
  recovery.alpha = from->number("alpha").value_or(recovery.alpha);
  recovery.share = from->flag("share").value_or(recovery.share);
  return recovery;
}

std::optional<ComplianceSpec> read_compliance(const TomlTable& table, KeyPlaces& keys) {
  const std::optional<TomlTable> from = table.table("compliance");
  if (!from) return std::nullopt;
  ComplianceSpec compliance;
  read_force_law(*from, "compliance", compliance, keys);
  compliance.slow_speed = from->number("slow_speed").value_or(compliance.slow_speed);
  compliance.damping_ratio = from->number("damping_ratio").value_or(compliance.damping_ratio);
  compliance.tangential_stiffness = from->number("tangential_stiffness");
  compliance.tangential_damping_ratio = from->number("tangential_damping_ratio");
  return compliance;
}

std::vector<MaterialSpec> read_materials(const std::vector<TomlTable>& tables) {
  std::vector<MaterialSpec> materials;
  for (const TomlTable& table : tables) {
    MaterialSpec& material = materials.emplace_back();
    material.place = table.place();
    material.keys = table.key_places();
    material.name = table.text("name").value_or("");
    read_surface_law(table, material.law);
    material.youngs_modulus = table.number("youngs_modulus");
    material.poisson_ratio = table.number("poisson_ratio");
    material.strength = table.number("strength");
    material.recovery = read_recovery(table, material.keys);
    material.compliance = read_compliance(table, material.keys);
  }
  return materials;
}

std::vector<MaterialPairSpec> read_material_pairs(const std::vector<TomlTable>& tables) {
  std::vector<MaterialPairSpec> pairs;
  for (const TomlTable& table : tables) {
    MaterialPairSpec& pair = pairs.emplace_back();
    pair.place = table.place();
    pair.keys = table.key_places();
    pair.materials = read_two(table, "materials", pair.keys);
    read_surface_law(table, pair.law);
    pair.recovery = read_recovery(table, pair.keys);
    pair.compliance = read_compliance(table, pair.keys);
  }
  return pairs;
}

std::vector<BodyPairSpec> read_body_pairs(const std::vector<TomlTable>& tables) {
  std::vector<BodyPairSpec> pairs;
  for (const TomlTable& table : tables) {
    BodyPairSpec& pair = pairs.emplace_back();
    pair.place = table.place();
    pair.keys = table.key_places();
    pair.bodies = read_two(table, "bodies", pair.keys);
    for (std::string& body : pair.bodies) {
      if (body.empty() && !pair.keys.is_doubtful("bodies")) {
        table.refuse("bodies", "unknown body ''");  // in a spec it would be the ground
        pair.keys.doubt("bodies");
      }
      if (body == "ground") body.clear();
    }
  }
  return pairs;
}

}  // namespace clatter
