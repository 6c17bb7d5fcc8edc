#include <algorithm>
#include <cassert>
#include <cmath>

#include <clatter/machine/model.hpp>

namespace clatter {
namespace {

const SurfaceLaw& law_of(const Model& model, const std::string& material) {
  const auto found = std::find_if(model.materials.begin(), model.materials.end(),
                                  [&](const MaterialSpec& spec) { return spec.name == material; });
  assert(found != model.materials.end());
  return found->law;
}

}  // namespace

bool is_planar(const Model& model) {
  const bool bodies = std::all_of(model.bodies.begin(), model.bodies.end(), [](const auto& body) {
    return body.kind == BodyKind::planar && !body.keys.is_doubtful("kind");
  });
  const bool beams = std::all_of(model.beams.begin(), model.beams.end(), [](const auto& beam) {
    return beam.planar && !beam.keys.is_doubtful("kind");
  });
  return bodies && beams && !(model.bodies.empty() && model.beams.empty());
}

SurfaceLaw law_between(const Model& model, const std::string& material, const std::string& other) {
  for (const MaterialPairSpec& pair : model.material_pairs) {
    const auto& [a, b] = pair.materials;
    if ((a == material && b == other) || (a == other && b == material)) return pair.law;
  }
  const SurfaceLaw &one = law_of(model, material), &two = law_of(model, other);
  SurfaceLaw law;
  law.friction = std::sqrt(one.friction) * std::sqrt(two.friction);
  if (material == other) law.friction = one.friction;  // to the last digit
  law.restitution = std::min(one.restitution, two.restitution);
  law.rolling_friction = std::max(one.rolling_friction, two.rolling_friction);
  law.drilling_friction = std::max(one.drilling_friction, two.drilling_friction);
  if (law.friction == 0.0) return law;
  law.tangential_restitution = 0.5 * (one.tangential_restitution + two.tangential_restitution);
  law.patch_radius = std::max(one.patch_radius, two.patch_radius);
  return law;
}

std::optional<ComplianceSpec> compliance_between(const Model& model, const std::string& material,
                                                 const std::string& other) {
  for (const MaterialPairSpec& pair : model.material_pairs) {
    const auto& [a, b] = pair.materials;
    const bool is_it = (a == material && b == other) || (a == other && b == material);
    if (is_it && pair.compliance) return pair.compliance;
  }
  std::optional<ComplianceSpec> softer;
  for (const MaterialSpec& each : model.materials) {
    if ((each.name != material && each.name != other) || !each.compliance) continue;
    if (!softer || each.compliance->stiffness < softer->stiffness) softer = each.compliance;
  }
  return softer;
}

}  // namespace clatter
