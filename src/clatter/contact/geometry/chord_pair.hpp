#pragma once

#include <clatter/contact/geometry/patch_pair.hpp>

namespace clatter {

/// The frame of the chord from one point to another: in the middle, with z along it; in the plane
/// with x along it.
NodeState chord_frame(const Vec3& one, const Vec3& two, bool planar);

/// Two patches of which one or both lie along the chord between two nodes: the straight line from
/// one to the other with a radius around it, as an element of a beam has. A place on the chord is
/// at
///
///   (1 - share) x_1 + share x_2
///
/// and moves so: the velocity there is (1 - share) v_1 + share v_2, the spin is the same mean of
/// the spins of the nodes, and a point of the surface has both. So a force is shared by the nodes
/// as their velocities are, and momentum, angular momentum and work are those of the force. The gap
/// depends on the positions of such nodes alone. Chords have no ends here: a share may be less than
/// zero and more than one.
class ChordPair : public SurfacePair {
 public:
  /// For messages: model files cannot name it.
  static constexpr ContactGeometry geometry{
      .name = "chords", .b = {.key = "", .noun = "beam"}, .a = {.key = "", .noun = "beam"}};
  static constexpr bool has_chord = true;

  /// A patch and the node that it is fixed in; with a `second` node a line along the chord, whose
  /// radius alone counts.
  struct Side {
    Patch patch;
    int node = ground, second = ground;
    bool is_chord() const { return second != ground; }
  };
  ChordPair(const Side& side_a, const Side& side_b, bool planar);

  int second_a() const { return sides_[0].second; }
  int second_b() const { return sides_[1].second; }
  double extent_a() const { return patches_.extent_a(); }

  double gap(const Configuration& q) const;
  /// Derivative of the row of the normal with respect to variations of the four nodes.
  void gap_hessian(const Configuration& q, Mat24& H) const;
  ContactFrame frame(const Configuration& q, const Vec3& tangent) const;
  /// As if the beam were straight.
  std::optional<Eigen::Matrix2d> curvature(const Configuration& q,
                                           const ContactFrame& frame) const {
    return patches_.curvature(place(sides_[0], q), place(sides_[1], q), frame);
  }
  ChordDerivative derivative(const Configuration& q, const ContactFrame& frame) const;

 private:
  struct Chord {
    int node, second;
    double radius;
  };
  NodeState place(const Chord& side, const Configuration& q) const;

  std::array<Chord, 2> sides_;
  PatchPair patches_;  // relative to the frames of the chords
};

/// A force at the place of contact and a torque, on b, and their derivatives.
struct ChordWrench {
  Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
  ChordDerivative::Of of_force = ChordDerivative::Of::Zero(), of_torque = of_force;
};
/// Derivative of the generalised forces of a wrench on b and its opposite on a. `nodes`: a, b,
/// second of a, second of b.
void wrench_derivative(const Configuration& q, const std::array<int, 4>& nodes,
                       const ContactFrame& frame, const ChordDerivative& d,
                       const ChordWrench& wrench, Mat24& derivative);

}  // namespace clatter
