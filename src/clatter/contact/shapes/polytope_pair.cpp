#include <algorithm>
#include <cmath>
#include <limits>

#include <clatter/contact/shapes/polytope_pair.hpp>

namespace clatter {
namespace {

bool can_touch(const Polytope& polytope, const Feature& feature) {
  const auto i = static_cast<std::size_t>(feature.index);
  if (feature.kind == Feature::Kind::face) return polytope.faces[i].is_surface;
  return feature.kind != Feature::Kind::corner || polytope.is_tip[i] != 0;
}

/// Between the direction that separates best and the normal of a face that is touched.
constexpr double least_cosine = 0.5;
/// Relative to the size of the solids: cores that are nearer meet.
constexpr double meeting = 1e-9;

}  // namespace

void PolytopePair::place(const Polytope& a, const NodeState& at_a, const Polytope& b,
                         const NodeState& at_b) {
  a_ = &a;
  b_ = &b;
  shift_ = at_a.R.transpose() * (at_b.x - at_a.x);
  R_ab_ = at_a.R.transpose() * at_b.R;
  size_ = std::max(a.width, b.width) + a.radius + b.radius;
  b_in_a_.set_placed(b.corner_table, R_ab_, shift_);
  a_in_b_.clear();
  up_.setZero();
}

void PolytopePair::fill_a_in_b() {
  if (!a_in_b_.empty()) return;
  a_in_b_.set_before_placed(a().corner_table, R_ab_, shift_);
}

void PolytopePair::measure_heights(const Axis& axis) {
  const Vec3& normal = axis.normal;
  if (normal == up_) return;
  up_ = normal;
  up_a_ = axis.a;
  up_b_ = axis.b;
  up_separation_ = axis.separation;
  depths_a_.are_known = depths_b_.are_known = false;
  a().corner_table.dot(normal, heights_a_);
  b_in_a_.dot(normal, heights_b_);
  top_of_a_ = -infinity;
  bottom_of_b_ = infinity;
  for (const double height : heights_a_) top_of_a_ = std::max(top_of_a_, height);
  for (const double height : heights_b_) bottom_of_b_ = std::min(bottom_of_b_, height);
}

double PolytopePair::gap() {
  if (has_half_space()) return axis_of_half_space().separation - radii();
  Axis axis = first_axis(meeting * size_);
  if (axis.separation < 0.0 && axis.separation > -infinity) {
    look_at_edges(nearness * size_, axis);
    if (axis.separation < 0.0) {
      // This is right, unless they are further apart than what was looked at.
      find_sharp_touches(axis, nearness * size_, touches_);
      if (are_nearer_than(nearness * size_ - axis.separation, touches_)) {
        return axis.separation - radii();
      }
    }
  }
  const double distance = find_nearest_points(a().corner_table, b_in_a_, between(axis)).distance;
  // Of solids that lie flat on each other it is not known better.
  if (distance > 1e-7 * size_) return distance - radii();
  look_at_edges(distance, axis);
  return (axis.separation < 0.0 ? axis.separation : std::max(axis.separation, distance)) - radii();
}

Vec3 PolytopePair::between(const Axis& axis) const {
  if (axis.separation > -infinity) return axis.normal;
  return shift_ + R_ab_ * b().middle - a().middle;
}

/// Corners that can touch and lie less than `slack` behind the foremost one.
void PolytopePair::list_corners(const Axis& axis, double slack) {
  measure_heights(axis);
  const double least = top_of_a_ - slack, most = bottom_of_b_ + slack;
  low_a_.resize(heights_a_.size());
  low_b_.resize(heights_b_.size());
  corners_a_.clear();
  corners_b_.clear();
  for (std::size_t i = 0; i < low_a_.size(); ++i) {
    low_a_[i] = heights_a_[i] >= least ? a().is_tip[i] : 0;
    if (low_a_[i] != 0) corners_a_.push_back(static_cast<int>(i));
  }
  for (std::size_t i = 0; i < low_b_.size(); ++i) {
    low_b_[i] = heights_b_[i] <= most ? b().is_tip[i] : 0;
    if (low_b_[i] != 0) corners_b_.push_back(static_cast<int>(i));
  }
}

/// Faces that look along a direction.
void PolytopePair::list_facing(const Polytope& polytope, const Vec3& direction) {
  polytope.normal_table.dot(direction, cosines_);
  facing_.resize(cosines_.size());
  std::size_t count = 0;
  for (std::size_t f = 0; f < cosines_.size(); ++f) {
    facing_[count] = {static_cast<int>(f), cosines_[f]};  // stays if it counts
    count += cosines_[f] > least_cosine ? 1 : 0;
  }
  facing_.resize(count);
}

/// The straightest of these that a point is over, or -1.
int PolytopePair::face_under(const Polytope& polytope, const Vec3& point, double floor,
                             double reach) const {
  int best = -1;
  double straightest = least_cosine;
  for (const auto& [face, cosine] : facing_) {
    if (cosine < straightest || (cosine == straightest && face >= best)) continue;
    const double height = polytope.height(face, point);
    if (height < floor || height - radii() > reach || !at(polytope.faces, face).is_surface ||
        !polytope.is_over(face, point, edge_margin * size_)) {
      continue;
    }
    straightest = cosine;
    best = face;
  }
  return best;
}

void PolytopePair::add_corners_on_faces(const Axis& axis, double reach,
                                        std::vector<Touch>& touches) {
  const double margin = edge_margin * size_;
  const Vec3& normal = axis.normal;
  // The foot on a face is not higher along the normal than the solid, and what is over it not lower
  // than that and the separation: it is at most twice as deep under a face of cosine 1/2.
  const double floor = 2.0 * std::min(axis.separation, 0.0) - nearness * size_;
  const auto add = [&](const Polytope& with_faces, const Vec3& out, std::span<const int> low,
                       bool faces_of_a) {
    list_facing(with_faces, out);
    for (const int i : low) {
      const Vec3 point = faces_of_a ? at(b_in_a_, i) : in_b(at(a().corners, i));
      const int under = face_under(with_faces, point, floor, reach);
      if (under < 0) continue;
      const double gap = with_faces.height(under, point) - radii();
      const Feature corner{Feature::Kind::corner, i};
      const Feature face{Feature::Kind::face, under};
      touches.push_back(faces_of_a ? Touch{face, corner, gap} : Touch{corner, face, gap});
    }
  };
  add(b(), -(R_ab_.transpose() * normal), corners_a_, false);
  const std::size_t before = touches.size();
  add(a(), normal, corners_b_, true);
  // Corners on corners are found from both sides: once is enough.
  const auto is_known = [&](const Touch& touch) {
    const Vec3 corner = at(b_in_a_, touch.b.index);
    for (std::size_t k = 0; k < before; ++k) {
      const Vec3 way = at(a().corners, touches[k].a.index) - corner;
      if ((way - normal * normal.dot(way)).squaredNorm() < 100.0 * margin * margin) return true;
    }
    return false;
  };
  touches.erase(std::remove_if(touches.begin() + static_cast<std::ptrdiff_t>(before), touches.end(),
                               is_known),
                touches.end());
}

void PolytopePair::list_low_edges(bool of_a) {
  const Polytope& polytope = of_a ? a() : b();
  const VectorTable& corners = of_a ? polytope.corner_table : b_in_a_;
  const std::vector<char>& low = of_a ? low_a_ : low_b_;
  std::vector<LowEdge>& edges = low_edges_[of_a ? 0 : 1];
  edges.clear();
  if (polytope.edges_at.empty()) return;  // in the plane
  for (const int corner : of_a ? corners_a_ : corners_b_) {
    for (const int i : at(polytope.edges_at, corner)) {
      const Polytope::Edge& edge = at(polytope.edges, i);
      if (edge.begin != corner || at(low, edge.end) == 0) continue;
      const Vec3 begin = at(corners, corner), way = at(corners, edge.end) - begin;
      edges.push_back({i, begin, way, way.norm()});
    }
  }
}

void PolytopePair::add_crossing_edges(const Vec3& towards, double reach,
                                      std::vector<Touch>& touches) {
  list_low_edges(true);
  if (low_edges_[0].empty()) return;
  list_low_edges(false);
  const double margin = edge_margin * size_;
  for (const LowEdge& edge_b : low_edges_[1]) {
    for (const LowEdge& edge_a : low_edges_[0]) {
      const Vec3 &way_a = edge_a.way, &way_b = edge_b.way;
      const Vec3 across = way_a.cross(way_b);
      const double square = across.squaredNorm(), along = across.dot(towards);
      const double least = smallest_sine * edge_a.length * edge_b.length;
      if (square < least * least || along * along < 0.25 * square) continue;
      // begin_a + s / square way_a and begin_b + t / square way_b lie over each other along the
      // normal.
      const Vec3 between = edge_b.begin - edge_a.begin;
      const double s = between.cross(way_b).dot(across), t = between.cross(way_a).dot(across);
      // At their ends they are corners on faces.
      const double end_a = square * margin / edge_a.length, end_b = square * margin / edge_b.length;
      if (s < end_a || s > square - end_a || t < end_b || t > square - end_b) continue;
      const Vec3 normal = across / std::copysign(std::sqrt(square), along);
      const double gap = normal.dot(between) - radii();
      if (gap > reach) continue;
      touches.push_back(
          {{Feature::Kind::edge, edge_a.index}, {Feature::Kind::edge, edge_b.index}, gap});
    }
  }
}

void PolytopePair::add_rounded(const NearestPoints& nearest, double reach,
                               std::vector<Touch>& touches) const {
  // Corners over edges: both ends of what lies along an edge.
  const auto add = [&](const Polytope& with_edges, const VectorTable& ends,
                       const VectorTable& corners, std::span<const char> low, bool edges_of_a) {
    for (std::size_t e = 0; e < with_edges.edges.size(); ++e) {
      const Polytope::Edge& edge = with_edges.edges[e];
      const Vec3 &begin = at(ends, edge.begin), way = at(ends, edge.end) - begin;
      for (std::size_t i = 0; i < corners.size(); ++i) {
        if (low[i] == 0) continue;
        const double s = way.dot(corners[i] - begin) / way.squaredNorm();
        if (!(s > 0.0) || !(s < 1.0)) continue;
        const Vec3 out = corners[i] - begin - s * way;
        const double gap = out.norm() - radii();
        if (gap > reach) continue;
        const Vec3 in_own_axes = edges_of_a ? out : Vec3(R_ab_.transpose() * out);
        if (!edge.is_out(in_own_axes, 0.0)) continue;
        const Feature corner{Feature::Kind::corner, static_cast<int>(i)};
        const Feature line{Feature::Kind::edge, static_cast<int>(e)};
        touches.push_back(edges_of_a ? Touch{line, corner, gap} : Touch{corner, line, gap});
      }
    }
  };
  add(b(), b_in_a_, a().corner_table, low_a_, false);
  add(a(), a().corner_table, b_in_a_, low_b_, true);
  if (nearest.count_a == 1 && nearest.count_b == 1 && nearest.distance - radii() <= reach &&
      can_touch(a(), {Feature::Kind::corner, nearest.corners_a[0]}) &&
      can_touch(b(), {Feature::Kind::corner, nearest.corners_b[0]})) {
    touches.push_back({{Feature::Kind::corner, nearest.corners_a[0]},
                       {Feature::Kind::corner, nearest.corners_b[0]},
                       nearest.distance - radii()});
  }
}

void PolytopePair::find_sharp_touches(const Axis& axis, double reach, std::vector<Touch>& touches) {
  touches.clear();
  list_corners(axis, 2.0 * reach + edge_margin * size_);
  add_corners_on_faces(axis, reach, touches);
  add_crossing_edges(axis.normal, reach, touches);
}

bool PolytopePair::are_nearer_than(double distance, std::span<const Touch> touches) const {
  // Points of features that lie over each other may be beside them by the margin.
  const double surely = distance - 4.0 * edge_margin * size_;
  return std::any_of(touches.begin(), touches.end(),
                     [&](const Touch& touch) { return std::abs(touch.gap + radii()) < surely; });
}

void PolytopePair::find_touches(double reach, bool must_find, std::vector<Touch>& touches) {
  touches.clear();
  if (a().is_part || b().is_part) {
    fill_a_in_b();
    find_touches_of_parts(reach, must_find, touches);
    return;
  }
  NearestPoints nearest;
  Axis axis{-infinity, Vec3::UnitZ(), {}, {}};
  bool is_rounded = false;
  if (has_half_space()) {
    axis = axis_of_half_space();
  } else {
    if (radii() == 0.0) {
      const double apart = reach + 1e-12 * size_;
      axis = first_axis(apart);
      if (axis.separation > apart) return;
      look_at_edges(reach, axis);
      if (axis.separation > apart) return;
      // These are right, unless the solids are further apart than what was looked at.
      find_sharp_touches(axis, reach, touches);
      if (touches.empty() && !must_find) return;
      if (are_nearer_than(reach + std::max(-axis.separation, 0.0), touches)) return;
      touches.clear();
    }
    nearest = find_nearest_points(a().corner_table, b_in_a_, between(axis));
    if (nearest.distance > reach + radii()) return;
    is_rounded = radii() > 0.0 && nearest.distance > meeting * size_;
    if (is_rounded) {
      axis.separation = nearest.distance;
      axis.normal = (nearest.on_b - nearest.on_a) / nearest.distance;
    } else {
      if (radii() > 0.0) axis = first_axis(infinity);
      look_at_edges(nearest.distance, axis);
    }
  }
  if (axis.separation > reach + radii() || axis.separation == -infinity) return;
  find_sharp_touches(axis, reach, touches);
  if (is_rounded) add_rounded(nearest, reach, touches);
  if (!touches.empty() || !must_find || !can_touch(a(), axis.a) || !can_touch(b(), axis.b)) return;
  touches.push_back({axis.a, axis.b, axis.separation - radii()});
}

}  // namespace clatter
