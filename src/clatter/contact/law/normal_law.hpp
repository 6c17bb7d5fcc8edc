#pragma once

#include <clatter/model/specs.hpp>

namespace clatter {

struct NormalLaw {
  NormalLawKind kind = NormalLawKind::hertz;
  double stiffness = 0.0;    ///< K [N/m^n]
  double exponent = 1.5;     ///< n; 1 of Hooke's and Kelvin-Voigt's law
  double restitution = 1.0;  ///< that the damping is made for, in (0, 1]
};

/// Of a spec whose stiffness is known, for the restitution of a contact.
NormalLaw law_of(const ForceLawSpec& spec, double stiffness, double restitution);

/// The smallest restitution that laws with damping are for: below it their coefficients grow
/// without bound, Hu's already at 0.0212.
inline constexpr double least_restitution = 0.05;

/// The law for an impact of the speed 1 and mass 1 with K = 1, in which lengths are measured by
/// (m v^2/K)^(1/(n+1)), speeds by v: F = delta^n + damping * (linear ? 1 : delta^n) * rate.
struct ScaledLaw {
  double exponent = 1.5;
  double damping = 0.0;  ///< chi; Kelvin-Voigt: twice the ratio to critical damping
  bool linear = false;

  double force(double depth, double rate) const;  ///< negative where it would pull
};
ScaledLaw scaled(const NormalLaw& law);

/// chi of table 2.1 of 000. Not of the laws without damping and of Kelvin-Voigt's.
double damping_factor(NormalLawKind kind, double restitution);

/// What comes out of F = K delta^n (1 + chi ddelta/v), for any n: the e of
/// chi (1 + e) = ln((1 + chi)/(1 - chi e)).
double returned_restitution(double damping_factor);

}  // namespace clatter
