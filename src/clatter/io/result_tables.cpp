#include <map>
#include <utility>

#include <fmt/format.h>

#include <clatter/io/result_tables.hpp>

namespace clatter {

BodyChannel body_channel(std::string_view path) {
  constexpr std::string_view folder = "bodies/";
  if (!path.starts_with(folder)) return {};
  const std::size_t end = path.rfind('/');
  if (end <= folder.size()) return {};
  return {path.substr(folder.size(), end - folder.size()), path.substr(end + 1)};
}

std::vector<ResultTable> tables_of(const std::vector<Channel>& channels) {
  std::size_t bodies = 0;
  for (const Channel& channel : channels)
    if (body_channel(channel.path).quantity == "position") ++bodies;
  const bool is_crowd = bodies >= crowd_of_bodies;

  std::vector<ResultTable> tables;
  // By quantity and number of components: planar bodies, with one or two, and others may be in one
  // model.
  std::map<std::pair<std::string_view, std::size_t>, std::size_t> of_crowd;
  for (const Channel& channel : channels) {
    const auto [body, quantity] = body_channel(channel.path);
    if (!is_crowd || body.empty()) {
      tables.push_back({channel.path, channel.components, channel.unit, {}, {channel.offset}});
      continue;
    }
    const std::size_t width = channel.components.size();
    const auto [found, is_new] = of_crowd.try_emplace({quantity, width}, tables.size());
    if (is_new) {
      tables.push_back({fmt::format("crowd/{}{}", width < 3 ? "planar/" : "", quantity),
                        channel.components,
                        channel.unit,
                        {},
                        {}});
    }
    tables[found->second].names.emplace_back(body);
    tables[found->second].offsets.push_back(channel.offset);
  }
  return tables;
}

}  // namespace clatter
