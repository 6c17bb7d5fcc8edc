#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <clatter/recovery/collision.hpp>

namespace clatter {
namespace {

constexpr double step_tolerance = 1e-11;
/// As a part of the time of a scaled impact without damping, which is about three.
constexpr double longest_step = 0.02;

struct Motion {
  double depth = 0.0, rate = 1.0;
};
Motion operator+(const Motion& a, const Motion& b) { return {a.depth + b.depth, a.rate + b.rate}; }
Motion operator*(double factor, const Motion& m) { return {factor * m.depth, factor * m.rate}; }

Motion derivative(const ScaledLaw& law, const Motion& m) {
  return {m.rate, -law.force(m.depth, m.rate)};
}

struct Trial {
  Motion end;
  double error;
};

/// A step of the method of Dormand and Prince, of order five with an error of order four.
Trial try_step(const ScaledLaw& law, const Motion& from, double h) {
  const Motion k1 = derivative(law, from);
  const Motion k2 = derivative(law, from + h / 5.0 * k1);
  const Motion k3 = derivative(law, from + h / 40.0 * (3.0 * k1 + 9.0 * k2));
  const Motion k4 = derivative(law, from + h / 45.0 * (44.0 * k1 + -168.0 * k2 + 160.0 * k3));
  const Motion k5 = derivative(
      law, from + h / 6561.0 * (19372.0 * k1 + -76080.0 * k2 + 64448.0 * k3 + -1908.0 * k4));
  const Motion k6 = derivative(
      law, from + h * (9017.0 / 3168.0 * k1 + -355.0 / 33.0 * k2 + 46732.0 / 5247.0 * k3 +
                       49.0 / 176.0 * k4 + -5103.0 / 18656.0 * k5));
  const Motion end = from + h * (35.0 / 384.0 * k1 + 500.0 / 1113.0 * k3 + 125.0 / 192.0 * k4 +
                                 -2187.0 / 6784.0 * k5 + 11.0 / 84.0 * k6);
  const Motion k7 = derivative(law, end);
  const Motion error = h * (71.0 / 57600.0 * k1 + -71.0 / 16695.0 * k3 + 71.0 / 1920.0 * k4 +
                            -17253.0 / 339200.0 * k5 + 22.0 / 525.0 * k6 + -1.0 / 40.0 * k7);
  return {end, std::max(std::abs(error.depth), std::abs(error.rate))};
}

bool is_over(const ScaledLaw& law, const Motion& m) {
  return m.rate < 0.0 && (m.depth <= 0.0 || law.force(m.depth, m.rate) <= 0.0);
}

/// The scaled impact: of mass, speed and stiffness one.
Collision collide_scaled(const ScaledLaw& law) {
  Collision collision;
  double time = 0.0, h = 1e-4;
  Motion m;
  const auto note = [&] {
    const double force = std::max(0.0, law.force(m.depth, m.rate));
    collision.curve.push_back({time, m.depth, m.rate, force, 1.0 - m.rate});
  };
  note();
  while (true) {
    const Trial trial = try_step(law, m, h);
    const double finer = 0.9 * std::pow(step_tolerance / std::max(trial.error, 1e-300), 0.2);
    if (trial.error > step_tolerance) {
      h *= std::max(0.2, finer);
      continue;
    }
    if (is_over(law, trial.end)) {  // the end is between here and there
      double before = 0.0, after = h;
      for (int halving = 0; halving < 60; ++halving) {
        const double middle = 0.5 * (before + after);
        (is_over(law, try_step(law, m, middle).end) ? after : before) = middle;
      }
      m = try_step(law, m, before).end;
      time += before;
      note();
      collision.curve.back().force = 0.0;
      break;
    }
    m = trial.end;
    time += h;
    note();
    h = std::min(longest_step, h * std::min(4.0, finer));
  }
  collision.duration = time;
  collision.restitution = -m.rate;
  return collision;
}

/// Impacts of one law differ in scale alone, and many of a run have one: that of the last is kept.
const Collision& scaled_collision(const ScaledLaw& law) {
  struct Kept {
    ScaledLaw law;
    Collision collision;
  };
  thread_local std::optional<Kept> kept;
  const bool is_it = kept && kept->law.exponent == law.exponent &&
                     kept->law.damping == law.damping && kept->law.linear == law.linear;
  if (!is_it) kept = Kept{law, collide_scaled(law)};
  return kept->collision;
}

/// A cubic on [0, 1] by its values and slopes at the ends.
struct Hermite {
  double from, to, slope_from, slope_to;

  double value(double s) const {
    const double u = 1.0 - s;
    return u * u * ((1.0 + 2.0 * s) * from + s * slope_from) +
           s * s * ((3.0 - 2.0 * s) * to - u * slope_to);
  }
  double slope(double s) const {
    const double u = 1.0 - s;
    return 6.0 * s * u * (to - from) + u * (1.0 - 3.0 * s) * slope_from +
           s * (3.0 * s - 2.0) * slope_to;
  }
};

}  // namespace

CollisionPoint Collision::at(double time) const {
  if (curve.empty() || time <= 0.0 || time >= duration) return {};
  const auto next = std::upper_bound(curve.begin(), curve.end(), time,
                                     [](double t, const CollisionPoint& p) { return t < p.time; });
  const CollisionPoint &b = *next, &a = *std::prev(next);
  const double h = b.time - a.time, s = (time - a.time) / h;
  const Hermite pressed{a.depth, b.depth, h * a.rate, h * b.rate};
  const Hermite passed{a.impulse, b.impulse, h * a.force, h * b.force};
  return {time, pressed.value(s), pressed.slope(s) / h, passed.slope(s) / h, passed.value(s)};
}

Collision collide(const NormalLaw& law, double mass, double speed) {
  const ScaledLaw scaled_law = scaled(law);
  Collision collision = scaled_collision(scaled_law);
  const double n = scaled_law.exponent;
  const double length = std::pow(mass * speed * speed / law.stiffness, 1.0 / (n + 1.0));
  const double time = length / speed;
  const double force = law.stiffness * std::pow(length, n);
  for (CollisionPoint& p : collision.curve) {
    p = {time * p.time, length * p.depth, speed * p.rate, force * p.force,
         mass * speed * p.impulse};
  }
  collision.duration *= time;
  collision.depth = summit(collision.curve, [](const CollisionPoint& p) { return p.depth; });
  collision.peak = summit(collision.curve, [](const CollisionPoint& p) { return p.force; });
  const double e = collision.restitution;
  collision.impulse = (1.0 + e) * mass * speed;
  collision.energy_lost = 0.5 * mass * speed * speed * (1.0 - e * e);
  return collision;
}

}  // namespace clatter
