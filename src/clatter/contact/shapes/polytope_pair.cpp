#include <algorithm>
#include <cmath>
#include <limits>

#include <clatter/contact/shapes/polytope_pair.hpp>

namespace clatter {
namespace {

/// The least height of the points along a direction, and which has it. Once it is below `floor` it
/// is of no interest, and any such height will do; a point that was the lowest for the face before
/// is tried first.
double lowest(std::span<const Vec3> points, const Vec3& direction, double floor, int& which) {
  const auto last = static_cast<std::size_t>(which);
  if (last < points.size()) {
    if (const double along = direction.dot(points[last]); along < floor) return along;
  }
  double least = infinity;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (const double along = direction.dot(points[i]); along < least) {
      least = along;
      which = static_cast<int>(i);
      if (least < floor) break;
    }
  }
  return least;
}

bool is_out_of_edge(const Polytope::Edge& edge, const Vec3& direction, double slack) {
  for (int k = 0; k < edge.faces; ++k) {
    if (direction.dot(edge.into[static_cast<std::size_t>(k)]) > slack) return false;
  }
  return true;
}

bool can_touch(const Polytope& polytope, const Feature& feature) {
  const auto i = static_cast<std::size_t>(feature.index);
  if (feature.kind == Feature::Kind::face) return polytope.faces[i].is_surface;
  return feature.kind != Feature::Kind::corner || polytope.is_tip[i] != 0;
}

template <class List>
const auto& at(const List& list, int i) {
  return list[static_cast<std::size_t>(i)];
}

/// Those that lie less than `slack` behind the foremost one along a direction.
void mark_foremost(std::span<const Vec3> corners, const Vec3& towards, double slack,
                   std::vector<char>& marks) {
  double most = -infinity;
  for (const Vec3& corner : corners) most = std::max(most, towards.dot(corner));
  marks.clear();
  for (const Vec3& corner : corners) marks.push_back(towards.dot(corner) >= most - slack ? 1 : 0);
}

}  // namespace

void PolytopePair::place(const Polytope& a, const NodeState& at_a, const Polytope& b,
                         const NodeState& at_b) {
  a_ = &a;
  b_ = &b;
  const Vec3 shift = at_a.R.transpose() * (at_b.x - at_a.x);
  R_ab_ = at_a.R.transpose() * at_b.R;
  b_in_a_.clear();
  a_in_b_.clear();
  double square = 0.0;
  for (const Vec3& corner : b.corners) b_in_a_.push_back(shift + R_ab_ * corner);
  for (const Vec3& corner : a.corners) {
    a_in_b_.push_back(R_ab_.transpose() * (corner - shift));
    square = std::max(square, (corner - a.corners.front()).squaredNorm());
  }
  for (const Vec3& corner : b.corners) {
    square = std::max(square, (corner - b.corners.front()).squaredNorm());
  }
  size_ = std::sqrt(square) + a.radius + b.radius;
}

PolytopePair::Axis PolytopePair::axis_of_half_space() const {
  Axis axis{infinity, Vec3::UnitZ(), {}, {}};
  int corner = 0;
  if (a().is_half_space() && !b().is_half_space()) {
    const Polytope::Face& face = a().faces.front();
    axis.separation = lowest(b_in_a_, face.normal, -infinity, corner) - face.offset;
    axis.normal = face.normal;
    axis.a = {Feature::Kind::face, 0};
    axis.b = {Feature::Kind::corner, corner};
  } else if (b().is_half_space() && !a().is_half_space()) {
    const Polytope::Face& face = b().faces.front();
    axis.separation = lowest(a_in_b_, face.normal, -infinity, corner) - face.offset;
    axis.normal = -(R_ab_ * face.normal);
    axis.a = {Feature::Kind::corner, corner};
    axis.b = {Feature::Kind::face, 0};
  }
  return axis;
}

PolytopePair::Axis PolytopePair::find_axis(double distance) {
  if (has_half_space()) return axis_of_half_space();
  Axis best{-infinity, Vec3::UnitZ(), {}, {}};
  int corner = 0;
  for (std::size_t f = 0; f < a().faces.size(); ++f) {
    const Polytope::Face& face = a().faces[f];
    const double floor = face.offset + best.separation;
    const double separation = lowest(b_in_a_, face.normal, floor, corner) - face.offset;
    if (separation > best.separation) {
      best = {separation,
              face.normal,
              {Feature::Kind::face, static_cast<int>(f)},
              {Feature::Kind::corner, corner}};
    }
  }
  for (std::size_t f = 0; f < b().faces.size(); ++f) {
    const Polytope::Face& face = b().faces[f];
    const double floor = face.offset + best.separation;
    const double separation = lowest(a_in_b_, face.normal, floor, corner) - face.offset;
    if (separation > best.separation + 1e-12 * size_) {  // for the same one of two that are equal
      best = {separation,
              -(R_ab_ * face.normal),
              {Feature::Kind::corner, corner},
              {Feature::Kind::face, static_cast<int>(f)}};
    }
  }
  // Along the best direction of edges, the points of these that are nearest to each other are as
  // far apart as it tells, or as deep, which is less deep than here: both are near the surface.
  const double slack = distance + 2.0 * std::abs(best.separation) + 1e-9 * size_;
  mark_foremost(a().corners, best.normal, slack, low_a_);
  mark_foremost(b_in_a_, -best.normal, slack, low_b_);
  look_at_edges(best);
  return best;
}

