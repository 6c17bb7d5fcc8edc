#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <clatter/contact/shapes/outline.hpp>

namespace clatter {
namespace {

using std::numbers::pi;
using Element = Outline::Element;

/// Of the turn at a corner below which it is none [rad].
constexpr double smallest_turn = 1e-9;
/// How far flat places may be turned from each other that lie on each other [rad].
constexpr double most_flat_turn = 0.1;

Vec3 in_space(const Vec2& v) { return {v.x(), v.y(), 0.0}; }

double curvature(const Arc& arc) {
  return arc.is_straight() ? 0.0 : std::copysign(1.0 / arc.radius, arc.turn);
}

Element flat_element(const Arc& line, double radius) {
  Element element;
  element.begin = line.begin;
  element.end = line.end;
  element.ball_centre = line.ball_centre;
  element.ball = line.ball + radius;
  Patch& patch = element.patch;
  patch.kind = Patch::Kind::plane;
  patch.origin = in_space(line.ball_centre);
  const Vec3 normal = in_space(right_of(line.direction(0.5)));
  patch.axes << Vec3::UnitZ().cross(normal), Vec3::UnitZ(), normal;
  patch.radius = radius;
  return element;
}

/// The radius of the arc itself is negative when it is hollow.
Element round_element(const Vec2& centre, double own_radius, const Vec2& middle, double half_arc,
                      double radius) {
  Element element;
  element.kind = own_radius < 0.0 ? Element::Kind::hollow : Element::Kind::round;
  element.centre = element.ball_centre = centre;
  element.middle = middle;
  element.half_arc = half_arc;
  element.ball = std::abs(own_radius) + radius;
  element.patch.origin = in_space(centre);
  element.patch.radius = own_radius + radius;
  if (half_arc < 0.5 * pi) {
    const double length = std::abs(own_radius);
    element.ball_centre += length * std::cos(half_arc) * middle;
    element.ball = length * std::sin(half_arc) + radius;
    if (own_radius < 0.0) element.patch.outward = in_space(middle);
  }
  return element;
}

/// How far the way turns to the left from one piece to the next; where it turns back, to that side
/// where it leaves nothing.
double turn_between(const Arc& in, const Arc& out, bool is_wall) {
  const Vec2 before = in.direction(1.0), after = out.direction(0.0);
  const double sine = cross(before, after), cosine = before.dot(after);
  if (cosine < 0.0 && std::abs(sine) < smallest_turn) {
    return is_wall || -curvature(in) > curvature(out) ? pi : -pi;
  }
  return std::atan2(sine, cosine);
}

void add_elements(Outline& outline, const std::vector<PieceTouches>& touches) {
  const ArcChain& chain = outline.chain;
  const std::size_t n = chain.size();
  const bool is_wall = outline.inside == Outline::Inside::nothing;
  const auto straight_length = [](const Arc& arc) {
    return arc.is_straight() ? arc.length() : 0.0;
  };
  for (std::size_t k = 0; k < n; ++k) {
    const Arc &arc = chain[k], &last = chain[(k + n - 1) % n], &next = chain[(k + 1) % n];
    const PieceTouches can = touches.empty() ? PieceTouches{} : touches[k];
    const bool is_circle = std::abs(arc.turn) >= 2.0 * pi;
    const double turn = is_circle ? 0.0 : turn_between(last, arc, is_wall);
    if (turn > smallest_turn && can.begin) {
      const Vec2 middle = turned(right_of(last.direction(1.0)), 0.5 * turn);
      Element tip = round_element(arc.begin, 0.0, middle, 0.5 * turn, outline.radius);
      tip.before = straight_length(last);
      tip.after = straight_length(arc);
      outline.elements.push_back(tip);
    }
    if (!can.piece) continue;
    if (arc.is_straight()) {
      outline.elements.push_back(flat_element(arc, outline.radius));
      continue;
    }
    const double own = arc.turn > 0.0 ? arc.radius : -arc.radius;
    if (own < 0.0 && !(own + outline.radius < 0.0)) continue;  // the radius fills it
    Element element =
        round_element(arc.centre, own, arc.middle, 0.5 * std::abs(arc.turn), outline.radius);
    if (arc.turn > 0.0 && !is_circle) {  // corners between have elements of their own
      if (std::abs(turn) <= smallest_turn) element.before = straight_length(last);
      if (std::abs(turn_between(arc, next, is_wall)) <= smallest_turn) {
        element.after = straight_length(next);
      }
    }
    outline.elements.push_back(element);
  }
}

}  // namespace

bool Outline::Element::leads_to(const Vec2& direction, double reach, double margin) const {
  const double from_middle = std::atan2(cross(middle, direction), middle.dot(direction));
  const double size = std::abs(patch.radius);
  const double beside = size > margin ? margin / size : 1e-9;
  const double straight = from_middle < 0.0 ? before : after;
  // Beyond its end an arc is lower than there by size turn^2 / 2, but the other end of the line, by
  // straight turn, is to stay the lowest.
  const double flat = straight > 0.0 ? std::min({most_flat_turn, (2.0 * reach + margin) / straight,
                                                 straight / std::max(size, margin)})
                                     : 0.0;
  return std::abs(from_middle) <= half_arc + std::max(beside, flat);
}

bool Outline::holds(const Vec2& point) const {
  if (inside == Inside::nothing) return false;
  if (inside == Inside::half_space) return normal.dot(point - chain.front().begin) < 0.0;
  if (ellipse) return (signed_distance(*ellipse, point) < 0.0) != is_hollow;
  return is_hollow ? turns_around(chain, point) >= 0 : turns_around(chain, point) > 0;
}

double signed_distance(const Patch& ellipse, const Vec2& point) {
  const Vec3 local = ellipse.axes.transpose() * (in_space(point) - ellipse.origin);
  const double apart = (local - core_position(ellipse, foot_of_point(ellipse, local))).norm();
  const bool is_inside =
      std::hypot(local.x() / ellipse.size.x(), local.y() / ellipse.size.y()) < 1.0;
  return is_inside ? -apart : apart;
}

double Outline::extent() const {
  if (inside == Inside::half_space) return std::numeric_limits<double>::infinity();
  if (ellipse) return ellipse->origin.norm() + ellipse->size.maxCoeff() + radius;
  double most = 0.0;
  for (const Arc& arc : chain) most = std::max(most, arc.ball_centre.norm() + arc.ball);
  return most + radius;
}

double Outline::reach(const Vec2& direction) const {
  if (!ellipse) return furthest(chain, direction) + radius;
  const Vec3 along = ellipse->axes.transpose() * in_space(direction);
  return ellipse->origin.dot(in_space(direction)) + along.cwiseProduct(ellipse->size).norm() +
         radius;
}

double Outline::size() const {
  return radius + (ellipse ? ellipse->size.maxCoeff() : extent_of(chain));
}

Outline make_ellipse(const Patch& ellipse, double radius, bool hollow) {
  Outline outline;
  outline.radius = radius;
  outline.is_hollow = hollow;
  outline.ellipse = ellipse;
  Element element;
  element.kind = Element::Kind::ellipse;
  element.patch = ellipse;
  element.patch.radius = radius;
  element.patch.hollow = hollow;
  element.centre = element.ball_centre = ellipse.origin.head<2>();
  element.ball = ellipse.size.maxCoeff() + radius;
  if (!hollow) outline.elements.push_back(element);
  element.kind = Element::Kind::ellipse_part;
  element.patch.half_arc = 0.25 * pi;
  for (int quarter = 0; quarter < 4; ++quarter) {
    element.patch.arc_middle = (0.25 + 0.5 * quarter) * pi;
    outline.elements.push_back(element);
  }
  return outline;
}

Outline make_outline(ArcChain closed, double radius, bool hollow,
                     const std::vector<PieceTouches>& touches) {
  Outline outline;
  outline.radius = radius;
  outline.is_hollow = hollow;
  const bool is_clockwise = moments_of(closed, closed.front().begin).area < 0.0;
  outline.chain = is_clockwise != hollow ? reversed(closed) : std::move(closed);
  add_elements(outline, touches);
  return outline;
}

Outline make_wall(const ArcChain& chain, double radius) {
  Outline outline;
  outline.radius = radius;
  outline.inside = Outline::Inside::nothing;
  const bool is_point = chain.size() == 1 && chain.front().length() == 0.0;
  const bool is_ring = !is_point && chain.front().begin == chain.back().end;
  if (is_point) {
    outline.chain = chain;
    outline.elements.push_back(round_element(chain.front().begin, 0.0, Vec2::UnitX(), pi, radius));
  } else if (is_ring) {
    // Both ways around are chains of their own.
    for (const ArcChain& way : {chain, reversed(chain)}) {
      outline.chain = way;
      add_elements(outline, {});
    }
  } else {
    outline.chain = chain;
    const ArcChain back = reversed(chain);
    outline.chain.insert(outline.chain.end(), back.begin(), back.end());
    add_elements(outline, {});
  }
  if (!is_point) outline.chain = chain;
  return outline;
}

Outline make_outline(const Polytope& planar, bool hollow) {
  const auto corner = [&](std::size_t k) -> Vec2 {
    return planar.corners[k % planar.corners.size()].head<2>();
  };
  if (planar.is_half_space()) {
    Outline outline;
    outline.inside = Outline::Inside::half_space;
    const Polytope::Face& face = planar.faces.front();
    outline.normal = face.normal.head<2>();
    const Vec2 at = face.offset * outline.normal;
    outline.chain = {make_line(at, at)};
    const Vec2 along(-outline.normal.y(), outline.normal.x());
    Element element = flat_element(make_line(at - along, at + along), planar.radius);
    element.ball = std::numeric_limits<double>::infinity();
    outline.elements.push_back(element);
    outline.radius = planar.radius;
    return outline;
  }
  if (planar.corners.size() == 1 && hollow) {
    return make_outline(ArcChain{make_circle(corner(0), planar.radius, 1.0)}, 0.0, true);
  }
  if (planar.corners.size() == 1)
    return make_wall({make_line(corner(0), corner(0))}, planar.radius);
  if (planar.corners.size() == 2)
    return make_wall({make_line(corner(0), corner(1))}, planar.radius);
  ArcChain chain;
  std::vector<PieceTouches> touches;
  for (std::size_t k = 0; k < planar.corners.size(); ++k) {
    chain.push_back(make_line(corner(k), corner(k + 1)));
    touches.push_back({planar.faces[k].is_surface, planar.is_tip[k] != 0});
  }
  if (hollow) touches.clear();
  return make_outline(std::move(chain), planar.radius, hollow, touches);
}

}  // namespace clatter
