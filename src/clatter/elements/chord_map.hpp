#pragma once

#include <clatter/math/so3.hpp>

namespace clatter {

/// A(psi) = T(psi)^-T, which turns the chord of a helix into its tangent at the start:
///   A(psi) b = b - psi x b / 2 + c psi x (psi x b),
/// and its derivatives. Of one rotation, or of two at once.
template <class Real>
struct ChordMapOf {
  using Vec3 = Eigen::Matrix<Real, 3, 1>;
  using Mat3 = Eigen::Matrix<Real, 3, 3>;
  Vec3 psi;
  Real th2;
  HalfCotangentOf<Real> c;
  Mat3 A;

  ChordMapOf() = default;
  explicit ChordMapOf(const Vec3& rotation)
      : psi(rotation), th2(rotation.squaredNorm()), c(half_cotangent(th2)) {
    A = c.value * psi * psi.transpose() - 0.5 * skew(psi);
    A.diagonal().array() += 1.0 - c.value * th2;
  }

  /// exp(skew(psi)), which turns A into A^T
  Mat3 rotation() const {
    const Real g = 1.0 - c.value * th2;         // half the angle times its cotangent
    const Real k = 0.5 / (g * g + 0.25 * th2);  // (1 - cos th) / th^2
    Mat3 R = k * psi * psi.transpose() + 2.0 * g * k * skew(psi);
    R.diagonal().array() += 1.0 - k * th2;
    return R;
  }
  /// d(A b)/dpsi
  Mat3 slope(const Vec3& b) const {
    const Real along = psi.dot(b);
    const Vec3 left = c.slope * along * psi - (2.0 * c.value + c.slope * th2) * b;
    Mat3 s = 0.5 * skew(b) + c.value * psi * b.transpose() + left * psi.transpose();
    s.diagonal().array() += c.value * along;
    return s;
  }
  /// d(A^T b)/dpsi, since A(psi)^T = A(-psi)
  Mat3 transposed_slope(const Vec3& b) const { return slope(b) - skew(b); }
  /// d(n . A b)/dpsi
  Vec3 slope_along(const Vec3& n, const Vec3& b) const {
    return 0.5 * n.cross(b) + c.value * square_slope_along(n, b) + c.slope * n.dot(square(b)) * psi;
  }
  /// d^2(n . A b)/dpsi^2, symmetric
  Mat3 curvature(const Vec3& n, const Vec3& b) const {
    const Real squared = n.dot(square(b));
    const Vec3 mixed = c.slope * square_slope_along(n, b) + 0.5 * c.bend * squared * psi;
    Mat3 half = c.value * b * n.transpose() + mixed * psi.transpose();
    half.diagonal().array() += 0.5 * c.slope * squared - c.value * n.dot(b);
    return half + half.transpose();
  }
  /// d(A b)/dt for dpsi/dt = w, as a matrix on b
  Mat3 rate(const Vec3& w) const {
    const Mat3 s = skew(psi), r = skew(w);
    return -0.5 * r + c.value * (r * s + s * r) + c.slope * psi.dot(w) * s * s;
  }
  /// d(slope(b) w)/dpsi
  Mat3 slope_rate(const Vec3& b, const Vec3& w) const {
    const Real turn = psi.dot(w);
    const Mat3 square_slope =
        psi.dot(b) * Mat3::Identity() + psi * b.transpose() - 2.0 * b * psi.transpose();
    return c.value * (w * b.transpose() + b.dot(w) * Mat3::Identity() - 2.0 * b * w.transpose()) +
           c.slope * (square_slope * w * psi.transpose() + square(b) * w.transpose() +
                      turn * square_slope) +
           c.bend * turn * square(b) * psi.transpose();
  }

 private:
  /// psi x (psi x b), and the derivative of n . psi x (psi x b) with respect to psi
  Vec3 square(const Vec3& b) const { return psi * psi.dot(b) - th2 * b; }
  Vec3 square_slope_along(const Vec3& n, const Vec3& b) const {
    return b * psi.dot(n) + n * psi.dot(b) - 2.0 * n.dot(b) * psi;
  }
};

using ChordMap = ChordMapOf<double>;

}  // namespace clatter
