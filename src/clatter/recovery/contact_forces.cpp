#include <algorithm>
#include <cmath>
#include <limits>

#include <clatter/machine/contact_stiffness.hpp>
#include <clatter/machine/watched_pairs.hpp>
#include <clatter/recovery/contact_forces.hpp>

namespace clatter {
namespace {

/// As a multiple of the mass of the two bodies: an impulse that would need more of it, at the speed
/// at which the surfaces met, was passed on by others.
constexpr double most_mass = 10.0;

PressedBody body_of(const Model& model, const std::string& material) {
  const auto found = std::find_if(model.materials.begin(), model.materials.end(),
                                  [&](const MaterialSpec& spec) { return spec.name == material; });
  return {elasticity_of(*found), found->strength};
}

ContactRecovery recovery_of(const Model& model, const SolidRecovery& pair) {
  const RecoverySpec& spec = pair.recovery;
  ContactRecovery recovery{
      pair.parts[0] + "/" + pair.parts[1], {}, std::nullopt, true, std::nullopt};
  recovery.settings = {law_of(spec, spec.stiffness.value_or(0.0), pair.restitution), spec.profile,
                       spec.alpha};
  if (!spec.stiffness) {
    recovery.solids = {{body_of(model, pair.materials[0]), body_of(model, pair.materials[1])},
                       spec.length};
  }
  return recovery;
}

/// The contact of two solids at one impact; none where they met with an edge or a flat face.
struct FoundTouch {
  NormalLaw law;
  StressOfForce stress;
};
std::optional<FoundTouch> find_touch(const TouchingSolids& solids, const RelativeCurvature& at,
                                     NormalLaw law) {
  constexpr double longest = 1e5;  // B/A; an ellipse that is longer reaches beyond any body
  if (!(at.A > 0.0) || !std::isfinite(at.B) || at.B > longest * at.A) return std::nullopt;
  const Elasticity &one = solids.bodies[0].elasticity, &two = solids.bodies[1].elasticity;
  if (solids.length) {
    const LineContact line{one.softness() + two.softness(), 2.0 * at.B, *solids.length};
    const NormalLaw of_line = line.law();
    law.stiffness = of_line.stiffness;
    law.exponent = of_line.exponent;
    return FoundTouch{law, StressOfForce(solids.bodies, line)};
  }
  law.stiffness = HertzContact(one, two, at).stiffness();
  return FoundTouch{law, StressOfForce(solids.bodies, at)};
}

ContactRecovery recovery_of(const Model& model, const ContactSpec& contact) {
  RecoverySpec spec = *contact.recovery;
  ContactRecovery recovery{contact.name, {}, std::nullopt, false, std::nullopt};
  const std::array<Elasticity, 2> materials = elasticities_of(model, spec);
  if (!spec.materials[0].empty()) {
    const std::array bodies{body_of(model, spec.materials[0]), body_of(model, spec.materials[1])};
    if (spec.length) {
      recovery.stress.emplace(bodies, line_of(spec.part * *spec.length, materials, contact));
    } else {
      recovery.stress.emplace(bodies, curvature_of(contact));
    }
  }
  complete(spec, materials, contact);
  recovery.settings = {law_of(spec, *spec.stiffness, contact.restitution), spec.profile,
                       spec.alpha};
  return recovery;
}

/// Where a scheme tells impacts from forces nothing is to be filtered.
FilteredImpulses parts_of(const ContactHistory& history) {
  if (history.percussion.empty()) return ImpulseFilter().apply(history.impulse);
  FilteredImpulses parts;
  for (std::size_t k = 0; k < history.impulse.size(); ++k) {
    const double impact = ImpulseFilter().impact_of(history.impulse[k], history.percussion[k]);
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
  for (const SolidRecovery& pair : solid_recoveries(model)) {
    recoveries.push_back(recovery_of(model, pair));
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

std::vector<double> stress_history(const StressFigure& figure, const ContactForces& forces) {
  std::vector<double> values;
  values.reserve(forces.stress.size());
  for (const ImpactStress& stress : forces.stress) values.push_back(stress.*figure.value);
  return values;
}

ImpactStress StressAtTouch::under(double force, const ContactRecovery& recovery,
                                  const RelativeCurvature& at) {
  if (!(force > 0.0)) return {};
  if (recovery.stress) return (*recovery.stress)(force);
  constexpr double same = 1e-9;
  const bool is_known =
      std::abs(at.A - at_.A) <= same * at_.A && std::abs(at.B - at_.B) <= same * at_.B;
  if (!is_known) {
    stress_.reset();
    at_ = at;
    if (auto touch = find_touch(*recovery.solids, at, recovery.settings.law)) {
      stress_.emplace(std::move(touch->stress));
    }
  }
  if (stress_) return (*stress_)(force);
  ImpactStress unknown;
  for (const StressFigure& figure : stress_figures) unknown.*figure.value = not_known();
  return unknown;
}

ContactImpact recover_impact(const ContactInterval& interval, const ContactRecovery& recovery) {
  const double e = recovery.settings.law.restitution;
  const double bodies_alone = interval.impact / ((1.0 + e) * interval.mass);
  const bool is_own = interval.speed * most_mass > bodies_alone;
  ContactImpact impact;
  impact.known = {interval.impact, is_own ? interval.speed : bodies_alone, e};
  impact.force = interval.force;
  // What the motion tells needs no law.
  const double v = impact.known.speed;
  impact.energy_lost = 0.5 * impact.known.impulse * v * (1.0 - e);
  std::optional<FoundTouch> touch;
  impact.settings = recovery.settings;
  if (recovery.solids) {
    touch = find_touch(*recovery.solids, interval.curvature, recovery.settings.law);
    if (!touch) {
      impact.settings.reset();
      impact.duration = impact.peak = impact.depth = not_known();
      return impact;
    }
    impact.settings->law = touch->law;
  }
  const Collision collision = recover(impact.known, *impact.settings);
  impact.duration = collision.duration;
  impact.peak = collision.peak;
  impact.depth = collision.depth;
  const double force = interval.force + impact.peak;
  if (recovery.stress) impact.stress = (*recovery.stress)(force);
  if (touch) impact.stress = touch->stress(force);
  return impact;
}

ContactForces recover_forces(const ContactHistory& history, const ContactRecovery& recovery) {
  ContactForces out;
  out.parts = parts_of(history);
  const std::size_t count = history.time.size();
  out.force.assign(count, 0.0);
  if (recovery.has_stress()) out.stress.resize(count);
  StressAtTouch touch;
  for (std::size_t k = 1; k < count; ++k) {
    const double before = history.time[k - 1], h = history.time[k] - before;
    out.force[k] = h > 0.0 ? out.parts.smooth[k] / h : 0.0;
    if (!history.shared.empty()) out.force[k] = history.shared[k];
    const double impulse = out.parts.free[k] + out.parts.on_closed[k];
    ContactInterval interval{impulse, history.speed[k], history.mass[k], out.force[k]};
    if (!history.A.empty()) interval.curvature = {history.A[k], history.B[k]};
    if (impulse > 0.0) {
      ContactImpact impact = recover_impact(interval, recovery);
      impact.time = before + std::clamp(history.gap[k - 1] / impact.known.speed, 0.0, h);
      impact.on_closed = out.parts.on_closed[k] > 0.0;
      out.force[k] += impact.peak;
      out.impacts.push_back(impact);
    }
    if (recovery.has_stress()) {
      out.stress[k] = touch.under(out.force[k], recovery, interval.curvature);
    }
  }
  return out;
}

}  // namespace clatter
