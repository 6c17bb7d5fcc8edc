#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <clatter/model/body_lookup.hpp>
#include <clatter/model/key_table.hpp>
#include <clatter/model/specs.hpp>

namespace clatter {

/// Planar when one of the two is planar and the other planar or ground: then nothing leaves the
/// plane.
Dimension dimension_of_pair(const BodyChoice& a, const BodyChoice& b);
/// Of points on all of them: in the plane when no body leaves it.
Dimension dimension_of_all(const std::vector<BodyChoice>& bodies);
/// Of a point on a body that takes part in such a pair.
Dimension dimension_on(const BodyChoice& body, Dimension pair);
/// How a vector that goes into a spec may be written; whether it leaves the plane is for the checks
/// of the model.
inline Dimension notation(Dimension dimension) {
  return dimension == Dimension::two ? Dimension::either : dimension;
}

/// The bodies of a file as its keys name them. A name that nothing has is passed on with an unknown
/// choice, for the checks of the model to complain about.
class NamedBodies {
 public:
  BodyLookup lookup;

  /// One of the copies of a repeated body, which may be named all together.
  void add_to_family(const std::string& family, const BodySpec& body) {
    families_[family].push_back(&body);
  }

  /// The body that a key names; the ground when the key is absent.
  BodyChoice find(const KeyTable& table, std::string_view key) const;
  /// The same where a beam or a repeated body may be named as a whole, which means all its nodes or
  /// copies.
  std::vector<BodyChoice> find_all(const KeyTable& table, std::string_view key) const;
  /// The same for a key that lists names.
  std::vector<BodyChoice> find_list(const KeyTable& table, std::string_view key) const;

 private:
  BodyChoice find_named(const KeyTable& table, std::string_view key, const std::string& name) const;
  std::vector<BodyChoice> find_all_named(const KeyTable& table, std::string_view key,
                                         const std::string& name) const;

  std::map<std::string, std::vector<const BodySpec*>, std::less<>> families_;
};

/// A point in the frame of a body, the origin when the key is absent.
Vec3 read_point(const KeyTable& table, std::string_view key, const BodyChoice& body,
                Dimension pair);

/// A point in space, given by the key, in the frame of a body. A point body has its origin only: to
/// give another one is a mistake, unless the body `may_move` there.
Vec3 point_in_body(const KeyTable& table, std::string_view key, const Vec3& point,
                   const BodyChoice& body, bool may_move);

/// Reads the names of a list of tables: noun and number for those without.
class NameReader {
 public:
  explicit NameReader(std::string noun) : noun_(std::move(noun)) {}
  std::string read(const KeyTable& table);

 private:
  std::string noun_;
  int count_ = 0;
};

}  // namespace clatter
