#pragma once

#include <clatter/contact/geometry/sphere_by_cylinder.hpp>

namespace clatter {

/// A sphere of b inside a bore of a: a straight round hole without ends.
class SphereInBore : public SphereByCylinder {
 public:
  /// It must be smaller.
  static void check(const ObjectCheck& object, const ContactSpec& contact);

  static constexpr ContactGeometry geometry{
      .name = "sphere_in_bore",
      .b = sphere_surface,
      .a = {.key = "bore", .noun = "bore", .has_radius = true, .direction = "axis"},
      .inside = true,
      .in_plane = false,  // there it would be a circle, `hollow`
      .check = check};

  SphereInBore(const ContactSpec& spec, int a, int b, bool planar)
      : SphereByCylinder(spec, a, b, planar, -1.0) {}
};

}  // namespace clatter
