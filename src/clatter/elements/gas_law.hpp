#pragma once

#include <array>
#include <cmath>
#include <string_view>

#include <clatter/model/range.hpp>

namespace clatter {

/// A column of gas that pushes the ends apart: tension -force (length/(length + elongation))^n,
/// with n = 1 for slow (isothermal) and up to 1.4 for fast (adiabatic) changes. Below a thousandth
/// of its length the column is used up; there the law goes on with constant slope, so that Newton's
/// method finds its way back from a trial that went too far.
struct GasLaw {
  static constexpr std::string_view word = "gas";
  static constexpr std::array<std::string_view, 2> needs{"force", "gas_length"};
  static constexpr std::array<std::string_view, 1> takes{"exponent"};
  static constexpr std::string_view not_torsional =
      "a gas pushes along a line; use kind \"axial\" or \"linear\"";
  template <class Spec, class Fields>
  static void describe(Spec& spec, const Fields& fields) {
    fields.number("force", spec.force, ranges::positive);
    fields.number("gas_length", spec.gas_length, ranges::positive);
    fields.number("exponent", spec.exponent, ranges::gas_exponent);
  }
  template <class Spec>
  static GasLaw of(const Spec& spec) {
    return {spec.force, spec.gas_length, spec.exponent};
  }

  double force;     ///< [N] at the rest length
  double length;    ///< [m] of the column there
  double exponent;  ///< n

  static constexpr double shortest = 1e-3;  ///< column over its length at rest

  double tension(double elongation) const {
    const double column = 1.0 + elongation / length;
    if (column >= shortest) return pressing(column);
    return pressing(shortest) + (column - shortest) * length * slope(elongation);
  }
  double slope(double elongation) const {
    const double column = std::fmax(1.0 + elongation / length, shortest);
    return -exponent * pressing(column) / (column * length);
  }
  double energy(double elongation) const {
    const double column = 1.0 + elongation / length;
    if (column >= shortest) return stored(column);
    const double way = (column - shortest) * length;
    return stored(shortest) + way * (pressing(shortest) + 0.5 * slope(elongation) * way);
  }
  /// What is wrong at an elongation, or nothing.
  std::string_view failure(double elongation) const {
    if (1.0 + elongation / length > shortest) return {};
    return "its gas column is used up; give a longer 'gas_length', more 'force', or a stop beside "
           "it";
  }

 private:
  double pressing(double column) const { return -force * std::pow(column, -exponent); }
  /// Integral of the tension from rest; the logarithm is the limit of the power for n = 1.
  double stored(double column) const {
    const double log = -std::log(column), n = exponent - 1.0;
    return force * length * (n == 0.0 ? log : std::expm1(n * log) / n);
  }
};

}  // namespace clatter
