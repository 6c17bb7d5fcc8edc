#include <algorithm>
#include <set>

#include <fmt/format.h>

#include <clatter/model/nearest_word.hpp>
#include <clatter/model/part_checks.hpp>

namespace clatter {
namespace {

void check_coupled_joint(const ObjectCheck& object, const CouplerSpec& coupler, std::size_t i,
                         const std::vector<JointSpec>& joints) {
  const std::string& name = coupler.joints[i];
  const auto found = std::find_if(joints.begin(), joints.end(),
                                  [&](const JointSpec& joint) { return joint.name == name; });
  const auto before = coupler.joints.begin() + static_cast<std::ptrdiff_t>(i);
  if (found == joints.end()) {
    std::vector<std::string> known;
    for (const JointSpec& joint : joints) known.push_back(joint.name);
    object.refuse_entry(
        "joints", i, fmt::format("unknown joint {}{}", in_quotes(name), did_you_mean(name, known)));
  } else if (!found->keys.is_doubtful("kind") && !has_free_coordinate(traits_of(found->kind))) {
    object.refuse_entry("joints", i,
                        fmt::format("joint '{}' has no coordinate to couple; {} joints have one",
                                    name, names_of_joints(has_free_coordinate, "", "and")));
  } else if (std::find(coupler.joints.begin(), before, name) != before) {
    object.refuse_entry("joints", i,
                        fmt::format("joint '{}' is named twice; add up its ratios", name));
  }
}

}  // namespace

void check_coupler(const CouplerSpec& coupler, const std::vector<JointSpec>& joints,
                   std::vector<Mistake>& mistakes) {
  const ObjectCheck object(fmt::format("coupler '{}'", coupler.name), coupler.place, coupler.keys,
                           mistakes);
  object.number("offset", coupler.offset, ranges::any);
  const bool knows_joints = object.knows("joints");
  if (knows_joints) {
    for (std::size_t i = 0; i < coupler.joints.size(); ++i) {
      check_coupled_joint(object, coupler, i, joints);
    }
    if (coupler.joints.size() < 2) {
      object.refuse("joints", "'joints': a coupler needs two joints or more");
    }
  }
  if (!object.knows("ratios")) return;
  for (std::size_t i = 0; i < coupler.ratios.size(); ++i) {
    if (coupler.ratios[i] != 0.0) continue;
    object.refuse_entry("ratios", i, "'ratios': a ratio of 0 couples nothing; leave the joint out");
  }
  if (knows_joints && coupler.ratios.size() != coupler.joints.size()) {
    object.refuse("ratios",
                  fmt::format("'ratios': expected one for each of the {} joints, found {}",
                              coupler.joints.size(), coupler.ratios.size()));
  }
}

void check_coupler_stop(const ContactSpec& contact, const std::vector<JointSpec>& joints,
                        std::vector<Mistake>& mistakes) {
  check_coupler(contact.stop->coupler, joints, mistakes);
  const ObjectCheck object(fmt::format("coupler '{}'", contact.stop->coupler.name), contact.place,
                           contact.keys, mistakes);
  std::set<std::string> bodies;
  for (const JointSpec& joint : joints) {
    const std::vector<std::string>& coupled = contact.stop->coupler.joints;
    if (std::find(coupled.begin(), coupled.end(), joint.name) == coupled.end()) continue;
    bodies.insert({joint.a.body, joint.b.body});
  }
  bodies.erase("");
  if (bodies.size() > most_coupled_bodies) {
    object.refuse_object(fmt::format(
        "'backlash' is for couplers whose joints are between {} bodies at most, besides the "
        "ground; these are between {}",
        most_coupled_bodies, bodies.size()));
  }
  object.number("play", contact.stop->play, ranges::positive);
  object.number("radius", contact.stop->radius, ranges::positive);
  check_surface_law(object, contact);
  if (contact.friction > 0.0 || contact.rolling_friction > 0.0 || contact.drilling_friction > 0.0) {
    object.refuse_object("'backlash' of a coupler has no friction");
  }
  if (contact.recovery && contact.recovery->share) {
    object.refuse("recover.share",
                  "'share' is not for the stops of a coupler, which have no place");
  }
}

}  // namespace clatter
