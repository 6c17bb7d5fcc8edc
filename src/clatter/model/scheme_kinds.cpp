#include <clatter/model/scheme_kinds.hpp>

namespace clatter {

std::string schemes_that(bool SchemeTraits::*can) {
  std::string names;
  for (const SchemeTraits& traits : scheme_kinds) {
    if (!(traits.*can)) continue;
    if (!names.empty()) names += " and ";
    names += '"';
    names += traits.name;
    names += '"';
  }
  return names;
}

}  // namespace clatter
