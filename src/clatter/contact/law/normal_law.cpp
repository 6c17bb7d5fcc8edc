#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

#include <clatter/contact/law/normal_law.hpp>

namespace clatter {
namespace {

/// (x - ln(1 + x))/x^2, without cancellation near zero.
double log_remainder(double x) {
  if (std::abs(x) > 0.05) return (x - std::log1p(x)) / (x * x);
  double sum = 0.0, power = 1.0;
  for (int k = 2; k < 14; ++k, power *= -x) sum += power / k;  // 0.05^12 is below round-off
  return sum;
}

/// The root of an increasing function between two numbers.
template <class Function>
double increasing_root(Function f, double low, double high) {
  while (true) {
    const double middle = 0.5 * (low + high);
    if (!(middle > low && middle < high)) return middle;
    (f(middle) < 0.0 ? low : high) = middle;
  }
}

/// The ratio zeta to critical damping with which a spring and a dashpot that do not pull return e:
/// they let go when K delta + D ddelta = 0, at the phase pi - 2 asin(zeta).
double damping_ratio(double e) {
  const auto missing = [&](double zeta) {
    const double root = std::sqrt(1.0 - zeta * zeta);
    const double phase = std::numbers::pi - 2.0 * std::asin(zeta);
    return std::log(e) + zeta / root * phase;
  };
  // Without bound from below only as exp(-2) of critical damping: more than that is overdamped.
  if (e >= 1.0) return 0.0;
  const double most = std::exp(-2.0);
  if (e > most) return increasing_root(missing, 0.0, 1.0);
  const auto missing_over = [&](double zeta) {
    const double root = std::sqrt(zeta * zeta - 1.0);
    return std::log(e) + 2.0 * zeta / root * std::acosh(zeta);
  };
  return increasing_root(missing_over, 1.0 + 1e-12, 1.0 / e);
}

/// The inverse of returned_restitution.
double exact_damping_factor(double e) {
  // h(chi) falls and e^2 h(-chi e) grows with chi, from 1/2 and e^2/2 at zero to infinity at 1/e.
  return increasing_root(
      [&](double chi) { return e * e * log_remainder(-chi * e) - log_remainder(chi); }, 0.0,
      1.0 / e);
}

}  // namespace

NormalLaw law_of(const ForceLawSpec& spec, double stiffness, double restitution) {
  return {spec.law, stiffness, is_linear(spec.law) ? 1.0 : spec.exponent.value_or(1.5),
          std::max(least_restitution, restitution)};
}

double damping_factor(NormalLawKind kind, double e) {
  assert(has_damping(kind) && kind != NormalLawKind::kelvin_voigt && e > 0.0);
  if (e >= 1.0) return 0.0;
  switch (kind) {
    case NormalLawKind::hunt_crossley:
      return 1.5 * (1.0 - e);
    case NormalLawKind::lankarani_nikravesh:
      return 0.75 * (1.0 - e * e);
    case NormalLawKind::hu:
      return -6.66264 * std::log(e) / (3.85238 + std::log(e));
    case NormalLawKind::flores:
      return 8.0 * (1.0 - e) / (5.0 * e);
    case NormalLawKind::zhang:
      return 3.0 * (1.0 - e) /
             (2.0 * e * (0.6181 * std::exp(-3.52 * e) + 0.899 * std::exp(0.09025 * e)));
    default:
      return exact_damping_factor(e);
  }
}

double returned_restitution(double chi) {
  // With h(x) = (x - ln(1 + x))/x^2 the condition reads h(chi) = e^2 h(-chi e).
  if (!(chi > 0.0)) return 1.0;
  return increasing_root(
      [&](double e) { return e * e * log_remainder(-chi * e) - log_remainder(chi); }, 0.0,
      std::min(1.0, 1.0 / chi));
}

double ScaledLaw::force(double depth, double rate) const {
  if (linear) return depth + damping * rate;
  const double spring = std::pow(std::max(0.0, depth), exponent);
  return spring * (1.0 + damping * rate);
}

ScaledLaw scaled(const NormalLaw& law) {
  switch (law.kind) {
    case NormalLawKind::hooke:
      return {1.0, 0.0, true};
    case NormalLawKind::hertz:
      return {law.exponent, 0.0, false};
    case NormalLawKind::kelvin_voigt:
      return {1.0, 2.0 * damping_ratio(law.restitution), true};
    default:
      return {law.exponent, damping_factor(law.kind, law.restitution), false};
  }
}

}  // namespace clatter
