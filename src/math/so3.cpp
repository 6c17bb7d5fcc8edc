#include "math/so3.hpp"

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

// The two functions below lose digits in 1 - (1 - ...) at small angles. Below 0.2 their series,
// cut where the next term is less than 1e-15 of the sum, are the better choice; above, what is
// lost is less than round-off once multiplied by th^2 in the tangents.

/// (1 - sin th / th) / th^2
double one_minus_sinc(double th2) {
  const double th = std::sqrt(th2);
  if (th < 0.2) {
    return (1.0 - th2 / 20.0 * (1.0 - th2 / 42.0 * (1.0 - th2 / 72.0 * (1.0 - th2 / 110.0)))) / 6.0;
  }
  return (1.0 - std::sin(th) / th) / th2;
}

/// (1 - (th/2) cot(th/2)) / th^2
double one_minus_half_cotangent(double th2) {
  const double th = std::sqrt(th2);
  if (th < 0.2) {
    // Bernoulli series: 1/12 + th^2/720 + th^4/30240 + th^6/1209600 + th^8/47900160
    return 1.0 / 12.0 +
           th2 * (1.0 / 720.0 + th2 * (1.0 / 30240.0 + th2 * (1.0 / 1209600.0 + th2 / 47900160.0)));
  }
  return (1.0 - 0.5 * th / std::tan(0.5 * th)) / th2;
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
  return Mat3::Identity() + 0.5 * s + one_minus_half_cotangent(th2) * s * s;
}

}  // namespace clatter
