#pragma once

#include <clatter/contact/geometry/sphere_by_cylinder.hpp>

namespace clatter {

/// A sphere of b on a shaft of a: a straight round rod without ends.
class SphereOnShaft : public SphereByCylinder {
 public:
  static constexpr ContactGeometry geometry{
      .name = "sphere_on_shaft",
      .b = sphere_surface,
      .a = {.key = "shaft", .noun = "shaft", .has_radius = true, .direction = "axis"},
      .in_plane = false};  // there it would be a disc, `other`

  SphereOnShaft(const ContactSpec& spec, int a, int b, bool planar)
      : SphereByCylinder(spec, a, b, planar, 1.0) {}
};

}  // namespace clatter
