#pragma once

#include <array>
#include <string_view>

namespace clatter {

/// How the scheme `energy_consistent` treats a contact within a step: 003 chapters 4 and 5, and
/// what it compares itself with in section 1.4.
enum class ConservingKind { acem, simo_tarnow, laursen_chawla, laursen_love };

/// In the order of the kinds.
inline constexpr std::array<std::string_view, 4> conserving_names{"acem", "simo-tarnow",
                                                                  "laursen-chawla", "laursen-love"};

inline std::string_view to_string(ConservingKind kind) {
  return conserving_names[static_cast<std::size_t>(kind)];
}

}  // namespace clatter
