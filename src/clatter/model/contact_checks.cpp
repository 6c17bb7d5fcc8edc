#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include <clatter/model/part_checks.hpp>

namespace clatter {
namespace {

// How far corners may be off the plane of the face, relative to the size of the outline.
constexpr double flatness = 1e-6;

// What the two surfaces are called together.
std::string surfaces_of(const ContactGeometry& geometry) {
  if (geometry.a.is_sphere && geometry.b.is_sphere) return "the two spheres";
  return fmt::format("{} and {}", geometry.b.noun, geometry.a.noun);
}

// ---- Laws

// What turns no body cannot resist.
void check_rotations(const ObjectCheck& object, const BodyChoice& one, const BodyChoice& other,
                     const ContactSpec& contact) {
  if (!one.is_known() || !other.is_known()) return;
  const bool in_space = one.is(BodyKind::rigid) || other.is(BodyKind::rigid);
  const bool at_all = in_space || one.is(BodyKind::planar) || other.is(BodyKind::planar);
  const auto refuse_unless = [&](bool possible, const char* key, double value) {
    if (possible || value == 0.0) return;
    object.refuse(key, fmt::format("'{}' needs a body that can turn in this way; neither of the "
                                   "two can",
                                   key));
  };
  refuse_unless(at_all, "rolling_friction", contact.rolling_friction);
  refuse_unless(in_space, "drilling_friction", contact.drilling_friction);
  refuse_unless(in_space, "patch_radius", contact.patch_radius);
}

// Spheres touch at a point; on a cylinder one may stand for a journal or roller.
void check_lines(const ObjectCheck& object, const ContactSpec& contact, bool planar) {
  const auto check = [&](const char* key, const std::optional<double>& length) {
    const SurfaceKind& a = contact.geometry.a;
    const bool on_cylinder = a.has_radius && a.has_direction() && !a.has_tube;
    if (!length || planar || on_cylinder) return;
    object.refuse_key(key,
                      "'length': spheres touch at a point; discs of planar bodies and spheres in a "
                      "bore or on a shaft can touch along a line");
  };
  if (contact.recovery) check("recover.length", contact.recovery->length);
  if (contact.compliance) check("compliance.length", contact.compliance->length);
}

// ---- Surfaces

// Whether two bodies can be told apart.
bool check_pair(const ObjectCheck& object, const ContactGeometry& geometry, const BodyChoice& one,
                const BodyChoice& other) {
  if (!one.same_as(other)) return true;
  const std::string what = surfaces_of(geometry);
  return object.refuse_object(
      one.is_ground()
          ? fmt::format("a contact needs a body: {} are both on the ground", what)
          : fmt::format("{} of the contact are on the same body '{}'", what, one.name()));
}

double extent(const std::vector<Vec3>& corners) {
  double largest = 0.0;
  for (const Vec3& corner : corners) {
    largest = std::max(largest, (corner - corners.front()).cwiseAbs().maxCoeff());
  }
  return largest;
}

// The sum of the triangles that the corners span, relative to the square of the extent.
double enclosed_area(const std::vector<Vec3>& corners, double size) {
  Vec3 twice_area = Vec3::Zero();
  for (std::size_t i = 0; i + 1 < corners.size(); ++i) {
    const Vec3 one = (corners[i] - corners.front()) / size;
    const Vec3 other = (corners[i + 1] - corners.front()) / size;
    twice_area += one.cross(other);
  }
  return twice_area.norm();
}

void check_outline(const ObjectCheck& object, const ContactSpec& contact, bool planar) {
  const std::vector<Vec3>& corners = contact.outline;
  if (corners.empty() || !object.knows("outline")) return;
  if (planar && corners.size() != 2) {
    object.refuse("outline", fmt::format("'outline': a face in the plane has two corners, found {}",
                                         corners.size()));
    return;
  }
  if (!planar && corners.size() < 3) {
    object.refuse("outline", fmt::format("'outline': expected at least three corners, found {}",
                                         corners.size()));
    return;
  }
  if (!object.points("outline", corners, planar)) return;
  const double size = extent(corners);
  if (size == 0.0 || (!planar && enclosed_area(corners, size) < flatness)) {
    object.refuse("outline", "'outline': the corners lie on one line and enclose nothing");
    return;
  }
  if (!object.knows(contact.geometry.a.direction)) return;
  const Vec3 normal = contact.direction.stableNormalized();
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const double off = ((corners[i] - contact.face.point) / size).dot(normal) * size;
    if (std::abs(off) <= flatness * size) continue;
    object.refuse_entry(
        "outline", i, fmt::format("'outline': this corner is {} m off the plane of the face", off));
    return;
  }
}

// The surface that is touched; false when nothing more can be concluded from it.
bool check_surface(const ObjectCheck& object, const ContactSpec& contact, const BodyChoice& body,
                   bool planar_pair) {
  const SurfaceKind& surface = contact.geometry.a;
  if (surface.has_direction() && body.is(BodyKind::point)) {
    return object.refuse(
        "face.body", fmt::format("point body '{}' has no {}; it can only be the point of a contact",
                                 body.name(), surface.noun));
  }
  const bool planar = body.is(BodyKind::planar) || (body.is_ground() && planar_pair);
  if ((planar || planar_pair) && !contact.geometry.in_plane) {
    return object.refuse("face", fmt::format("planar bodies have no {}", surface.noun));
  }
  check_point(object, "face.point", contact.face.point, body, planar);
  if (surface.has_radius && !object.number("face_radius", contact.face_radius, ranges::positive)) {
    return false;
  }
  if (!surface.has_direction()) return true;
  if (!object.direction(surface.direction, contact.direction)) return false;
  if (planar && !object.vector_in_plane(surface.direction, contact.direction)) return false;
  if (surface.has_outline && body.is_known()) check_outline(object, contact, planar);
  return true;
}

ObjectCheck check_of(const ContactSpec& contact, std::vector<Mistake>& mistakes) {
  return {fmt::format("contact '{}'", contact.name), contact.place, contact.keys, mistakes};
}

// ---- Groups

using Spheres = std::vector<ContactGroupSpec::Sphere>;

// The bodies of the spheres, of which at most one thing is said to be wrong.
std::vector<BodyChoice> check_spheres(const ObjectCheck& object, const Spheres& spheres,
                                      const char* body_key, const char* point_key,
                                      const char* radius_key, BodyLookup& bodies) {
  std::vector<BodyChoice> choices;
  std::set<std::string, std::less<>> names;
  for (const ContactGroupSpec::Sphere& sphere : spheres) {
    choices.push_back(find_body(object, body_key, sphere.centre.body, bodies));
    const BodyChoice& body = choices.back();
    check_point(object, point_key, sphere.centre.point, body, body.is(BodyKind::planar));
    const bool good = object.number(radius_key, sphere.radius, ranges::positive);
    if (!names.insert(sphere.centre.body).second) {
      object.refuse(body_key,
                    fmt::format("a group of spheres has body '{}' twice", sphere.centre.body));
      break;
    }
    if (!good || !body.is_known()) break;
  }
  return choices;
}

void check_two_lists(const ObjectCheck& object, const ContactGroupSpec& group) {
  std::set<std::string, std::less<>> ones;
  for (const ContactGroupSpec::Sphere& sphere : group.spheres) ones.insert(sphere.centre.body);
  const auto common = static_cast<std::size_t>(
      std::count_if(group.partners.begin(), group.partners.end(),
                    [&](const auto& sphere) { return ones.contains(sphere.centre.body); }));
  const bool all = common == group.spheres.size() && common == group.partners.size();
  if (group.among_themselves ? all : common == 0) return;
  object.refuse_object(
      "the two lists of a group of spheres must name the same bodies, with 'among_themselves', or "
      "have none in common");
}

// Friction with a direction.
void check_across(const ObjectCheck& object, const ContactSpec& contact, bool planar) {
  const bool has_along = contact.along != Vec3::Zero();
  if (!contact.across_friction) {
    if (has_along) {
      object.refuse_key("along", "'along' has no meaning without 'across_friction'");
    }
    return;
  }
  const auto refuse = [&](const std::string& reason) {
    object.refuse_key("across_friction", "'across_friction' " + reason);
  };
  if (contact.geometry.a.key != face_surface.key) return refuse("needs a 'face'");
  if (planar) return refuse("has no meaning in the plane, where bodies slide in one direction");
  if (!has_along && object.knows("along")) {
    return refuse("needs the direction 'along' of the 'face', in which 'friction' acts");
  }
  if (contact.friction == 0.0 && object.knows("friction")) {
    return refuse("needs a 'friction' > 0: turn 'along' if it acts in one direction alone");
  }
  if (contact.patch_radius > 0.0) return refuse("conflicts with 'patch_radius'");
  const Vec3 in_face = contact.along.cross(contact.direction);
  if (!(in_face.norm() > 0.01 * contact.along.norm() * contact.direction.norm()) &&
      object.knows("along")) {
    object.refuse("along", "'along' must lie in the face");
  }
}

}  // namespace

