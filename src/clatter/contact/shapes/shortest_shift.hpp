#pragma once

#include <array>
#include <vector>

#include <clatter/contact/shapes/nearest_points.hpp>

namespace clatter {

/// How far two convex solids that overlap would have to be shifted apart. The expanding polytope
/// algorithm (van den Bergen 2001): among the differences of their points a polytope grows over the
/// face that is nearest to the origin. Holds scratch.
class ShortestShift {
 public:
  /// How far they are apart along the direction that tells most: less than zero, and never more
  /// than it is. It is less by no more than `precision`, unless the solids are flat.
  double find(const Support& a, const Support& b, double precision);

 private:
  struct Face {
    std::array<int, 3> corners;  // counter-clockwise seen from outside
    Vec3 normal;
    double offset;
  };
  struct Side {
    int from, to;
  };
  bool add_face(int i, int j, int k);
  bool grow_to(int point, double margin);

  std::vector<Vec3> points_;
  std::vector<Face> faces_;
  std::vector<Side> sides_;  // around what is seen from a new point
};

}  // namespace clatter
