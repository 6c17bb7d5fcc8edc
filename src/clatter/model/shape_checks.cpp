#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include <clatter/math/convex_hull.hpp>
#include <clatter/math/polygon.hpp>
#include <clatter/model/curves.hpp>
#include <clatter/model/mesh_checks.hpp>
#include <clatter/model/part_checks.hpp>

namespace clatter {
namespace {

// How far the orientation of a shape in the plane may be off a turn about z: round-off.
constexpr double tilt_slack = 1e-9;
// Area of a polygon over the square of its extent below which its corners lie on a line.
constexpr double flat_polygon = 1e-12;

// Indefinite, as in "a hull has points", and in the order of the variant.
constexpr std::array shape_words = {"sphere",     "box",     "cylinder",     "rod",       "disc",
                                    "half_space", "capsule", "cone",         "ellipsoid", "hull",
                                    "polygon",    "mesh",    "height_field", "ellipse",   "profile",
                                    "spline",     "wall",    "ring"};
static_assert(shape_words.size() == std::variant_size_v<Shape>);

std::string a_kind_of(const Shape& shape) {
  const std::string word = shape_words[shape.index()];
  return (word.front() == 'e' ? "an " : "a ") + word;
}

/// The sizes of a shape; false when they are wrong.
struct SizeCheck {
  const ObjectCheck& object;

  bool operator()(const SphereShape& s) const { return size("radius", s.radius); }
  bool operator()(const BoxShape& s) const {
    return object.vector("size", s.size, ranges::positive);
  }
  bool operator()(const CylinderShape& s) const { return sizes(s.radius, "length", s.length); }
  bool operator()(const RodShape& s) const {
    if (!sizes(s.radius, "length", s.length)) return false;
    // Slender: beyond this its moments of inertia would be those of no solid.
    return s.length >= 2.0 * s.radius ||
           object.refuse("length",
                         "a rod is slender: 'length' must be at least twice 'radius'; use a "
                         "cylinder");
  }
  bool operator()(const DiscShape& s) const { return sizes(s.radius, "thickness", s.thickness); }
  bool operator()(const HalfSpaceShape&) const { return true; }
  bool operator()(const CapsuleShape& s) const { return sizes(s.radius, "length", s.length); }
  bool operator()(const ConeShape& s) const { return sizes(s.radius, "length", s.length); }
  bool operator()(const EllipsoidShape& s) const {
    return object.vector("semi_axes", s.semi_axes, ranges::positive);
  }
  bool operator()(const RingShape& s) const {
    if (!sizes(s.radius, "tube_radius", s.tube_radius)) return false;
    return s.tube_radius < s.radius ||
           object.refuse("tube_radius",
                         "'tube_radius' must be less than 'radius': a ring has a hole");
  }
  bool operator()(const HullShape& s) const {
    if (!object.points("points", s.points, false)) return false;
    if (s.points.size() < 4) {
      return object.refuse(
          "points",
          fmt::format("'points': a hull has at least four points, found {}", s.points.size()));
    }
    return convex_hull(s.points).has_value() ||
           object.refuse("points",
                         "'points': the points lie in one plane and enclose nothing; add one off "
                         "it");
  }
  bool operator()(const PolygonShape& s) const {
    const bool good = size("thickness", s.thickness);
    return object.points("points", s.points, true) && corners(s.points) && good;
  }
  bool operator()(const EllipseShape& s) const {
    const bool good = size("thickness", s.thickness);
    return object.vector("semi_axes", {s.x, s.y, 1.0}, ranges::positive) && good;
  }
  bool operator()(const ProfileShape& s) const {
    const bool good = size("thickness", s.thickness);
    return curve(s) && good;
  }
  bool operator()(const SplineShape& s) const {
    const bool good = size("thickness", s.thickness);
    return object.number("tolerance", s.tolerance, ranges::positive) && curve(s) && good;
  }
  bool operator()(const WallShape& s) const {
    const bool good = object.number("radius", s.radius, ranges::not_negative);
    return curve(s) && good;
  }
  bool operator()(const MeshShape& s) const {
    const std::optional<std::string> wrong = complaint_about(s);
    return !wrong || object.refuse("file", fmt::format("'file': {}", *wrong));
  }
  bool operator()(const HeightFieldShape& s) const {
    const bool good = size("spacing", s.spacing);
    return size("depth", s.depth) && good && rows(s.heights);
  }

