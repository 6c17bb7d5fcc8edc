#pragma once

#include <array>
#include <cmath>

#include <clatter/math/types.hpp>

// In the header, since they are called for every node and element in every iteration.

namespace clatter {

/// c(th) = (1 - (th/2) cot(th/2)) / th^2, the function of the angle in
/// T(psi)^-1 = I + skew(psi)/2 + c skew(psi)^2, with slope = c'/th and bend = slope'/th, all as
/// functions of th^2 < (2 pi)^2.
template <class Real>
struct HalfCotangentOf {
  Real value, slope, bend;
};
using HalfCotangent = HalfCotangentOf<double>;

namespace so3_detail {

// Turns in one time step are small: below a tenth of a radian a few terms of a series give the
// functions below to the last digit, faster than the library's.
inline constexpr double small2 = 0.01;

/// sin(th/2) / th
inline double half_sinc(double th2) {
  if (th2 < small2)
    return 0.5 - th2 * (1.0 / 48) * (1.0 - th2 * (1.0 / 80) * (1.0 - th2 * (1.0 / 168)));
  const double th = std::sqrt(th2);
  return std::sin(0.5 * th) / th;
}

/// cos(th/2)
inline double half_cosine(double th2) {
  if (th2 < small2) {
    return 1.0 -
           th2 * (1.0 / 8) *
               (1.0 - th2 * (1.0 / 48) * (1.0 - th2 * (1.0 / 120) * (1.0 - th2 * (1.0 / 224))));
  }
  return std::cos(0.5 * std::sqrt(th2));
}

/// arcsin(s) / s from its square
inline double arcsine_ratio(double s2) {
  constexpr std::array ratio{1.0 / 6, 9.0 / 20, 25.0 / 42, 49.0 / 72, 81.0 / 110};
  double sum = 1.0;
  for (std::size_t k = ratio.size(); k-- > 0;) sum = 1.0 + s2 * ratio[k] * sum;
  return sum;
}

/// (1 - cos th) / th^2
inline double one_minus_cosine(double th2) {
  const double s = half_sinc(th2);  // no cancellation, unlike 1 - cos
  return 2.0 * s * s;
}

/// (1 - sin th / th) / th^2. Loses digits in 1 - (1 - ...) at small angles: below 0.2 its series,
/// cut where the next term is less than 1e-15 of the sum, is the better choice; above, what is lost
/// is less than round-off once multiplied by th^2 in the tangent.
inline double one_minus_sinc(double th2) {
  if (th2 < 4.0 * small2) {
    return (1.0 -
            th2 * (1.0 / 20) *
                (1.0 - th2 * (1.0 / 42) * (1.0 - th2 * (1.0 / 72) * (1.0 - th2 * (1.0 / 110))))) *
           (1.0 / 6);
  }
  const double th = std::sqrt(th2);
  return (1.0 - std::sin(th) / th) / th2;
}

/// The first terms of the series in th^2, whose coefficients are |B_2k| / (2k)!
template <std::size_t count>
HalfCotangent half_cotangent_series(double th2) {
  constexpr std::array a{0.08333333333333333,    0.001388888888888889,   3.306878306878307e-05,
                         8.267195767195768e-07,  2.08767569878681e-08,   5.284190138687493e-10,
                         1.3382536530684679e-11, 3.3896802963225827e-13, 8.586062056277845e-15,
                         2.174868698558062e-16,  5.5090028283602295e-18, 1.3954464685812522e-19,
                         3.534707039629467e-21};
  static_assert(count <= a.size());
  HalfCotangent sum{0.0, 0.0, 0.0};
  for (std::size_t k = count; k-- > 0;) {
    const auto power = static_cast<double>(k);
    sum.value = sum.value * th2 + a[k];
    if (k > 0) sum.slope = sum.slope * th2 + 2.0 * power * a[k];
    if (k > 1) sum.bend = sum.bend * th2 + 4.0 * power * (power - 1.0) * a[k];
  }
  return sum;
}

}  // namespace so3_detail

/// skew(a) b = a x b
template <class Vector>
Eigen::Matrix<typename Vector::Scalar, 3, 3> skew(const Eigen::MatrixBase<Vector>& a) {
  const Eigen::Matrix<typename Vector::Scalar, 3, 1> v = a;
  Eigen::Matrix<typename Vector::Scalar, 3, 3> m;
  m << 0.0, -v.z(), v.y(), v.z(), 0.0, -v.x(), -v.y(), v.x(), 0.0;
  return m;
}

/// The rotation exp(skew(psi)) as a unit quaternion.
inline Quaternion exp_so3(const Vec3& psi) {
  const double th2 = psi.squaredNorm();
  const double s = so3_detail::half_sinc(th2);
  return {so3_detail::half_cosine(th2), s * psi.x(), s * psi.y(), s * psi.z()};
}

/// The rotation vector of a unit quaternion, of length at most pi; accurate at zero and near pi.
inline Vec3 log_so3(const Quaternion& rotation) {
  const double sign = rotation.w() < 0.0 ? -1.0 : 1.0;  // q and -q are the same rotation
  const Vec3 axis = sign * rotation.vec();
  const double sine2 = axis.squaredNorm();  // of half the angle
  if (sine2 < 0.25 * so3_detail::small2) return 2.0 * so3_detail::arcsine_ratio(sine2) * axis;
  const double sine = std::sqrt(sine2), cosine = sign * rotation.w();
  return 2.0 * std::atan2(sine, cosine) / sine * axis;
}

/// T(psi): a change of the rotation vector turns the body by dTheta = T(psi) dpsi in body axes,
/// that is d exp(skew(psi)) = exp(skew(psi)) skew(dTheta).  001 A.2.4
inline Mat3 tangent_so3(const Vec3& psi) {
  const double th2 = psi.squaredNorm(), b = so3_detail::one_minus_sinc(th2);
  Mat3 T = b * psi * psi.transpose() - so3_detail::one_minus_cosine(th2) * skew(psi);
  T.diagonal().array() += 1.0 - b * th2;  // skew(psi)^2 = psi psi^T - th^2 I
  return T;
}

inline HalfCotangent half_cotangent(double th2) {
  // Below one radian the series in th^2 with coefficients |B_2k| / (2k)!, cut where the next term
  // is less than round-off in all three sums; above, the closed forms lose three digits at most in
  // the second derivative, fewer in the others.
  if (th2 < 4.0 * so3_detail::small2) return so3_detail::half_cotangent_series<7>(th2);
  if (th2 < 1.0) return so3_detail::half_cotangent_series<13>(th2);
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

/// T(psi)^-1; singular at rotations of 2 pi.
inline Mat3 inverse_tangent_so3(const Vec3& psi) {
  const double th2 = psi.squaredNorm();
  const Mat3 s = skew(psi);
  return Mat3::Identity() + 0.5 * s + half_cotangent(th2).value * s * s;
}

}  // namespace clatter
