#pragma once

#include <array>
#include <string_view>

namespace clatter {

/// Linear, but only to one side: a rope pulls when it is longer than at rest, a buffer pushes when
/// it is shorter, and neither does the opposite.
struct OneSidedLaw {
  static constexpr std::string_view word = "one_sided";
  static constexpr std::array<std::string_view, 1> needs{"acts_in"};
  static constexpr std::array<std::string_view, 1> takes{"stiffness"};
  template <class Spec, class Fields>
  static void describe(Spec& spec, const Fields& fields) {
    fields.either("acts_in", spec.acts_in_tension, "tension", "compression");
  }
  template <class Spec>
  static OneSidedLaw of(const Spec& spec) {
    return {spec.stiffness, spec.acts_in_tension ? 1 : -1};
  }

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
