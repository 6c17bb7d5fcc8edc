#pragma once

#include <clatter/elements/node.hpp>

namespace clatter {

/// How fast the material of b slips over that of a at a point that they share, along a direction:
/// G(q) v, linear in the velocities of two nodes. In general no coordinate has this rate, so it can
/// be held at a value while every position remains within reach: a nonholonomic condition. Columns
/// and variations as in PairCoordinate.
class PairSlip {
 public:
  /// At a point fixed in b, along a direction fixed in b: a skate, a wheel that does not slip
  /// sideways.
  static PairSlip of_point(int a, int b, const Vec3& point_b, const Vec3& direction_b);
  /// Where a sphere of b touches a plane of a with this normal, along a direction fixed in a.
  static PairSlip of_sphere(int a, const Vec3& normal_a, const Vec3& direction_a, int b,
                            const Vec3& centre_b, double radius);
  /// The same for the rim of a disc; it must not lie flat, where no point of it is the lowest.
  static PairSlip of_disc(int a, const Vec3& normal_a, const Vec3& direction_a, int b,
                          const Vec3& centre_b, const Vec3& axle_b, double radius);

  /// How fast b turns over a about a direction fixed in a, or in b.
  static PairSlip of_turn(int a, int b, const Vec3& direction, bool is_in_b = false);

  /// Measured in rad/s, not in m/s.
  bool is_turn() const { return kind_ == Kind::turn_in_a || kind_ == Kind::turn_in_b; }
  int a() const { return a_; }
  int b() const { return b_; }
  /// As in PairCoordinate. The pattern is that of the larger of a block and its mirror image.
  bool couples(int group, int other) const;

  /// The row G(q): entry i belongs to velocity i.
  void row(const Configuration& q, Vec12& g) const;
  /// H(i, k) = derivative of entry i of the row with respect to variation k.
  void row_derivative(const Configuration& q, Mat12& H) const;

 private:
  enum class Kind { point, sphere, disc, turn_in_a, turn_in_b };
  PairSlip(Kind kind, int a, int b) : kind_(kind), a_(a), b_(b) {}

  /// The shared point, the direction of slip and what they are the sums of.
  struct Place;
  Place place(const Configuration& q) const;

  Kind kind_;
  int a_, b_;
  double radius_ = 0.0;
  Vec3 point_b_ = Vec3::Zero();    // or the centre, in b
  Vec3 direction_ = Vec3::Zero();  // of slip: in b for a point or turn_in_b, else in a
  Vec3 normal_a_ = Vec3::Zero(), axle_b_ = Vec3::Zero();
};

}  // namespace clatter
