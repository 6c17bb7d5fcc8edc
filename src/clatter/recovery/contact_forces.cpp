#include <algorithm>
#include <cmath>
#include <limits>

#include <clatter/machine/contact_stiffness.hpp>
#include <clatter/recovery/contact_forces.hpp>

namespace clatter {
namespace {

/// As a multiple of the mass of the two bodies: an impulse that would need more of it, at the speed
/// at which the surfaces met, was passed on by others.
constexpr double most_mass = 10.0;

std::optional<double> strength_of(const Model& model, const std::string& material) {
  const auto found = std::find_if(model.materials.begin(), model.materials.end(),
                                  [&](const MaterialSpec& spec) { return spec.name == material; });
  return found->strength;
}

ContactRecovery recovery_of(const Model& model, const ContactSpec& contact) {
  const RecoverySpec& spec = *contact.recovery;
  ContactRecovery recovery{contact.name, {}, std::nullopt};
  const std::array<Elasticity, 2> materials = elasticities_of(model, spec);
  if (!spec.materials[0].empty()) {
    const auto body_of = [&](std::size_t k) {
      return PressedBody{materials[k], strength_of(model, spec.materials[k])};
    };
    recovery.stress.emplace(std::array{body_of(0), body_of(1)}, curvature_of(contact));
  }
  recovery.settings = {law_of(spec, stiffness_of(spec, materials, contact), contact.restitution),
                       spec.profile, spec.alpha};
  return recovery;
}

/// Where a scheme tells impacts from forces nothing is to be filtered.
FilteredImpulses parts_of(const ContactHistory& history) {
  if (history.percussion.empty()) return ImpulseFilter().apply(history.impulse);
  FilteredImpulses parts;
  for (std::size_t k = 0; k < history.impulse.size(); ++k) {
    const double impact = std::max(0.0, history.percussion[k]);
    const double smooth = history.impulse[k] - impact;
    const bool alone = !(smooth > 1e-12 * impact);
    parts.smooth.push_back(smooth);
    parts.free.push_back(alone ? impact : 0.0);
    parts.on_closed.push_back(alone ? 0.0 : impact);
  }
  return parts;
}

double not_known() { return std::numeric_limits<double>::quiet_NaN(); }

template <auto Member>
double stress_value(const ContactImpact& impact) {
  return impact.stress ? (*impact.stress).*Member : not_known();
}

}  // namespace

std::vector<ContactRecovery> recoveries_of(const Model& model) {
  std::vector<ContactRecovery> recoveries;
  for (const ContactSpec& contact : model.contacts) {
    if (contact.recovery) recoveries.push_back(recovery_of(model, contact));
  }
  return recoveries;
}

const std::vector<ImpactFigure>& impact_figures() {
  using Impact = ContactImpact;
  static const std::vector<ImpactFigure> figures{
      {"time", "s", [](const Impact& i) { return i.time; }},
      {"impulse", "N s", [](const Impact& i) { return i.known.impulse; }},
      {"approach_speed", "m/s", [](const Impact& i) { return i.known.speed; }},
      {"duration", "s", [](const Impact& i) { return i.duration; }},
      {"peak", "N", [](const Impact& i) { return i.peak; }},
      {"depth", "m", [](const Impact& i) { return i.depth; }},
      {"energy_lost", "J", [](const Impact& i) { return i.energy_lost; }},
      {"force_besides", "N", [](const Impact& i) { return i.force; }},
      {"major_axis", "m", stress_value<&ImpactStress::major_axis>},
      {"minor_axis", "m", stress_value<&ImpactStress::minor_axis>},
      {"pressure", "Pa", stress_value<&ImpactStress::pressure>},
      {"shear", "Pa", stress_value<&ImpactStress::shear>},
      {"shear_depth", "m", stress_value<&ImpactStress::shear_depth>},
      {"von_mises", "Pa", stress_value<&ImpactStress::von_mises>},
      {"von_mises_depth", "m", stress_value<&ImpactStress::von_mises_depth>},
      {"of_strength", "",
       [](const Impact& i) {
         return i.stress ? i.stress->of_strength.value_or(not_known()) : not_known();
       }},
  };
  return figures;
}

std::vector<double> stress_history(const StressFigure& figure, const ContactRecovery& recovery,
                                   const ContactForces& forces) {
  std::vector<double> values;
  values.reserve(forces.force.size());
  for (const double force : forces.force) {
    values.push_back((*recovery.stress)(std::max(0.0, force)).*figure.value);
  }
  return values;
}

ContactForces recover_forces(const ContactHistory& history, const ContactRecovery& recovery) {
  ContactForces out;
  out.parts = parts_of(history);
  const double e = recovery.settings.law.restitution;
  const std::size_t count = history.time.size();
  out.force.assign(count, 0.0);
  for (std::size_t k = 1; k < count; ++k) {
    const double before = history.time[k - 1], h = history.time[k] - before;
    out.force[k] = h > 0.0 ? out.parts.smooth[k] / h : 0.0;
    if (!history.shared.empty()) out.force[k] = history.shared[k];
    const double impulse = out.parts.free[k] + out.parts.on_closed[k];
    if (!(impulse > 0.0)) continue;
    ContactImpact impact;
    const double bodies_alone = impulse / ((1.0 + e) * history.mass[k]);
    const bool is_own = history.speed[k] * most_mass > bodies_alone;
    impact.known = {impulse, is_own ? history.speed[k] : bodies_alone, e};
    impact.time = before + std::clamp(history.gap[k - 1] / impact.known.speed, 0.0, h);
    impact.on_closed = out.parts.on_closed[k] > 0.0;
    impact.force = out.force[k];
    const Collision collision = recover(impact.known, recovery.settings);
    impact.duration = collision.duration;
    impact.peak = collision.peak;
    impact.depth = collision.depth;
    impact.energy_lost = collision.energy_lost;
    out.force[k] += impact.peak;
    if (recovery.stress) impact.stress = (*recovery.stress)(out.force[k]);
    out.impacts.push_back(impact);
  }
  return out;
}

}  // namespace clatter