void PolytopePair::look_at_edges(Axis& best) const {
  constexpr double slack = 1e-9;
  for (std::size_t k = 0; k < b().edges.size(); ++k) {
    const Polytope::Edge& edge_b = b().edges[k];
    if (at(low_b_, edge_b.begin) == 0 && at(low_b_, edge_b.end) == 0) continue;
    const Vec3 along_b = R_ab_ * edge_b.direction;
    std::array<Vec3, 2> into_b;
    for (int i = 0; i < edge_b.faces; ++i) into_b[i] = R_ab_ * edge_b.into[i];
    for (std::size_t i = 0; i < a().edges.size(); ++i) {
      const Polytope::Edge& edge_a = a().edges[i];
      if (at(low_a_, edge_a.begin) == 0 && at(low_a_, edge_a.end) == 0) continue;
      Vec3 normal = edge_a.direction.cross(along_b);
      const double sine = normal.norm();
      if (sine < smallest_sine) continue;
      normal /= sine;
      const Vec3 between = at(b_in_a_, edge_b.begin) - at(a().corners, edge_a.begin);
      // Out of both solids, if either sense of it is.
      const auto is_out = [&](double sense) {
        if (!is_out_of_edge(edge_a, sense * normal, slack)) return false;
        for (int f = 0; f < edge_b.faces; ++f) {
          if (-sense * normal.dot(into_b[static_cast<std::size_t>(f)]) > slack) return false;
        }
        return true;
      };
      const double first = between.dot(normal) < 0.0 ? -1.0 : 1.0;
      for (const double sense : {first, -first}) {
        if (!is_out(sense)) continue;
        const double separation = sense * between.dot(normal);
        if (separation > best.separation + 1e-9 * size_) {
          best = {separation,
                  sense * normal,
                  {Feature::Kind::edge, static_cast<int>(i)},
                  {Feature::Kind::edge, static_cast<int>(k)}};
        }
        break;
      }
    }
  }
}

double PolytopePair::gap() {
  double distance = 0.0;
  if (!has_half_space()) {
    distance = find_nearest_points(a().corners, b_in_a_).distance;
    if (distance > 1e-9 * size_) return distance - radii();
  }
  const double separation = find_axis(distance).separation;
  return (separation < 0.0 ? separation : std::max(separation, distance)) - radii();
}

/// Corners that can touch and lie less than `slack` behind the foremost one.
void PolytopePair::list_corners(const Vec3& normal, double slack) {
  mark_foremost(a().corners, normal, slack, low_a_);
  mark_foremost(b_in_a_, -normal, slack, low_b_);
  for (std::size_t i = 0; i < low_a_.size(); ++i) low_a_[i] = low_a_[i] & a().is_tip[i];
  for (std::size_t i = 0; i < low_b_.size(); ++i) low_b_[i] = low_b_[i] & b().is_tip[i];
}

void PolytopePair::add_corners_on_faces(const Vec3& normal, double reach,
                                        std::vector<Touch>& touches) const {
  const double margin = edge_margin * size_;
  const auto add = [&](const Polytope& with_faces, const Vec3& out, std::span<const Vec3> corners,
                       std::span<const char> low, bool faces_of_a) {
    for (std::size_t i = 0; i < corners.size(); ++i) {
      if (low[i] == 0) continue;
      int best = -1;
      double straightest = 0.5, height = 0.0;
      for (std::size_t f = 0; f < with_faces.faces.size(); ++f) {
        const auto face = static_cast<int>(f);
        const double cosine = with_faces.faces[f].normal.dot(out);
        if (cosine <= straightest || !with_faces.faces[f].is_surface) continue;
        const double over = with_faces.height(face, corners[i]) - radii();
        if (over > reach || !with_faces.is_over(face, corners[i], margin)) continue;
        straightest = cosine;
        best = face;
        height = over;
      }
      if (best < 0) continue;
      const Feature corner{Feature::Kind::corner, static_cast<int>(i)};
      const Feature face{Feature::Kind::face, best};
      touches.push_back(faces_of_a ? Touch{face, corner, height} : Touch{corner, face, height});
    }
  };
  add(b(), -(R_ab_.transpose() * normal), a_in_b_, low_a_, false);
  const std::size_t before = touches.size();
  add(a(), normal, b_in_a_, low_b_, true);
  // Corners on corners are found from both sides: once is enough.
  const auto is_known = [&](const Touch& touch) {
    if (touch.a.kind != Feature::Kind::face) return false;
    const Vec3& corner = at(b_in_a_, touch.b.index);
    for (std::size_t k = 0; k < before; ++k) {
      const Vec3 way = at(a().corners, touches[k].a.index) - corner;
      if ((way - normal * normal.dot(way)).norm() < 10.0 * margin) return true;
    }
    return false;
  };
  touches.erase(std::remove_if(touches.begin() + static_cast<std::ptrdiff_t>(before), touches.end(),
                               is_known),
                touches.end());
}

