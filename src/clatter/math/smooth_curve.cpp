#include <algorithm>
#include <cmath>

#include <clatter/math/smooth_curve.hpp>

namespace clatter {
namespace {

/// Of arcs that turn less a radius would say nothing: they are straight [rad].
constexpr double smallest_arc = 1e-6;
constexpr int most_halvings = 12;

/// Between two points, by values and slopes at both ends.
struct Cubic {
  Vec2 from, to, slope_from, slope_to;
  double length;

  Vec2 at(double t) const {
    const double s = 1.0 - t;
    return s * s * (1.0 + 2.0 * t) * from + t * t * (1.0 + 2.0 * s) * to +
           length * s * t * (s * slope_from - t * slope_to);
  }
  Vec2 slope(double t) const {
    const double s = 1.0 - t;
    return 6.0 * s * t / length * (to - from) + s * (s - 2.0 * t) * slope_from +
           t * (t - 2.0 * s) * slope_to;
  }
};

/// The slopes at all points for which second derivatives are continuous. In their equations each
/// slope weighs as much as twice its neighbours together: sweeps halve the error at least.
std::vector<Vec2> slopes_of(const std::vector<Vec2>& points, const std::vector<double>& lengths) {
  constexpr int sweeps = 60;
  const std::size_t n = points.size();
  std::vector<Vec2> slopes(n, Vec2::Zero());
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t last = (i + n - 1) % n, next = (i + 1) % n;
      const double before = lengths[last], after = lengths[i];
      const Vec2 chords = 3.0 * (after / before * (points[i] - points[last]) +
                                 before / after * (points[next] - points[i]));
      slopes[i] =
          (chords - after * slopes[last] - before * slopes[next]) / (2.0 * (before + after));
    }
  }
  return slopes;
}

Arc arc_along(const Vec2& begin, const Vec2& end, const Vec2& direction, bool at_begin) {
  const Vec2 chord = end - begin;
  const double angle = at_begin ? std::atan2(cross(direction, chord), direction.dot(chord))
                                : std::atan2(cross(chord, direction), chord.dot(direction));
  return make_arc(begin, end, std::abs(angle) < 0.5 * smallest_arc ? 0.0 : 2.0 * angle);
}

/// Two arcs with given directions at their ends, whose tangents to where they join are equally
/// long.
std::array<Arc, 2> arcs_between(const Vec2& begin, const Vec2& out, const Vec2& end,
                                const Vec2& in) {
  const Vec2 way = end - begin;
  const double along = way.dot(out + in), square = way.squaredNorm();
  const double d = square / (along + std::sqrt(along * along + 2.0 * (1.0 - out.dot(in)) * square));
  const Vec2 joint = 0.5 * (begin + end + d * (out - in));
  return {arc_along(begin, joint, out, true), arc_along(joint, end, in, false)};
}

void add_arcs(const Cubic& cubic, double from, double to, double tolerance, int halvings,
              ArcChain& chain) {
  const std::array<Arc, 2> arcs = arcs_between(cubic.at(from), cubic.slope(from).normalized(),
                                               cubic.at(to), cubic.slope(to).normalized());
  constexpr int looks = 16;
  double off = 0.0;
  for (int k = 1; k < looks; ++k) {
    const Vec2 at = cubic.at(from + (to - from) * k / looks);
    off = std::max(off, std::min(distance(arcs[0], at), distance(arcs[1], at)));
  }
  // Between the looks it may be a little further off.
  if (off > 0.8 * tolerance && halvings < most_halvings) {
    const double middle = 0.5 * (from + to);
    add_arcs(cubic, from, middle, tolerance, halvings + 1, chain);
    add_arcs(cubic, middle, to, tolerance, halvings + 1, chain);
    return;
  }
  for (const Arc& arc : arcs) {
    if (arc.length() > 0.0) chain.push_back(arc);
  }
}

}  // namespace

ArcChain smooth_curve_through(const std::vector<Vec2>& points, double tolerance) {
  const std::size_t n = points.size();
  std::vector<double> lengths;
  for (std::size_t i = 0; i < n; ++i) lengths.push_back((points[(i + 1) % n] - points[i]).norm());
  const std::vector<Vec2> slopes = slopes_of(points, lengths);
  ArcChain chain;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t next = (i + 1) % n;
    const Cubic cubic{points[i], points[next], slopes[i], slopes[next], lengths[i]};
    add_arcs(cubic, 0.0, 1.0, tolerance, 0, chain);
  }
  return chain;
}

}  // namespace clatter
