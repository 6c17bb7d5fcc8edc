#include <algorithm>
#include <cmath>

#include <clatter/recovery/impact_profile.hpp>
#include <clatter/recovery/recovered_impact.hpp>

namespace clatter {
namespace {

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

/// As the law moves the bodies; depth and rate stay its own. With u = -ddelta over that at the end,
/// which goes from 0 to 1 while they part, the force is taken times a factor s(u) that begins with
/// 1 and has the integral r = e/e_law: then it has the impulse of the run.
Collision follow_law(const ImpactOfRun& impact, const NormalLaw& law) {
  const double e = impact.restitution, v = impact.speed;
  const double mass = impact.impulse / ((1.0 + e) * v);
  Collision out = collide(law, mass, v);
  const double e_law = out.restitution, r = e / e_law;
  for (CollisionPoint& point : out.curve) {
    if (!(point.rate < 0.0)) continue;
    const double u = std::min(1.0, -point.rate / (e_law * v));
    const double factor = r < 1.0 ? std::pow(1.0 - u, 1.0 / r - 1.0) : 1.0 + 2.0 * (r - 1.0) * u;
    const double passed =
        r < 1.0 ? r * (1.0 - std::pow(1.0 - u, 1.0 / r)) : u * (1.0 + (r - 1.0) * u);
    point.force *= factor;
    out.peak = std::max(out.peak, point.force);  // by the law it is before
    point.impulse = mass * v * (1.0 + e_law * passed);
  }
  out.restitution = e;
  out.impulse = impact.impulse;
  out.energy_lost = 0.5 * mass * v * v * (1.0 - e * e);
  return out;
}

}  // namespace

Collision recover(const ImpactOfRun& impact, const RecoverySettings& settings) {
  switch (settings.shape) {
    case ImpactShape::cubic:
      return follow(impact, settings.law, ImpactProfile::cubic(impact.restitution));
    case ImpactShape::bent:
      return follow(impact, settings.law, ImpactProfile::bent(impact.restitution, settings.alpha));
    case ImpactShape::law:
      break;
  }
  return follow_law(impact, settings.law);
}

}  // namespace clatter
