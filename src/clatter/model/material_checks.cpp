#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <clatter/model/nearest_word.hpp>
#include <clatter/model/part_checks.hpp>

namespace clatter {
namespace {

std::string line_of_first(const Place& first) {
  return first.line == 0 ? "" : fmt::format(", first on line {}", first.line);
}

bool same_two(const std::array<std::string, 2>& a, const std::array<std::string, 2>& b) {
  return a == b || (a[0] == b[1] && a[1] == b[0]);
}

bool has_pair(const std::vector<MaterialPairSpec>& pairs, const std::string& a,
              const std::string& b) {
  return std::any_of(pairs.begin(), pairs.end(), [&](const MaterialPairSpec& pair) {
    return same_two(pair.materials, {a, b});
  });
}

void check_elasticity(const ObjectCheck& object, const MaterialSpec& material) {
  object.number("youngs_modulus", material.youngs_modulus, ranges::positive);
  object.number("poisson_ratio", material.poisson_ratio, ranges::poisson_ratio);
  object.number("strength", material.strength, ranges::positive);
  if (material.youngs_modulus || !object.knows("youngs_modulus")) return;
  const auto refuse = [&](const char* key, const std::optional<double>& value) {
    if (!value) return;
    object.refuse_key(key, fmt::format("'{}' has no meaning without 'youngs_modulus'", key));
  };
  refuse("poisson_ratio", material.poisson_ratio);
  refuse("strength", material.strength);
}

/// Of impacts of solids, whose materials and shapes give all else.
void check_recovery(const ObjectCheck& object, const std::optional<RecoverySpec>& recovery) {
  if (!recovery) return;
  object.number("recover.stiffness", recovery->stiffness, ranges::positive);
  object.number("recover.exponent", recovery->exponent, ranges::force_exponent);
  object.number("recover.length", recovery->length, ranges::positive);
  object.number("recover.alpha", recovery->alpha, ranges::positive);
  if (!object.knows("recover.stiffness") || !object.knows("recover.law")) return;
  if (!recovery->stiffness && is_linear(recovery->law)) {
    object.refuse("recover.law", fmt::format("the law \"{}\" needs a 'stiffness' in N/m",
                                             to_string(recovery->law)));
  }
  if (recovery->exponent && (!recovery->stiffness || is_linear(recovery->law))) {
    object.refuse_key("recover.exponent", recovery->stiffness
                                              ? "'exponent' of this law is 1"
                                              : "'exponent' has no meaning without 'stiffness'");
  }
  if (recovery->length && recovery->stiffness) {
    object.refuse_key("recover.length", "'length' has no meaning with 'stiffness'");
  }
}

/// That a formula gives numbers, from creeping to the speed of sound and beyond.
void check_of_speed(const ObjectCheck& object, const char* key, const OfSpeed& of_speed) {
  if (of_speed == nullptr || !object.knows(key)) return;
  for (double speed = 1e-9; speed < 1e5; speed *= 10.0) {
    if (std::isfinite((*of_speed)(speed))) continue;
    object.refuse(key, fmt::format("'{}' gives no number for v = {:g}", key, speed));
    return;
  }
}

/// What cannot be made of that of two materials.
bool needs_pair(const SurfaceLaw& one, const SurfaceLaw& other) {
  const auto varies = [](const SurfaceLaw& law) {
    return law.sliding || law.rolling || law.drilling || law.rebound;
  };
  return varies(one) || varies(other) || one.impact_law != other.impact_law;
}

}  // namespace

const MaterialSpec* find_material(const std::vector<MaterialSpec>& materials,
                                  const std::string& name) {
  const auto found = std::find_if(materials.begin(), materials.end(),
                                  [&](const MaterialSpec& spec) { return spec.name == name; });
  return found == materials.end() ? nullptr : &*found;
}

std::string unknown_material(const std::string& name, const std::vector<MaterialSpec>& materials) {
  if (materials.empty()) {
    return fmt::format("unknown material {}: the model has no [[material]]", in_quotes(name));
  }
  std::vector<std::string> names;
  for (const MaterialSpec& material : materials) names.push_back(material.name);
  const std::string hint = did_you_mean(name, names);
  if (!hint.empty() || names.size() > 8) {
    return fmt::format("unknown material {}{}", in_quotes(name), hint);
  }
  return fmt::format("unknown material {}; expected one of '{}'", in_quotes(name),
                     fmt::join(names, "', '"));
}

void check_surface_law(const ObjectCheck& object, const SurfaceLaw& law) {
  object.number("friction", law.friction, ranges::not_negative);
  object.number("rolling_friction", law.rolling_friction, ranges::not_negative);
  object.number("drilling_friction", law.drilling_friction, ranges::not_negative);
  check_of_speed(object, "friction", law.sliding);
  check_of_speed(object, "rolling_friction", law.rolling);
  check_of_speed(object, "drilling_friction", law.drilling);
  check_of_speed(object, "restitution", law.rebound);
  object.number("across_friction", law.across_friction, ranges::not_negative);
  object.number("patch_radius", law.patch_radius, ranges::not_negative);
  object.number("restitution", law.restitution, ranges::restitution);
  object.number("tangential_restitution", law.tangential_restitution,
                ranges::tangential_restitution);
  const bool has_friction =
      law.friction != 0.0 || law.sliding != nullptr || !object.knows("friction");
  if (law.tangential_restitution != 0.0 && !has_friction) {
    object.refuse("tangential_restitution",
                  "'tangential_restitution' has no meaning without 'friction', which limits it");
  }
  if (law.patch_radius > 0.0 && !has_friction) {
    object.refuse("patch_radius", "'patch_radius' has no meaning without 'friction'");
  }
  if (law.patch_radius > 0.0 && law.drilling_friction > 0.0) {
    object.refuse_key("drilling_friction",
                      "'drilling_friction' conflicts with 'patch_radius': give one of them");
  }
}

void check_materials(const std::vector<MaterialSpec>& materials,
                     const std::vector<MaterialPairSpec>& pairs, std::vector<Mistake>& mistakes) {
  for (const MaterialSpec& material : materials) {
    const ObjectCheck object(fmt::format("material '{}'", material.name), material.place,
                             material.keys, mistakes);
    check_surface_law(object, material.law);
    if (material.law.across_friction) {
      object.refuse_key("across_friction",
                        "'across_friction' needs the 'face' of a [[contact]] with 'along'");
    }
    for (const MaterialSpec& each : materials) {
      if (&each == &material) break;  // the others will say it of this one
      if (has_pair(pairs, material.name, each.name)) continue;
      if (!needs_pair(material.law, each.law)) continue;
      object.refuse_object(fmt::format(
          "say in a [[material_pair]] what holds between {} and {}: of coefficients that depend on "
          "the speed, and of different impact laws, nothing follows for two materials",
          in_quotes(material.name), in_quotes(each.name)));
      break;
    }
    check_elasticity(object, material);
    check_recovery(object, material.recovery);
    check_compliance(object, material.compliance, material.law);
    if (!(material.law.drilling_friction > 0.0) || material.law.patch_radius > 0.0) continue;
    const auto other =
        std::find_if(materials.begin(), materials.end(), [&](const MaterialSpec& each) {
          return each.law.patch_radius > 0.0 && each.law.drilling_friction == 0.0 &&
                 !has_pair(pairs, material.name, each.name);
        });
    if (other == materials.end()) continue;
    object.refuse_key("drilling_friction",
                      fmt::format("'drilling_friction' conflicts with 'patch_radius' of material "
                                  "{}: say in a [[material_pair]] which of them holds between the "
                                  "two",
                                  in_quotes(other->name)));
  }
}

void check_material_pairs(const std::vector<MaterialPairSpec>& pairs,
                          const std::vector<MaterialSpec>& materials, bool materials_are_known,
                          std::vector<Mistake>& mistakes) {
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const MaterialPairSpec& pair = pairs[i];
    const auto& [a, b] = pair.materials;
    const ObjectCheck object(fmt::format("material pair '{}' and '{}'", a, b), pair.place,
                             pair.keys, mistakes);
    check_surface_law(object, pair.law);
    check_recovery(object, pair.recovery);
    check_compliance(object, pair.compliance, pair.law);
    if (!object.knows("materials")) continue;
    for (std::size_t k = 0; k < 2; ++k) {
      const std::string& name = pair.materials[k];
      if (!materials_are_known || find_material(materials, name) != nullptr) continue;
      object.refuse_entry("materials", k, unknown_material(name, materials));
    }
    const auto first = std::find_if(pairs.begin(), pairs.begin() + static_cast<std::ptrdiff_t>(i),
                                    [&](const MaterialPairSpec& other) {
                                      return !other.keys.is_doubtful("materials") &&
                                             same_two(other.materials, pair.materials);
                                    });
    if (first == pairs.begin() + static_cast<std::ptrdiff_t>(i)) continue;
    object.refuse("materials",
                  fmt::format("the pair {} and {} is there twice{}: keep one of the two",
                              in_quotes(a), in_quotes(b), line_of_first(first->place)));
  }
}