void check_contact(const ContactSpec& contact, BodyLookup& bodies, std::vector<Mistake>& mistakes) {
  const ObjectCheck object = check_of(contact, mistakes);
  check_surface_law(object, contact);
  const BodyChoice one = find_body(object, "point.body", contact.point.body, bodies);
  const BodyChoice other = find_body(object, "face.body", contact.face.body, bodies);
  if (check_pair(object, contact.geometry, one, other)) {
    check_rotations(object, one, other, contact);
  }
  const bool planar = is_planar_pair(one, other);
  check_lines(object, contact, planar);
  check_point(object, "point.point", contact.point.point, one,
              one.is(BodyKind::planar) || (one.is_ground() && planar));
  if (contact.geometry.b.has_radius) object.number("radius", contact.radius, ranges::positive);
  check_across(object, contact, planar);
  if (check_surface(object, contact, other, planar) && contact.geometry.check != nullptr) {
    contact.geometry.check(object, contact);
  }
}

void check_contact_group(const ContactGroupSpec& group, BodyLookup& bodies,
                         std::vector<Mistake>& mistakes) {
  const ObjectCheck object = check_of(group.contact, mistakes);
  check_surface_law(object, group.contact);
  check_across(object, group.contact, false);
  if (group.contact.recovery) {
    object.refuse("recover",
                  "'recover': a group of spheres has no results of single pairs; list up to 60 "
                  "pairs, each of which has");
  }
  const ContactGeometry& geometry = group.contact.geometry;
  const bool on_spheres = !group.partners.empty();
  if (!geometry.b.is_sphere || geometry.a.is_sphere != on_spheres ||
      (on_spheres && geometry.inside)) {
    object.refuse_object("a group of spheres can touch one surface or other spheres from outside");
    return;
  }
  if (group.spheres.empty()) {
    object.refuse_object("a group of spheres has no spheres");
    return;
  }
  const std::vector<BodyChoice> ones =
      check_spheres(object, group.spheres, "point.body", "point.point", "radius", bodies);
  if (on_spheres) {
    const std::vector<BodyChoice> twos =
        check_spheres(object, group.partners, "face.body", "face.point", "face_radius", bodies);
    check_two_lists(object, group);
    check_rotations(object, ones.front(), twos.back(), group.contact);
    return;
  }
  const BodyChoice face = find_body(object, "face.body", group.contact.face.body, bodies);
  for (const BodyChoice& one : ones) {
    if (!check_pair(object, geometry, one, face)) break;
  }
  check_rotations(object, ones.front(), face, group.contact);
  check_surface(object, group.contact, face, is_planar_pair(ones.front(), face));
  if (!group.contact.outline.empty()) {
    object.refuse("outline", "'outline': a face that a group of spheres touches has no edge");
  }
}

}  // namespace clatter
