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

namespace {

/// A coefficient and, where it is a formula, what it is at a speed; its value at rest else.
void read_coefficient(const TomlTable& table, const char* key, double& at_rest, OfSpeed& of_speed) {
  if (!table.is_text(key)) {
    at_rest = table.number(key).value_or(at_rest);
    return;
  }
  of_speed = table.of_speed(*table.formula_text(key));
  at_rest = (*of_speed)(0.0);
}

/// All laws of sliding friction become one formula in the speed.
void read_sliding(const TomlTable& table, SurfaceLaw& law) {
  read_coefficient(table, "friction", law.friction, law.sliding);
  const std::optional<double> at_rest = table.number("static_friction");
  const std::optional<double> speed = table.number("stribeck_speed"),
                              exponent = table.number("stribeck_exponent"),
                              viscous = table.number("viscous_friction");
  const auto refuse_without = [&](bool is_there, const char* key, const char* other) {
    if (is_there || !table.has(key)) return;
    table.refuse_key(key, fmt::format("'{}' has no meaning without '{}'", key, other));
  };
  refuse_without(table.has("friction"), "static_friction", "friction");
  refuse_without(table.has("static_friction"), "stribeck_speed", "static_friction");
  refuse_without(table.has("stribeck_speed"), "stribeck_exponent", "stribeck_speed");
  if (!at_rest && !viscous) return;
  const std::string sliding = fmt::format("({})", table.formula_text("friction").value_or("0"));
  std::string text = sliding;
  if (at_rest && speed) {
    text += fmt::format(" + ({} - {})*exp(-(v/{})^{})", *at_rest, sliding, *speed,
                        exponent.value_or(1.0));
  }
  if (viscous) text += fmt::format(" + {}*v", *viscous);
  law.friction = at_rest.value_or(law.friction);
  law.sliding = table.of_speed(text);
}

}  // namespace

void read_surface_law(const TomlTable& table, SurfaceLaw& law) {
  read_sliding(table, law);
  read_coefficient(table, "rolling_friction", law.rolling_friction, law.rolling);
  read_coefficient(table, "drilling_friction", law.drilling_friction, law.drilling);
  law.across_friction = table.number("across_friction");
  law.patch_radius = table.number("patch_radius").value_or(law.patch_radius);
  read_coefficient(table, "restitution", law.restitution, law.rebound);
  law.tangential_restitution =
      table.number("tangential_restitution").value_or(law.tangential_restitution);
  if (const auto name = table.text("impact_law")) law.impact_law = impact_law_of(*name).value();
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
