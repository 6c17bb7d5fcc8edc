#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <clatter/math/arc.hpp>

namespace clatter {
namespace {

using std::numbers::pi;

/// Relative to the extent of a chain: what is nearer meets.
constexpr double touching_pieces = 1e-10;

bool is_share(double share) { return share >= 0.0 && share <= 1.0; }

/// The angle from a to b, between -pi and pi.
double angle_between(const Vec2& a, const Vec2& b) { return std::atan2(cross(a, b), a.dot(b)); }

Crossings lines_crossing(const Arc& a, const Arc& b) {
  Crossings found;
  const Vec2 way_a = a.end - a.begin, way_b = b.end - b.begin, between = b.begin - a.begin;
  const double sine = cross(way_a, way_b);
  if (sine == 0.0) return found;
  const double s = cross(between, way_b) / sine, t = cross(between, way_a) / sine;
  if (is_share(s) && is_share(t)) found = {{s}, {t}, 1};
  return found;
}

/// Points of a circle that lie on both: `points` two of them, or none.
Crossings at_points(const Arc& a, const Arc& b, const std::array<Vec2, 2>& points) {
  Crossings found;
  for (const Vec2& point : points) {
    const double s = a.share_of(point), t = b.share_of(point);
    if (!is_share(s) || !is_share(t)) continue;
    found.of_a[static_cast<std::size_t>(found.count)] = s;
    found.of_b[static_cast<std::size_t>(found.count++)] = t;
  }
  return found;
}

Crossings line_and_arc(const Arc& line, const Arc& arc) {
  const Vec2 along = (line.end - line.begin).normalized();
  const Vec2 foot = line.begin + along.dot(arc.centre - line.begin) * along;
  const double off = (foot - arc.centre).norm();
  if (off > arc.radius) return {};
  const double half = std::sqrt((arc.radius - off) * (arc.radius + off));
  return at_points(line, arc, {Vec2(foot - half * along), Vec2(foot + half * along)});
}

Crossings two_arcs(const Arc& a, const Arc& b) {
  const Vec2 between = b.centre - a.centre;
  const double d = between.norm();
  if (!(d > 0.0) || d > a.radius + b.radius || d < std::abs(a.radius - b.radius)) return {};
  const double along = 0.5 * (d + (a.radius - b.radius) * (a.radius + b.radius) / d);
  const double half = std::sqrt(std::max(0.0, (a.radius - along) * (a.radius + along)));
  const Vec2 u = between / d, foot = a.centre + along * u;
  return at_points(a, b, {Vec2(foot - half * right_of(u)), Vec2(foot + half * right_of(u))});
}

/// Of points inside both ends where the ways are parallel.
double distance_inside(const Arc& a, const Arc& b) {
  constexpr double none = std::numeric_limits<double>::infinity();
  if (a.is_straight() && b.is_straight()) return none;
  if (b.is_straight()) return distance_inside(b, a);
  if (a.is_straight()) {
    const double share = a.share_of(b.centre);
    if (!is_share(share)) return none;
    const Vec2 foot = a.begin + share * (a.end - a.begin);
    return is_share(b.share_of(foot)) ? std::abs((foot - b.centre).norm() - b.radius) : none;
  }
  const Vec2 between = b.centre - a.centre;
  const double d = between.norm();
  if (!(d > 0.0)) return std::abs(a.radius - b.radius);  // if they see each other at all
  double least = none;
  for (const double sign_a : {1.0, -1.0}) {
    const Vec2 on_a = a.centre + sign_a * a.radius / d * between;
    if (!is_share(a.share_of(on_a))) continue;
    for (const double sign_b : {1.0, -1.0}) {
      const Vec2 on_b = b.centre + sign_b * b.radius / d * between;
      if (!is_share(b.share_of(on_b))) continue;
      least = std::min(least, std::abs(d + sign_b * b.radius - sign_a * a.radius));
    }
  }
  return least;
}

/// Positive when p is to the left of a chord. On it, as if p were a little further along x, and
/// less along y: so also turns_around counts.
double side_of(const Vec2& chord, const Vec2& p) {
  const double side = cross(chord, p);
  if (side != 0.0) return side;
  return chord.y() != 0.0 ? -chord.y() : chord.x();
}

/// Whether p lies between an arc and the straight way back from its end.
bool is_under(const Arc& arc, const Vec2& p) {
  if (!((p - arc.centre).norm() < arc.radius)) return false;
  const Vec2 chord = arc.end - arc.begin;
  return chord.isZero(0.0) || side_of(chord, p - arc.begin) * arc.turn < 0.0;
}

}  // namespace

double Arc::length() const {
  return is_straight() ? (end - begin).norm() : std::abs(turn) * radius;
}

// From the begin, so that large radii cost no digits.
Vec2 Arc::at(double share) const {
  if (is_straight()) return begin + share * (end - begin);
  const double angle = 0.5 * share * turn;
  return begin +
         2.0 * radius * std::copysign(1.0, turn) * std::sin(angle) * turned(direction(0.0), angle);
}

Vec2 Arc::direction(double share) const {
  if (is_straight()) return middle;
  const Vec2 along = turn > 0.0 ? Vec2(-right_of(middle)) : right_of(middle);
  return turned(along, (share - 0.5) * turn);
}

double Arc::share_of(const Vec2& point) const {
  if (is_straight()) {
    const Vec2 way = end - begin;
    const double square = way.squaredNorm();
    return square > 0.0 ? way.dot(point - begin) / square : 0.0;
  }
  return 0.5 + angle_between(middle, point - centre) / turn;
}

Arc Arc::reversed() const {
  Arc back = *this;
  std::swap(back.begin, back.end);
  back.turn = -turn;
  if (is_straight()) back.middle = -middle;
  return back;
}

Arc make_line(const Vec2& begin, const Vec2& end) {
  Arc line;
  line.begin = begin;
  line.end = end;
  const double length = (end - begin).norm();
  if (length > 0.0) line.middle = (end - begin) / length;
  line.ball_centre = 0.5 * (begin + end);
  line.ball = 0.5 * length;
  return line;
}

Arc make_arc(const Vec2& begin, const Vec2& end, double turn) {
  Arc arc = make_line(begin, end);
  if (turn == 0.0) return arc;
  arc.turn = turn;
  const Vec2 chord = end - begin, out = right_of(chord) / (turn > 0.0 ? 1.0 : -1.0);
  const double half = 0.5 * chord.norm();
  arc.radius = half / std::abs(std::sin(0.5 * turn));
  arc.middle = out.normalized();
  arc.centre = arc.ball_centre - half / std::tan(0.5 * std::abs(turn)) * arc.middle;
  if (std::abs(turn) > pi) {
    arc.ball_centre = arc.centre;
    arc.ball = arc.radius;
  }
  return arc;
}

Arc make_circle(const Vec2& centre, double radius, double turn) {
  Arc arc;
  arc.turn = turn > 0.0 ? 2.0 * pi : -2.0 * pi;
  arc.centre = arc.ball_centre = centre;
  arc.radius = arc.ball = radius;
  arc.begin = arc.end = centre - radius * arc.middle;
  return arc;
}

Arc placed(const Arc& arc, const Mat3& turn, const Vec3& shift) {
  const Eigen::Matrix2d axes = turn.topLeftCorner<2, 2>();
  Arc result = arc;
  for (Vec2* point : {&result.begin, &result.end, &result.centre, &result.ball_centre}) {
    *point = axes * *point + shift.head<2>();
  }
  result.middle = axes * arc.middle;
  return result;
}

double distance(const Arc& arc, const Vec2& point) {
  const double share = arc.share_of(point);
  if (arc.is_straight()) return (point - arc.at(std::clamp(share, 0.0, 1.0))).norm();
  if (is_share(share)) return std::abs((point - arc.centre).norm() - arc.radius);
  return std::min((point - arc.begin).norm(), (point - arc.end).norm());
}

double distance(const Arc& a, const Arc& b) {
  const double ends = std::min({distance(a, b.begin), distance(a, b.end), distance(b, a.begin),
                                distance(b, a.end), distance_inside(a, b)});
  return ends > 0.0 && crossings(a, b).count == 0 ? ends : 0.0;
}

Crossings crossings(const Arc& a, const Arc& b) {
  if (a.is_straight() && b.is_straight()) return lines_crossing(a, b);
  if (a.is_straight()) return a.ball > 0.0 ? line_and_arc(a, b) : Crossings{};
  if (!b.is_straight()) return two_arcs(a, b);
  Crossings found = crossings(b, a);
  std::swap(found.of_a, found.of_b);
  return found;
}

ArcChain reversed(const ArcChain& chain) {
  ArcChain back;
  for (auto arc = chain.rbegin(); arc != chain.rend(); ++arc) back.push_back(arc->reversed());
  return back;
}

/// Sums along the chain of what lies between it and the point: with p from there, area
/// p x dp / 2, moments p p x dp / 3 and p p^T p x dp / 4. Gauss's rule of ten points does parts
/// of up to an eighth of a turn to round-off.
PlaneMoments moments_of(const ArcChain& closed, const Vec2& about) {
  constexpr std::array nodes{0.1488743389816312, 0.4333953941292472, 0.6794095682990244,
                             0.8650633666889845, 0.9739065285171717};
  constexpr std::array weights{0.2955242247147529, 0.2692667193099963, 0.2190863625159820,
                               0.1494513491505806, 0.0666713443086881};
  PlaneMoments sum;
  for (const Arc& arc : closed) {
    const int parts = 1 + static_cast<int>(std::abs(arc.turn) / (0.25 * pi));
    const double length = arc.length() / parts;
    for (int part = 0; part < parts; ++part) {
      for (std::size_t k = 0; k < 2 * nodes.size(); ++k) {
        const double node = k < nodes.size() ? nodes[k] : -nodes[k - nodes.size()];
        const double share = (part + 0.5 + 0.5 * node) / parts;
        const Vec2 p = arc.at(share) - about;
        const double swept =
            0.5 * weights[k % nodes.size()] * length * cross(p, arc.direction(share));
        sum.area += swept / 2.0;
        sum.first += swept / 3.0 * p;
        sum.second += swept / 4.0 * p * p.transpose();
      }
    }
  }
  return sum;
}

int turns_around(const ArcChain& closed, const Vec2& point) {
  int turns = 0;
  for (const Arc& arc : closed) {
    const bool from_below = arc.begin.y() <= point.y(), to_below = arc.end.y() <= point.y();
    const double side = side_of(arc.end - arc.begin, point - arc.begin);
    if (from_below && !to_below && side > 0.0) ++turns;
    if (!from_below && to_below && side < 0.0) --turns;
    if (!arc.is_straight() && is_under(arc, point)) turns += arc.turn > 0.0 ? 1 : -1;
  }
  return turns;
}

double distance(const ArcChain& chain, const Vec2& point) {
  double least = std::numeric_limits<double>::infinity();
  for (const Arc& arc : chain) {
    if ((point - arc.ball_centre).norm() - arc.ball < least) {
      least = std::min(least, distance(arc, point));
    }
  }
  return least;
}

double furthest(const ArcChain& chain, const Vec2& direction) {
  double most = -std::numeric_limits<double>::infinity();
  for (const Arc& arc : chain) {
    most = std::max({most, direction.dot(arc.begin), direction.dot(arc.end)});
    if (!arc.is_straight() && is_share(arc.share_of(arc.centre + direction))) {
      most = std::max(most, direction.dot(arc.centre) + arc.radius);
    }
  }
  return most;
}

double extent_of(const ArcChain& chain) {
  double extent = 0.0;
  for (const Arc& arc : chain) {
    extent = std::max(extent, (arc.ball_centre - chain.front().begin).norm() + arc.ball);
  }
  return extent;
}

std::vector<Meeting> first_meeting_of(const ArcChain& chain, bool closed) {
  const double near = touching_pieces * extent_of(chain);
  const std::size_t n = chain.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = i + 1; k < n; ++k) {
      const Arc &a = chain[i], &b = chain[k];
      const bool follows = k == i + 1, precedes = closed && (k + 1) % n == i;
      if (!follows && !precedes) {
        const double balls = (a.ball_centre - b.ball_centre).norm() - a.ball - b.ball;
        if (balls < near && distance(a, b) < near) return {{i, k}};
        continue;
      }
      // Neighbours meet where they join and nowhere else.
      const auto is_joint = [&](const Vec2& point) {
        return (follows && (point - a.end).norm() < 10.0 * near) ||
               (precedes && (point - b.end).norm() < 10.0 * near);
      };
      const Crossings found = crossings(a, b);
      for (int c = 0; c < found.count; ++c) {
        if (!is_joint(a.at(found.of_a[static_cast<std::size_t>(c)]))) return {{i, k}};
      }
      for (const Vec2& end : {a.begin, a.end}) {
        if (!is_joint(end) && distance(b, end) < near) return {{i, k}};
      }
      for (const Vec2& end : {b.begin, b.end}) {
        if (!is_joint(end) && distance(a, end) < near) return {{i, k}};
      }
    }
  }
  return {};
}

}  // namespace clatter
