#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <clatter/contact/geometry/contact_pair.hpp>
#include <clatter/contact/law/compliant_law.hpp>
#include <clatter/contact/law/friction_law.hpp>

namespace clatter {

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
  /// `spec` has its points already relative to the nodes, and the stiffness of its compliance.
  Contact(const ContactSpec& spec, int a, int b, const std::vector<Node>& nodes);
  /// Of a pair that `spec` need not name; the laws are those of `spec`.
  Contact(const ContactSpec& spec, ContactPair pair, int a, int b, const std::vector<Node>& nodes);
  /// Neither node leaves the x-y plane.
  static bool is_planar(const Node& a, const Node& b);

  const std::string& name() const { return name_; }
  const Place& place() const { return place_; }
  bool is_planar() const { return planar_; }
  const ContactGeometry& geometry() const;
  int a() const { return a_; }
  int b() const { return b_; }
  /// A side that lies along the chord between two nodes has a second one; else it is the ground.
  int second_a() const { return second_a_; }
  int second_b() const { return second_b_; }
  /// Its rows are over four nodes: a side lies along a chord, or joints have it.
  bool has_chord() const { return has_chord_; }
  /// Of joints or ropes: it has rows, but no place.
  bool is_placeless() const { return std::holds_alternative<JointContact>(pair_); }
  /// In the order of the columns of what has 24 of them.
  std::array<int, 4> nodes() const { return {a_, b_, second_a_, second_b_}; }
  /// Its normal reaction is given, whatever the motion: friction that is pressed by itself.
  bool is_pressed() const {
    const auto* of_joints = std::get_if<JointContact>(&pair_);
    return of_joints != nullptr && of_joints->normal() == JointContact::Normal::is_given;
  }
  double restitution() const { return restitution_; }
  double restitution_of_row(int row) const;
  bool has_restitution() const;  ///< in any row
  /// Forces of its impacts are to be recovered, for which a run must tell more of them.
  bool is_recovered() const { return is_recovered_; }
  /// How its surfaces give way; null: they are hard.
  const CompliantLaw* compliance() const { return compliance_ ? &*compliance_ : nullptr; }

  int rows() const { return rows_; }
  std::span<const FrictionBlock> blocks() const { return {blocks_.data(), block_count_}; }
  /// Null when nothing of the kind resists.
  const FrictionBlock* block(FrictionKind kind) const;
  int first_row = 0;  ///< in the order of all contacts of a list
  int end_row() const { return first_row + rows_; }
  int group = -1;  ///< that found it; none for contacts of their own

  /// > 0 open. `turns`: those of State, for the stops of couplers.
  double gap(const Configuration& q, std::span<const double> turns = {}) const {
    if (const auto* of_joints = std::get_if<JointContact>(&pair_)) return of_joints->gap(q, turns);
    return std::visit([&](const auto& pair) { return pair.gap(q); }, pair_);
  }
  /// Derivative of row 0 with respect to variations, as PairCoordinate::hessian.
  void gap_hessian(const Configuration& q, Mat12& H) const;
  /// True when the foot on the face lies inside its outline.
  bool over_face(const Configuration& q) const;
  /// Whether the foot lies inside where the gap closes between two configurations; at the end of
  /// those where it does not.
  bool comes_through(const Configuration& from, const Configuration& to) const;
  /// Faces are flat: the gap is linear in displacements.
  bool has_face() const { return has_face_; }
  bool has_outline() const { return has_outline_; }
  /// How far from node a the gap can depend on how a turns [m]; infinite without bounds.
  double extent_a() const;

  /// Tangents turn as little as they can from `tangent`, the first of them before; any may be given
  /// at the start, and faces bring their own.
  ContactFrame frame(const Configuration& q, const Vec3& tangent) const;
  /// The frame and the gap, which is returned.
  double place(const Configuration& q, std::span<const double> turns, const Vec3& tangent,
               ContactFrame& frame) const;
  /// The rows at q, in a frame of q.
  void rates(const Configuration& q, const ContactFrame& frame, PairRows& rows) const;

  /// As SurfacePair has it.
  std::optional<Eigen::Matrix2d> curvature(const Configuration& q,
                                           const ContactFrame& frame) const {
    return std::visit([&](const auto& pair) { return pair.curvature(q, frame); }, pair_);
  }

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

  // The same for contacts with a chord, over all four nodes.
  void rates(const Configuration& q, const ContactFrame& frame, PairRows& rows,
             PairRows& second_rows) const;
  void gap_hessian(const Configuration& q, Mat24& H) const;
  ChordDerivative chord_derivative(const Configuration& q, const ContactFrame& frame) const;
  void rates_derivative(const Configuration& q, const ContactFrame& frame, const ChordDerivative& d,
                        const Vec24& v, TwoPairRows& derivative) const;
  void rows_rate(const Configuration& q, const ContactFrame& frame, const ChordDerivative& d,
                 const Vec24& v, TwoPairRows& rate) const;
  void force_derivative(const Configuration& q, const ContactFrame& frame, const ChordDerivative& d,
                        const RowVector& reaction, Mat24& derivative) const;
  /// Where they touch, on b; on a face the point of b.
  Vec3 position(const Configuration& q, const ContactFrame& frame) const {
    const Vec3& first = q[static_cast<std::size_t>(b_)].x;
    if (second_b_ == ground) return first + frame.arm_b;
    const Vec3& second = q[static_cast<std::size_t>(second_b_)].x;
    return first + frame.share_b * (second - first) + frame.arm_b;
  }

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
  int second_a_ = ground, second_b_ = ground;
  bool planar_;
  ContactPair pair_;
  bool has_chord_ = false, has_face_ = false, has_outline_ = false, slides_by_coordinates_ = false;
  double patch_ = 0.0;  // factor on the normal angular velocity, Coulomb-Contensou
  double restitution_;
  bool is_recovered_;
  std::optional<CompliantLaw> compliance_;
  std::array<FrictionBlock, max_friction_blocks> blocks_;
  std::size_t block_count_ = 0;
  int rows_ = 1;
  std::vector<PairCoordinate> slip_coordinates_;
};

template <class Translation, class Rotation>
void Contact::visit_rows(const Translation& translation, const Rotation& rotation) const {
  translation(0, 0);
  for (const FrictionBlock& block : blocks()) {
    switch (block.kind) {
      case FrictionKind::sliding: {
        const int directions = block.rows - (patch_ > 0.0 ? 1 : 0);
        for (int i = 0; i < directions; ++i) translation(block.first_row + i, 1 + i);
        if (patch_ > 0.0) rotation(block.first_row + directions, 0, patch_);
        break;
      }
      case FrictionKind::rolling:
        if (planar_) {
          rotation(block.first_row, 2, 1.0);
        } else {
          for (int i = 0; i < 2; ++i) rotation(block.first_row + i, 1 + i, 1.0);
        }
        break;
      case FrictionKind::drilling:
        rotation(block.first_row, 0, 1.0);
        break;
    }
  }
}

}  // namespace clatter
