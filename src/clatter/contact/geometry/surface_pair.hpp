#pragma once

#include <concepts>
#include <optional>

#include <clatter/contact/geometry/contact_frame.hpp>
#include <clatter/math/mesh.hpp>
#include <clatter/model/specs.hpp>

namespace clatter {

/// A surface of node a and one of node b. Pairs inherit what they do not say otherwise; nothing is
/// virtual. A pair is smooth and has one place of contact: solids that touch in several are as many
/// pairs of their features, each a contact with an identity of its own, as for groups of spheres.
class SurfacePair {
 public:
  /// `spec` has its points already relative to the nodes. `planar`: neither leaves the x-y plane.
  SurfacePair(const ContactSpec& spec, int a, int b, bool planar)
      : SurfacePair(a, b, planar, spec.face.point, spec.point.point) {}
  SurfacePair(int a, int b, bool planar, const Vec3& point_a, const Vec3& point_b)
      : a_(a), b_(b), planar_(planar), point_a_(point_a), point_b_(point_b) {}

  /// The gap is linear in displacements, and tangents turn with a.
  static constexpr bool is_flat = false;
  /// A surface lies along the chord between two nodes; see ChordPair.
  static constexpr bool has_chord = false;
  /// `slip_coordinate(i)` reads off a where b is along tangent i.
  static constexpr bool has_slip_coordinates = false;

  /// Whether the surface of a ends somewhere, and whether the place of contact lies within.
  bool has_outline() const { return false; }
  bool over_face(const Configuration&) const { return true; }
  bool comes_through(const Configuration&, const Configuration&) const { return true; }

  /// Sum of the curvatures of both surfaces where they touch, positive where they bulge [1/m], over
  /// the tangents of the frame; none where one of them is sharp, or where it is not known.
  std::optional<Eigen::Matrix2d> curvature(const Configuration&, const ContactFrame&) const {
    return std::nullopt;
  }

  /// What is to be seen of the surface of a, in the frame of its body; `size` is that of the model.
  static Mesh picture(const ContactSpec&, double /*size*/) { return {}; }

 protected:
  int a_, b_;
  bool planar_;
  Vec3 point_a_, point_b_;
};

/// What a pair says itself.
template <class Pair>
concept ContactSurfaces = std::derived_from<Pair, SurfacePair> &&
    requires(const Pair& pair, const Configuration& q, const ContactFrame& frame, Mat12& H) {
  { Pair::geometry } -> std::convertible_to<ContactGeometry>;
  /// > 0 open.
  { pair.gap(q) } -> std::same_as<double>;
  /// Derivative of the row of the normal with respect to variations, as
  /// PairCoordinate::hessian; see normal_row_derivative.
  pair.gap_hessian(q, H);
  /// The row that its normal and arms give must be the derivative of the gap. Takes the first
  /// tangent before; see carry_tangents.
  { pair.frame(q, frame.tangents[0]) } -> std::same_as<ContactFrame>;
  { pair.derivative(q, frame) } -> std::same_as<FrameDerivative>;
  /// How far from node a the gap can depend on how a turns [m]; infinite without bounds.
  { pair.extent_a() } -> std::same_as<double>;
};

/// A pair that a contact of a model can ask for by name.
template <class Pair>
concept NamedContactSurfaces =
    ContactSurfaces<Pair> && std::constructible_from<Pair, const ContactSpec&, int, int, bool>;

}  // namespace clatter
