#include <algorithm>
#include <cmath>
#include <numbers>

#include <clatter/contact/law/hertz.hpp>

namespace clatter {

using std::numbers::pi;

namespace {

/// Each of them has one summit, at the surface or within two of the shorter half axes below it.
template <class StressAt>
ContactStress largest_stresses(double pressure, double half_axis, const StressAt& stress_at) {
  const auto largest = [&](auto value) {
    StressBelow best;
    double from = 0.0, to = 2.0 * half_axis;
    constexpr int looks = 64;
    for (int round = 0; round < 8; ++round) {
      double top = 0.0;
      for (int i = 0; i <= looks; ++i) {
        const double z = from + (to - from) * i / looks;
        const StressBelow here = stress_at(z);
        if (i == 0 || value(here) > top) {
          top = value(here);
          best = here;
        }
      }
      const double width = (to - from) / looks;
      from = std::max(0.0, best.depth - width);
      to = best.depth + width;
    }
    return best;
  };
  return {pressure, largest([](const StressBelow& s) { return s.shear(); }),
          largest([](const StressBelow& s) { return s.octahedral(); }),
          largest([](const StressBelow& s) { return s.von_mises(); })};
}

}  // namespace

double carlson_rd(double x, double y, double z) {
  // Duplication until the three are equal but for terms whose sixth power is below round-off.
  double sum = 0.0, factor = 1.0;
  while (true) {
    const double mean = 0.2 * (x + y + 3.0 * z);
    const double X = 1.0 - x / mean, Y = 1.0 - y / mean, Z = 1.0 - z / mean;
    if (std::max({std::abs(X), std::abs(Y), std::abs(Z)}) < 1e-3) {
      const double a = X * Y, b = Z * Z, c = a - b, d = a - 6.0 * b, e = d + 2.0 * c;
      const double series = 1.0 + d * (-3.0 / 14.0 + 9.0 / 88.0 * d - 9.0 / 52.0 * Z * e) +
                            Z * (e / 6.0 + Z * (-9.0 / 22.0 * c + 3.0 / 26.0 * Z * a));
      return 3.0 * sum + factor * series / (mean * std::sqrt(mean));
    }
    const double root =
        std::sqrt(x) * std::sqrt(y) + std::sqrt(x) * std::sqrt(z) + std::sqrt(y) * std::sqrt(z);
    sum += factor / (std::sqrt(z) * (z + root));
    factor *= 0.25;
    x = 0.25 * (x + root);
    y = 0.25 * (y + root);
    z = 0.25 * (z + root);
  }
}

RelativeCurvature RelativeCurvature::of(std::array<double, 2> first, std::array<double, 2> second,
                                        double angle) {
  const double sum = first[0] + first[1] + second[0] + second[1];
  const double p = first[0] - first[1], q = second[0] - second[1];
  const double difference =
      std::sqrt(std::max(0.0, p * p + q * q + 2.0 * p * q * std::cos(2.0 * angle)));
  return {0.25 * (sum - difference), 0.25 * (sum + difference)};
}

double StressBelow::shear() const {
  const auto [least, most] = std::minmax_element(principal.begin(), principal.end());
  return 0.5 * (*most - *least);
}

double StressBelow::octahedral() const {
  const double a = principal[0] - principal[1], b = principal[1] - principal[2],
               c = principal[2] - principal[0];
  return std::sqrt(a * a + b * b + c * c) / 3.0;
}

double StressBelow::von_mises() const { return 3.0 / std::sqrt(2.0) * octahedral(); }

HertzContact::HertzContact(const Elasticity& first, const Elasticity& second,
                           const RelativeCurvature& curvature) {
  // B/A = (E/k^2 - K)/(K - E) with k = b/a. Both differences of elliptic integrals hold the factor
  // (1 - k^2)/3, which drops out.
  const double wanted = curvature.B / curvature.A;
  const auto quotient = [](double k) {
    return carlson_rd(0.0, 1.0, k * k) / carlson_rd(0.0, k * k, 1.0);
  };
  double low = 0.0, high = 1.0;  // k is at least A/B
  low = wanted > 1.0 ? 0.5 / wanted : 1.0;
  for (int halving = 0; halving < 100 && low < high; ++halving) {
    const double middle = std::sqrt(low * high);
    (quotient(middle) > wanted ? low : high) = middle;
  }
  ratio_ = std::min(1.0, std::sqrt(low * high));
  const double k2 = ratio_ * ratio_;
  const double one = carlson_rd(0.0, k2, 1.0), two = carlson_rd(0.0, 1.0, k2);
  const double E = k2 / 3.0 * (one + two);      // of the second kind
  const double K = E + (1.0 - k2) / 3.0 * one;  // of the first kind
  c_b_ = std::cbrt(1.5 * ratio_ * E / pi);
  c_delta_ = 1.5 * ratio_ * K;
  c_sigma_ = 1.0 / E;
  const double sum = curvature.A + curvature.B;
  Delta_ = (first.softness() + second.softness()) / sum;
  stiffness_ = std::pow(c_b_ / c_delta_ * pi / (sum * std::pow(Delta_, 2.0 / 3.0)), 1.5);  // (4.1)
}

double HertzContact::minor_axis(double force) const { return c_b_ * std::cbrt(force * Delta_); }

double HertzContact::pressure(double force) const { return c_sigma_ * minor_axis(force) / Delta_; }

/// From the potential V of the pressure, an integral over w > z^2 for an ellipse, as everything on
/// the axis is:
///
///   sigma_z = -p ab/S                                  S = sqrt((a^2 + z^2)(b^2 + z^2))
///   sigma_x = p ab/2 (-2 nu (2/S - z (I_a + I_b)) + z I_a - (1 - 2 nu) J_a)
///   I_a = integral of dw/((a^2 + w)^(3/2) (b^2 + w)^(1/2) w^(1/2))
///   J_a = the same of (w^(1/2) - z), elementary but for z I_a
StressBelow HertzContact::stress_below(double force, double poisson, double z) const {
  const double b = minor_axis(force), a = b / ratio_, p = pressure(force), z2 = z * z;
  const double A = a * a + z2, B = b * b + z2, S = std::sqrt(A * B);
  // At the surface z I_a is zero, and so is what the integral would have to be told apart from.
  const double zI_a = z > 0.0 ? z * 2.0 / 3.0 * carlson_rd(z2, B, A) : 0.0;
  const double zI_b = z > 0.0 ? z * 2.0 / 3.0 * carlson_rd(z2, A, B) : 0.0;
  const double J_a = 2.0 / (A + S) - zI_a, J_b = 2.0 / (B + S) - zI_b;
  const double common = -2.0 * poisson * (2.0 / S - zI_a - zI_b);
  const double scale = 0.5 * p * a * b;
  return {z,
          {scale * (common + zI_a - (1.0 - 2.0 * poisson) * J_a),
           scale * (common + zI_b - (1.0 - 2.0 * poisson) * J_b), -p * a * b / S}};
}

ContactStress HertzContact::stress(double force, double poisson) const {
  return largest_stresses(pressure(force), minor_axis(force),
                          [&](double z) { return stress_below(force, poisson, z); });
}

double LineContact::half_width(double force) const {
  return 2.0 * std::sqrt(force * softness / (pi * length * curvature));
}

double LineContact::pressure(double force) const {
  return 2.0 * force / (pi * half_width(force) * length);
}

/// That of an ellipse without end: strain along the line is none.
StressBelow LineContact::stress_below(double force, double poisson, double z) const {
  const double p = pressure(force), s = z / half_width(force), root = std::sqrt(1.0 + s * s);
  const double across = -p * ((1.0 + 2.0 * s * s) / root - 2.0 * s), inwards = -p / root;
  return {z, {poisson * (across + inwards), across, inwards}};
}

ContactStress LineContact::stress(double force, double poisson) const {
  return largest_stresses(pressure(force), half_width(force),
                          [&](double z) { return stress_below(force, poisson, z); });
}

NormalLaw LineContact::law() const {
  // delta = 1.36 (F softness)^0.9/length^0.8
  NormalLaw law;
  law.exponent = 10.0 / 9.0;
  law.stiffness = std::pow(std::pow(length, 0.8) / 1.36, 10.0 / 9.0) / softness;
  return law;
}

}  // namespace clatter
