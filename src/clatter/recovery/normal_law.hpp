#pragma once

#include <optional>
#include <string_view>

namespace clatter {

/// Laws of the normal force of two bodies that press into each other by delta > 0, at the rate
/// ddelta (000 section 2.5, C.3), with v = ddelta at the start of the impact:
///
///   hooke, hertz     F = K delta^n
///   kelvin_voigt     F = K delta + D ddelta
///   all others       F = K delta^n (1 + chi ddelta/v),  chi = D v/K from the restitution
///
/// None of them pulls: an impact is over when F would be negative.
enum class NormalLawKind {
  hooke,
  hertz,
  kelvin_voigt,
  hunt_crossley,
  lankarani_nikravesh,
  hu,
  flores,
  zhang,
  exact,  ///< chi for which just the restitution comes out
};

std::string_view to_string(NormalLawKind kind);
std::optional<NormalLawKind> normal_law_of(std::string_view name);
/// Hooke's and Hertz's have none.
bool has_damping(NormalLawKind kind);

struct NormalLaw {
  NormalLawKind kind = NormalLawKind::hertz;
  double stiffness = 0.0;    ///< K [N/m^n]
  double exponent = 1.5;     ///< n; 1 of Hooke's and Kelvin-Voigt's law
  double restitution = 1.0;  ///< that the damping is made for, in (0, 1]
};

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
