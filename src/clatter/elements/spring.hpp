#pragma once

#include <string>

#include <clatter/elements/pair_coordinate.hpp>

namespace clatter {

/// A linear spring and damper on a coordinate s: force -(k (s - rest) + c ds/dt) along its
/// gradient. What the coordinate is makes it axial, linear or torsional.
class Spring {
 public:
  /// `offset` is added to the coordinate: an angle that is measured from the start is counted from
  /// elsewhere. `at_start` is the sum at the start, which the turns of an angle are counted from.
  Spring(std::string name, const PairCoordinate& coordinate, double stiffness, double damping,
         double rest, double at_start = 0.0, double offset = 0.0);

  const std::string& name() const { return name_; }
  int a() const { return coordinate_.a(); }
  int b() const { return coordinate_.b(); }

  struct Force {
    double elongation, rate, tension;  ///< tension > 0 pulls a and b together
    Vec12 generalised;                 ///< on a and b
  };
  void force(const Configuration& q, const NodalVector& v, Force& f) const;
  /// K = -d(force)/dq, C = -d(force)/dv
  void tangent(const Configuration& q, const NodalVector& v, Mat12& K, Mat12& C) const;

  double energy(const Configuration& q) const;
  /// Power that the damper takes out, >= 0.
  double dissipated_power(const Configuration& q, const NodalVector& v) const;

  /// Torsional springs count turns: remember the angle reached at the end of a step.
  void remember(const Configuration& q) { reached_ = coordinate(q); }

  double coordinate(const Configuration& q) const;

 private:
  std::string name_;
  PairCoordinate coordinate_;
  double stiffness_, damping_, rest_, offset_;
  double reached_;
};

}  // namespace clatter
