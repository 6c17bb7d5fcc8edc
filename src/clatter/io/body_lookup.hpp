#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <clatter/model/beam_mesh.hpp>
#include <clatter/io/toml_table.hpp>
#include <clatter/model/model.hpp>

namespace clatter {

/// What a file means by the name of a body: a body, the ground, or something that cannot be told
/// because the name or the body itself is wrong.
class BodyChoice {
 public:
  static BodyChoice unknown() { return {}; }
  static BodyChoice ground() { return {true, nullptr}; }
  static BodyChoice of(const BodySpec& body) { return {true, &body}; }

  bool is_known() const { return known_; }
  bool is_ground() const { return known_ && body_ == nullptr; }
  bool is(BodyKind kind) const { return body_ != nullptr && body_->kind == kind; }
  /// Null for the ground, and when it is not known.
  const BodySpec* spec() const { return body_; }
  /// Name for the specs, where the ground is empty.
  std::string name() const { return body_ == nullptr ? "" : body_->name; }
  bool same_as(const BodyChoice& other) const {
    return known_ && other.known_ && body_ == other.body_;
  }

  /// From body axes to space at the start. Exact zeros and ones out of the plane for planar bodies.
  Mat3 rotation() const;
  Vec3 point_to_body(const Vec3& in_space) const;
  Vec3 point_to_space(const Vec3& in_body) const;

 private:
  BodyChoice() = default;
  BodyChoice(bool known, const BodySpec* body) : known_(known), body_(body) {}

  bool known_ = false;
  const BodySpec* body_ = nullptr;
};

/// Planar when one of the two is planar and the other planar or ground: then nothing leaves the
/// plane.
Dimension dimension_of_pair(const BodyChoice& a, const BodyChoice& b);
/// Of a point on a body that takes part in such a pair.
Dimension dimension_on(const BodyChoice& body, Dimension pair);

/// The node that the end of a name means: that of `rod.3`, `rod.start` or `rod.end` for a beam of
/// so many nodes.
std::optional<int> node_index(std::string_view end_of_name, int nodes);

/// The bodies of a model by name, and the nodes of its beams, which stand in for bodies: `rod.0`,
/// `rod.1` ..., `rod.start` and `rod.end`.
class BodyLookup {
 public:
  void add(const BodySpec& body) { known_.emplace(body.name, &body); }
  /// One of the copies of a repeated body, which may be named all together.
  void add_to_family(const std::string& family, const BodySpec& body) {
    families_[family].push_back(&body);
  }
  /// A body that has mistakes: naming it is none.
  void add_doubtful(const std::string& name) { known_.emplace(name, nullptr); }
  void add_beam(const BeamSpec& beam, BeamMesh mesh) {
    beams_.emplace(beam.name, Beam{&beam, std::move(mesh.nodes)});
  }
  /// A beam of which the nodes are not known: naming any is no mistake.
  void add_doubtful_beam(const std::string& name) { beams_.emplace(name, Beam{nullptr, {}}); }
  /// The list of bodies itself has mistakes: no name is one.
  void doubt_all() { doubt_all_ = true; }

  /// The body that a key names. Adds a mistake when there is none of that name; the ground when the
  /// key is absent.
  BodyChoice find(const TomlTable& table, std::string_view key) const;
  /// The same where a beam may be named as a whole, which means all its nodes.
  std::vector<BodyChoice> find_all(const TomlTable& table, std::string_view key) const;
  /// The same for a key that lists names.
  std::vector<BodyChoice> find_list(const TomlTable& table, std::string_view key) const;

 private:
  struct Beam {
    const BeamSpec* spec;  // null: doubtful
    std::vector<BeamMesh::Node> nodes;
    int last() const { return static_cast<int>(nodes.size()) - 1; }
  };

  BodyChoice find_named(const TomlTable& table, std::string_view key,
                        const std::string& name) const;
  std::vector<BodyChoice> find_all_named(const TomlTable& table, std::string_view key,
                                         const std::string& name) const;
  const Beam* beam_with_node(std::string_view name) const;
  BodyChoice node(const Beam& beam, int index) const;
  BodyChoice find_node(const Beam& beam, const TomlTable& table, std::string_view key,
                       const std::string& name) const;
  BodyChoice refuse_unknown(const TomlTable& table, std::string_view key,
                            const std::string& name) const;

  std::map<std::string, const BodySpec*, std::less<>> known_;
  std::map<std::string, Beam, std::less<>> beams_;
  std::map<std::string, std::vector<const BodySpec*>, std::less<>> families_;
  // Nodes as bodies, made when they are first named.
  mutable std::map<std::string, BodySpec, std::less<>> nodes_;
  bool doubt_all_ = false;
  mutable int hints_left_ = 100;  ///< a hint looks at all names, which must not add up
};

/// A point in the frame of a body, the origin when the key is absent. A point body has no other.
Vec3 read_point(const TomlTable& table, std::string_view key, const BodyChoice& body,
                Dimension pair);

/// Reads the names of a list of tables and sees to it that they differ.
class NameReader {
 public:
  explicit NameReader(std::string noun) : noun_(std::move(noun)) {}
  /// The name, or noun and number when there is none. Adds a mistake when it is empty or holds a
  /// character that paths of results cannot hold.
  std::string read(const TomlTable& table);
  /// Adds a mistake and returns false when the name was there before.
  bool claim(const TomlTable& table, const std::string& name);

 private:
  std::string noun_;
  int count_ = 0;
  std::map<std::string, int, std::less<>> line_of_;
};

}  // namespace clatter
