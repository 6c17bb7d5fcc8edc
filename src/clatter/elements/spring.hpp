#pragma once

#include <string>

#include <clatter/elements/pair_coordinate.hpp>
#include <clatter/elements/spring_law.hpp>

namespace clatter {

/// A spring and damper on a coordinate s: force -(law(s - rest) + c ds/dt) along its gradient. What
/// the coordinate is makes it axial, linear or torsional. A spring that acts to one side has a
/// damper only while it acts, and the two together never have the other sign. `reached`: the
/// coordinate at the start of the step, which the turns of an angle are counted from.
class Spring {
 public:
  /// `offset` is added to the coordinate: an angle that is measured from the start is counted from
  /// elsewhere. `at_start` is the sum at the start, which the turns of an angle are counted from.
  Spring(std::string name, const PairCoordinate& coordinate, SpringLaw law, double damping,
         double rest, Place place = {}, double at_start = 0.0, double offset = 0.0);

  const std::string& name() const { return name_; }
  int a() const { return coordinate_.a(); }
  int b() const { return coordinate_.b(); }

  struct Force {
    double elongation, rate, tension;  ///< tension > 0 pulls a and b together
    Vec12 generalised;                 ///< on a and b
  };
  void force(const Configuration& q, const NodalVector& v, double reached, Force& f) const;
  void generalised_force(const Configuration& q, const NodalVector& v, double reached,
                         Vec12& f) const {
    Force all;
    force(q, v, reached, all);
    f = all.generalised;
  }
  /// K = -d(force)/dq, C = -d(force)/dv
  void tangent(const Configuration& q, const NodalVector& v, double reached, Mat12& K,
               Mat12& C) const;

  double energy(const Configuration& q, double reached) const;
  /// Power that the damper takes out, >= 0.
  double dissipated_power(const Configuration& q, const NodalVector& v, double reached) const;

  double coordinate(const Configuration& q, double reached) const;
  double coordinate_at_start() const { return at_start_; }

  /// Throws Error when the law has no meaning there.
  void check(const Configuration& q, double reached) const;

 private:
  /// False when a spring that acts to one side is slack.
  bool acts(double elongation, double tension) const {
    return side_ == 0 || (side_ * elongation > 0.0 && side_ * tension > 0.0);
  }

  std::string name_;
  PairCoordinate coordinate_;
  SpringLaw law_;
  int side_;
  double damping_, rest_, at_start_, offset_;
  Place place_;
};

}  // namespace clatter
