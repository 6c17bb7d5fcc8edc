#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include <clatter/model/body_lookup.hpp>
#include <clatter/model/nearest_word.hpp>
#include <clatter/model/part_checks.hpp>

namespace clatter {
namespace {

// More names than these are not worth listing in a message.
constexpr std::size_t most_names = 8;

// "'rod.0' to 'rod.8', 'rod.start' or 'rod.end'"
std::string nodes_of(const std::string& beam, int last) {
  return fmt::format("{} to {}, {} or {}", in_quotes(beam + ".0"),
                     in_quotes(fmt::format("{}.{}", beam, last)), in_quotes(beam + ".start"),
                     in_quotes(beam + ".end"));
}

Mat3 turn_in_plane(double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  Mat3 rotation;
  rotation << c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0;
  return rotation;
}

}  // namespace

BodyChoice BodyChoice::of(const BodySpec& body) {
  BodyChoice choice(State::body, body.name);
  choice.kind_ = body.kind;
  choice.position_ = body.position;
  choice.rotation_ = body.kind == BodyKind::planar ? turn_in_plane(body.angle)
                                                   : body.orientation.toRotationMatrix();
  choice.spec_ = &body;
  return choice;
}

BodyChoice BodyChoice::of(const BeamSpec& beam, int index, const BeamMesh::Node& node) {
  BodyChoice choice(State::body, beam_node_name(beam, index));
  choice.kind_ = beam.planar ? BodyKind::planar : BodyKind::rigid;
  choice.position_ = node.position;
  choice.rotation_ = beam.planar
                         ? turn_in_plane(std::atan2(node.orientation(1, 0), node.orientation(0, 0)))
                         : Quaternion(node.orientation).toRotationMatrix();
  return choice;
}

Vec3 BodyChoice::point_to_body(const Vec3& in_space) const {
  if (state_ != State::body) return in_space;
  return rotation_.transpose() * (in_space - position_);
}

Vec3 BodyChoice::point_to_space(const Vec3& in_body) const {
  if (state_ != State::body) return in_body;
  return position_ + rotation_ * in_body;
}

bool is_planar_pair(const BodyChoice& a, const BodyChoice& b) {
  const bool a_fits = a.is_ground() || a.is(BodyKind::planar);
  const bool b_fits = b.is_ground() || b.is(BodyKind::planar);
  return a_fits && b_fits && (a.is(BodyKind::planar) || b.is(BodyKind::planar));
}

std::pair<std::string_view, std::string_view> split_at_last_dot(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return {{}, name};
  return {name.substr(0, dot), name.substr(dot + 1)};
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

// Without a list of bodies, complaints about every name would hide the reason.
BodyLookup::BodyLookup(const std::vector<BodySpec>& bodies, const std::vector<BeamSpec>& beams,
                       bool doubt_all)
    : doubt_all_(doubt_all) {
  for (const BodySpec& body : bodies) add(body);
  int elements_left = most_beam_elements;
  for (const BeamSpec& beam : beams) {
    if (std::optional<BeamMesh> mesh = mesh_if_possible(beam, elements_left)) {
      add_beam(beam, std::move(*mesh));
      elements_left -= beam.elements;
    } else {
      add_doubtful_beam(beam.name);
    }
  }
}

void BodyLookup::add(const BodySpec& body) {
  bodies_.emplace(body.name, body.keys.is_doubtful("kind") ? nullptr : &body);
}

void BodyLookup::add_beam(const BeamSpec& beam, BeamMesh mesh) {
  beams_.emplace(beam.name, Beam{&beam, std::move(mesh.nodes)});
}

BodyChoice BodyLookup::find(const std::string& name) const {
  if (name.empty() || name == "ground") return BodyChoice::ground();
  if (const auto body = bodies_.find(name); body != bodies_.end()) {
    return body->second == nullptr ? BodyChoice::unknown(name) : BodyChoice::of(*body->second);
  }
  const auto [start, end] = split_at_last_dot(name);
  if (const Beam* of = beam(start)) {
    if (const std::optional<int> index = node_index(end, of->last() + 1)) {
      return BodyChoice::of(*of->spec, *index, of->nodes[static_cast<std::size_t>(*index)]);
    }
  }
  return BodyChoice::unknown(name);
}

const BodyLookup::Beam* BodyLookup::beam(std::string_view name) const {
  const auto found = beams_.find(name);
  return found == beams_.end() || found->second.spec == nullptr ? nullptr : &found->second;
}

std::optional<std::string> BodyLookup::complaint_about(const std::string& name) {
  if (doubt_all_ || bodies_.contains(name)) return std::nullopt;
  if (const auto whole = beams_.find(name); whole != beams_.end()) {
    if (whole->second.spec == nullptr) return std::nullopt;
    return fmt::format("{} is a beam: name one of its nodes, {}", in_quotes(name),
                       nodes_of(name, whole->second.last()));
  }
  if (bodies_.contains(name + ".0")) {
    int last = 0;
    while (bodies_.contains(fmt::format("{}.{}", name, last + 1))) ++last;
    return fmt::format("{} is repeated: name one of its copies, '{}.0' to '{}.{}'", in_quotes(name),
                       name, name, last);
  }
  if (const auto of = beams_.find(split_at_last_dot(name).first); of != beams_.end()) {
    if (of->second.spec == nullptr) return std::nullopt;
    return fmt::format("beam {} has {} nodes, but no {}: name {}", in_quotes(of->first),
                       of->second.nodes.size(), in_quotes(name),
                       nodes_of(of->first, of->second.last()));
  }
  return fmt::format("unknown body {}{}", in_quotes(name), hint_for(name));
}

std::string BodyLookup::hint_for(const std::string& name) {
  if (hints_left_ == 0) return "";
  --hints_left_;
  std::vector<std::string> names = {"ground"};
  for (const auto& [known, body] : bodies_) names.push_back(known);
  for (const auto& [known, of] : beams_) {
    names.push_back(known + ".start");
    names.push_back(known + ".end");
  }
  // The list is good as it is; a slip may also be in the name of a beam or of another node.
  std::vector<std::string> near = names;
  const std::string_view end = split_at_last_dot(name).second;
  for (const auto& [known, of] : beams_) {
    near.push_back(known);
    if (node_index(end, of.last() + 1)) near.push_back(fmt::format("{}.{}", known, end));
  }
  const std::string hint = did_you_mean(name, near);
  if (!hint.empty() || names.size() == 1 || names.size() > most_names) return hint;
  return fmt::format("; expected one of '{}'", fmt::join(names, "', '"));
}

}  // namespace clatter
