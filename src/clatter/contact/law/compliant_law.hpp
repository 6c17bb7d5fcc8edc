#pragma once

#include <clatter/contact/law/friction_law.hpp>
#include <clatter/contact/law/normal_law.hpp>

namespace clatter {

/// Of a spring K and a damper beside it, by its ratio xi to critical damping; 003 chapters 4, 5.
struct SpringAndDashpot {
  double stiffness = 0.0;  ///< K [N/m]
  double ratio = 0.0;      ///< xi
};

/// Surfaces that give way: the force of a contact is a function of its depth, delta = -gap > 0, and
/// of the velocities of its rows. Normal, with the kinds of NormalLaw and never pulling,
///
///   F_N = K delta^n (1 + d ddelta)     d = chi/v, of an impact that began with the speed v
///   F_N = K delta + d ddelta           d = 2 zeta sqrt(K m), of the linear kinds
///
/// and friction that is regularised: against the sliding velocity s, with a slow speed v_s,
///
///   F_T = -mu F_N s/sqrt(|s|^2 + v_s^2)
class CompliantLaw {
 public:
  /// slow_speed [m/s]: v_s, and the least v.
  CompliantLaw(const NormalLaw& law, double slow_speed, const SpringAndDashpot& normal = {},
               const SpringAndDashpot& tangential = {});

  /// d of an impact that begins with a speed, of bodies with an effective mass; it holds until they
  /// part.
  double damping(double speed, double mass) const;

  struct Normal {
    double force = 0.0;     ///< F_N
    double spring = 0.0;    ///< its part K delta^n; the rest is lost, or what would pull
    double by_depth = 0.0;  ///< dF_N/ddelta
    double by_speed = 0.0;  ///< dF_N/d(ddelta)
  };
  Normal normal(double depth, double speed, double damping) const;
  /// What the spring holds [J].
  double energy(double depth) const;

  /// Friction over the normal force, of the rows of a ball: tangential[i] = -mu s[i]/sqrt(...), and
  /// its derivative by the rates.
  void friction(const FrictionBall& ball, const RowVector& rates, RowVector& over_normal,
                RowMatrix& by_rates) const;

  const NormalLaw& normal_law() const { return law_; }
  double slow_speed() const { return slow_speed_; }
  // Of conserving contacts:
  const SpringAndDashpot& normal_pair() const { return normal_pair_; }
  const SpringAndDashpot& tangential_pair() const { return tangential_pair_; }

 private:
  NormalLaw law_;
  ScaledLaw scaled_;
  double slow_speed_;
  SpringAndDashpot normal_pair_, tangential_pair_;
};

}  // namespace clatter
