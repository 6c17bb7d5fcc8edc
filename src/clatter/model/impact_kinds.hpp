#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
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

/// In the order of the kinds.
inline constexpr std::array<std::string_view, 9> normal_law_names{
    "hooke", "hertz",  "kelvin-voigt", "hunt-crossley", "lankarani-nikravesh",
    "hu",    "flores", "zhang",        "exact"};

/// Hooke's and Hertz's have none.
constexpr bool has_damping(NormalLawKind kind) {
  return kind != NormalLawKind::hooke && kind != NormalLawKind::hertz;
}
/// F is linear in delta and ddelta, whatever the exponent.
constexpr bool is_linear(NormalLawKind kind) {
  return kind == NormalLawKind::hooke || kind == NormalLawKind::kelvin_voigt;
}

/// What rebounds: see schemes/impact_process.hpp.
enum class ImpactLaw {
  newton,     ///< speeds: e is speed after over speed before
  poisson,    ///< impulses: e is that of restitution over that of compression
  energetic,  ///< work along the normal: e^2 is what restitution gives back of it (Stronge)
};
inline constexpr std::array<std::string_view, 3> impact_law_names{"newton", "poisson", "energetic"};

/// How bodies are taken to move while an impact lasts, of which a run knows the impulse alone.
enum class ImpactShape {
  cubic,  ///< 000 (3.33)-(3.41): the first of the source
  bent,   ///< 000 (C.28)-(C.39): the second
  law,    ///< as the law itself moves them
};
inline constexpr std::array<std::string_view, 3> impact_shape_names{"cubic", "bent", "law"};

inline std::string_view to_string(NormalLawKind kind) {
  return normal_law_names[static_cast<std::size_t>(kind)];
}
inline std::string_view to_string(ImpactLaw law) {
  return impact_law_names[static_cast<std::size_t>(law)];
}
inline std::string_view to_string(ImpactShape shape) {
  return impact_shape_names[static_cast<std::size_t>(shape)];
}

/// The kind whose name stands in a list of all, in their order.
template <class Kind, std::size_t N>
std::optional<Kind> kind_named(std::string_view name,
                               const std::array<std::string_view, N>& names) {
  const auto* const found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Kind>(found - names.begin());
}
inline std::optional<NormalLawKind> normal_law_of(std::string_view name) {
  return kind_named<NormalLawKind>(name, normal_law_names);
}
inline std::optional<ImpactLaw> impact_law_of(std::string_view name) {
  return kind_named<ImpactLaw>(name, impact_law_names);
}
inline std::optional<ImpactShape> impact_shape_of(std::string_view name) {
  return kind_named<ImpactShape>(name, impact_shape_names);
}

}  // namespace clatter
