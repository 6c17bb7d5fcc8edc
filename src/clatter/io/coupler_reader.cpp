#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <clatter/io/body_lookup.hpp>
#include <clatter/io/coupler_reader.hpp>
#include <clatter/io/nearest_word.hpp>

namespace clatter {
namespace {

bool has_coordinate(JointKind kind) {
  return kind == JointKind::revolute || kind == JointKind::prismatic ||
         kind == JointKind::cylindrical || kind == JointKind::distance;
}

void check_coupled_joint(const TomlTable& table, std::size_t i,
                         const std::vector<std::string>& names,
                         const std::vector<JointSpec>& joints) {
  const std::string& name = names[i];
  const Place place = table.entry_place("joints", i);
  const auto found = std::find_if(joints.begin(), joints.end(),
                                  [&](const JointSpec& joint) { return joint.name == name; });
  if (found == joints.end()) {
    std::vector<std::string> known;
    for (const JointSpec& joint : joints) known.push_back(joint.name);
    table.refuse_at(place,
                    fmt::format("unknown joint {}{}", in_quotes(name), did_you_mean(name, known)));
  } else if (!has_coordinate(found->kind)) {
    table.refuse_at(place,
                    fmt::format("joint '{}' has no coordinate to couple; revolute, prismatic, "
                                "cylindrical and distance joints have one",
                                name));
  } else if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), name) !=
             names.begin() + static_cast<std::ptrdiff_t>(i)) {
    table.refuse_at(place, fmt::format("joint '{}' is named twice; add up its ratios", name));
  }
}

CouplerSpec read_coupler(const TomlTable& table, const std::vector<JointSpec>& joints) {
  CouplerSpec coupler;
  coupler.place = table.place();
  coupler.offset = table.number("offset");
  const auto names = table.texts("joints");
  const auto ratios = table.numbers("ratios");
  if (names) {
    for (std::size_t i = 0; i < names->size(); ++i) check_coupled_joint(table, i, *names, joints);
    if (names->size() < 2) table.refuse("joints", "'joints': a coupler needs two joints or more");
    coupler.joints = *names;
  }
  if (!ratios) return coupler;
  for (std::size_t i = 0; i < ratios->size(); ++i) {
    if ((*ratios)[i] != 0.0) continue;
    table.refuse_at(table.entry_place("ratios", i),
                    "'ratios': a ratio of 0 couples nothing; leave the joint out");
  }
  if (names && ratios->size() != names->size()) {
    table.refuse("ratios", fmt::format("'ratios': expected one for each of the {} joints, found {}",
                                       names->size(), ratios->size()));
  }
  coupler.ratios = *ratios;
  return coupler;
}

}  // namespace

std::vector<CouplerSpec> read_couplers(const std::vector<TomlTable>& tables,
                                       const std::vector<JointSpec>& joints) {
  std::vector<CouplerSpec> couplers;
  NameReader names("coupler");
  for (const TomlTable& table : tables) {
    couplers.push_back(read_coupler(table, joints));
    couplers.back().name = names.read(table);
    names.claim(table, couplers.back().name);
  }
  return couplers;
}

}  // namespace clatter
