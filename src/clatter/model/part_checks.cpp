#include <fmt/format.h>

#include <clatter/model/part_checks.hpp>

namespace clatter {

BodyChoice find_body(const ObjectCheck& object, std::string_view key, const std::string& name,
                     BodyLookup& bodies) {
  if (!object.knows(key)) return BodyChoice::unknown(name);
  BodyChoice choice = bodies.find(name);
  if (choice.is_known()) return choice;
  if (const auto wrong = bodies.complaint_about(name)) object.refuse(key, *wrong);
  return choice;
}

void check_point(const ObjectCheck& object, std::string_view key, const Vec3& point,
                 const BodyChoice& body, bool in_plane) {
  if (!(in_plane ? object.vector_in_plane(key, point) : object.vector(key, point))) return;
  if (!body.is(BodyKind::point) || point.isZero(0.0)) return;
  object.refuse(key, fmt::format("'{}': point body '{}' has no other point than its origin",
                                 object.written(key), body.name()));
}

}  // namespace clatter
