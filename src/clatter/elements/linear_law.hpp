#pragma once

namespace clatter {

/// Tension in proportion to the elongation.
struct LinearLaw {
  double stiffness;  ///< [N/m], [N m/rad]

  double tension(double elongation) const { return stiffness * elongation; }
  double slope(double /*elongation*/) const { return stiffness; }
  double energy(double elongation) const { return 0.5 * stiffness * elongation * elongation; }
};

}  // namespace clatter