void check_material_of(const PlacedShape& placed, const std::string& owner, std::size_t index,
                       const std::vector<MaterialSpec>& materials, std::vector<Mistake>& mistakes) {
  if (placed.material.empty() || find_material(materials, placed.material) != nullptr) return;
  const ObjectCheck object(fmt::format("shape {} of {}", index + 1, owner), placed.place,
                           placed.keys, mistakes);
  object.refuse("material", unknown_material(placed.material, materials));
}

void check_material_of(const BeamSpec& beam, const std::vector<MaterialSpec>& materials,
                       std::vector<Mistake>& mistakes) {
  if (beam.material.empty() || find_material(materials, beam.material) != nullptr) return;
  const ObjectCheck object(fmt::format("beam '{}'", beam.name), beam.place, beam.keys, mistakes);
  object.refuse("material", unknown_material(beam.material, materials));
}

void check_exclusion(const BodyPairSpec& exclusion, BodyLookup& bodies,
                     std::vector<Mistake>& mistakes) {
  const auto& [a, b] = exclusion.bodies;
  const ObjectCheck object(fmt::format("exclusion of '{}' and '{}'", a, b), exclusion.place,
                           exclusion.keys, mistakes);
  if (!object.knows("bodies")) return;
  std::array<BodyChoice, 2> choices = {bodies.find(a), bodies.find(b)};
  for (std::size_t k = 0; k < 2; ++k) {
    if (choices[k].is_known() || bodies.beam(exclusion.bodies[k]) != nullptr) continue;
    const auto wrong = bodies.complaint_about(exclusion.bodies[k]);
    if (wrong) object.refuse_entry("bodies", k, *wrong);
  }
  for (std::size_t k = 0; k < 2; ++k) {
    const std::string beam(split_at_last_dot(exclusion.bodies[k]).first);
    if (!choices[k].is_known() || choices[k].is_ground() || choices[k].spec() != nullptr) continue;
    object.refuse_entry("bodies", k,
                        fmt::format("{} is a node of a beam: name the beam, {}",
                                    in_quotes(exclusion.bodies[k]), in_quotes(beam)));
  }
  if (choices[0].same_as(choices[1]) || (a == b && bodies.beam(a) != nullptr)) {
    object.refuse("bodies", "'bodies': shapes of one body never touch each other; name two bodies");
  }
}

}  // namespace clatter
