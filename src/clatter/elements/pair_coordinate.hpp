#pragma once

#include <clatter/elements/node.hpp>

namespace clatter {

/// A scalar that two nodes a and b define together: a length, a direction cosine, an angle. Springs
/// act along one, joints hold one at a value, contacts keep one from becoming negative; all of them
/// need its value, its gradient and the derivative of the gradient, and find them here.
///
/// Order of the twelve columns: x_a, Theta_a, x_b, Theta_b; rotations are body-frame variations,
/// dR = R skew(dTheta).
class PairCoordinate {
 public:
  /// Component of (p_b - p_a) along a direction fixed in a; p_a, p_b are points fixed in a and b.
  static PairCoordinate along(int a, const Vec3& point_a, const Vec3& direction_a, int b,
                              const Vec3& point_b);
  /// Cosine between a direction fixed in a and one fixed in b.
  static PairCoordinate cosine(int a, const Vec3& direction_a, int b, const Vec3& direction_b);
  /// Distance between two points.
  static PairCoordinate distance(int a, const Vec3& point_a, int b, const Vec3& point_b);
  /// Angle that carries x_a into the projection of x_b on the plane (x_a, y_a); in (-pi, pi].
  static PairCoordinate angle(int a, const Vec3& x_a, const Vec3& y_a, int b, const Vec3& x_b);

  /// Height of the lowest point of a disc of b over a plane of a: that of its centre over point_a,
  /// along the normal, less radius times the sine of the angle between normal and axle.
  static PairCoordinate rim(int a, const Vec3& point_a, const Vec3& normal_a, int b,
                            const Vec3& centre_b, const Vec3& axle_b, double radius);

  int a() const { return a_; }
  int b() const { return b_; }
  bool is_angle() const { return kind_ == Kind::angle; }
  /// Measured in metres (not a cosine or an angle).
  bool is_length() const { return kind_ != Kind::cosine && kind_ != Kind::angle; }

  /// Whether entries of the gradient, or of its derivative, can ever differ from zero in the column
  /// groups 0 to 3 of the order above.
  bool acts_on(int group) const;
  bool couples(int group, int other) const;

  double value(const Configuration& q) const;
  /// Of an angle with turns counted: within half a turn of `reached`.
  double value_near(const Configuration& q, double reached) const;
  void gradient(const Configuration& q, Vec12& g) const;
  /// H(i, k) = derivative of gradient entry i with respect to variation k. Not symmetric: rotations
  /// do not commute. The derivative of the rate, g . v, is H^T v.
  void hessian(const Configuration& q, Mat12& H) const;

 private:
  enum class Kind { along, cosine, distance, angle, rim };
  PairCoordinate(Kind kind, int a, int b) : kind_(kind), a_(a), b_(b) {}

  Kind kind_;
  int a_, b_;
  Vec3 point_a_ = Vec3::Zero(), point_b_ = Vec3::Zero();
  Vec3 direction_a_ = Vec3::Zero(), second_a_ = Vec3::Zero(), direction_b_ = Vec3::Zero();
  double radius_ = 0.0;
};

}  // namespace clatter
