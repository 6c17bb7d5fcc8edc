#pragma once

#include <cstdlib>
#include <string>

namespace clatter::testing {

// Sanitizers look at the code, not at the numbers, and are slow.
#ifdef CLATTER_SANITIZED
inline constexpr bool looks_at_numbers = false;
#else
inline constexpr bool looks_at_numbers = true;
#endif

/// How many random cases a test takes: the number given, or that of the variable CLATTER_CASES.
inline int cases_of(int number) {
  const char* asked = std::getenv("CLATTER_CASES");
  return asked ? std::stoi(asked) : number;
}
/// How many random cases a slow test takes.
inline constexpr unsigned random_cases = looks_at_numbers ? 4 : 1;

}  // namespace clatter::testing
