#pragma once

#include <limits>

#include <clatter/contact/geometry/sphere_about_axis.hpp>

namespace clatter {

/// A sphere of b and a straight round surface of a, without ends.
class SphereByCylinder : public SphereAboutAxis {
 public:
  double extent_a() const { return std::numeric_limits<double>::infinity(); }

  double gap(const Configuration& q) const;
  void gap_hessian(const Configuration& q, Mat12& H) const;
  ContactFrame frame(const Configuration& q, const Vec3& tangent) const;
  FrameDerivative derivative(const Configuration& q, const ContactFrame& frame) const;

  static Mesh picture(const ContactSpec& spec, double size);

 protected:
  /// `side`: 1 around the axis, as a shaft, -1 as a bore.
  SphereByCylinder(const ContactSpec& spec, int a, int b, bool planar, double side);

 private:
  double radius_a_, side_;
};

}  // namespace clatter
