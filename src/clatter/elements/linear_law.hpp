#pragma once

#include <array>
#include <string_view>

namespace clatter {

/// Tension in proportion to the elongation.
struct LinearLaw {
  static constexpr std::string_view word = "linear";
  static constexpr std::array<std::string_view, 0> needs{};
  static constexpr std::array<std::string_view, 1> takes{"stiffness"};
  template <class Spec>
  static LinearLaw of(const Spec& spec) {
    return {spec.stiffness};
  }

  double stiffness;  ///< [N/m], [N m/rad]

  double tension(double elongation) const { return stiffness * elongation; }
  double slope(double /*elongation*/) const { return stiffness; }
  double energy(double elongation) const { return 0.5 * stiffness * elongation * elongation; }
};

}  // namespace clatter
