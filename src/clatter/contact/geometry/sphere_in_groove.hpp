#pragma once

#include <clatter/contact/geometry/sphere_about_axis.hpp>

namespace clatter {

/// A sphere of b inside a groove of a: a tube around a circle, as the races of ball bearings have.
/// Touched is the side of the tube that the sphere is nearest to.
class SphereInGroove : public SphereAboutAxis {
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
  /// Where the centre of b is, seen from the nearest point of the circle.
  struct FromCircle {
    Centre centre;
    double from_axis;  ///< how far
    Vec3 outward;      ///< from the axis to the nearest point of the circle, unit vector
    Vec3 way;          ///< from there
    double off;        ///< its length
  };
  FromCircle from_circle(const Configuration& q) const;

  double circle_, tube_;
};

}  // namespace clatter
