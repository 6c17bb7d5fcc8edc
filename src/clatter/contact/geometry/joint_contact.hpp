#pragma once

#include <array>
#include <limits>
#include <span>
#include <variant>
#include <vector>

#include <clatter/contact/geometry/surface_pair.hpp>
#include <clatter/elements/pair_coordinate.hpp>
#include <clatter/elements/pair_slip.hpp>

namespace clatter {

enum class FrictionKind { sliding, rolling, drilling };

/// What joints, couplers and ropes oppose to motion as a contact does: stops, friction, clutches.
/// Nothing touches anywhere. Rows are sums of rows of pairs of nodes, of which there are at most
/// four besides the ground; hence frames say nothing of it, and Contact asks it for its rows.
///
/// Row 0 is the gradient of the gap
///
///   at_zero + sum of factor times coordinate
///
/// which a one-way clutch counts from where it was at the start of the step. Friction that presses
/// itself has no gap: it is closed for ever, and its law has the normal reaction; see ContactLaw.
class JointContact : public SurfacePair {
 public:
  /// For messages: model files cannot name it.
  static constexpr ContactGeometry geometry{
      .name = "joint_contact", .b = {.key = "", .noun = "sum"}, .a = {.key = "", .noun = "play"}};
  static constexpr bool has_chord = true;
  static constexpr std::size_t most_nodes = most_coupled_bodies;

  struct Term {
    std::variant<PairCoordinate, PairSlip> held;
    double factor = 1.0;
    std::size_t counter = 0;  ///< in the coordinates that count turns
  };
  /// Rows that friction resists together, with the radius of their ball over the normal reaction.
  struct Block {
    FrictionKind kind;
    double coefficient;
    std::vector<std::vector<Term>> rows;
  };
  enum class Normal {
    stop,      ///< the gap stays open
    ratchet,   ///< it only grows
    is_given,  ///< there is none: friction alone
  };
  /// `terms`: of the gap, none where the normal reaction is given.
  JointContact(Normal normal, double at_zero, std::vector<Term> terms,
               std::vector<Block> blocks = {});

  /// The stop of a coupler: the gap is what is left of the play,
  /// radius (play - side (sum of factor times coordinate - middle)).
  static JointContact stop(const JointContactSpec& spec, std::vector<Term> terms, double middle);

  /// Those that move first, then the ground.
  const std::array<int, most_nodes>& nodes() const { return nodes_; }
  int second_a() const { return nodes_[2]; }
  int second_b() const { return nodes_[3]; }
  double extent_a() const { return 0.0; }
  Normal normal() const { return normal_; }
  const std::vector<Block>& blocks() const { return blocks_; }

  /// `turns`: coordinates at the start of a step, from which turns are counted; without them angles
  /// are within half a turn.
  double gap(const Configuration& q, std::span<const double> turns = {}) const;
  /// Row i of all: of the gap, then of the blocks.
  void row(const Configuration& q, int i, Vec24& g) const;
  /// H(i, k): derivative of entry i of the row with respect to variation k.
  void hessian(const Configuration& q, int i, Mat24& H) const;
  ContactFrame frame(const Configuration& q, const Vec3& tangent) const;

 private:
  struct Placed {
    Term term;
    int a, b;  ///< first column of either node; negative: the ground
  };
  Placed placed(const Term& term);

  Normal normal_;
  std::vector<Block> blocks_;
  std::vector<std::vector<Placed>> rows_;
  std::array<int, most_nodes> nodes_{ground, ground, ground, ground};
  std::size_t node_count_ = 0;
  double at_zero_;  // the gap when all coordinates are zero
};

}  // namespace clatter
