#include <algorithm>
#include <set>

#include <fmt/format.h>

#include <clatter/machine/watched_pairs.hpp>
#include <clatter/model/name_pattern.hpp>
#include <clatter/model/nearest_word.hpp>
#include <clatter/model/object_check.hpp>
#include <clatter/model/part_checks.hpp>

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

bool asks_for_recovery(const Model& model) {
  const auto asks = [](const auto& each) { return each.recovery.has_value(); };
  return std::any_of(model.materials.begin(), model.materials.end(), asks) ||
         std::any_of(model.material_pairs.begin(), model.material_pairs.end(), asks);
}

/// As parts_of() numbers them.
std::vector<std::set<std::string>> materials_of_parts(const Model& model) {
  std::vector<std::set<std::string>> materials;
  const auto add = [&](const std::vector<PlacedShape>& shapes) {
    std::set<std::string>& own = materials.emplace_back();
    for (const PlacedShape& shape : shapes) {
      if (!shape.material.empty()) own.insert(shape.material);
    }
  };
  add(model.ground);
  for (const BodySpec& body : model.bodies) add(body.shapes);
  for (const BeamSpec& beam : model.beams) {
    materials.emplace_back();
    if (!beam.material.empty()) materials.back().insert(beam.material);
  }
  return materials;
}

/// What the law needs besides.
bool check_law(const Model& model, const std::string& one, const std::string& two, bool planar,
               const ObjectCheck& object) {
  const RecoverySpec& recovery = *recovery_between(model, one, two);
  if (recovery.stiffness) return true;
  for (const std::string& name : {one, two}) {
    const MaterialSpec* material = find_material(model.materials, name);
    if (material == nullptr || material->youngs_modulus ||
        material->keys.is_doubtful("youngs_modulus")) {
      continue;
    }
    return object.refuse("bodies", fmt::format("'recover' of the materials of this pair needs a "
                                               "'youngs_modulus' of material {}, or 'stiffness'",
                                               in_quotes(name)));
  }
  if (planar == recovery.length.has_value()) return true;
  return object.refuse("bodies",
                       recovery.length
                           ? "'length' in 'recover' of the materials of this pair: solids in space "
                             "touch at a point"
                           : "'recover' of the materials of this pair needs the 'length' of the "
                             "line along which solids in the plane touch, or 'stiffness'");
}

/// Whether any pair is recovered.
bool check_recoveries(const Model& model, const ObjectCheck& object) {
  bool any = false;
  std::vector<bool> planar_parts{true};  // the ground is what the others are
  for (const BodySpec& body : model.bodies) planar_parts.push_back(body.kind == BodyKind::planar);
  for (const BeamSpec& beam : model.beams) planar_parts.push_back(beam.planar);
  const std::vector<std::string> names = parts_of(model);
  const std::vector<std::set<std::string>> materials = materials_of_parts(model);
  for (const std::array<int, 2>& pair : watched_parts(model)) {
    const auto a = static_cast<std::size_t>(pair[0]), b = static_cast<std::size_t>(pair[1]);
    bool is_recovered = false;
    for (const std::string& one : materials[a]) {
      for (const std::string& two : materials[b]) {
        is_recovered = is_recovered || recovery_between(model, one, two) != nullptr;
      }
    }
    if (!is_recovered) continue;
    any = true;
    for (const std::size_t part : {a, b}) {
      if (materials[part].size() == 1) continue;
      object.refuse("bodies",
                    fmt::format("forces of impacts with {} cannot be recovered: it is of {} "
                                "materials; make it several bodies, or watch another pair",
                                in_quotes(names[part]), materials[part].size()));
      return true;
    }
    const bool planar = planar_parts[a] && planar_parts[b];
    if (!check_law(model, *materials[a].begin(), *materials[b].begin(), planar, object)) {
      return true;
    }
  }
  return any;
}

}  // namespace

const RecoverySpec* recovery_between(const Model& model, const std::string& material,
                                     const std::string& other) {
  for (const MaterialPairSpec& pair : model.material_pairs) {
    const auto& [a, b] = pair.materials;
    const bool is_it = (a == material && b == other) || (a == other && b == material);
    if (is_it && pair.recovery) return &*pair.recovery;
  }
  for (const MaterialSpec& each : model.materials) {
    if ((each.name == material || each.name == other) && each.recovery) return &*each.recovery;
  }
  return nullptr;
}

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
    return;
  }
  if (!asks_for_recovery(model)) return;
  if (last != nullptr &&
      check_recoveries(model, ObjectCheck("watches", last->place, last->keys, mistakes))) {
    return;
  }
  const auto refuse_unwatched = [&](const auto& list) {
    for (const auto& each : list) {
      if (!each.recovery) continue;
      ObjectCheck("materials", each.place, each.keys, mistakes)
          .refuse_key("recover",
                      "'recover' of materials is told of pairs that are watched: name bodies of "
                      "them in a [[watch]]");
      return true;
    }
    return false;
  };
  if (!refuse_unwatched(model.materials)) refuse_unwatched(model.material_pairs);
}

WatchedPairs::WatchedPairs(const Model& model, std::vector<int> parts)
    : part_of_node_(std::move(parts)), pairs_(watched_parts(model)) {
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    index_[{pairs_[i][0], pairs_[i][1]}] = static_cast<int>(i);
  }
  recovered_.assign(pairs_.size(), -1);
  for (const SolidRecovery& each : solid_recoveries(model)) {
    recovered_[each.pair] = static_cast<int>(recovered_count_++);
  }
}

std::vector<SolidRecovery> solid_recoveries(const Model& model) {
  std::vector<SolidRecovery> recoveries;
  if (!asks_for_recovery(model)) return recoveries;
  const std::vector<std::string> names = parts_of(model);
  const std::vector<std::set<std::string>> materials = materials_of_parts(model);
  const std::vector<std::array<int, 2>> pairs = watched_parts(model);
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    const auto a = static_cast<std::size_t>(pairs[p][0]), b = static_cast<std::size_t>(pairs[p][1]);
    if (materials[a].empty() || materials[b].empty()) continue;
    const std::string &one = *materials[a].begin(), &two = *materials[b].begin();
    const RecoverySpec* recovery = recovery_between(model, one, two);
    if (recovery == nullptr) continue;
    recoveries.push_back(
        {p, {names[a], names[b]}, {one, two}, *recovery, law_between(model, one, two).restitution});
  }
  return recoveries;
}

WatchedPairs::Found WatchedPairs::find(int node_a, int node_b) const {
  if (pairs_.empty()) return {};
  const int a = part_of(node_a), b = part_of(node_b);
  if (const auto found = index_.find({a, b}); found != index_.end()) return {found->second, false};
  if (const auto found = index_.find({b, a}); found != index_.end()) return {found->second, true};
  return {};
}

}  // namespace clatter
