#include "math/so3.hpp"

#include <array>
#include <cmath>

namespace clatter {
namespace {

/// sin(th/2) / th, which is exact to round-off wherever th is not zero.
double half_sinc(double th) { return th > 0.0 ? std::sin(0.5 * th) / th : 0.5; }

/// (1 - cos th) / th^2
double one_minus_cosine(double th2) {
  const double s = half_sinc(std::sqrt(th2));  // no cancellation, unlike 1 - cos
  return 2.0 * s * s;
}

/// (1 - sin th / th) / th^2. Loses digits in 1 - (1 - ...) at small angles: below 0.2 its series,
/// cut where the next term is less than 1e-15 of the sum, is the better choice; above, what is lost
/// is less than round-off once multiplied by th^2 in the tangent.
double one_minus_sinc(double th2) {
  const double th = std::sqrt(th2);
  if (th < 0.2) {
    return (1.0 - th2 / 20.0 * (1.0 - th2 / 42.0 * (1.0 - th2 / 72.0 * (1.0 - th2 / 110.0)))) / 6.0;
  }
  return (1.0 - std::sin(th) / th) / th2;
}

}  // namespace

Mat3 skew(const Vec3& a) {
  Mat3 m;
  m << 0.0, -a.z(), a.y(), a.z(), 0.0, -a.x(), -a.y(), a.x(), 0.0;
  return m;
}

Quaternion exp_so3(const Vec3& psi) {
  const double th = psi.norm();
  const double s = half_sinc(th);
  return {std::cos(0.5 * th), s * psi.x(), s * psi.y(), s * psi.z()};
}

Vec3 log_so3(const Quaternion& rotation) {
  const double sign = rotation.w() < 0.0 ? -1.0 : 1.0;  // q and -q are the same rotation
  const Vec3 axis = sign * rotation.vec();
  const double sine = axis.norm();  // of half the angle
  const double cosine = sign * rotation.w();
  if (sine < 1e-10) return 2.0 / cosine * axis;
  return 2.0 * std::atan2(sine, cosine) / sine * axis;
}

Mat3 tangent_so3(const Vec3& psi) {
  const double th2 = psi.squaredNorm();
  const Mat3 s = skew(psi);
  return Mat3::Identity() - one_minus_cosine(th2) * s + one_minus_sinc(th2) * s * s;
}

Mat3 inverse_tangent_so3(const Vec3& psi) {
  const double th2 = psi.squaredNorm();
  const Mat3 s = skew(psi);
  return Mat3::Identity() + 0.5 * s + half_cotangent(th2).value * s * s;
}

HalfCotangent half_cotangent(double th2) {
  // Below one radian the series in th^2 with coefficients |B_2k| / (2k)!, cut where the next term
  // is less than round-off in all three sums; above, the closed forms lose three digits at most in
  // the second derivative, fewer in the others.
  if (th2 < 1.0) {
    constexpr std::array a{0.08333333333333333,    0.001388888888888889,   3.306878306878307e-05,
                           8.267195767195768e-07,  2.08767569878681e-08,   5.284190138687493e-10,
                           1.3382536530684679e-11, 3.3896802963225827e-13, 8.586062056277845e-15,
                           2.174868698558062e-16,  5.5090028283602295e-18, 1.3954464685812522e-19,
                           3.534707039629467e-21};
    HalfCotangent sum{0.0, 0.0, 0.0};
    for (std::size_t k = a.size(); k-- > 0;) {
      const auto power = static_cast<double>(k);
      sum.value = sum.value * th2 + a[k];
      if (k > 0) sum.slope = sum.slope * th2 + 2.0 * power * a[k];
      if (k > 1) sum.bend = sum.bend * th2 + 4.0 * power * (power - 1.0) * a[k];
    }
    return sum;
  }
  const double th = std::sqrt(th2), half = 0.5 * th;
  const double cotangent = 1.0 / std::tan(half), inverse_sine2 = 1.0 + cotangent * cotangent;
  const double f = half * cotangent;
  const double df = 0.5 * (cotangent - half * inverse_sine2);
  const double ddf = -0.5 * inverse_sine2 * (1.0 - f);
  HalfCotangent c;
  c.value = (1.0 - f) / th2;
  c.slope = -(df / th + 2.0 * c.value) / th2;
  c.bend = (-ddf / th2 + 3.0 * df / (th2 * th) - 2.0 * c.slope + 4.0 * c.value / th2) / th2;
  return c;
}

}  // namespace clatter