 private:
  bool rows(const std::vector<std::vector<double>>& heights) const {
    const bool fits = heights.size() >= 2 && heights.front().size() >= 2 &&
                      std::all_of(heights.begin(), heights.end(), [&](const auto& row) {
                        return row.size() == heights.front().size() &&
                               std::all_of(row.begin(), row.end(),
                                           [](double height) { return std::isfinite(height); });
                      });
    return fits || object.refuse("heights",
                                 "'heights' must be two or more rows of two or more finite "
                                 "numbers, all of one length");
  }
  template <class Curve>
  bool curve(const Curve& shape) const {
    if (!object.points("points", shape.points, true)) return false;
    const std::optional<CurveComplaint> wrong = complaint_about(shape);
    if (!wrong) return true;
    return wrong->entry ? object.refuse_entry(wrong->key, *wrong->entry, wrong->message)
                        : object.refuse(wrong->key, wrong->message);
  }
  bool size(const char* key, double value) const {
    return object.number(key, value, ranges::positive);
  }
  bool sizes(double radius, const char* key, double value) const {
    const bool good = size("radius", radius);
    return size(key, value) && good;
  }
  bool corners(const std::vector<Vec3>& points) const {
    if (points.size() < 3) {
      return object.refuse(
          "points",
          fmt::format("'points': a polygon has at least three corners, found {}", points.size()));
    }
    double extent = 0.0;
    for (const Vec3& point : points) {
      extent = std::max(extent, (point - points.front()).cwiseAbs().maxCoeff());
    }
    // The area of a polygon that crosses itself may be 0 as well; what crosses is the better
    // reason.
    const bool on_a_line = [&] {
      for (std::size_t i = 1; i + 1 < points.size(); ++i) {
        const Vec3 one = points[i] - points[0], other = points[i + 1] - points[0];
        if (std::abs(one.cross(other).z()) > flat_polygon * extent * extent) return false;
      }
      return true;
    }();
    if (on_a_line) {
      return object.refuse("points", "'points': the corners lie on one line and enclose nothing");
    }
    if (const auto crossing = crossing_sides(points)) {
      return object.refuse_entry(
          "points", (*crossing)[1],
          fmt::format("'points': the side from corner {} crosses or touches that from corner {}; "
                      "list the corners in order around the outline",
                      (*crossing)[1] + 1, (*crossing)[0] + 1));
    }
    return true;
  }
};

template <class... Kinds>
bool is_one_of(const Shape& shape) {
  return (std::holds_alternative<Kinds>(shape) || ...);
}

// Whether something like this can have such a shape at all.
bool check_kind(const ObjectCheck& object, const PlacedShape& placed, const ShapeOwner& owner) {
  const Shape& shape = placed.shape;
  if (std::holds_alternative<HalfSpaceShape>(shape) && !owner.is_ground) {
    return object.refuse("kind",
                         "a half_space is for the ground: a body has an end; use a large box");
  }
  if (std::holds_alternative<HeightFieldShape>(shape) && !owner.is_ground) {
    return object.refuse("kind", "a height_field is for the ground: use a mesh");
  }
  const bool in_plane_only =
      is_one_of<PolygonShape, EllipseShape, ProfileShape, SplineShape, WallShape>(shape);
  if (in_plane_only && !owner.in_plane) {
    return object.refuse(
        "kind", fmt::format("{} is for {}: use a hull or a mesh in space", a_kind_of(shape),
                            owner.is_ground ? "models in the plane" : "planar bodies"));
  }
  const bool in_space_only =
      is_one_of<ConeShape, EllipsoidShape, RingShape, HullShape, MeshShape, HeightFieldShape>(
          shape);
  if (owner.in_plane && in_space_only) {
    return object.refuse("kind",
                         fmt::format("{} is no shape in the plane: use a box, disc, capsule "
                                     "or polygon",
                                     a_kind_of(shape)));
  }
  return true;
}

bool can_touch(const Shape& shape, bool in_plane) {
  if (is_one_of<BoxShape, CapsuleShape, HalfSpaceShape>(shape)) return true;
  if (in_plane) {
    return is_one_of<DiscShape, PolygonShape, EllipseShape, ProfileShape, SplineShape, WallShape>(
        shape);
  }
  return is_one_of<SphereShape, HullShape, MeshShape, HeightFieldShape, CylinderShape, RodShape,
                   DiscShape, ConeShape, EllipsoidShape, RingShape>(shape);
}

// Whether it can touch.
void check_touching(const ObjectCheck& object, const PlacedShape& placed, const ShapeOwner& owner) {
  if (placed.material.empty()) return;
  const bool is_sphere = std::holds_alternative<SphereShape>(placed.shape);
  if (!is_sphere && !can_touch(placed.shape, owner.in_plane)) {
    object.refuse("material",
                  fmt::format("'material': {} cannot touch others {}yet; leave it out, or use {}",
                              a_kind_of(placed.shape), owner.in_plane ? "in the plane " : "",
                              owner.in_plane ? "a polygon" : "a hull of points"));
  }
  if (owner.in_plane && is_sphere) {
    object.refuse("material",
                  "'material': a sphere does not touch in the plane; use a disc of its radius");
  }
  if (owner.is_point && !is_sphere) {
    object.refuse("material", fmt::format("'material': a point body does not turn and touches as a "
                                          "sphere only, not as {}; make it a rigid body",
                                          a_kind_of(placed.shape)));
  }
}

void check_hollow(const ObjectCheck& object, const PlacedShape& placed, const ShapeOwner& owner) {
  const bool is_cylinder = std::holds_alternative<CylinderShape>(placed.shape);
  if (placed.open && !(placed.hollow && is_cylinder)) {
    object.refuse("open", "'open' is for a hollow cylinder; give it 'hollow = true'");
  }
  if (!placed.hollow) return;
  const bool can_be_hollow =
      is_one_of<SphereShape, BoxShape, CylinderShape, DiscShape, ConeShape, EllipsoidShape,
                RingShape, HullShape, EllipseShape, ProfileShape, SplineShape>(placed.shape) ||
      (std::holds_alternative<CapsuleShape>(placed.shape) && !owner.in_plane);
  if (!can_be_hollow) {
    object.refuse(
        "hollow",
        fmt::format("{} cannot be hollow{}; use a {}", a_kind_of(placed.shape),
                    owner.in_plane ? " in the plane" : "",
                    owner.in_plane ? "disc, box, ellipse, profile or spline"
                                   : "sphere, box, capsule, cylinder, disc, cone, ellipsoid, hull "
                                     "or ring"));
  }
  if (placed.material.empty()) {
    object.refuse("hollow", "'hollow' needs a 'material': it is of use where others touch it");
  }
  if (placed.rounding > 0.0) {
    object.refuse("rounding", "'rounding' has no meaning for a hollow shape");
  }
  if (placed.density) {
    object.refuse("density", "'density' has no meaning for a hollow shape: it has no mass");
  }
  if (owner.is_point) {
    object.refuse("hollow", "'hollow' is not for a point body; make it a rigid body");
  }
}

void check_frame(const ObjectCheck& object, const PlacedShape& placed, const ShapeOwner& owner) {
  const bool sound = owner.in_plane ? object.vector_in_plane("position", placed.position)
                                    : object.vector("position", placed.position);
  if (sound && owner.is_point && !placed.position.isZero(0.0)) {
    object.refuse("position", "'position': a point body has no other point than its origin");
  }
  const Quaternion& q = placed.orientation;
  const double size = q.coeffs().norm();
  if (!(size > 0.0) || !std::isfinite(size)) {
    object.refuse("orientation", "'orientation' must be finite numbers that are not all zero");
  } else if (owner.in_plane && std::hypot(q.x(), q.y()) > tilt_slack * size) {
    object.refuse("orientation", "'orientation': shapes in the plane are turned about z only");
  }
}

}  // namespace

bool check_shape(const PlacedShape& placed, const ShapeOwner& owner, std::size_t index,
                 std::vector<Mistake>& mistakes) {
  const std::size_t before = mistakes.size();
  const ObjectCheck object(fmt::format("shape {} of {}", index + 1, owner.what), placed.place,
                           placed.keys, mistakes);
  if (!check_kind(object, placed, owner)) return false;
  const bool sound = std::visit(SizeCheck{object}, placed.shape);
  check_frame(object, placed, owner);
  object.number("rounding", placed.rounding, ranges::not_negative);
  if (placed.rounding > 0.0 && std::holds_alternative<HalfSpaceShape>(placed.shape)) {
    object.refuse("rounding", "'rounding' has no meaning for a half_space; move its 'position'");
  }
  object.number("density", placed.density, ranges::not_negative);
  check_hollow(object, placed, owner);
  check_touching(object, placed, owner);
  return sound && mistakes.size() == before;
}

bool check_shapes(const BodySpec& body, std::vector<Mistake>& mistakes) {
  if (body.keys.is_doubtful("kind")) return false;
  ShapeOwner owner{fmt::format("body '{}'", body.name)};
  owner.in_plane = body.kind == BodyKind::planar;
  owner.is_point = body.kind == BodyKind::point;
  bool sound = true;
  for (std::size_t i = 0; i < body.shapes.size(); ++i) {
    sound = check_shape(body.shapes[i], owner, i, mistakes) && sound;
  }
  return sound;
}

}  // namespace clatter
