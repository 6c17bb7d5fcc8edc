#include <algorithm>

#include <clatter/machine/contact_stiffness.hpp>

namespace clatter {
namespace {

constexpr double default_poisson_ratio = 0.3;

/// Principal curvatures of what is touched, in the plane of a disc first.
std::array<double, 2> touched_curvature(const ContactSpec& contact) {
  if (contact.face_curvature) return *contact.face_curvature;
  const SurfaceKind& other = contact.geometry.a;
  if (!other.has_radius) return {0.0, 0.0};
  const double touched = (contact.geometry.inside ? -1.0 : 1.0) / contact.face_radius;
  // What has a direction is straight along it.
  return {touched, other.has_direction() ? 0.0 : touched};
}

}  // namespace

Elasticity elasticity_of(const MaterialSpec& material) {
  return {material.youngs_modulus.value(), material.poisson_ratio.value_or(default_poisson_ratio)};
}

std::array<Elasticity, 2> elasticities_of(const Model& model, const ForceLawSpec& law) {
  std::array<Elasticity, 2> both;
  for (std::size_t k = 0; k < 2 && !law.materials[0].empty(); ++k) {
    const auto found =
        std::find_if(model.materials.begin(), model.materials.end(),
                     [&](const MaterialSpec& spec) { return spec.name == law.materials[k]; });
    both[k] = elasticity_of(*found);
  }
  return both;
}

RelativeCurvature curvature_of(const ContactSpec& contact) {
  const double own = 1.0 / contact.radius;
  return RelativeCurvature::of({own, own}, touched_curvature(contact), 0.0);
}

LineContact line_of(double length, const std::array<Elasticity, 2>& materials,
                    const ContactSpec& contact) {
  return {materials[0].softness() + materials[1].softness(),
          1.0 / contact.radius + touched_curvature(contact)[0], length};
}

void complete(ForceLawSpec& law, const std::array<Elasticity, 2>& materials,
              const ContactSpec& contact) {
  if (law.stiffness) return;
  if (law.length) {
    const NormalLaw line = line_of(*law.length, materials, contact).law();
    law.stiffness = law.part * line.stiffness;
    law.exponent = line.exponent;
    return;
  }
  law.stiffness = HertzContact(materials[0], materials[1], curvature_of(contact)).stiffness();
}

}  // namespace clatter
