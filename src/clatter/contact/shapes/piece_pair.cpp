#include <algorithm>
#include <cmath>
#include <limits>

#include <clatter/contact/geometry/patch_start.hpp>
#include <clatter/contact/shapes/piece_pair.hpp>

namespace clatter {
namespace {

using CoreKind = Patch::Kind;
/// Relative to the size of the solids: pieces that are deeper in each other face other ways.
constexpr double deepest = 0.1;
/// Relative to the size of the solids: how far off a rough look may be.
constexpr double roughness = 0.05;
/// Relative to the radius of a tube: rings that are nearer have their pieces looked at.
constexpr double nearly_touching = 0.1;
/// Relative to the radius of a ring: by how much it is higher on one side when its marks carry it.
constexpr double nearly_flat = 1e-3;
/// Relative to the size of the solids, and of unit vectors: what is as near is the same.
constexpr double same_touch = 1e-6;
/// Relative to the diameter: by how much a round edge that lies flat is higher on one side.
constexpr double flattest = 1e-9;

/// An ellipsoid may lie on two places of round walls, a ball on two of those of an ellipsoid.
bool may_lie_on_both_halves(const Piece& inside, const Piece& walls) {
  const bool is_ball = inside.patch.kind == CoreKind::point && inside.patch.radius > 0.0;
  if (walls.patch.kind == CoreKind::ellipsoid && is_ball) return true;
  const bool are_round = walls.patch.kind == CoreKind::ellipsoid ||
                         walls.patch.kind == CoreKind::line || walls.patch.kind == CoreKind::cone;
  return inside.patch.kind == CoreKind::ellipsoid && are_round;
}

/// Sharp corners meet neither corners nor edges, but for an instant.
bool can_touch(const Piece& a, const Piece& b) {
  if (!a.can_touch || !b.can_touch) return false;
  const bool has_normal = a.patch.parameters() + b.patch.parameters() >= 2;
  return has_normal || a.patch.radius + b.patch.radius != 0.0;
}

/// Where an arc is nearest at its end it goes on to somewhere nearer, which is the place to touch.
bool is_nearest_along(const Piece& piece, const Foot& foot, const Mat3& R, const Vec3& normal) {
  if (!piece.is_arc()) return true;
  const Vec3 around(-foot.y(), foot.x(), 0.0);
  constexpr double roughly = 1e-2;  // a start of Newton's method has to do at times
  return std::abs((R * piece.patch.axes * around).dot(normal)) < roughly;
}

/// Where a piece is half of a hollow sphere: it is touched on that side.
bool is_on_side(const Piece& piece, const Mat3& R, const Vec3& to_wall) {
  const Patch& patch = piece.patch;
  if (patch.kind != CoreKind::point || !patch.has_other_inside()) return true;
  return (R * patch.axes * patch.outward).dot(to_wall) >= 0.0;
}

}  // namespace

PatchPair PiecePair::make_pair(Patch a, Patch b, int node_a, int node_b, bool planar) {
  if (a.radius + b.radius != 0.0) {
    for (Patch* each : {&a, &b}) {
      if (each->kind != CoreKind::point) each->outward = Vec3::Zero();
    }
  }
  return PatchPair(a, b, node_a, node_b, planar);
}

void PiecePair::place(const Pieces& a, const NodeState& at_a, const Pieces& b,
                      const NodeState& at_b, bool planar) {
  planar_ = planar;
  contains_a_ = is_container(b);
  contains_b_ = is_container(a);
  is_ring_a_ = is_ring(a);
  is_ring_b_ = is_ring(b);
  a_ = &a;
  b_ = &b;
  at_a_ = at_a;
  at_b_ = at_b;
  shift_ = at_b.x - at_a.x;
  const double extent_a = extent_of(a), extent_b = extent_of(b);
  size_ = (std::isfinite(extent_a) ? extent_a : 0.0) + (std::isfinite(extent_b) ? extent_b : 0.0);
}

/// Whether two pieces can be nearest to each other at one place. Whatever touches a plane, or a
/// cone along a line, does so with a piece that ends there.
bool PiecePair::can_meet(const Piece& a, const Piece& b) const {
  if (contains_a_ && contains_b_) return false;
  const Piece &inside = contains_a_ ? a : b, &around = contains_a_ ? b : a;
  if (is_contained() && !inside.is_extreme() && !inside.is_arc()) return false;
  if (is_contained() && around.is_mark) {
    return !inside.is_mark && !inside.is_arc() && inside.patch.kind != CoreKind::circle;
  }
  if (is_contained() && around.patch.half() != 0) return may_lie_on_both_halves(inside, around);
  if (is_contained() && may_lie_on_both_halves(inside, around)) return false;
  const CoreKind first = std::min(a.patch.kind, b.patch.kind),
                 second = std::max(a.patch.kind, b.patch.kind);
  if (a.is_mark && b.is_mark) return false;
  if (has_ring() && a.is_mark) return is_ring_a_ && !b.is_arc();
  if (has_ring() && b.is_mark) return is_ring_b_ && !a.is_arc();
  if (a.is_mark || b.is_mark) return is_contained() || second == CoreKind::plane;
  // A round edge may meet what is straight, or another one, more than once, and once beyond the
  // end of it: each of its arcs is looked at. A ring may meet all that is not flat more than once.
  const bool meets_curve = second == CoreKind::circle || second == CoreKind::cone ||
                           (second == CoreKind::ellipsoid && has_ring());
  const bool by_arcs = is_contained()
                           ? inside.patch.kind == CoreKind::circle &&
                                 around.patch.kind != CoreKind::point &&
                                 around.patch.kind != CoreKind::plane
                           : first != CoreKind::point && meets_curve &&
                                 (first == CoreKind::circle || second == CoreKind::circle);
  // Arcs that are walked backwards find another place where they are walked along.
  const auto is_backwards = [](const Piece& piece, const Pieces& of) {
    return piece.is_arc() && piece.patch.axes.col(2).dot(of.front().patch.axes.col(2)) < 0.0;
  };
  const bool are_circles = first == CoreKind::circle && second == CoreKind::circle;
  const bool is_a_walked = are_circles && is_first_walked(a.patch, b.patch);
  if (is_ring_a_ && !is_a_walked && is_backwards(a, *a_)) return false;
  if (is_ring_b_ && !(are_circles && !is_a_walked) && is_backwards(b, *b_)) return false;
  const auto is_whole = [](const Piece& piece) {
    return piece.patch.kind == CoreKind::circle && !piece.is_arc();
  };
  if (by_arcs ? is_whole(a) || is_whole(b) : a.is_arc() || b.is_arc()) return false;
  if (first == CoreKind::plane || second == CoreKind::plane) {
    return first == CoreKind::point || first == CoreKind::circle || second == CoreKind::ellipsoid;
  }
  return true;
}

bool PiecePair::are_near(const Piece& a, const Piece& b, double reach) const {
  const Vec3 between = shift_ + at_b_.R * b.centre - at_a_.R * a.centre;
  const auto is_near_plane = [&](const Piece& plane, const Mat3& R, const Vec3& from_centre,
                                 double extent) {
    const Patch& patch = plane.patch;
    const double height =
        (R * patch.axes.col(2)).dot(from_centre + R * (plane.centre - patch.origin)) - patch.radius;
    return height <= extent + reach && height >= -extent - std::max(reach, deepest * size_);
  };
  if (is_contained()) return true;
  if (a.patch.kind == CoreKind::plane && !is_near_plane(a, at_a_.R, between, b.extent)) {
    return false;
  }
  if (b.patch.kind == CoreKind::plane && !is_near_plane(b, at_b_.R, -between, a.extent)) {
    return false;
  }
  return between.norm() <= a.extent + b.extent + reach;
}

template <class Visit>
void PiecePair::for_each_candidate(double reach, const Visit& visit) const {
  for (std::size_t i = 0; i < a_->size(); ++i) {
    const Piece& a = (*a_)[i];
    for (std::size_t k = 0; k < b_->size(); ++k) {
      const Piece& b = (*b_)[k];
      if (!can_meet(a, b) || !are_near(a, b, reach)) continue;
      if (a.patch.kind == CoreKind::line && b.patch.kind == CoreKind::line) {
        const Vec3 along_a = at_a_.R * a.patch.axes.col(2), along_b = at_b_.R * b.patch.axes.col(2);
        if (along_a.cross(along_b).norm() < smallest_sine) continue;
      }
      const PatchPair pair = make_pair(a.patch, b.patch, 0, 1, planar_);
      // Most are told apart by a rough look.
      const PatchPair::Nearest rough = pair.roughly_nearest(at_a_, at_b_);
      const bool is_near = rough.gap <= reach + roughness * size_;
      const bool is_within = is_contained() || (a.holds(rough.foot_a, roughness * size_) &&
                                                b.holds(rough.foot_b, roughness * size_));
      if (!is_near || !is_within) continue;
      const PatchPair::Nearest at = pair.nearest(at_a_, at_b_);
      const double depth = has_ring() ? tube_radius() : std::max(reach, deepest * size_);
      if (at.gap > reach || at.gap < -depth) continue;
      if (has_ring() && !(is_nearest_along(a, at.foot_a, at_a_.R, at.normal) &&
                          is_nearest_along(b, at.foot_b, at_b_.R, at.normal))) {
        continue;
      }
      // A wall is on the other side of its normal, as seen from the middle of the hollow.
      if (!is_on_side(a, at_a_.R, -at.normal) || !is_on_side(b, at_b_.R, at.normal)) continue;
      const Vec3 &n = at.normal, n_a = at_a_.R.transpose() * n, n_b = -(at_b_.R.transpose() * n);
      Candidate candidate{static_cast<int>(i), static_cast<int>(k), at, 0.0, 0.0, at.gap};
      if (!is_contained()) {
        const double far_a = n_a.dot(furthest_point(*a_, n_a)),
                     far_b = n_b.dot(furthest_point(*b_, n_b));
        if (!is_ring_a_) candidate.beyond_a = far_a - n.dot(at.point_a);
        if (!is_ring_b_) candidate.beyond_b = far_b + n.dot(at.point_b - shift_);
        if (!has_ring()) candidate.separation = n.dot(shift_) - far_a - far_b;
      }
      visit(candidate);
    }
  }
}

Vec3 PiecePair::furthest_of_a(const Vec3& n) const {
  return at_a_.R * furthest_point(*a_, at_a_.R.transpose() * n);
}

Vec3 PiecePair::furthest_of_b(const Vec3& n) const {
  return shift_ + at_b_.R * furthest_point(*b_, at_b_.R.transpose() * n);
}

/// Not more than their distance, and hardly less.
double PiecePair::least_apart() const {
  return least_distance([this](const Vec3& n) { return furthest_of_a(n); },
                        [this](const Vec3& n) { return furthest_of_b(n); }, 1e-3);
}

double PiecePair::gap() {
  if (is_contained()) {
    double least = infinity;
    for_each_candidate(
        infinity, [&](const Candidate& candidate) { least = std::min(least, candidate.at.gap); });
    return least;
  }
  if (has_ring()) return gap_of_ring();
  const double apart = least_apart();
  if (apart > 1e-6 * size_) return apart;
  double best = -infinity;
  bool is_sure = false;
  for (const double reach : {1e-2 * size_, infinity}) {
    for_each_candidate(reach, [&](const Candidate& candidate) {
      if (candidate.separation <= best) return;
      best = candidate.separation;
      // Nothing else is furthest there: no direction beside it tells more.
      is_sure = candidate.at.is_place && best > -nearness * size_ &&
                candidate.beyond_a + candidate.beyond_b < 1e-12 * size_;
    });
    if (best > -reach) break;  // others are further away, or deeper
  }
  if (best >= 0.0 || is_sure || planar_) return best;
  const double shift =
      shortest_shift_.find([this](const Vec3& n) { return furthest_of_a(n); },
                           [this](const Vec3& n) { return furthest_of_b(n); }, 1e-10 * size_);
  return std::max(best, shift);
}

double PiecePair::tube_radius() const {
  return (is_ring_a_ ? a_->front().patch.radius : 0.0) +
         (is_ring_b_ ? b_->front().patch.radius : 0.0);
}

/// Its circle as a whole tells the distance of those that are apart and of those that are deep in
/// each other; its pieces that of those that nearly touch.
double PiecePair::gap_of_ring() {
  const auto circle_of = [](const Pieces& ring, const Mat3& R, const Vec3& shift) {
    const Patch& patch = ring.front().patch;
    return Circle{shift + R * patch.origin, R * patch.axes, patch.size.x()};
  };
  const auto support_a = [this](const Vec3& n) { return furthest_of_a(n); };
  const auto support_b = [this](const Vec3& n) { return furthest_of_b(n); };
  const double tube = tube_radius();
  const auto bounds = [&]() -> DistanceBounds {
    if (!is_ring_a_) {
      return circle_distance_.find(circle_of(*b_, at_b_.R, shift_), support_a, tube);
    }
    const Circle circle = circle_of(*a_, at_a_.R, Vec3::Zero());
    if (!is_ring_b_) return circle_distance_.find(circle, support_b, tube);
    return circle_distance_.find(circle, circle_of(*b_, at_b_.R, shift_), tube);
  }();
  if (bounds.least - tube > nearly_touching * tube) return bounds.least - tube;
  const double most = bounds.most - tube, margin = edge_margin * size_;
  double least = most;
  for_each_candidate(most, [&](const Candidate& found) {
    if (is_within(found, margin)) least = std::min(least, found.at.gap);
  });
  return least;
}

/// Walls around a hollow go on without end. On an arc Newton's method may go on to a place on the
/// next one, which knows a nearer place only: of a ring it counts for the arc where it was found.
bool PiecePair::is_within(const Candidate& found, double margin) const {
  const auto holds = [&](const Piece& piece, const Foot& foot) {
    const bool has_no_end = piece.is_arc() ? has_ring() : is_contained();
    return has_no_end || piece.holds(foot, margin);
  };
  return holds((*a_)[static_cast<std::size_t>(found.a)], found.at.foot_a) &&
         holds((*b_)[static_cast<std::size_t>(found.b)], found.at.foot_b);
}

/// A place that was found from two arcs belongs to that which it lies on.
void PiecePair::add_unless_known(const Touch& touch, const Candidate& found, double margin,
                                 std::vector<Touch>& touches) {
  const bool is_own = (*a_)[static_cast<std::size_t>(found.a)].holds(found.at.foot_a, margin) &&
                      (*b_)[static_cast<std::size_t>(found.b)].holds(found.at.foot_b, margin);
  const Place place{found.at.point_a, found.at.normal, is_own};
  for (std::size_t k = 0; k < places_.size(); ++k) {
    const bool is_same = (places_[k].point - place.point).norm() < same_touch * size_ &&
                         (places_[k].normal - place.normal).norm() < same_touch;
    if (!is_same) continue;
    if (is_own && !places_[k].is_own) {
      places_[k] = place;
      touches[k] = touch;
    }
    return;
  }
  places_.push_back(place);
  touches.push_back(touch);
}

void PiecePair::find_touches(const Look& look, std::vector<Touch>& touches) {
  const double reach = look.reach;
  touches.clear();
  merits_.clear();
  places_.clear();
  if (!is_contained() && least_apart() > reach) return;
  const double margin = edge_margin * size_;
  // Near the tip of a hollow cone it touches what is inside all around: the planes along it are
  // nearly as near, and carry that.
  const auto is_around_tip = [&](const Candidate& found) {
    const Piece &a = (*a_)[static_cast<std::size_t>(found.a)],
                &b = (*b_)[static_cast<std::size_t>(found.b)];
    const Piece &inside = contains_a_ ? a : b, &around = contains_a_ ? b : a;
    if (!is_contained() || around.patch.kind != CoreKind::cone) return false;
    if (inside.patch.kind == CoreKind::circle) return false;
    const Pieces& walls = contains_a_ ? *b_ : *a_;
    return std::all_of(walls.begin(), walls.end(), [&](const Piece& mark) {
      if (!mark.is_mark) return true;
      const PatchPair pair = contains_a_ ? make_pair(inside.patch, mark.patch, 0, 1, planar_)
                                         : make_pair(mark.patch, inside.patch, 0, 1, planar_);
      return pair.roughly_nearest(at_a_, at_b_).gap < found.at.gap + 5.0 * reach;
    });
  };
  double best = -infinity, most = -infinity;
  Touch separating;
  const auto look_at = [&](const Candidate& found) {
    const Piece &a = (*a_)[static_cast<std::size_t>(found.a)],
                &b = (*b_)[static_cast<std::size_t>(found.b)];
    const double merit = is_contained() || has_ring() ? -found.at.gap : found.separation;
    best = std::max(best, merit);  // also of edges that another part of the solid touches with
    if (!can_touch(a, b)) return;
    const Touch touch{
        {Feature::Kind::piece, found.a}, {Feature::Kind::piece, found.b}, found.at.gap};
    const bool is_outside = !is_within(found, margin);
    if (found.at.is_place && !(is_outside && has_ring()) && merit > most) {
      most = merit;
      separating = touch;
    }
    // Walls have no ends but for their parts.
    const bool must_be_place = !is_contained() || a.patch.is_part() || b.patch.is_part();
    if (is_outside || (must_be_place && !found.at.is_place)) return;
    const bool is_mark_of_ring = has_ring() && (a.is_mark || b.is_mark);
    const bool is_on_plane = a.patch.kind == CoreKind::plane || b.patch.kind == CoreKind::plane;
    // What is near a thin ring is nearer than what is flat for its width.
    const auto flat_for = [&](bool is_a) {
      const bool is_ring = is_a ? is_ring_a_ : is_ring_b_;
      const double radius = (is_a ? *a_ : *b_).front().patch.size.x();
      return is_ring ? std::max(reach, nearly_flat * radius) : reach;
    };
    if (is_mark_of_ring && !is_on_plane && tilt_of(found, a.is_mark) > flat_for(a.is_mark)) {
      return;
    }
    const bool is_rim_a = a.patch.kind == CoreKind::circle,
               is_rim_b = b.patch.kind == CoreKind::circle;
    if (!is_mark_of_ring && (is_rim_a != is_rim_b || (is_rim_a && has_ring()))) {
      const bool is_a = has_ring() ? is_ring_a_ : is_rim_a;
      const Piece& rim = is_a ? a : b;
      const double tilt = tilt_of(found, is_a), diameter = 2.0 * rim.patch.size.x();
      const double flat =
          look.closely ? flattest * diameter : std::max(flat_for(is_a), look.turn * diameter);
      if (tilt < flat) return;
    }
    if (!look.closely && is_around_tip(found)) return;
    const double slack = 2.0 * reach + margin;
    if (found.beyond_a > slack || found.beyond_b > slack || found.at.gap > reach) return;
    if (has_ring()) {
      add_unless_known(touch, found, margin, touches);
    } else {
      touches.push_back(touch);
      merits_.push_back(merit);
    }
  };
  for_each_candidate(look.must_find && !is_contained() ? 1e-2 * size_ + reach : reach, look_at);
  const double least = best - std::max(2.0 * reach, std::abs(best));
  const bool by_separation = !is_contained() && !has_ring();
  if (by_separation) leave_out_deeper_than(least, touches);
  // What separates them less than something else does is none: another part of the solid has that.
  if (by_separation && most < least) return;
  if (touches.empty() && look.must_find && most > -infinity) touches.push_back(separating);
}

/// How much further from the other, or nearer, another point of a round edge is than that of a
/// candidate, where it may lie along the whole of it: on a plane, in a hollow, or of a ring on
/// anything. The far side alone does not tell: a ring may touch a peg on two sides.
double PiecePair::tilt_of(const Candidate& of, bool is_rim_a) const {
  const Piece& rim =
      is_rim_a ? (*a_)[static_cast<std::size_t>(of.a)] : (*b_)[static_cast<std::size_t>(of.b)];
  const Piece& other =
      is_rim_a ? (*b_)[static_cast<std::size_t>(of.b)] : (*a_)[static_cast<std::size_t>(of.a)];
  if (other.patch.kind == CoreKind::plane) {
    const Mat3& R = is_rim_a ? at_a_.R : at_b_.R;
    return 2.0 * rim.patch.size.x() * (R * rim.patch.axes.col(2)).cross(of.at.normal).norm();
  }
  if (!is_contained() && !has_ring()) return infinity;
  const Patch& circle = has_ring() ? (is_rim_a ? *a_ : *b_).front().patch : rim.patch;
  const Vec3 here =
      rim.patch.origin - circle.origin +
      rim.patch.axes * core_position(rim.patch, is_rim_a ? of.at.foot_a : of.at.foot_b);
  const Vec3 beside = circle.axes.col(2).cross(here);
  double tilt = 0.0;
  for (const Vec3& there : {Vec3(-here), beside, Vec3(-beside)}) {
    Patch point;
    point.origin = circle.origin + there;
    point.radius = rim.patch.radius;
    const PatchPair pair = is_rim_a ? make_pair(point, other.patch, 0, 1, planar_)
                                    : make_pair(other.patch, point, 0, 1, planar_);
    tilt = std::max(tilt, std::abs(pair.nearest(at_a_, at_b_).gap - of.at.gap));
  }
  return tilt;
}

/// Solids that hardly overlap do not touch where pieces are far inside each other: these meet with
/// their backs.
void PiecePair::leave_out_deeper_than(double least_merit, std::vector<Touch>& touches) {
  std::size_t kept = 0;
  for (std::size_t k = 0; k < touches.size(); ++k) {
    if (merits_[k] >= least_merit) touches[kept++] = touches[k];
  }
  touches.resize(kept);
}

}  // namespace clatter
