#include <algorithm>
#include <array>
#include <cmath>

#include <clatter/recovery/impact_profile.hpp>

namespace clatter {

ImpactProfile ImpactProfile::cubic(double e) { return {e, 1.0, 1.0, 1.0}; }

ImpactProfile ImpactProfile::bent(double e, double alpha) {
  const double k = alpha * e / (1.0 + alpha * e);  // (C.30)
  // That the depth is zero at last asks, with x = a k, for (C.35) with the sign of its last term as
  // the derivation gives it: x^3 - (k + 1) x^2 + (k - 1) x + k + (1 - e)/(1 + e) = 0, which falls
  // from x = 0 to x = 1, where -2 e/(1 + e) is left.
  const double last = k + (1.0 - e) / (1.0 + e);
  const auto cubic = [&](double x) { return ((x - (k + 1.0)) * x + (k - 1.0)) * x + last; };
  double low = 0.0, high = 1.0;
  for (int halving = 0; halving < 60; ++halving) {
    const double middle = 0.5 * (low + high);
    (cubic(middle) > 0.0 ? low : high) = middle;
  }
  const double x = 0.5 * (low + high);
  return {e, k, x / k, (1.0 - x) / (1.0 - k)};
}

double ImpactProfile::rate(double tau) const {
  const double g = tau <= k_ ? before_ * tau : before_ * k_ + after_ * (tau - k_);
  return 1.0 - (1.0 + e_) * g * g * (3.0 - 2.0 * g);  // (C.37a)
}

double ImpactProfile::depth(double tau) const {
  // The integral of the rate, with that of 3 g^2 - 2 g^3 over its slope.
  const auto primitive = [](double g) { return g * g * g * (1.0 - 0.5 * g); };
  if (tau <= k_) return tau - (1.0 + e_) * primitive(before_ * tau) / before_;
  const double x = before_ * k_, g = x + after_ * (tau - k_);
  return tau - (1.0 + e_) * (primitive(x) / before_ + (primitive(g) - primitive(x)) / after_);
}

double ImpactProfile::depth_integral(double exponent, double from, double to) const {
  if (from < k_ && k_ < to) {  // smooth but for the bend
    return depth_integral(exponent, from, k_) + depth_integral(exponent, k_, to);
  }
  // Gauss's rule of four points on each part, in a variable s that makes roots at both ends smooth:
  // tau = from + (to - from) s^2 (3 - 2 s).
  constexpr std::array points{0.8611363115940526, 0.3399810435848563};
  constexpr std::array weights{0.3478548451374538, 0.6521451548625461};
  const double width = to - from;
  const int parts = std::max(4, static_cast<int>(64.0 * width));
  double sum = 0.0;
  for (int part = 0; part < parts; ++part) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      for (const double sign : {-1.0, 1.0}) {
        const double s = (part + 0.5 + 0.5 * sign * points[i]) / parts;
        const double tau = from + width * s * s * (3.0 - 2.0 * s);
        sum += 0.5 / parts * weights[i] * width * 6.0 * s * (1.0 - s) *
               std::pow(std::max(0.0, depth(tau)), exponent);
      }
    }
  }
  return sum;
}

}  // namespace clatter
