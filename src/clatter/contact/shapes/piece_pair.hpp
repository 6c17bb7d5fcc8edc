#pragma once

#include <vector>

#include <clatter/contact/geometry/patch_pair.hpp>
#include <clatter/contact/shapes/piece.hpp>
#include <clatter/contact/shapes/polytope_pair.hpp>

namespace clatter {

/// Where two convex solids, at least one of them round, are near each other. Each pair of their
/// pieces has a place where it is nearest and a normal there; the solids are as far apart as along
/// the best of these normals, and touch at the places where both go furthest along the normal. In a
/// container they are as far from the walls as the nearest pair of an extreme piece and a wall.
class PiecePair {
 public:
  void place(const Pieces& a, const NodeState& at_a, const Pieces& b, const NodeState& at_b,
             bool planar);

  /// As those of PolytopePair; a distance is not more than the true one, and less by a thousandth.
  double gap();
  /// Nearly flat on a plane a round edge runs along it faster than it comes down: its marks are to
  /// do for it unless they do not, and one looks `closely`.
  void find_touches(double reach, bool must_find, bool closely, std::vector<Touch>& touches);

  /// The pieces as a pair of patches.
  static PatchPair make_pair(Patch a, Patch b, int node_a, int node_b, bool planar);

 private:
  /// A pair of pieces that are nearer than some distance.
  struct Candidate {
    int a, b;
    PatchPair::Nearest at;
    double beyond_a, beyond_b;  ///< how far a and b go beyond the place along the normal
    double separation() const { return at.gap - beyond_a - beyond_b; }
  };
  template <class Visit>
  void for_each_candidate(double reach, const Visit& visit) const;
  bool can_meet(const Piece& a, const Piece& b) const;
  bool are_near(const Piece& a, const Piece& b, double reach) const;
  bool is_contained() const { return contains_a_ || contains_b_; }
  double least_apart() const;
  double tilt_of(const Candidate& of, bool is_rim_a) const;
  void leave_out_deeper_than(double least_merit, std::vector<Touch>& touches);

  const Pieces *a_ = nullptr, *b_ = nullptr;
  NodeState at_a_, at_b_;
  Vec3 shift_ = Vec3::Zero();  // from node a to node b, space axes
  double size_ = 0.0;
  bool planar_ = false;
  bool contains_a_ = false, contains_b_ = false;  // b, or a, is the container
  std::vector<double> merits_;                    // by touch: how far it separates the two
};

}  // namespace clatter
