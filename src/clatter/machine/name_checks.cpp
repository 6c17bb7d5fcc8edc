#include <algorithm>
#include <map>

#include <fmt/format.h>

#include <clatter/machine/name_checks.hpp>
#include <clatter/model/nearest_word.hpp>
#include <clatter/model/part_checks.hpp>

namespace clatter {
namespace {

// What is wrong with a name that is to stand in paths of results, or nothing.
std::optional<std::string> unusable_in_paths(const std::string& name) {
  if (name.empty()) return "'name' must not be empty";
  if (name == "." || name == "..") {
    return fmt::format("'name': '{}' means a folder in the paths of results; take another", name);
  }
  const bool control = std::any_of(name.begin(), name.end(),
                                   [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; });
  if (control || name.find('/') != std::string::npos) {
    return fmt::format("'name': {} must not hold '/' or control characters", in_quotes(name));
  }
  return std::nullopt;
}

/// The names of one kind of parts.
class NameCheck {
 public:
  NameCheck(std::string noun, std::string plural, std::vector<Mistake>& mistakes)
      : noun_(std::move(noun)), plural_(std::move(plural)), mistakes_(&mistakes) {}

  void check(const std::string& name, const Place& place, const KeyPlaces& keys) {
    const ObjectCheck object(fmt::format("{} '{}'", noun_, name), place, keys, *mistakes_);
    if (!object.knows("name")) return;
    // Of the many parts that a table of a file makes, the first mistake is enough.
    if (place.line > 0 && place.line == bad_line_) return;
    const std::size_t before = mistakes_->size();
    if (const auto wrong = unusable_in_paths(name)) object.refuse("name", *wrong);
    const auto [first, is_new] = line_of_.emplace(name, place.line);
    if (!is_new) {
      const std::string where =
          first->second == 0 ? "" : fmt::format(", the first is on line {}", first->second);
      object.refuse("name",
                    fmt::format("there are two {} named {}{}", plural_, in_quotes(name), where));
    }
    if (name == "ground" && (noun_ == "body" || noun_ == "beam")) {
      object.refuse("name",
                    fmt::format("'ground' is the fixed world; a {} needs another name", noun_));
    }
    if (mistakes_->size() > before) bad_line_ = place.line;
  }

 private:
  std::string noun_, plural_;
  std::vector<Mistake>* mistakes_;
  std::map<std::string, int, std::less<>> line_of_;
  int bad_line_ = 0;
};

std::string on_line(const Place& place) {
  return place.line == 0 ? "" : fmt::format(" on line {}", place.line);
}

// Beams and their nodes are named like bodies.
void check_names_of_nodes(const Model& model, std::vector<Mistake>& mistakes) {
  std::map<std::string, const BeamSpec*, std::less<>> beam_of;
  for (const BeamSpec& beam : model.beams) beam_of.emplace(beam.name, &beam);
  const auto refuse = [&](const BeamSpec& beam, std::string message) {
    ObjectCheck(fmt::format("beam '{}'", beam.name), beam.place, beam.keys, mistakes)
        .refuse("name", std::move(message));
  };
  const auto check = [&](const char* noun, const std::string& name, const Place& place) {
    const auto [start, end] = split_at_last_dot(name);
    const auto found = beam_of.find(start);
    if (found == beam_of.end() || found->second->keys.is_doubtful("elements")) return;
    if (!node_index(end, found->second->elements + 1)) return;
    refuse(*found->second,
           fmt::format("beam {} has a node {}, but a {}{} has that name; rename one of them",
                       in_quotes(found->first), in_quotes(name), noun, on_line(place)));
  };
  for (const BodySpec& body : model.bodies) {
    check("body", body.name, body.place);
    const auto found = beam_of.find(body.name);
    if (found == beam_of.end()) continue;
    refuse(*found->second, fmt::format("there is a body named {} already{}{}", in_quotes(body.name),
                                       body.place.line == 0 ? "" : ",", on_line(body.place)));
  }
  for (const BeamSpec& beam : model.beams) check("beam", beam.name, beam.place);
}

}  // namespace

void check_names(const Model& model, std::vector<Mistake>& mistakes) {
  const auto check_all = [&](NameCheck names, const auto& parts) {
    for (const auto& part : parts) names.check(part.name, part.place, part.keys);
    return names;
  };
  check_all({"body", "bodies", mistakes}, model.bodies);
  check_all({"beam", "beams", mistakes}, model.beams);
  check_names_of_nodes(model, mistakes);
  ForceKinds::for_each([&]<class Kind>() {
    check_all({std::string(Kind::word), std::string(Kind::plural), mistakes}, model.*Kind::list);
  });
  check_all({"load", "loads", mistakes}, model.loads);
  check_all({"joint", "joints", mistakes}, model.joints);
  check_all({"coupler", "couplers", mistakes}, model.couplers);
  check_all({"material", "materials", mistakes}, model.materials);
  check_all({"event", "events", mistakes}, model.events);
  check_all({"sensor", "sensors", mistakes}, model.sensors);
  check_all({"controller", "controllers", mistakes}, model.controllers);
  NameCheck contacts = check_all({"contact", "contacts", mistakes}, model.contacts);
  for (const ContactGroupSpec& group : model.contact_groups) {
    contacts.check(group.contact.name, group.contact.place, group.contact.keys);
  }
}

}  // namespace clatter
