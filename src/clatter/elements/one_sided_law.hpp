#pragma once

namespace clatter {

/// Linear, but only to one side: a rope pulls when it is longer than at rest, a buffer pushes when
/// it is shorter, and neither does the opposite.
struct OneSidedLaw {
  double stiffness;  ///< [N/m], [N m/rad]
  int sign;          ///< +1: acts in tension; -1: in compression

  int side() const { return sign; }
  double tension(double elongation) const {
    return sign * elongation > 0.0 ? stiffness * elongation : 0.0;
  }
  double slope(double elongation) const { return sign * elongation > 0.0 ? stiffness : 0.0; }
  double energy(double elongation) const { return 0.5 * tension(elongation) * elongation; }
};

}  // namespace clatter
