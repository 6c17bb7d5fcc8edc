#pragma once

#include <clatter/contact/geometry/two_spheres.hpp>

namespace clatter {

class SphereInSphere : public TwoSpheres {
 public:
  /// It must be smaller.
  static void check(const ObjectCheck& object, const ContactSpec& contact);

  static constexpr ContactGeometry geometry{
      .name = "sphere_in_sphere",
      .b = sphere_surface,
      .a = {.key = "hollow", .noun = "hollow sphere", .is_sphere = true, .has_radius = true},
      .inside = true,
      .check = check};

  SphereInSphere(const ContactSpec& spec, int a, int b, bool planar)
      : TwoSpheres(spec, -1.0, a, b, planar) {}
};

}  // namespace clatter
