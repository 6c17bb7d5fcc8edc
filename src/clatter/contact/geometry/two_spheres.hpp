#pragma once

#include <clatter/contact/geometry/surface_pair.hpp>
#include <clatter/elements/pair_coordinate.hpp>

namespace clatter {

/// Two spheres, of which that of a may be hollow and have the other inside. In the plane discs.
class TwoSpheres : public SurfacePair {
 public:
  /// `sign`: 1 from outside, -1 from inside.
  TwoSpheres(const ContactSpec& spec, double sign, int a, int b, bool planar);

  /// A sphere that turns about its centre stays as it is.
  double extent_a() const { return point_a_.norm(); }

  double gap(const Configuration& q) const {
    return sign_ * distance_.value(q) - (radius_a_ + radius_b_);
  }
  void gap_hessian(const Configuration& q, Mat12& H) const;
  ContactFrame frame(const Configuration& q, const Vec3& tangent) const;
  FrameDerivative derivative(const Configuration& q, const ContactFrame& frame) const;
  std::optional<Eigen::Matrix2d> curvature(const Configuration&, const ContactFrame&) const {
    if (radius_a_ == 0.0 || radius_b_ == 0.0) return std::nullopt;
    return Eigen::Matrix2d((1.0 / radius_a_ + 1.0 / radius_b_) * Eigen::Matrix2d::Identity());
  }

 private:
  double sign_, radius_a_, radius_b_;  // negative: hollow
  PairCoordinate distance_;            // of the centres
};

}  // namespace clatter
