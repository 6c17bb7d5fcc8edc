#include <array>

#include <fmt/format.h>

#include <clatter/simulation/channel.hpp>

namespace clatter {

std::optional<TurnedQuantity> turned_quantity(std::string_view path) {
  std::array<std::string_view, 3> first;  // the folder and both parts; what is left is the quantity
  for (std::string_view& word : first) {
    const std::size_t end = path.find('/');
    if (end == std::string_view::npos) return std::nullopt;
    word = path.substr(0, end);
    path.remove_prefix(end + 1);
  }
  const auto& [folder, a, b] = first;
  if (folder != "pairs" && folder != "impacts") return std::nullopt;
  const std::string_view quantity = path.substr(0, path.find('/'));
  const bool is_between = quantity == "force" || quantity == "impulse" || quantity == "normal";
  return TurnedQuantity{fmt::format("{}/{}/{}/{}", folder, b, a, path),
                        is_between && folder == "pairs" ? -1.0 : 1.0};
}

}  // namespace clatter
