#pragma once

#include <array>
#include <string_view>

namespace clatter {

enum class ContactSolverKind {
  automatic,
  newton,
  fixed_point,
  gauss_seidel,
  regularised_newton,
  alternating  ///< tried by automatic; not for everything
};

/// In the order of the kinds.
inline constexpr std::array<std::string_view, 6> contact_solver_names{
    "automatic", "newton", "fixed-point", "gauss-seidel", "regularised-newton", "alternating"};

inline std::string_view to_string(ContactSolverKind kind) {
  return contact_solver_names[static_cast<std::size_t>(kind)];
}

}  // namespace clatter
