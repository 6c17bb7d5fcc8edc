#include <fmt/format.h>

#include <clatter/model/part_checks.hpp>

namespace clatter {
namespace {

bool is_constant_zero(const std::array<Expression, 3>& vector) {
  for (const Expression& e : vector) {
    if (!e.is_constant() || e(0.0) != 0.0) return false;
  }
  return true;
}

}  // namespace

void check_load(const LoadSpec& load, BodyLookup& bodies, std::vector<Mistake>& mistakes) {
  const ObjectCheck object(fmt::format("load '{}'", load.name), load.place, load.keys, mistakes);
  const BodyChoice body = find_body(object, "body", load.at.body, bodies);
  if (body.is_ground()) {
    object.refuse("body", "a load needs a body that can move, not the ground");
  }
  check_point(object, "point", load.at.point, body, body.is(BodyKind::planar));
  if (body.is(BodyKind::planar)) {
    object.formulas_in_plane("force", load.force);
    object.formulas_about_z("torque", load.torque);
    return;
  }
  object.formulas("force", load.force);
  if (body.is(BodyKind::point) && !is_constant_zero(load.torque)) {
    object.refuse(
        "torque",
        fmt::format("point body '{}' does not turn, so it cannot carry a torque", body.name()));
    return;
  }
  object.formulas("torque", load.torque);
}

}  // namespace clatter
