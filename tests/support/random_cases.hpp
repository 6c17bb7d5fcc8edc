#pragma once

namespace clatter::testing {

/// How many random cases a test takes. Sanitizers look at the code, not at the numbers, and are
/// slow.
#ifdef CLATTER_SANITIZED
inline constexpr unsigned random_cases = 1;
#else
inline constexpr unsigned random_cases = 4;
#endif

}  // namespace clatter::testing
