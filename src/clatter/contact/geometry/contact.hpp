#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include <clatter/contact/geometry/contact_pair.hpp>
#include <clatter/contact/law/friction_law.hpp>

namespace clatter {

enum class FrictionKind { sliding, rolling, drilling };

/// Relative velocities of a contact that friction resists together.
struct FrictionBlock {
  FrictionKind kind = FrictionKind::sliding;
  int first_row = 1, rows = 0;
  double coefficient = 0.0;  ///< mu; [m] for rolling and drilling
  double restitution = 0.0;
};

/// A surface of node a and one of node b that may touch. Rows of relative velocities of b over a:
/// 0 along the normal, then those of the friction blocks.
class Contact {
 public:
  /// `spec` has its points already relative to the nodes.
  Contact(const ContactSpec& spec, int a, int b, const std::vector<Node>& nodes);
  /// Of a pair that `spec` need not name; the laws are those of `spec`.
  Contact(const ContactSpec& spec, ContactPair pair, int a, int b, const std::vector<Node>& nodes);
  /// Neither node leaves the x-y plane.
  static bool is_planar(const Node& a, const Node& b);

  const std::string& name() const { return name_; }
  const Place& place() const { return place_; }
  const ContactGeometry& geometry() const;
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
  double gap(const Configuration& q) const {
    return std::visit([&](const auto& pair) { return pair.gap(q); }, pair_);
  }
  /// Derivative of row 0 with respect to variations, as PairCoordinate::hessian.
  void gap_hessian(const Configuration& q, Mat12& H) const;
  /// True when the foot on the face lies inside its outline.
  bool over_face(const Configuration& q) const;
  /// Faces are flat: the gap is linear in displacements.
  bool has_face() const { return has_face_; }
  bool has_outline() const { return has_outline_; }
  /// How far from node a the gap can depend on how a turns [m]; infinite without bounds.
  double extent_a() const;

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
  bool slides_by_coordinates() const { return slides_by_coordinates_; }
  const PairCoordinate& slip_coordinate(int row) const { return slip_coordinates_[row - 1]; }
  int slip_rows() const { return static_cast<int>(slip_coordinates_.size()); }

 private:
  /// Calls translation(row, i) or rotation(row, i, factor) for each row, with i the direction: 0
  /// the normal, 1 and 2 the tangents.
  template <class Translation, class Rotation>
  void visit_rows(const Translation& translation, const Rotation& rotation) const;
  void add_block(FrictionKind kind, int rows, double coefficient, double restitution);
  template <class Pair>
  void take_from(const Pair& pair);

  std::string name_;
  Place place_;
  int a_, b_;
  bool planar_;
  ContactPair pair_;
  bool has_face_ = false, has_outline_ = false, slides_by_coordinates_ = false;
  double patch_ = 0.0;  // factor on the normal angular velocity, Coulomb-Contensou
  double restitution_;
  std::array<FrictionBlock, max_friction_blocks> blocks_;
  std::size_t block_count_ = 0;
  int rows_ = 1;
  std::vector<PairCoordinate> slip_coordinates_;
};

}  // namespace clatter
