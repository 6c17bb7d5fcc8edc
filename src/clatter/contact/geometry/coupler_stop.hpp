#pragma once

#include <array>
#include <span>
#include <vector>

#include <clatter/contact/geometry/surface_pair.hpp>
#include <clatter/elements/pair_coordinate.hpp>

namespace clatter {

/// A stop of a coupler with play. Nothing touches anywhere: the gap is what is left of the play,
///
///   radius (play - side (sum of factor times coordinate - middle))
///
/// and its row is the gradient of that over the nodes of all coordinates, of which there are at
/// most four besides the ground. Hence frames say nothing of it, and Contact asks it for its rows.
class CouplerStop : public SurfacePair {
 public:
  /// For messages: model files cannot name it.
  static constexpr ContactGeometry geometry{
      .name = "coupler_stop", .b = {.key = "", .noun = "sum"}, .a = {.key = "", .noun = "play"}};
  static constexpr bool has_chord = true;
  static constexpr std::size_t most_nodes = most_coupled_bodies;

  struct Term {
    PairCoordinate coordinate;
    double factor = 1.0;
    std::size_t counter = 0;  ///< in the coordinates that count turns
  };
  /// `middle`: what the sum would be without play.
  CouplerStop(const CouplerStopSpec& spec, std::vector<Term> terms, double middle);

  /// Those that move first, then the ground.
  const std::array<int, most_nodes>& nodes() const { return nodes_; }
  int second_a() const { return nodes_[2]; }
  int second_b() const { return nodes_[3]; }
  double extent_a() const { return 0.0; }

  /// `turns`: coordinates at the start of a step, from which turns are counted; without them angles
  /// are within half a turn.
  double gap(const Configuration& q, std::span<const double> turns = {}) const;
  void row(const Configuration& q, Vec24& g) const;
  /// H(i, k): derivative of entry i of the row with respect to variation k.
  void gap_hessian(const Configuration& q, Mat24& H) const;
  ContactFrame frame(const Configuration& q, const Vec3& tangent) const;

 private:
  struct Place {
    int a, b;  ///< first column of either node of a term; negative: the ground
  };
  std::vector<Term> terms_;  // factors are those of the gap
  std::vector<Place> places_;
  std::array<int, most_nodes> nodes_{ground, ground, ground, ground};
  double at_zero_;  // the gap when all coordinates are zero
};

}  // namespace clatter
