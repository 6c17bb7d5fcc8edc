#pragma once

#include <clatter/contact/geometry/surface_pair.hpp>

namespace clatter {

/// A sphere of b inside a groove of a: a tube around a circle, as the races of ball bearings have.
/// Touched is the side of the tube that the sphere is nearest to.
class SphereInGroove : public SurfacePair {
 public:
  /// It must be smaller than the tube, and that than the circle.
  static void check(const ObjectCheck& object, const ContactSpec& contact);

  static constexpr ContactGeometry geometry{.name = "sphere_in_groove",
                                            .b = sphere_surface,
                                            .a = {.key = "groove",
                                                  .noun = "groove",
                                                  .has_radius = true,
                                                  .direction = "axis",
                                                  .has_tube = true},
                                            .inside = true,
                                            .in_plane = false,
                                            .check = check};

  SphereInGroove(const ContactSpec& spec, int a, int b, bool planar);

  double extent_a() const { return point_a_.norm() + circle_ + tube_; }

  double gap(const Configuration& q) const;
  void gap_hessian(const Configuration& q, Mat12& H) const;
  ContactFrame frame(const Configuration& q, const Vec3& tangent) const;
  FrameDerivative derivative(const Configuration& q, const ContactFrame& frame) const;

  static Mesh picture(const ContactSpec& spec, double size);

 private:
  /// Where the centre of b is, seen from the centre of the circle.
  struct Centre {
    Vec3 lever_a, lever_b;  ///< from the nodes to that centre and to the centre of b
    Vec3 axis, from_centre;
    Vec3 outward;      ///< from the axis to the nearest point of the circle, unit vector
    double from_axis;  ///< how far
    Vec3 from_circle;  ///< from the nearest point of the circle
    double off;        ///< its length
  };
  Centre centre(const Configuration& q) const;

  Vec3 axis_;
  double circle_, tube_, radius_b_;
};

}  // namespace clatter
