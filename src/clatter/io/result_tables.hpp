#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <clatter/simulation/channels.hpp>

namespace clatter {

/// A dataset of a result file: one channel, or a quantity of a crowd of bodies.
struct ResultTable {
  std::string path;  ///< "bodies/block/position", "crowd/position", "crowd/planar/angle"
  std::vector<std::string> components;  ///< of one body
  std::string unit;
  std::vector<std::string> names;  ///< of the bodies; none: this is one channel
  std::vector<int> offsets;        ///< in the row, of each body

  bool is_crowd() const { return !names.empty(); }
  bool is_scalar() const { return components.size() == 1 && components.front().empty(); }
  std::size_t width() const { return components.size() * offsets.size(); }
};

/// "bodies/NAME/QUANTITY" taken apart; both empty when the path is another.
struct BodyChannel {
  std::string_view body, quantity;
};
BodyChannel body_channel(std::string_view path);

/// How the channels of a run are laid out, in their order; tables of a crowd stand where its first
/// body does.
std::vector<ResultTable> tables_of(const std::vector<Channel>& channels);

}  // namespace clatter
