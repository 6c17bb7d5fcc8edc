#include <algorithm>
#include <array>
#include <cmath>

#include <clatter/recovery/impact_profile.hpp>
#include <clatter/recovery/recovered_impact.hpp>

namespace clatter {
namespace {

constexpr std::array<std::string_view, 3> shape_names{"cubic", "bent", "law"};
constexpr int curve_intervals = 200;

/// T such that the force along the profile has the impulse; the dashpot gives D times the depth
/// that is left at the end, over its own power of delta.
double duration_of(const ImpactOfRun& impact, double stiffness, const ScaledLaw& law, double D,
                   const ImpactProfile& profile) {
  const double v = impact.speed, n = law.exponent;
  const double left = std::max(0.0, profile.depth(1.0));
  const double spring = stiffness * std::pow(v, n) * profile.depth_integral(n);
  if (law.linear) {  // spring T^2 + D v left T = impulse
    const double half = 0.5 * D * v * left;
    return impact.impulse / (half + std::sqrt(half * half + spring * impact.impulse));
  }
  const double dashpot = D * std::pow(v * left, n + 1.0) / (n + 1.0);
  return std::pow(impact.impulse / (spring + dashpot), 1.0 / (n + 1.0));
}

Collision follow(const ImpactOfRun& impact, const NormalLaw& law, const ImpactProfile& profile) {
  const ScaledLaw scaled_law = scaled(law);
  const double v = impact.speed, n = scaled_law.exponent;
  const double mass = impact.impulse / ((1.0 + impact.restitution) * v);
  const double D = scaled_law.linear ? scaled_law.damping * std::sqrt(law.stiffness * mass)
                                     : scaled_law.damping * law.stiffness / v;
  const double T = duration_of(impact, law.stiffness, scaled_law, D, profile);
  Collision out;
  const auto point_at = [&](double tau) {
    const double depth = v * T * std::max(0.0, profile.depth(tau)), rate = v * profile.rate(tau);
    const double spring = law.stiffness * std::pow(depth, n);
    const double dashpot = D * rate * (scaled_law.linear ? 1.0 : std::pow(depth, n));
    // The dashpot's part of the impulse is known; that of the spring is added up below.
    const double damped = D * std::pow(depth, scaled_law.linear ? 1.0 : n + 1.0) /
                          (scaled_law.linear ? 1.0 : n + 1.0);
    return CollisionPoint{T * tau, depth, rate, spring + dashpot, damped};
  };
  double sum = 0.0;
  for (int i = 0; i <= curve_intervals; ++i) {
    // Closer at the ends, where the force has roots.
    const double s = static_cast<double>(i) / curve_intervals, tau = s * s * (3.0 - 2.0 * s);
    CollisionPoint point = point_at(tau);
    if (i > 0) {
      const double before = out.curve.back().time / T;
      sum += profile.depth_integral(n, before, tau);
    }
    point.impulse += law.stiffness * std::pow(v * T, n) * T * sum;
    out.curve.push_back(point);
  }
  out.duration = T;
  out.restitution = impact.restitution;
  out.impulse = impact.impulse;
  out.energy_lost = 0.5 * mass * v * v * (1.0 - impact.restitution * impact.restitution);
  out.peak = summit(out.curve, [](const CollisionPoint& p) { return p.force; });
  out.depth = summit(out.curve, [](const CollisionPoint& p) { return p.depth; });
  return out;
}

}  // namespace

std::string_view to_string(ImpactShape shape) {
  return shape_names[static_cast<std::size_t>(shape)];
}

std::optional<ImpactShape> impact_shape_of(std::string_view name) {
  const auto* const found = std::find(shape_names.begin(), shape_names.end(), name);
  if (found == shape_names.end()) return std::nullopt;
  return static_cast<ImpactShape>(found - shape_names.begin());
}

Collision recover(const ImpactOfRun& impact, const RecoverySettings& settings) {
  switch (settings.shape) {
    case ImpactShape::cubic:
      return follow(impact, settings.law, ImpactProfile::cubic(impact.restitution));
    case ImpactShape::bent:
      return follow(impact, settings.law, ImpactProfile::bent(impact.restitution, settings.alpha));
    case ImpactShape::law:
      break;
  }
  return collide_with_impulse(settings.law, impact.impulse, impact.speed);
}

}  // namespace clatter
