#pragma once

#include "math/types.hpp"

namespace clatter {

/// skew(a) b = a x b
Mat3 skew(const Vec3& a);

/// The rotation exp(skew(psi)) as a unit quaternion.
Quaternion exp_so3(const Vec3& psi);

/// The rotation vector of a unit quaternion, of length at most pi; accurate at zero and near pi.
Vec3 log_so3(const Quaternion& rotation);

/// T(psi): a change of the rotation vector turns the body by dTheta = T(psi) dpsi in body axes,
/// that is d exp(skew(psi)) = exp(skew(psi)) skew(dTheta).  001 A.2.4
Mat3 tangent_so3(const Vec3& psi);

/// T(psi)^-1; singular at rotations of 2 pi.
Mat3 inverse_tangent_so3(const Vec3& psi);

/// c(th) = (1 - (th/2) cot(th/2)) / th^2, the function of the angle in
/// T(psi)^-1 = I + skew(psi)/2 + c skew(psi)^2, with slope = c'/th and bend = slope'/th, all as
/// functions of th^2 < (2 pi)^2.
struct HalfCotangent {
  double value, slope, bend;
};
HalfCotangent half_cotangent(double th2);

}  // namespace clatter
