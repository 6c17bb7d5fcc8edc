#pragma once

#include <clatter/contact/geometry/plane_face.hpp>

namespace clatter {

/// In the plane a disc on a line.
class SphereOnFace : public PlaneFace {
 public:
  static constexpr ContactGeometry geometry{
      .name = "sphere_on_face", .b = sphere_surface, .a = face_surface};

  SphereOnFace(const ContactSpec& spec, int a, int b, bool planar)
      : PlaneFace(spec, spec.radius, a, b, planar) {}
};

}  // namespace clatter
