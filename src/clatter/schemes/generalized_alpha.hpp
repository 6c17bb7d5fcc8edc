#pragma once

#include <clatter/model/specs.hpp>

namespace clatter {

/// Coefficients of the generalized-alpha family, 001 (5), 002 (72).
struct GeneralizedAlpha {
  double am, af, gamma, beta;

  /// Vibrations much faster than the step shrink by rho_inf in each, whatever the kind.
  explicit constexpr GeneralizedAlpha(double rho_inf, AlphaKind kind = AlphaKind::chung_hulbert)
      : GeneralizedAlpha(0.0, 0.0) {
    const double damping = (1.0 - rho_inf) / (1.0 + rho_inf);
    if (kind == AlphaKind::chung_hulbert) {
      am = (2.0 * rho_inf - 1.0) / (rho_inf + 1.0);
      af = rho_inf / (rho_inf + 1.0);
    } else if (kind == AlphaKind::hht) {
      af = damping;
    }
    gamma = kind == AlphaKind::newmark ? 0.5 + damping : 0.5 + af - am;
    beta = 0.25 * (gamma + 0.5) * (gamma + 0.5);
  }
  /// Newmark's method, in which accelerations are no other than dv/dt.
  constexpr GeneralizedAlpha(double gamma_, double beta_)
      : am(0.0), af(0.0), gamma(gamma_), beta(beta_) {}
};

}  // namespace clatter
