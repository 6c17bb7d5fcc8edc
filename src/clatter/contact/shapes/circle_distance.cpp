#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include <clatter/contact/shapes/circle_distance.hpp>

namespace clatter {
namespace {

constexpr double precision = 0.1;  // see find()
constexpr int first_arcs = 4;

/// How far points of an arc are from its chord, at most.
double height_of(double radius, double half) { return radius * (1.0 - std::cos(half)); }

std::array<Vec3, 2> chord_of(const Circle& circle, double middle, double half) {
  return {circle.at(middle - half), circle.at(middle + half)};
}

void fill(const std::array<Vec3, 2>& points, VectorTable& table) {
  table.resize(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) table.set(i, points[i]);
}

}  // namespace

Vec3 Circle::at(double angle) const {
  return centre + radius * (std::cos(angle) * axes.col(0) + std::sin(angle) * axes.col(1));
}

/// The arcs that may be nearest are halved first, the higher of two.
template <class ChordDistance>
DistanceBounds CircleDistance::refine(double radius_a, double radius_b, double radius,
                                      const ChordDistance& distance) {
  arcs_.clear();
  double most = std::numeric_limits<double>::infinity();
  const auto is_further = [](const Arcs& one, const Arcs& other) {
    return one.least > other.least;
  };
  const auto add = [&](Arcs arcs) {
    const double height = height_of(radius_a, arcs.half_a) + height_of(radius_b, arcs.half_b);
    const auto [least, no_more] = distance(arcs);
    arcs.least = std::max(0.0, least - height);
    most = std::min(most, no_more + height);
    if (arcs.least > most) return;
    arcs_.push_back(arcs);
    std::push_heap(arcs_.begin(), arcs_.end(), is_further);
  };
  constexpr double half = std::numbers::pi / first_arcs;
  for (int i = 0; i < first_arcs; ++i) {
    for (int k = 0; k < (radius_b > 0.0 ? first_arcs : 1); ++k) {
      add({2.0 * half * i, half, 2.0 * half * k, radius_b > 0.0 ? half : 0.0, 0.0});
    }
  }
  while (!arcs_.empty()) {
    const Arcs nearest = arcs_.front();
    const double unsure = most - nearest.least, apart = nearest.least - radius;
    const bool is_near = apart < precision * radius;
    if (unsure <= precision * (is_near ? radius : apart)) return {nearest.least, most};
    std::pop_heap(arcs_.begin(), arcs_.end(), is_further);
    arcs_.pop_back();
    const bool halves_a =
        height_of(radius_a, nearest.half_a) >= height_of(radius_b, nearest.half_b);
    for (const double side : {-0.5, 0.5}) {
      Arcs part = nearest;
      double& middle = halves_a ? part.middle_a : part.middle_b;
      double& half_arc = halves_a ? part.half_a : part.half_b;
      middle += side * half_arc;
      half_arc *= 0.5;
      add(part);
    }
  }
  return {most, most};  // nothing is nearer
}

DistanceBounds CircleDistance::find(const Circle& a, const Support& convex, double radius) {
  constexpr double of_chord = 1e-3;
  return refine(a.radius, 0.0, radius, [&](const Arcs& arcs) {
    const std::array<Vec3, 2> chord = chord_of(a, arcs.middle_a, arcs.half_a);
    const auto support = [&chord](const Vec3& n) -> Vec3 {
      return n.dot(chord[1] - chord[0]) > 0.0 ? chord[1] : chord[0];
    };
    const double least = least_distance(support, convex, of_chord);
    return DistanceBounds{least, least / (1.0 - of_chord)};
  });
}

DistanceBounds CircleDistance::find(const Circle& a, const Circle& b, double radius) {
  return refine(a.radius, b.radius, radius, [&](const Arcs& arcs) {
    fill(chord_of(a, arcs.middle_a, arcs.half_a), chord_a_);
    fill(chord_of(b, arcs.middle_b, arcs.half_b), chord_b_);
    const double distance =
        find_nearest_points(chord_a_, chord_b_, chord_b_[0] - chord_a_[0]).distance;
    return DistanceBounds{distance, distance};
  });
}

}  // namespace clatter
