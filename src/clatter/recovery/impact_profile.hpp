#pragma once

namespace clatter {

/// How bodies press into each other and part again during an impact of the duration T, as 000
/// assumes it: tau = t/T, depth/(T v) and rate/v with the speed v at which they meet.
class ImpactProfile {
 public:
  /// 000 (3.33)-(3.36): a cubic, after which bodies part with e of their speed, still in each other
  /// unless e = 1.
  static ImpactProfile cubic(double restitution);
  /// 000 (C.28)-(C.37): the cubic bent at tau = k = alpha e/(1 + alpha e) so that they part at
  /// depth zero. The restitution is positive.
  static ImpactProfile bent(double restitution, double alpha);

  double depth(double tau) const;
  double rate(double tau) const;
  double bend() const { return k_; }        ///< k
  double slope() const { return before_; }  ///< a
  /// The integral of depth^n over tau.
  double depth_integral(double exponent, double from = 0.0, double to = 1.0) const;

 private:
  ImpactProfile(double e, double k, double before, double after)
      : e_(e), k_(k), before_(before), after_(after) {}

  // The cubic's own time g(tau): slope `before` up to k and `after` from there on.
  double e_, k_, before_, after_;
};

}  // namespace clatter
