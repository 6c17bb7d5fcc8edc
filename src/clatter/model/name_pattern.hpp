#pragma once

#include <string_view>

namespace clatter {

/// Whether a name is what a pattern says, in which `*` stands for any letters or none.
inline bool matches(std::string_view pattern, std::string_view name) {
  std::size_t p = 0, n = 0, last_star = std::string_view::npos, taken = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      last_star = p++;
      taken = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p, ++n;
    } else if (last_star != std::string_view::npos) {  // the last star takes one letter more
      p = last_star + 1;
      n = ++taken;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace clatter
