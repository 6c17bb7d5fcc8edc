#pragma once

namespace clatter::testing {

// One material of model files, by its laws.
inline constexpr const char* stone = R"(
[[material]]
name = "stone"
friction = 0.3
restitution = 0.5
)";
/// Newton's law of impact with friction can give energy; without restitution it cannot.
inline constexpr const char* clay = R"(
[[material]]
name = "stone"
friction = 0.3
)";

inline constexpr const char* wax = R"(
[[material]]
name = "stone"
)";
inline constexpr const char* glass = R"(
[[material]]
name = "stone"
restitution = 1
)";

}  // namespace clatter::testing
