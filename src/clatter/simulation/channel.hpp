#pragma once

#include <string>
#include <vector>

namespace clatter {

/// A named quantity of a run: what a result file, a table or a verification can ask for. All
/// channels of a simulation fill one row of numbers, this one the `components.size()` entries from
/// `offset`.
struct Channel {
  std::string path;                     ///< "bodies/block/position"
  std::vector<std::string> components;  ///< {"x", "y", "z"}; one empty name for a scalar
  std::string unit;                     ///< "m", "N s", "" for counts
  int offset = 0;
};

}  // namespace clatter