void PolytopePair::add_crossing_edges(const Vec3& towards, double reach,
                                      std::vector<Touch>& touches) const {
  const double margin = edge_margin * size_;
  for (std::size_t k = 0; k < b().edges.size(); ++k) {
    const Polytope::Edge& edge_b = b().edges[k];
    if (at(low_b_, edge_b.begin) == 0 || at(low_b_, edge_b.end) == 0) continue;
    const Vec3 &begin_b = at(b_in_a_, edge_b.begin), way_b = at(b_in_a_, edge_b.end) - begin_b;
    for (std::size_t i = 0; i < a().edges.size(); ++i) {
      const Polytope::Edge& edge_a = a().edges[i];
      if (at(low_a_, edge_a.begin) == 0 || at(low_a_, edge_a.end) == 0) continue;
      const Vec3 &begin_a = at(a().corners, edge_a.begin),
                 way_a = at(a().corners, edge_a.end) - begin_a;
      Vec3 normal = way_a.cross(way_b);
      const double area = normal.norm();
      if (area < smallest_sine * way_a.norm() * way_b.norm()) continue;
      normal /= area;
      if (normal.dot(towards) < 0.0) normal = -normal;
      if (normal.dot(towards) < 0.5) continue;
      // begin_a + s way_a and begin_b + t way_b lie over each other along the normal.
      const Vec3 between = begin_b - begin_a, across = way_a.cross(way_b) / (area * area);
      const double s = between.cross(way_b).dot(across), t = between.cross(way_a).dot(across);
      const double inside_a = margin / way_a.norm(), inside_b = margin / way_b.norm();
      // At their ends they are corners on faces.
      if (s < inside_a || s > 1.0 - inside_a || t < inside_b || t > 1.0 - inside_b) continue;
      const double gap = normal.dot(between) - radii();
      if (gap > reach) continue;
      touches.push_back({{Feature::Kind::edge, static_cast<int>(i)},
                         {Feature::Kind::edge, static_cast<int>(k)},
                         gap});
    }
  }
}

void PolytopePair::add_rounded(const NearestPoints& nearest, double reach,
                               std::vector<Touch>& touches) const {
  // Corners over edges: both ends of what lies along an edge.
  const auto add = [&](const Polytope& with_edges, std::span<const Vec3> ends,
                       std::span<const Vec3> corners, std::span<const char> low, bool edges_of_a) {
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
        if (!is_out_of_edge(edge, in_own_axes, 0.0)) continue;
        const Feature corner{Feature::Kind::corner, static_cast<int>(i)};
        const Feature line{Feature::Kind::edge, static_cast<int>(e)};
        touches.push_back(edges_of_a ? Touch{line, corner, gap} : Touch{corner, line, gap});
      }
    }
  };
  add(b(), b_in_a_, a().corners, low_a_, false);
  add(a(), a().corners, b_in_a_, low_b_, true);
  if (nearest.count_a == 1 && nearest.count_b == 1 && nearest.distance - radii() <= reach &&
      can_touch(a(), {Feature::Kind::corner, nearest.corners_a[0]}) &&
      can_touch(b(), {Feature::Kind::corner, nearest.corners_b[0]})) {
    touches.push_back({{Feature::Kind::corner, nearest.corners_a[0]},
                       {Feature::Kind::corner, nearest.corners_b[0]},
                       nearest.distance - radii()});
  }
}

void PolytopePair::find_touches(double reach, bool must_find, std::vector<Touch>& touches) {
  touches.clear();
  if (a().is_part || b().is_part) {
    find_touches_of_parts(reach, must_find, touches);
    return;
  }
  NearestPoints nearest;
  Axis axis{-infinity, Vec3::UnitZ(), {}, {}};
  if (!has_half_space()) {
    nearest = find_nearest_points(a().corners, b_in_a_);
    if (nearest.distance > reach + radii()) return;
    if (radii() > 0.0 && nearest.distance > 1e-9 * size_) {
      axis.separation = nearest.distance;
      axis.normal = (nearest.on_b - nearest.on_a) / nearest.distance;
    }
  }
  const bool is_rounded = axis.separation > 0.0;
  if (!is_rounded) axis = find_axis(nearest.distance);
  if (axis.separation > reach + radii() || axis.separation == -infinity) return;
  list_corners(axis.normal, 2.0 * reach + edge_margin * size_);
  add_corners_on_faces(axis.normal, reach, touches);
  add_crossing_edges(axis.normal, reach, touches);
  if (is_rounded) add_rounded(nearest, reach, touches);
  if (!touches.empty() || !must_find || !can_touch(a(), axis.a) || !can_touch(b(), axis.b)) return;
  touches.push_back({axis.a, axis.b, axis.separation - radii()});
}

}  // namespace clatter
