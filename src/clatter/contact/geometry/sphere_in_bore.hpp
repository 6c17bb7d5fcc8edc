#pragma once

#include <limits>

#include <clatter/contact/geometry/sphere_about_axis.hpp>

namespace clatter {

/// A sphere of b inside a bore of a: a straight round hole without ends.
class SphereInBore : public SphereAboutAxis {
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

  SphereInBore(const ContactSpec& spec, int a, int b, bool planar);

  double extent_a() const { return std::numeric_limits<double>::infinity(); }

  double gap(const Configuration& q) const;
  void gap_hessian(const Configuration& q, Mat12& H) const;
  ContactFrame frame(const Configuration& q, const Vec3& tangent) const;
  FrameDerivative derivative(const Configuration& q, const ContactFrame& frame) const;

  static Mesh picture(const ContactSpec& spec, double size);

 private:
  double radius_a_;
};

}  // namespace clatter
