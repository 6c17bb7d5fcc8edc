#pragma once

#include <optional>
#include <string>
#include <string_view>
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

/// A quantity of a watched pair, its parts named in the other order: what is a vector between them
/// is then the opposite one.
struct TurnedQuantity {
  std::string path;   ///< of "pairs/A/B/force/x": "pairs/B/A/force/x"
  double sign = 1.0;  ///< 1 or -1
};
/// Of channels and of impacts; nothing of other quantities.
std::optional<TurnedQuantity> turned_quantity(std::string_view path);

}  // namespace clatter
