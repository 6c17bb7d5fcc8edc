#pragma once

#include <clatter/contact/geometry/two_spheres.hpp>

namespace clatter {

class SphereOnSphere : public TwoSpheres {
 public:
  static constexpr ContactGeometry geometry{
      .name = "sphere_on_sphere",
      .b = sphere_surface,
      .a = {.key = "other", .noun = "sphere", .is_sphere = true, .has_radius = true}};

  SphereOnSphere(const ContactSpec& spec, int a, int b, bool planar)
      : TwoSpheres(spec, 1.0, a, b, planar) {}
};

}  // namespace clatter
