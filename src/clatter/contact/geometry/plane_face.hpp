#pragma once

#include <limits>
#include <vector>

#include <clatter/contact/geometry/surface_pair.hpp>
#include <clatter/elements/pair_coordinate.hpp>

namespace clatter {

/// A plane face of a, with or without outline, and a sphere of b over it; of radius 0 a point. For
/// planar bodies a line.
class PlaneFace : public SurfacePair {
 public:
  PlaneFace(const ContactSpec& spec, double radius, int a, int b, bool planar);

  static constexpr bool is_flat = true;
  bool has_outline() const { return !outline_.empty(); }
  bool over_face(const Configuration& q) const { return is_inside(foot(q)); }
  bool comes_through(const Configuration& from, const Configuration& to) const;
  double extent_a() const { return std::numeric_limits<double>::infinity(); }

  double gap(const Configuration& q) const { return height_.value(q) - radius_; }
  void gap_hessian(const Configuration& q, Mat12& H) const { height_.hessian(q, H); }
  /// The face brings its own tangents.
  ContactFrame frame(const Configuration& q, const Vec3& tangent) const;
  FrameDerivative derivative(const Configuration& q, const ContactFrame& frame) const;

  std::optional<Eigen::Matrix2d> curvature(const Configuration&, const ContactFrame&) const {
    if (!(radius_ > 0.0)) return std::nullopt;
    return Eigen::Matrix2d(Eigen::Matrix2d::Identity() / radius_);
  }

  static Mesh picture(const ContactSpec& spec, double size);

 protected:
  /// Of the centre of b along a tangent, from the point of the face.
  PairCoordinate along(int tangent) const;

 private:
  /// Of the centre of b, along the tangents.
  Eigen::Vector2d foot(const Configuration& q) const;
  bool is_inside(const Eigen::Vector2d& foot) const;

  double radius_;
  Vec3 normal_;
  std::array<Vec3, 2> tangents_;  // fixed in a, as the normal
  std::vector<Vec3> outline_;
  PairCoordinate height_;  // of the centre of b
};

/// A plane face: its outline, or a square of edge `size` about `point` when it has none.
Mesh tessellate_face(const Vec3& point, const Vec3& normal, const std::vector<Vec3>& outline,
                     double size);

}  // namespace clatter
