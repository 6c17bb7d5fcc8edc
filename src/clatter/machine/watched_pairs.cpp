#include <algorithm>

#include <fmt/format.h>

#include <clatter/machine/watched_pairs.hpp>
#include <clatter/model/name_pattern.hpp>
#include <clatter/model/nearest_word.hpp>
#include <clatter/model/object_check.hpp>

namespace clatter {
namespace {

std::vector<int> parts_like(const std::string& pattern, const std::vector<std::string>& names) {
  std::vector<int> found;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool is_meant = pattern.empty() ? i == 0 : matches(pattern, names[i]);
    if (is_meant) found.push_back(static_cast<int>(i));
  }
  return found;
}

/// Each pair once, however often it is named, in the order in which it is first.
std::vector<std::array<int, 2>> watched_parts(const Model& model) {
  const std::vector<std::string> names = parts_of(model);
  std::vector<std::array<int, 2>> pairs;
  std::map<std::pair<int, int>, bool> known;
  for (const BodyPairSpec& watch : model.watches) {
    const std::vector<int> partners = parts_like(watch.bodies[1], names);
    for (const int a : parts_like(watch.bodies[0], names)) {
      for (const int b : partners) {
        if (a == b || !known.emplace(std::minmax(a, b), true).second) continue;
        pairs.push_back({a, b});
        if (pairs.size() > most_watched_pairs) return pairs;
      }
    }
  }
  return pairs;
}

}  // namespace

std::vector<std::string> parts_of(const Model& model) {
  std::vector<std::string> names = {"ground"};
  for (const BodySpec& body : model.bodies) names.push_back(body.name);
  for (const BeamSpec& beam : model.beams) names.push_back(beam.name);
  return names;
}

void check_watches(const Model& model, std::vector<Mistake>& mistakes) {
  const std::vector<std::string> names = parts_of(model);
  const bool lists_are_known = !model.keys.is_doubtful("body") && !model.keys.is_doubtful("beam");
  const BodyPairSpec* last = nullptr;
  for (const BodyPairSpec& watch : model.watches) {
    const auto& [a, b] = watch.bodies;
    const ObjectCheck object(fmt::format("watch of '{}' and '{}'", a, b), watch.place, watch.keys,
                             mistakes);
    if (!object.knows("bodies") || !lists_are_known) continue;
    last = &watch;
    for (std::size_t k = 0; k < 2; ++k) {
      if (!parts_like(watch.bodies[k], names).empty()) continue;
      object.refuse_entry("bodies", k,
                          fmt::format("no body or beam is called {}{}", in_quotes(watch.bodies[k]),
                                      did_you_mean(watch.bodies[k], names)));
    }
    if (a == b && a.find('*') == std::string::npos) {
      object.refuse("bodies", "'bodies': a body does not touch itself; name two");
    }
  }
  if (last != nullptr && watched_parts(model).size() > most_watched_pairs) {
    const ObjectCheck object("watches", last->place, last->keys, mistakes);
    object.refuse("bodies", fmt::format("'bodies': more than {} pairs would be watched; name fewer",
                                        most_watched_pairs));
  }
}

WatchedPairs::WatchedPairs(const Model& model, std::vector<int> parts)
    : part_of_node_(std::move(parts)), pairs_(watched_parts(model)) {
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    index_[{pairs_[i][0], pairs_[i][1]}] = static_cast<int>(i);
  }
}

WatchedPairs::Found WatchedPairs::find(int node_a, int node_b) const {
  if (pairs_.empty()) return {};
  const int a = part_of(node_a), b = part_of(node_b);
  if (const auto found = index_.find({a, b}); found != index_.end()) return {found->second, false};
  if (const auto found = index_.find({b, a}); found != index_.end()) return {found->second, true};
  return {};
}

}  // namespace clatter
