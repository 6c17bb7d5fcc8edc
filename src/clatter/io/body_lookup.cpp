#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include <clatter/io/body_lookup.hpp>
#include <clatter/model/nearest_word.hpp>

namespace clatter {
namespace {

// More names than these are not worth listing in a message.
constexpr std::size_t most_names = 8;

// What stands before and after the last dot of a name; nothing before when there is no dot.
std::pair<std::string_view, std::string_view> split_at_last_dot(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return {{}, name};
  return {name.substr(0, dot), name.substr(dot + 1)};
}

// "'rod.0' to 'rod.8', 'rod.start' or 'rod.end'"
std::string nodes_of(const std::string& beam, int last) {
  return fmt::format("{} to {}, {} or {}", in_quotes(beam + ".0"),
                     in_quotes(fmt::format("{}.{}", beam, last)), in_quotes(beam + ".start"),
                     in_quotes(beam + ".end"));
}

}  // namespace

Mat3 BodyChoice::rotation() const {
  if (body_ == nullptr) return Mat3::Identity();
  if (body_->kind != BodyKind::planar) return body_->orientation.toRotationMatrix();
  const double c = std::cos(body_->angle), s = std::sin(body_->angle);
  Mat3 rotation;
  rotation << c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0;
  return rotation;
}

Vec3 BodyChoice::point_to_body(const Vec3& in_space) const {
  if (body_ == nullptr) return in_space;
  return rotation().transpose() * (in_space - body_->position);
}

Vec3 BodyChoice::point_to_space(const Vec3& in_body) const {
  if (body_ == nullptr) return in_body;
  return body_->position + rotation() * in_body;
}

Dimension dimension_of_pair(const BodyChoice& a, const BodyChoice& b) {
  if (!a.is_known() || !b.is_known()) return Dimension::either;
  const bool a_fits = a.is_ground() || a.is(BodyKind::planar);
  const bool b_fits = b.is_ground() || b.is(BodyKind::planar);
  const bool one_is_planar = a.is(BodyKind::planar) || b.is(BodyKind::planar);
  return a_fits && b_fits && one_is_planar ? Dimension::two : Dimension::three;
}

Dimension dimension_on(const BodyChoice& body, Dimension pair) {
  if (!body.is_known()) return Dimension::either;
  if (body.is_ground()) return pair;
  return body.is(BodyKind::planar) ? Dimension::two : Dimension::three;
}

std::optional<int> node_index(std::string_view end_of_name, int nodes) {
  if (end_of_name == "start") return 0;
  if (end_of_name == "end") return nodes - 1;
  int index = -1;
  const char* end = end_of_name.data() + end_of_name.size();
  const auto [stop, error] = std::from_chars(end_of_name.data(), end, index);
  const bool is_number = error == std::errc() && stop == end && index >= 0;
  // No second spelling: 'rod.03' and 'rod.-0' are no names.
  if (!is_number || index >= nodes || end_of_name != fmt::format("{}", index)) return std::nullopt;
  return index;
}

BodyChoice BodyLookup::find(const TomlTable& table, std::string_view key) const {
  if (!table.has(key)) return BodyChoice::ground();
  const std::optional<std::string> name = table.text(key);
  return name ? find_named(table, key, *name) : BodyChoice::unknown();
}

BodyChoice BodyLookup::find_named(const TomlTable& table, std::string_view key,
                                  const std::string& name) const {
  if (name == "ground") return BodyChoice::ground();
  if (const auto body = known_.find(name); body != known_.end()) {
    return body->second == nullptr ? BodyChoice::unknown() : BodyChoice::of(*body->second);
  }
  if (const auto beam = beams_.find(name); beam != beams_.end()) {
    if (beam->second.spec == nullptr || doubt_all_) return BodyChoice::unknown();
    table.refuse(key, fmt::format("{} is a beam: name one of its nodes, {}", in_quotes(name),
                                  nodes_of(name, beam->second.last())));
    return BodyChoice::unknown();
  }
  if (const auto family = families_.find(name); family != families_.end()) {
    table.refuse(
        key, fmt::format("{} is repeated: name one of its copies, '{}' to '{}'", in_quotes(name),
                         family->second.front()->name, family->second.back()->name));
    return BodyChoice::unknown();
  }
  if (const Beam* beam = beam_with_node(name)) return find_node(*beam, table, key, name);
  return refuse_unknown(table, key, name);
}

std::vector<BodyChoice> BodyLookup::find_all(const TomlTable& table, std::string_view key) const {
  const std::optional<std::string> name = table.text(key);
  return name ? find_all_named(table, key, *name) : std::vector{find(table, key)};
}

std::vector<BodyChoice> BodyLookup::find_list(const TomlTable& table, std::string_view key) const {
  std::vector<BodyChoice> all;
  for (const std::string& name : table.texts(key).value_or(std::vector<std::string>{})) {
    for (const BodyChoice& choice : find_all_named(table, key, name)) all.push_back(choice);
  }
  return all;
}

std::vector<BodyChoice> BodyLookup::find_all_named(const TomlTable& table, std::string_view key,
                                                   const std::string& name) const {
  if (const auto family = families_.find(name); family != families_.end()) {
    std::vector<BodyChoice> choices;
    for (const BodySpec* body : family->second) choices.push_back(BodyChoice::of(*body));
    return choices;
  }
  const auto beam = beams_.find(name);
  if (beam == beams_.end() || beam->second.spec == nullptr || known_.contains(name)) {
    return {find_named(table, key, name)};
  }
  std::vector<BodyChoice> choices;
  for (int i = 0; i <= beam->second.last(); ++i) choices.push_back(node(beam->second, i));
  return choices;
}

const BodyLookup::Beam* BodyLookup::beam_with_node(std::string_view name) const {
  const auto beam = beams_.find(split_at_last_dot(name).first);
  return beam == beams_.end() ? nullptr : &beam->second;
}

BodyChoice BodyLookup::node(const Beam& beam, int index) const {
  const std::string name = beam_node_name(*beam.spec, index);
  const auto [entry, is_new] = nodes_.try_emplace(name);
  BodySpec& body = entry->second;
  if (is_new) {
    const BeamMesh::Node& node = beam.nodes[static_cast<std::size_t>(index)];
    body.name = name;
    body.kind = beam.spec->planar ? BodyKind::planar : BodyKind::rigid;
    body.position = node.position;
    body.orientation = Quaternion(node.orientation);
    body.angle = std::atan2(node.orientation(1, 0), node.orientation(0, 0));
    body.place = beam.spec->place;
  }
  return BodyChoice::of(body);
}

BodyChoice BodyLookup::find_node(const Beam& beam, const TomlTable& table, std::string_view key,
                                 const std::string& name) const {
  if (beam.spec == nullptr || doubt_all_) return BodyChoice::unknown();
  const auto nodes = static_cast<int>(beam.nodes.size());
  if (const std::optional<int> index = node_index(split_at_last_dot(name).second, nodes)) {
    return node(beam, *index);
  }
  table.refuse(key,
               fmt::format("beam {} has {} nodes, but no {}: name {}", in_quotes(beam.spec->name),
                           nodes, in_quotes(name), nodes_of(beam.spec->name, nodes - 1)));
  return BodyChoice::unknown();
}

BodyChoice BodyLookup::refuse_unknown(const TomlTable& table, std::string_view key,
                                      const std::string& name) const {
  if (doubt_all_) return BodyChoice::unknown();
  std::vector<std::string> names = {"ground"};
  std::string hint;
  if (hints_left_ > 0) {
    --hints_left_;
    for (const auto& [known, body] : known_) names.push_back(known);
    for (const auto& [known, beam] : beams_) {
      names.push_back(known + ".start");
      names.push_back(known + ".end");
    }
    // The list is good as it is; a slip may also be in the name of a beam or of another node.
    std::vector<std::string> near = names;
    const std::string_view end = split_at_last_dot(name).second;
    for (const auto& [known, beam] : beams_) {
      near.push_back(known);
      const auto nodes = static_cast<int>(beam.nodes.size());
      if (node_index(end, nodes)) near.push_back(fmt::format("{}.{}", known, end));
    }
    hint = did_you_mean(name, near);
  }
  if (hint.empty() && names.size() > 1 && names.size() <= most_names) {
    hint = fmt::format("; expected one of '{}'", fmt::join(names, "', '"));
  }
  table.refuse(key, fmt::format("unknown body {}{}", in_quotes(name), hint));
  return BodyChoice::unknown();
}

Vec3 read_point(const TomlTable& table, std::string_view key, const BodyChoice& body,
                Dimension pair) {
  Vec3 point = table.vector(key, dimension_on(body, pair)).value_or(Vec3::Zero());
  if (body.is(BodyKind::point) && !point.isZero(0.0)) {
    table.refuse(key, fmt::format("'{}': point body '{}' has no other point than its origin", key,
                                  body.name()));
    return Vec3::Zero();
  }
  return point;
}

std::string NameReader::read(const TomlTable& table) {
  ++count_;
  const std::optional<std::string> given = table.text("name");
  if (!given) return fmt::format("{}{}", noun_, count_);
  const bool control =
      std::any_of(given->begin(), given->end(), [](char c) { return c >= 0 && c < ' '; });
  if (given->empty()) {
    table.refuse("name", "'name' must not be empty");
  } else if (control || given->find('/') != std::string::npos) {
    table.refuse("name", fmt::format("'name': {} must not hold '/' or control characters",
                                     in_quotes(*given)));
  }
  return *given;
}

bool NameReader::claim(const TomlTable& table, const std::string& name) {
  const int line = table.place().line;
  const auto [before, is_new] = line_of_.emplace(name, line);
  if (is_new) return true;
  const std::string where =
      before->second == 0 ? "" : fmt::format(", the first is on line {}", before->second);
  table.refuse("name", fmt::format("there are two {}s named {}{}",
                                   noun_ == "body" ? "bodie" : noun_, in_quotes(name), where));
  return false;
}

}  // namespace clatter
