#pragma once

#include <clatter/contact/geometry/surface_pair.hpp>

namespace clatter {

/// A sphere of b and a surface of a that is the same all around an axis.
class SphereAboutAxis : public SurfacePair {
 protected:
  SphereAboutAxis(const ContactSpec& spec, int a, int b, bool planar);

  /// Where the centre of b is, seen from a point of the axis.
  struct Centre {
    Vec3 lever_a, lever_b;  ///< from the nodes to that point and to the centre
    Vec3 axis, from_point;
    double along;    ///< the axis
    Vec3 from_axis;  ///< across it
  };
  Centre centre(const Configuration& q) const;

  struct CentreDerivative {
    FrameDerivative::Of lever_a, lever_b;
    FrameDerivative::Of foot;  ///< `along` the axis, from the point
    FrameDerivative::Of from_axis;
  };
  CentreDerivative derivative_of(const Centre& centre, const Configuration& q) const;

  Vec3 axis_;
  double radius_b_;
};

}  // namespace clatter
