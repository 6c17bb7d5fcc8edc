#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace clatter {

/// In the order of the rows of scheme_kinds.
enum class IntegratorKind {
  nsga,
  nsga_coupled,
  moreau,
  generalized_alpha,
  newmark,
  energy_consistent,
  verlet
};

/// What a scheme can do that others cannot. A new one is a row below, a value of IntegratorKind,
/// and a line in schemes/make_scheme.cpp.
struct SchemeTraits {
  std::string_view name;
  /// Settings that have a meaning for it, and not for all.
  std::array<std::string_view, 3> own_keys;
  bool locates_impacts = false;    ///< `locate_impacts`
  bool passes_impacts = false;     ///< `multi_impact`
  bool may_drift = false;          ///< `position_friction = false`, `position_rolling = false`
  bool asks_solvers = false;       ///< `contact_solver`, `islands = false`
  bool is_compliant = false;       ///< contacts have `compliance`; else they are hard
  bool needs_free_bodies = false;  ///< nothing but contacts ties bodies, which are round in space
  bool keeps_energy = false;       ///< impacts have no restitution but 1
  bool weighs = false;             ///< `coefficients`

  constexpr bool has_own(std::string_view key) const {
    for (const std::string_view own : own_keys) {
      if (own == key) return true;
    }
    return false;
  }
};

inline constexpr std::array scheme_kinds{
    SchemeTraits{.name = "nsga",
                 .own_keys = {"rho_inf"},
                 .locates_impacts = true,
                 .passes_impacts = true,
                 .may_drift = true,
                 .asks_solvers = true,
                 .weighs = true},
    SchemeTraits{.name = "nsga_coupled", .own_keys = {"rho_inf"}, .weighs = true},
    SchemeTraits{.name = "moreau", .own_keys = {"theta"}, .asks_solvers = true},
    SchemeTraits{
        .name = "generalized_alpha", .own_keys = {"rho_inf"}, .is_compliant = true, .weighs = true},
    SchemeTraits{.name = "newmark", .own_keys = {"gamma", "beta"}, .is_compliant = true},
    SchemeTraits{.name = "energy_consistent",
                 .own_keys = {"variant", "closing_factor", "largest_depth"},
                 .is_compliant = true,
                 .needs_free_bodies = true,
                 .keeps_energy = true},
    SchemeTraits{.name = "verlet",
                 .own_keys = {"substeps", "threads"},
                 .is_compliant = true,
                 .needs_free_bodies = true},
};

constexpr const SchemeTraits& traits_of(IntegratorKind kind) {
  return scheme_kinds[static_cast<std::size_t>(kind)];
}
inline std::string_view to_string(IntegratorKind kind) { return traits_of(kind).name; }

/// In the order of the kinds.
inline constexpr auto integrator_names = [] {
  std::array<std::string_view, scheme_kinds.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = scheme_kinds[i].name;
  return names;
}();

/// The schemes that can do something, as in: "nsga" and "moreau".
std::string schemes_that(bool SchemeTraits::*can);

}  // namespace clatter
