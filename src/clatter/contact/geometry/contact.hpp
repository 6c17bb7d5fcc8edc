#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include <clatter/contact/law/friction_law.hpp>
#include <clatter/elements/pair_coordinate.hpp>
#include <clatter/model/specs.hpp>

namespace clatter {

/// Where two surfaces are nearest, in space axes.
struct ContactFrame {
  Vec3 normal;                   ///< from a to b
  std::array<Vec3, 2> tangents;  ///< T_1, T_2, N right-handed; in the plane T_1, N, T_2 = z
  Vec3 arm_a, arm_b;  ///< from the nodes to where they touch; b on a face: to the point of b
};

/// Derivatives of a contact frame with respect to variations of the two nodes, in the order of
/// PairCoordinate. Tangents follow the normal without turning about it.
struct FrameDerivative {
  using Of = Eigen::Matrix<double, 3, 12>;
  Of normal;
  std::array<Of, 2> tangents;
  Of arm_a, arm_b;
};

enum class FrictionKind { sliding, rolling, drilling };

/// Relative velocities of a contact that friction resists together.
struct FrictionBlock {
  FrictionKind kind = FrictionKind::sliding;
  int first_row = 1, rows = 0;
  double coefficient = 0.0;  ///< mu; [m] for rolling and drilling
  double restitution = 0.0;
};

/// Two surfaces that may touch: that of node a is a plane face or a sphere (convex or hollow), that
/// of node b a point or a sphere. Planar bodies have lines and discs. Rows of relative velocities
/// of b over a: 0 along the normal, then those of the friction blocks.
class Contact {
 public:
  /// `spec` has its points already relative to the nodes.
  Contact(const ContactSpec& spec, int a, int b, const std::vector<Node>& nodes);

  const std::string& name() const { return name_; }
  const Place& place() const { return place_; }
  ContactGeometry geometry() const { return geometry_; }
  int a() const { return a_; }
  int b() const { return b_; }
  double restitution() const { return restitution_; }
  double restitution_of_row(int row) const;
  bool has_restitution() const;  ///< in any row

  int rows() const { return rows_; }
  std::span<const FrictionBlock> blocks() const { return {blocks_.data(), block_count_}; }
  /// Null when nothing of the kind resists.
  const FrictionBlock* block(FrictionKind kind) const;
  int first_row = 0;  ///< in the order of all contacts of a list
  int end_row() const { return first_row + rows_; }
  int group = -1;  ///< that found it; none for contacts of their own

  /// > 0 open.
  double gap(const Configuration& q) const { return sign_ * coordinate_.value(q) + offset_; }
  /// Derivative of row 0 with respect to variations, as PairCoordinate::hessian.
  void gap_hessian(const Configuration& q, Mat12& H) const;
  /// True when the foot on the plane lies inside the outline of the face.
  bool over_face(const Configuration& q) const;
  /// Faces are flat: the gap is linear in displacements.
  bool has_face() const;
  bool has_outline() const { return !outline_.empty(); }

  /// Tangents turn as little as they can from `tangent`, the first of them before; any may be given
  /// at the start, and faces bring their own.
  ContactFrame frame(const Configuration& q, const Vec3& tangent) const;
  /// The rows at q, in a frame of q.
  void rates(const Configuration& q, const ContactFrame& frame, PairRows& rows) const;

  FrameDerivative derivative(const Configuration& q, const ContactFrame& frame) const;
  /// d(rows v)/dq for the velocities v of both nodes.
  void rates_derivative(const Configuration& q, const ContactFrame& frame, const FrameDerivative& d,
                        const Vec12& v, PairRows& derivative) const;
  /// d(rows)/dt while the nodes move with v.
  void rows_rate(const Configuration& q, const ContactFrame& frame, const FrameDerivative& d,
                 const Vec12& v, PairRows& rate) const;
  /// d(rows^T reaction)/dq
  void force_derivative(const Configuration& q, const ContactFrame& frame, const FrameDerivative& d,
                        const RowVector& reaction, Mat12& derivative) const;

  /// A point on a face: slip is read off the face, by one coordinate for each row of sliding. Else
  /// it is counted from the start of a step: the rows there times the increments.
  bool slides_by_coordinates() const {
    return geometry_ == ContactGeometry::point_on_face && patch_ == 0.0;
  }
  const PairCoordinate& slip_coordinate(int row) const { return slip_coordinates_[row - 1]; }
  int slip_rows() const { return static_cast<int>(slip_coordinates_.size()); }

  /// Directions of a face, in the frame of its body.
  const Vec3& tangent(int i) const { return tangents_[i]; }
  const Vec3& normal() const { return normal_; }

 private:
  /// Calls translation(row, i) or rotation(row, i, factor) for each row, with i the direction: 0
  /// the normal, 1 and 2 the tangents.
  template <class Translation, class Rotation>
  void visit_rows(const Translation& translation, const Rotation& rotation) const;
  void add_block(FrictionKind kind, int rows, double coefficient, double restitution);

  std::string name_;
  Place place_;
  ContactGeometry geometry_;
  int a_, b_;
  bool planar_;
  Vec3 point_a_, point_b_, normal_;
  double radius_a_, radius_b_;  // negative: hollow
  std::array<Vec3, 2> tangents_;
  double patch_ = 0.0;  // factor on the normal angular velocity, Coulomb-Contensou
  double restitution_;
  std::array<FrictionBlock, max_friction_blocks> blocks_;
  std::size_t block_count_ = 0;
  int rows_ = 1;
  std::vector<Vec3> outline_;
  double sign_ = 1.0, offset_ = 0.0;
  PairCoordinate coordinate_;  // the gap but for sign and offset
  std::vector<PairCoordinate> slip_coordinates_;
};

}  // namespace clatter
