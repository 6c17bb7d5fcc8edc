#pragma once

#include <vector>

#include <clatter/contact/shapes/nearest_points.hpp>

namespace clatter {

/// A circle in space.
struct Circle {
  Vec3 centre = Vec3::Zero();
  Mat3 axes = Mat3::Identity();  ///< it lies in x and y of these columns
  double radius = 0.0;

  Vec3 at(double angle) const;
};

/// Two numbers between which a distance lies.
struct DistanceBounds {
  double least, most;
};

/// How far a circle is from a convex solid, or from another circle: neither distance has one
/// minimum. Arcs are looked at as the chords between their ends, which are nearer than their
/// points by no more than the height of the arc, and halved where they may be nearest. Holds
/// scratch.
class CircleDistance {
 public:
  /// How far the two are apart is their distance less `radius`: the bounds tell it to a tenth; once
  /// it is less than a tenth of `radius`, to a tenth of `radius`.
  DistanceBounds find(const Circle& a, const Support& convex, double radius);
  DistanceBounds find(const Circle& a, const Circle& b, double radius);

 private:
  /// Arcs of either, from `middle` so far either way; the whole of what is convex has none.
  struct Arcs {
    double middle_a, half_a, middle_b, half_b;
    double least;  ///< not more than their distance
  };
  template <class ChordDistance>
  DistanceBounds refine(double radius_a, double radius_b, double radius,
                        const ChordDistance& distance);

  std::vector<Arcs> arcs_;
  VectorTable chord_a_, chord_b_;
};

}  // namespace clatter
