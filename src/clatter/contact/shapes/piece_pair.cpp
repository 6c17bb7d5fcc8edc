#include <algorithm>
#include <cmath>
#include <limits>

#include <clatter/contact/shapes/piece_pair.hpp>

namespace clatter {
namespace {

using CoreKind = Patch::Kind;
/// Relative to the size of the solids: pieces that are deeper in each other face other ways.
constexpr double deepest = 0.1;
/// Relative to the size of the solids: how far off a rough look may be.
constexpr double roughness = 0.05;
/// Relative to the diameter: by how much a round edge that lies flat is higher on one side.
constexpr double flattest = 1e-9;

/// Sharp corners meet neither corners nor edges, but for an instant.
bool can_touch(const Piece& a, const Piece& b) {
  if (!a.can_touch || !b.can_touch) return false;
  const bool has_normal = a.patch.parameters() + b.patch.parameters() >= 2;
  return has_normal || a.patch.radius + b.patch.radius != 0.0;
}

}  // namespace

PatchPair PiecePair::make_pair(Patch a, Patch b, int node_a, int node_b, bool planar) {
  if (a.radius + b.radius != 0.0) a.outward = b.outward = Vec3::Zero();
  return PatchPair(a, b, node_a, node_b, planar);
}

void PiecePair::place(const Pieces& a, const NodeState& at_a, const Pieces& b,
                      const NodeState& at_b, bool planar) {
  planar_ = planar;
  contains_a_ = is_container(b);
  contains_b_ = is_container(a);
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
  const CoreKind first = std::min(a.patch.kind, b.patch.kind),
                 second = std::max(a.patch.kind, b.patch.kind);
  if (a.is_mark || b.is_mark) return is_contained() || second == CoreKind::plane;
  // A round edge may meet what is straight, or another one, more than once, and once beyond the
  // end of it: each of its arcs is looked at.
  const bool by_arcs =
      is_contained()
          ? around.patch.kind != CoreKind::point && around.patch.kind != CoreKind::plane
          : first != CoreKind::point && (second == CoreKind::circle ||
                                         (first == CoreKind::circle && second == CoreKind::cone));
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
    return std::abs(height) <= extent + reach;
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
      if (at.gap > reach || at.gap < -std::max(reach, deepest * size_)) continue;
      const Vec3 &n = at.normal, n_a = at_a_.R.transpose() * n, n_b = -(at_b_.R.transpose() * n);
      Candidate candidate{static_cast<int>(i), static_cast<int>(k), at, 0.0, 0.0};
      if (!is_contained()) {
        candidate.beyond_a = n_a.dot(furthest_point(*a_, n_a)) - n.dot(at.point_a);
        candidate.beyond_b = n_b.dot(furthest_point(*b_, n_b)) + n.dot(at.point_b - shift_);
      }
      visit(candidate);
    }
  }
}

/// Not more than their distance, and hardly less.
double PiecePair::least_apart() const {
  const auto support_a = [this](const Vec3& n) -> Vec3 {
    return at_a_.R * furthest_point(*a_, at_a_.R.transpose() * n);
  };
  const auto support_b = [this](const Vec3& n) -> Vec3 {
    return shift_ + at_b_.R * furthest_point(*b_, at_b_.R.transpose() * n);
  };
  return least_distance(support_a, support_b, 1e-3);
}

double PiecePair::gap() {
  if (is_contained()) {
    double least = infinity;
    for_each_candidate(
        infinity, [&](const Candidate& candidate) { least = std::min(least, candidate.at.gap); });
    return least;
  }
  const double apart = least_apart();
  if (apart > 1e-6 * size_) return apart;
  double best = -infinity;
  for (const double reach : {1e-2 * size_, infinity}) {
    for_each_candidate(
        reach, [&](const Candidate& candidate) { best = std::max(best, candidate.separation()); });
    if (best > -reach) break;  // others are further away, or deeper
  }
  return best;
}

void PiecePair::find_touches(double reach, bool must_find, bool closely,
                             std::vector<Touch>& touches) {
  touches.clear();
  merits_.clear();
  if (!is_contained() && least_apart() > reach) return;
  const double margin = edge_margin * size_;
  double best = -infinity;
  Touch separating;
  const auto look_at = [&](const Candidate& found) {
    const Piece &a = (*a_)[static_cast<std::size_t>(found.a)],
                &b = (*b_)[static_cast<std::size_t>(found.b)];
    if (!can_touch(a, b)) return;
    const Touch touch{
        {Feature::Kind::piece, found.a}, {Feature::Kind::piece, found.b}, found.at.gap};
    const double merit = is_contained() ? -found.at.gap : found.separation();
    if (merit > best) {
      best = merit;
      separating = touch;
    }
    const bool is_within = a.holds(found.at.foot_a, margin) && b.holds(found.at.foot_b, margin);
    if (!is_within && (!is_contained() || a.is_arc() || b.is_arc())) return;
    const bool is_rim_a = a.patch.kind == CoreKind::circle,
               is_rim_b = b.patch.kind == CoreKind::circle;
    if (is_rim_a != is_rim_b) {
      const Piece& rim = is_rim_a ? a : b;
      const double tilt = tilt_of(found, is_rim_a), diameter = 2.0 * rim.patch.size.x();
      if (tilt < flattest * diameter || (!closely && tilt < reach)) return;
    }
    const double slack = 2.0 * reach + margin;
    if (found.beyond_a > slack || found.beyond_b > slack || found.at.gap > reach) return;
    touches.push_back(touch);
    merits_.push_back(merit);
  };
  for_each_candidate(must_find && !is_contained() ? 1e-2 * size_ + reach : reach, look_at);
  if (!is_contained()) leave_out_deeper_than(best - std::max(2.0 * reach, std::abs(best)), touches);
  if (touches.empty() && must_find && best > -infinity) touches.push_back(separating);
}

/// How much further from the other the far side of a round edge is, where it may lie along the
/// whole of it: on a plane, or in a hollow.
double PiecePair::tilt_of(const Candidate& of, bool is_rim_a) const {
  const Piece& rim =
      is_rim_a ? (*a_)[static_cast<std::size_t>(of.a)] : (*b_)[static_cast<std::size_t>(of.b)];
  const Piece& other =
      is_rim_a ? (*b_)[static_cast<std::size_t>(of.b)] : (*a_)[static_cast<std::size_t>(of.a)];
  if (other.patch.kind == CoreKind::plane) {
    const Mat3& R = is_rim_a ? at_a_.R : at_b_.R;
    return 2.0 * rim.patch.size.x() * (R * rim.patch.axes.col(2)).cross(of.at.normal).norm();
  }
  if (!is_contained()) return infinity;
  Patch far_side;
  far_side.origin =
      rim.patch.origin -
      rim.patch.size.x() * (rim.patch.axes * (is_rim_a ? of.at.foot_a : of.at.foot_b));
  far_side.radius = rim.patch.radius;
  const PatchPair pair = is_rim_a ? make_pair(far_side, other.patch, 0, 1, planar_)
                                  : make_pair(other.patch, far_side, 0, 1, planar_);
  return pair.nearest(at_a_, at_b_).gap - of.at.gap;
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
