#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <clatter/model/beam_mesh.hpp>
#include <clatter/model/model.hpp>

namespace clatter {

/// What is meant by the name of a body: a body or a node of a beam, the ground, or something that
/// cannot be told because the name or the body itself is wrong.
class BodyChoice {
 public:
  static BodyChoice unknown(std::string name = {}) { return {State::unknown, std::move(name)}; }
  static BodyChoice ground() { return {State::the_ground, {}}; }
  static BodyChoice of(const BodySpec& body);
  static BodyChoice of(const BeamSpec& beam, int index, const BeamMesh::Node& node);

  bool is_known() const { return state_ != State::unknown; }
  bool is_ground() const { return state_ == State::the_ground; }
  bool is(BodyKind kind) const { return state_ == State::body && kind_ == kind; }
  /// Null for the ground, for nodes of beams, and when it is not known.
  const BodySpec* spec() const { return spec_; }
  /// Name for the specs, where the ground is empty; as given when it is not known.
  const std::string& name() const { return name_; }
  bool same_as(const BodyChoice& other) const {
    return is_known() && state_ == other.state_ && name_ == other.name_;
  }

  /// From body axes to space at the start. Exact zeros and ones out of the plane for planar bodies.
  const Mat3& rotation() const { return rotation_; }
  Vec3 point_to_body(const Vec3& in_space) const;
  Vec3 point_to_space(const Vec3& in_body) const;

 private:
  enum class State { unknown, the_ground, body };
  BodyChoice(State state, std::string name) : state_(state), name_(std::move(name)) {}

  State state_;
  std::string name_;
  BodyKind kind_ = BodyKind::rigid;
  Vec3 position_ = Vec3::Zero();
  Mat3 rotation_ = Mat3::Identity();
  const BodySpec* spec_ = nullptr;
};

/// Whether one of the two is planar and the other planar or ground: then nothing leaves the plane.
bool is_planar_pair(const BodyChoice& a, const BodyChoice& b);

/// What stands before and after the last dot of a name; nothing before when there is no dot.
std::pair<std::string_view, std::string_view> split_at_last_dot(std::string_view name);

/// The node that the end of a name means: that of `rod.3`, `rod.start` or `rod.end` for a beam of
/// so many nodes.
std::optional<int> node_index(std::string_view end_of_name, int nodes);

/// The bodies of a model by name, and the nodes of its beams, which stand in for bodies: `rod.0`,
/// `rod.1` ..., `rod.start` and `rod.end`. Keeps references to the specs.
class BodyLookup {
 public:
  struct Beam {
    const BeamSpec* spec;  // null: doubtful
    std::vector<BeamMesh::Node> nodes;
    int last() const { return static_cast<int>(nodes.size()) - 1; }
  };

  BodyLookup() = default;
  /// All bodies and beams of the model; those with mistakes as doubtful.
  explicit BodyLookup(const Model& model);

  void add(const BodySpec& body);
  void add_beam(const BeamSpec& beam, BeamMesh mesh);
  /// A beam of which the nodes are not known: naming any is no mistake.
  void add_doubtful_beam(const std::string& name) { beams_.emplace(name, Beam{nullptr, {}}); }

  BodyChoice find(const std::string& name) const;
  /// Null when no beam has this name, or when it is doubtful.
  const Beam* beam(std::string_view name) const;
  /// What is wrong with a name that nothing has; no words when it is not known to be wrong.
  std::optional<std::string> complaint_about(const std::string& name);

 private:
  std::string hint_for(const std::string& name);

  std::map<std::string, const BodySpec*, std::less<>> bodies_;
  std::map<std::string, Beam, std::less<>> beams_;
  bool doubt_all_ = false;  ///< the list of bodies itself has mistakes: no name is one
  int hints_left_ = 100;    ///< a hint looks at all names, which must not add up
};

}  // namespace clatter
