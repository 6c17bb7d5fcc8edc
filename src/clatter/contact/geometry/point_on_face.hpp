#pragma once

#include <clatter/contact/geometry/plane_face.hpp>

namespace clatter {

class PointOnFace : public PlaneFace {
 public:
  static constexpr ContactGeometry geometry = default_geometry;

  PointOnFace(const ContactSpec& spec, int a, int b, bool planar)
      : PlaneFace(spec, 0.0, a, b, planar) {}

  static constexpr bool has_slip_coordinates = true;
  PairCoordinate slip_coordinate(int tangent) const { return along(tangent); }
};

}  // namespace clatter
