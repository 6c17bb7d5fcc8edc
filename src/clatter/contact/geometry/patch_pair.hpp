#pragma once

#include <clatter/contact/geometry/patch.hpp>
#include <clatter/contact/geometry/surface_pair.hpp>

namespace clatter {

struct Crossing;

/// Two smooth patches. Where they are nearest is the solution (u, w, n, g) of
///
///   p_b(w) - p_a(u) - g n = 0,  n . p_a,i = 0,  n . p_b,j = 0,  (n . n - 1) / 2 = 0
///
/// with the points p of their cores in space axes; the gap is g - radius_a - radius_b. It stays
/// regular at g = 0 when the tangents span a plane, so that sharp edges go through each other
/// smoothly. Derivatives are those of the solution as an implicit function of the nodes.
///
/// Of several solutions it is the one where the patches touch first: least distance for cores that
/// are not convex, such as circles; for convex surfaces least depth when they overlap. All that is
/// computed is a function of q alone: nothing is kept from one call to the next.
///
/// No single place of contact have: planes and what is straight (lines, planes, cones, in space
/// also ellipses), parallel lines, a circle about the axis of what is round. There the gap is
/// still right and the derivatives are finite, but they are those of any one of the places.
class PatchPair : public SurfacePair {
 public:
  /// For messages: model files cannot name it.
  static constexpr ContactGeometry geometry{
      .name = "patches", .b = {.key = "", .noun = "patch"}, .a = {.key = "", .noun = "patch"}};

  /// Patches are relative to the nodes. In the plane: points, planes and ellipses whose axes, but
  /// for normals of planes, have z along that of space.
  PatchPair(const Patch& patch_a, const Patch& patch_b, int a, int b, bool planar);

  double extent_a() const;

  /// Where the patches are nearest.
  struct Nearest {
    Foot foot_a, foot_b;
    Vec3 point_a, point_b;  ///< on the surfaces, from node a, space axes
    Vec3 normal;            ///< from a to b
    double gap;
    /// The points lie over each other along the normal, and in the half of walls: else there
    /// is no such place.
    bool is_place;
  };
  Nearest nearest(const NodeState& A, const NodeState& B) const;
  /// The same to about a thousandth, in less time.
  Nearest roughly_nearest(const NodeState& A, const NodeState& B) const;

  double gap(const Configuration& q) const { return gap(q[a_], q[b_]); }
  void gap_hessian(const Configuration& q, Mat12& H) const;
  ContactFrame frame(const Configuration& q, const Vec3& tangent) const {
    return frame(q[a_], q[b_], tangent);
  }
  /// Both at once, in half the time. Returns the gap.
  double place(const Configuration& q, const Vec3& tangent, ContactFrame& frame) const {
    return place(q[a_], q[b_], tangent, frame);
  }
  FrameDerivative derivative(const Configuration& q, const ContactFrame& frame) const {
    return derivative(q[a_], q[b_], frame);
  }
  std::optional<Eigen::Matrix2d> curvature(const Configuration& q,
                                           const ContactFrame& frame) const {
    return curvature(q[a_], q[b_], frame);
  }
  // The same for nodes that are elsewhere.
  double gap(const NodeState& A, const NodeState& B) const;
  ContactFrame frame(const NodeState& A, const NodeState& B, const Vec3& tangent) const;
  FrameDerivative derivative(const NodeState& A, const NodeState& B,
                             const ContactFrame& frame) const;
  std::optional<Eigen::Matrix2d> curvature(const NodeState& A, const NodeState& B,
                                           const ContactFrame& frame) const;

 private:
  struct Solution;
  struct System;
  double gap_of(const Crossing& crossing) const;
  double place(const NodeState& A, const NodeState& B, const Vec3& tangent, ContactFrame& f) const;
  Solution start(const NodeState& A, const NodeState& B) const;
  Solution solve(const NodeState& A, const NodeState& B) const;
  Nearest nearest_at(const Solution& at) const;
  ContactFrame frame_at(const Solution& at, const Vec3& shift, const Vec3& tangent) const;
  FrameDerivative derivative_at(const Solution& at, const Mat3& R_a, const Mat3& R_b,
                                const ContactFrame& f) const;

  Patch patch_a_, patch_b_;
  int parameters_a_, parameters_b_;
};

}  // namespace clatter
