#pragma once

#include <vector>

#include <clatter/contact/geometry/patch_pair.hpp>
#include <clatter/contact/shapes/circle_distance.hpp>
#include <clatter/contact/shapes/piece.hpp>
#include <clatter/contact/shapes/polytope_pair.hpp>
#include <clatter/contact/shapes/shortest_shift.hpp>

namespace clatter {

/// Where two solids, at least one of them round, are near each other. Each pair of their pieces has
/// a place where it is nearest and a normal there. Convex solids are as far apart as along the best
/// of these normals, and touch at the places where both go furthest along the normal. In a
/// container they are as far from the walls as the nearest pair of an extreme piece and a wall. A
/// ring is as far from another solid as its circle, less the radius of its tube, and touches it
/// wherever that distance has a minimum along the circle.
class PiecePair {
 public:
  void place(const Pieces& a, const NodeState& at_a, const Pieces& b, const NodeState& at_b,
             bool planar);

  /// As those of PolytopePair; a distance is not more than the true one, and less by a thousandth,
  /// of a ring by a tenth. Rings overlap by no more than the radius of their tube.
  double gap();
  /// What touches are wanted.
  struct Look {
    double reach = 0.0;      ///< nearer ones
    bool must_find = false;  ///< one at least, where they meet
    /// Nearly flat on a plane a round edge runs along it faster than it comes down: its marks are
    /// to do for it, unless they do not, and one looks closely.
    bool closely = false;
    double turn = 0.0;  ///< by how much the solids may turn before they are looked at again [rad]
  };
  void find_touches(const Look& look, std::vector<Touch>& touches);

  /// The pieces as a pair of patches.
  static PatchPair make_pair(Patch a, Patch b, int node_a, int node_b, bool planar);

 private:
  /// A pair of pieces that are nearer than some distance.
  struct Candidate {
    int a, b;
    PatchPair::Nearest at;
    double beyond_a, beyond_b;  ///< how far a and b go beyond the place along the normal
    /// How far the solids are apart along the normal: not more than their distance, whether or not
    /// the place was found.
    double separation;
  };
  template <class Visit>
  void for_each_candidate(double reach, const Visit& visit) const;
  bool can_meet(const Piece& a, const Piece& b) const;
  bool are_near(const Piece& a, const Piece& b, double reach) const;
  bool is_contained() const { return contains_a_ || contains_b_; }
  /// A ring meets what is not around it.
  bool has_ring() const { return !is_contained() && (is_ring_a_ || is_ring_b_); }
  double gap_of_ring();
  /// Around the circles of both, or of the one ring.
  double tube_radius() const;
  /// Along a unit vector, in space axes from node a.
  Vec3 furthest_of_a(const Vec3& n) const;
  Vec3 furthest_of_b(const Vec3& n) const;
  double least_apart() const;
  double tilt_of(const Candidate& of, bool is_rim_a) const;
  /// The feet of a candidate are on its pieces, but for `margin`.
  bool is_within(const Candidate& found, double margin) const;
  void add_unless_known(const Touch& touch, const Candidate& found, double margin,
                        std::vector<Touch>& touches);
  void leave_out_deeper_than(double least_merit, std::vector<Touch>& touches);

  const Pieces *a_ = nullptr, *b_ = nullptr;
  NodeState at_a_, at_b_;
  Vec3 shift_ = Vec3::Zero();  // from node a to node b, space axes
  double size_ = 0.0;
  bool planar_ = false;
  bool contains_a_ = false, contains_b_ = false;  // b, or a, is the container
  bool is_ring_a_ = false, is_ring_b_ = false;
  CircleDistance circle_distance_;
  ShortestShift shortest_shift_;
  std::vector<double> merits_;  // by touch: how far it separates the two
  struct Place {
    Vec3 point, normal;
    bool is_own;  // on the arc that it was found from
  };
  std::vector<Place> places_;  // by touch, of rings
};

}  // namespace clatter
