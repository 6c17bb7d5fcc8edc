#include <fmt/format.h>

#include <clatter/model/part_checks.hpp>

namespace clatter {
namespace {

void check_rotational(const ObjectCheck& object, const char* key, const Vec3& values,
                      const BodyChoice& a, const BodyChoice& b) {
  if (!object.vector(key, values, ranges::not_negative)) return;
  if (is_planar_pair(a, b) && !values.head<2>().isZero(0.0)) {
    object.refuse(key, fmt::format("'{}': planar bodies turn about z only, so write [0, 0, {}]",
                                   key, values[2]));
  }
  for (const BodyChoice* body : {&a, &b}) {
    if (!body->is(BodyKind::point) || values.isZero(0.0)) continue;
    object.refuse_key(key, fmt::format("point body '{}' does not turn, so '{}' has no meaning; "
                                       "leave it out",
                                       body->name(), key));
  }
}

}  // namespace

void check_bushing(const BushingSpec& bushing, BodyLookup& bodies, std::vector<Mistake>& mistakes) {
  const ObjectCheck object(fmt::format("bushing '{}'", bushing.name), bushing.place, bushing.keys,
                           mistakes);
  const BodyChoice a = find_body(object, "a", bushing.a.body, bodies);
  const BodyChoice b = find_body(object, "b", bushing.b.body, bodies);
  if (a.same_as(b)) {
    object.refuse("b", a.is_ground() ? "a bushing needs a body: 'a' and 'b' are both the ground"
                                     : fmt::format("'a' and 'b' are the same body '{}'", a.name()));
  }
  const auto in_plane = [&](const BodyChoice& body) {
    return body.is(BodyKind::planar) || (body.is_ground() && is_planar_pair(a, b));
  };
  check_point(object, "point_a", bushing.a.point, a, in_plane(a));
  check_point(object, "point_b", bushing.b.point, b, in_plane(b));
  bool good = object.vector("stiffness", bushing.stiffness, ranges::not_negative);
  good = object.vector("damping", bushing.damping, ranges::not_negative) && good;
  object.vector("preload", bushing.preload);
  check_rotational(object, "rotational_stiffness", bushing.rotational_stiffness, a, b);
  check_rotational(object, "rotational_damping", bushing.rotational_damping, a, b);
  for (const char* key : {"rotational_stiffness", "rotational_damping"}) {
    good = object.knows(key) && good;
  }
  const double sum = bushing.stiffness.sum() + bushing.damping.sum() +
                     bushing.rotational_stiffness.sum() + bushing.rotational_damping.sum();
  if (good && sum == 0.0) {
    object.refuse_object(
        "a bushing needs a stiffness or a damping that is not zero: give 'stiffness', 'damping', "
        "'rotational_stiffness' or 'rotational_damping'");
  }
}

}  // namespace clatter
