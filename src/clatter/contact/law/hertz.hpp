#pragma once

#include <array>

#include <clatter/contact/law/normal_law.hpp>

namespace clatter {

/// Carlson's integral R_D(x, y, z) = 3/2 of the integral over t > 0 of
/// 1/((t + z) sqrt((t + x)(t + y)(t + z))). At most one of x and y is zero.
double carlson_rd(double x, double y, double z);

/// How much the surface of a body gives way.
struct Elasticity {
  double modulus = 0.0;  ///< Young's E [Pa]
  double poisson = 0.0;  ///< nu

  double softness() const { return (1.0 - poisson * poisson) / modulus; }  ///< [1/Pa]
};

/// Half the sums of the principal curvatures of two surfaces where they touch [1/m], A <= B: their
/// distance is A x^2 + B y^2 beside the point. Curvatures are positive where a body bulges.
struct RelativeCurvature {
  double A = 0.0, B = 0.0;

  /// Of surfaces with the given principal curvatures, whose first directions are at an angle.
  static RelativeCurvature of(std::array<double, 2> first, std::array<double, 2> second,
                              double angle);
};

/// Stresses on the line into a body under the middle of the contact, along the longer axis of the
/// ellipse, the shorter one and inwards; pressure is negative.
struct StressBelow {
  double depth = 0.0;  ///< z [m]
  std::array<double, 3> principal = {};

  double shear() const;       ///< largest
  double octahedral() const;  ///< shear
  double von_mises() const;
};

/// The largest of each stress and where it is.
struct ContactStress {
  double pressure = 0.0;  ///< in the middle of the contact [Pa]
  StressBelow shear, octahedral, von_mises;
};

/// Two elastic bodies that touch at a point and press on each other (Hertz; 000 (4.1)-(4.5)) over
/// an ellipse, with coefficients from elliptic integrals instead of the chart of the source.
class HertzContact {
 public:
  /// Both curvatures are positive.
  HertzContact(const Elasticity& first, const Elasticity& second,
               const RelativeCurvature& curvature);

  double stiffness() const { return stiffness_; }  ///< K of F = K delta^1.5
  double axis_ratio() const { return ratio_; }     ///< b/a
  double c_b() const { return c_b_; }              ///< b = c_b (F Delta)^(1/3)
  double c_delta() const { return c_delta_; }      ///< delta = c_delta F (A + B) Delta/(pi b)
  double c_sigma() const { return c_sigma_; }      ///< pressure = c_sigma b/Delta
  double minor_axis(double force) const;           ///< b [m], half of the shorter one
  double major_axis(double force) const { return minor_axis(force) / ratio_; }  ///< a [m]
  double pressure(double force) const;  ///< in the middle [Pa]

  /// At a depth under the middle, in a body with this Poisson's ratio.
  StressBelow stress_below(double force, double poisson, double depth) const;
  ContactStress stress(double force, double poisson) const;

 private:
  double ratio_ = 1.0, c_b_ = 0.0, c_delta_ = 0.0, c_sigma_ = 0.0;
  double Delta_ = 0.0;  // (4.2) [m/N * m^2]
  double stiffness_ = 0.0;
};

/// Two parallel cylinders that press on each other along a length, or a cylinder in a bore.
struct LineContact {
  double softness = 0.0;   ///< of both bodies together [1/Pa]
  double curvature = 0.0;  ///< sum of both [1/m]
  double length = 0.0;     ///< [m]

  double half_width(double force) const;  ///< b [m]
  double pressure(double force) const;    ///< in the middle [Pa]
  /// As of HertzContact, of which it is the limit.
  StressBelow stress_below(double force, double poisson, double depth) const;
  ContactStress stress(double force, double poisson) const;
  /// F = K delta^(10/9), by Palmgren's formula for rollers with crowned ends.
  NormalLaw law() const;
};

}  // namespace clatter
