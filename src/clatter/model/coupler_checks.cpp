#include <algorithm>
#include <set>

#include <fmt/format.h>

#include <clatter/model/body_keys.hpp>
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
                   std::vector<Mistake>& mistakes, std::size_t fewest) {
  const ObjectCheck object(fmt::format("coupler '{}'", coupler.name), coupler.place, coupler.keys,
                           mistakes);
  object.number("offset", coupler.offset, ranges::any);
  const bool knows_joints = object.knows("joints");
  if (knows_joints) {
    for (std::size_t i = 0; i < coupler.joints.size(); ++i) {
      check_coupled_joint(object, coupler, i, joints);
    }
    if (coupler.joints.size() < fewest) {
      object.refuse("joints", fewest == 1 ? "'joints': a clutch needs a joint or more"
                                          : "'joints': a coupler needs two joints or more");
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

namespace {

using OfJoints = JointContactSpec::Kind;

void check_coupled_bodies(const ObjectCheck& object, const JointContactSpec& spec,
                          const std::vector<JointSpec>& joints) {
  std::set<std::string> bodies;
  for (const JointSpec& joint : joints) {
    const std::vector<std::string>& coupled = spec.coupler.joints;
    if (std::find(coupled.begin(), coupled.end(), joint.name) == coupled.end()) continue;
    bodies.insert({joint.a.body, joint.b.body});
  }
  bodies.erase("");
  if (bodies.size() <= most_coupled_bodies) return;
  const char* key = spec.kind == OfJoints::backlash ? "backlash"
                    : spec.kind == OfJoints::clutch ? "capacity"
                                                    : "one_way";
  object.refuse_object(
      fmt::format("'{}' is for couplers whose joints are between {} bodies at most, besides the "
                  "ground; these are between {}",
                  key, most_coupled_bodies, bodies.size()));
}

void check_backlash(const ObjectCheck& object, const ContactSpec& contact) {
  object.number("play", contact.of_joints->play, ranges::positive);
  object.number("radius", contact.of_joints->radius, ranges::positive);
  check_surface_law(object, contact);
  if (contact.friction > 0.0 || contact.rolling_friction > 0.0 || contact.drilling_friction > 0.0) {
    object.refuse_object("'backlash' of a coupler has no friction");
  }
  if (contact.recovery && contact.recovery->share) {
    object.refuse("recover.share",
                  "'share' is not for the stops of a coupler, which have no place");
  }
}

void check_rope(const ObjectCheck& object, const ContactSpec& contact, BodyLookup& bodies) {
  const JointContactSpec& rope = *contact.of_joints;
  object.number("length", rope.rope_length, ranges::positive);
  object.number("restitution", contact.restitution, ranges::restitution);
  std::set<std::string> named;
  std::vector<BodyChoice> choices;
  const auto key = [](std::size_t k, const char* of) {
    return fmt::format("through.{}.{}", k + 1, of);
  };
  for (std::size_t k = 0; k < rope.through.size(); ++k) {
    choices.push_back(find_body(object, key(k, "body"), rope.through[k].body, bodies));
    named.insert(rope.through[k].body);
  }
  const bool planar = dimension_of_all(choices) == Dimension::two;
  for (std::size_t k = 0; k < choices.size(); ++k) {
    const bool in_plane = choices[k].is(BodyKind::planar) || (choices[k].is_ground() && planar);
    check_point(object, key(k, "point"), rope.through[k].point, choices[k], in_plane);
  }
  if (!object.knows("through")) return;
  if (choices.size() < 2) {
    object.refuse("through", "'through': a rope needs two points or more");
    return;
  }
  named.erase("");
  if (named.empty()) {
    object.refuse("through", "a rope needs a body: all its points are on the ground");
  }
  if (named.size() > most_coupled_bodies) {
    object.refuse(
        "through",
        fmt::format("'through': a rope runs through {} bodies at most, besides the ground; "
                    "this one through {}",
                    most_coupled_bodies, named.size()));
  }
}

void check_joint_friction(const ObjectCheck& object, const JointContactSpec& spec,
                          const JointSpec& joint, const BodyLookup& bodies) {
  for (const Attachment* at : {&joint.a, &joint.b}) {
    if (!bodies.find(at->body).is(BodyKind::point)) continue;
    object.refuse_object(fmt::format(
        "point body '{}' does not turn, so that 'friction' has nothing to resist", at->body));
  }
  object.number("coefficient", spec.coefficient, ranges::not_negative);
  object.number("radius", spec.shaft_radius, ranges::not_negative);
  object.number("length", spec.length, ranges::positive);
  const bool slides = joint.kind == JointKind::prismatic;
  if (slides && spec.shaft_radius > 0.0) {
    object.refuse_key("radius", "'radius' has no meaning for the friction of a prismatic joint");
  }
  if (!slides && spec.coefficient > 0.0 && spec.shaft_radius == 0.0) {
    object.refuse_key(
        "coefficient",
        "'coefficient' goes together with 'radius', by which the reaction is a torque");
  }
  if (joint.kind == JointKind::cylindrical && spec.shaft_radius == 0.0) {
    object.refuse_object("missing key 'radius': of the shaft, which slides and turns at once");
  }
  if (spec.length && !slides && joint.kind != JointKind::cylindrical) {
    object.refuse_key("length",
                      fmt::format("'length' has no meaning for the friction of a {} joint",
                                  to_string(joint.kind)));
  }
}

}  // namespace

void check_joint_contact(const ContactSpec& contact, BodyLookup& bodies,
                         const std::vector<JointSpec>& joints, std::vector<Mistake>& mistakes) {
  const JointContactSpec& spec = *contact.of_joints;
  const ObjectCheck object(spec.what(), contact.place, contact.keys, mistakes);
  switch (spec.kind) {
    case OfJoints::backlash:
      check_coupler(spec.coupler, joints, mistakes);
      check_coupled_bodies(object, spec, joints);
      return check_backlash(object, contact);
    case OfJoints::clutch:
    case OfJoints::one_way:
      check_coupler(spec.coupler, joints, mistakes, 1);
      check_coupled_bodies(object, spec, joints);
      return;
    case OfJoints::limit:
      object.number("radius", spec.radius, ranges::positive);
      object.number("restitution", contact.restitution, ranges::restitution);
      return;
    case OfJoints::friction:
      for (const JointSpec& joint : joints) {
        if (joint.name == spec.coupler.joints.front())
          check_joint_friction(object, spec, joint, bodies);
      }
      return;
    case OfJoints::rope:
      return check_rope(object, contact, bodies);
  }
}

std::string JointContactSpec::what() const {
  switch (kind) {
    case OfJoints::limit:
    case OfJoints::friction:
      return fmt::format("joint '{}'", coupler.name);
    case OfJoints::rope:
      return fmt::format("rope '{}'", coupler.name);
    default:
      return fmt::format("coupler '{}'", coupler.name);
  }
}

}  // namespace clatter
