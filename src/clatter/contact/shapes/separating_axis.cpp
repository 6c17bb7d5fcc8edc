#include <algorithm>
#include <cmath>

#include <clatter/contact/shapes/polytope_pair.hpp>

namespace clatter {
namespace {

/// Relative to the size of the solids: edges must separate by so much more than faces.
constexpr double tie = 1e-9;
/// The same for what is equal but for round-off.
constexpr double round_off = 1e-12;

}  // namespace

PolytopePair::Axis PolytopePair::axis_of_half_space() {
  Axis axis{infinity, Vec3::UnitZ(), {}, {}};
  const bool of_a = a().is_half_space();
  if (of_a && b().is_half_space()) return axis;
  const Polytope::Face& face = (of_a ? a() : b()).faces.front();
  if (!of_a) fill_a_in_b();
  const VectorTable::Lowest lowest = (of_a ? b_in_a_ : a_in_b_).lowest_along(face.normal);
  axis.separation = lowest.height - face.offset;
  const Feature corner{Feature::Kind::corner, lowest.index}, plane{Feature::Kind::face, 0};
  axis.normal = of_a ? face.normal : Vec3(-(R_ab_ * face.normal));
  axis.a = of_a ? plane : corner;
  axis.b = of_a ? corner : plane;
  return axis;
}

/// Of what is foremost of the other solid along the direction of the heights.
const PolytopePair::Depths& PolytopePair::depths_under(bool faces_of_a) {
  Depths& depths = faces_of_a ? depths_a_ : depths_b_;
  if (depths.are_known) return depths;
  depths.are_known = true;
  const Polytope& polytope = faces_of_a ? a() : b();
  const Vec3 point = faces_of_a ? foremost(false) : in_b(foremost(true));
  polytope.normal_table.subtract_dot(point, polytope.offsets, depths.all);
  // No face separates by more than this point is over it.
  const double most = std::max(tie - up_separation_ / size_, round_off) * size_;
  depths.shallow.resize(depths.all.size());
  std::size_t count = 0;
  for (std::size_t f = 0; f < depths.all.size(); ++f) {
    depths.shallow[count] = static_cast<int>(f);  // stays if it counts
    count += depths.all[f] <= most ? 1 : 0;
  }
  depths.shallow.resize(count);
  return depths;
}

PolytopePair::Highest PolytopePair::over_face(bool of_a, int face) const {
  const Polytope::Face& of = at((of_a ? a() : b()).faces, face);
  if (of_a) {
    const VectorTable::Lowest lowest = b_in_a_.lowest_along(of.normal);
    return {lowest.height - of.offset, face, lowest.index};
  }
  const Vec3 normal = R_ab_ * of.normal;
  const VectorTable::Lowest lowest = a().corner_table.lowest_along(normal);
  return {lowest.height - normal.dot(shift_) - of.offset, face, lowest.index};
}

PolytopePair::Axis PolytopePair::axis_of(bool of_a, const Highest& best) const {
  const Feature face{Feature::Kind::face, best.face}, corner{Feature::Kind::corner, best.corner};
  if (of_a) return {best.separation, at(a().faces, best.face).normal, face, corner};
  return {best.separation, -(R_ab_ * at(b().faces, best.face).normal), corner, face};
}

/// The best of all faces, if it is better than that one or separates by more than `floor`.
void PolytopePair::look_at_faces(bool of_a, double floor, double enough, Highest& best) {
  const Polytope& polytope = of_a ? a() : b();
  const int first = best.face;
  std::array<Vec3, 4> low;  // under the faces looked at last
  std::size_t looks = 0;
  const auto keep = [&](int corner) {
    low[looks++ % low.size()] = of_a ? at(b_in_a_, corner) : in_b(at(a().corners, corner));
  };
  // What is lowest over one face is often low enough over another one.
  const auto is_low = [&](int f) {
    for (std::size_t k = 0; k < std::min(looks, low.size()); ++k) {
      if (polytope.height(f, low[k]) < floor) return true;
    }
    return false;
  };
  if (const Feature& beside = of_a ? up_b_ : up_a_; beside.kind == Feature::Kind::edge) {
    const Polytope::Edge& edge = at((of_a ? b() : a()).edges, beside.index);
    keep(edge.begin);
    keep(edge.end);
  }
  floor = std::max(floor, best.separation - round_off * size_);
  const Depths& depths = depths_under(of_a);
  for (const int f : depths.shallow) {
    if (f == first || -at(depths.all, f) < floor || is_low(f)) continue;
    const Highest other = over_face(of_a, f);
    keep(other.corner);
    if (other.separation > best.separation ||
        (other.separation == best.separation && f < best.face)) {
      best = other;
      floor = std::max(floor, best.separation - round_off * size_);
      if (best.separation > enough) return;
    }
  }
}

PolytopePair::Axis PolytopePair::first_axis(double enough) {
  Axis axis{-infinity, Vec3::UnitZ(), {}, {}};
  Highest of_a{-infinity}, of_b{-infinity};
  // The face that the middle of the other one is highest over is a good one to begin with.
  for (const bool faces_of_a : {true, false}) {
    const Polytope& polytope = faces_of_a ? a() : b();
    if (polytope.faces.empty()) continue;
    const Vec3 middle = faces_of_a ? Vec3(shift_ + R_ab_ * b().middle) : in_b(a().middle);
    polytope.normal_table.subtract_dot(middle, polytope.offsets, depths_of_middle_);
    Highest& best = faces_of_a ? of_a : of_b;
    best = over_face(faces_of_a, static_cast<int>(index_of_least(depths_of_middle_)));
    if (!(best.separation > axis.separation + round_off * size_)) continue;
    axis = axis_of(faces_of_a, best);
    if (axis.separation > enough) return axis;
  }
  if (axis.separation == -infinity) return axis;  // there are no faces, or no numbers
  if (axis.separation < -nearness * size_) look_at_nearest_edges(axis);  // may be much better
  measure_heights(axis);
  const bool is_edge = axis.a.kind == Feature::Kind::edge;
  const double floor = axis.separation - tie * size_;
  if (!a().faces.empty()) look_at_faces(true, floor, enough, of_a);
  if (!b().faces.empty()) look_at_faces(false, std::max(floor, of_a.separation), enough, of_b);
  // Of two that are equal always the same.
  const bool is_b = of_b.separation > of_a.separation + round_off * size_;
  const Highest& best = is_b ? of_b : of_a;
  if (is_edge && best.separation < floor) return axis;
  return axis_of(!is_b, best);
}

/// A direction n out of a solid at an edge is (w_1 n_1 + w_2 n_2) / |w_1 n_1 + w_2 n_2| with
/// weights of the normals beside it, and a point of the other solid that lies d_1 and d_2 under
/// these faces is -(w_1 d_1 + w_2 d_2) / |w_1 n_1 + w_2 n_2| over the edge along it: along no such
/// direction more than -min(d_1, d_2), if d_1 + d_2 >= 0. Of a flat solid, whose normals are
/// opposite, the sum is zero: it has other directions out.
bool PolytopePair::may_separate(const Polytope::Edge& edge, std::span<const double> depths,
                                double floor) const {
  const double first = at(depths, edge.beside[0]), second = at(depths, edge.beside[1]);
  return std::min(first, second) < -floor || first + second < round_off * size_;
}

/// A point of either solid that is as near to the other as any, up to round-off: where edges cross,
/// or the middle of all that are.
Vec3 PolytopePair::foremost(bool of_a) const {
  const VectorTable& corners = of_a ? a().corner_table : b_in_a_;
  if (up_a_.kind == Feature::Kind::edge && up_b_.kind == Feature::Kind::edge) {
    const Polytope::Edge &edge_a = at(a().edges, up_a_.index), &edge_b = at(b().edges, up_b_.index);
    const Vec3 begin_a = at(a().corners, edge_a.begin),
               way_a = at(a().corners, edge_a.end) - begin_a;
    const Vec3 begin_b = at(b_in_a_, edge_b.begin), way_b = at(b_in_a_, edge_b.end) - begin_b;
    const Vec3 across = way_a.cross(way_b), between = begin_b - begin_a;
    const double share = between.cross(of_a ? way_b : way_a).dot(across) / across.squaredNorm();
    return (of_a ? begin_a : begin_b) + std::clamp(share, 0.0, 1.0) * (of_a ? way_a : way_b);
  }
  const std::vector<double>& heights = of_a ? heights_a_ : heights_b_;
  Vec3 sum = Vec3::Zero();
  int count = 0;
  for (std::size_t i = 0; i < heights.size(); ++i) {
    if (std::abs(heights[i] - (of_a ? top_of_a_ : bottom_of_b_)) > 0.2 * tie * size_) continue;
    sum += corners[i];
    ++count;
  }
  return sum / count;
}

void PolytopePair::list_near_edges(bool of_a, std::span<const int> edges) {
  static const Vec3 nothing = Vec3::Zero();
  const Polytope& polytope = of_a ? a() : b();
  std::vector<NearEdge>& near = near_edges_[of_a ? 0 : 1];
  near.resize(edges.size());
  const Mat3 turn = of_a ? Mat3(R_ab_.transpose()) : R_ab_;
  for (std::size_t k = 0; k < edges.size(); ++k) {
    const Polytope::Edge& edge = at(polytope.edges, edges[k]);
    near[k].index = edges[k];
    near[k].direction = turn * edge.direction;
    near[k].first = edge.faces < 2 ? &nothing : &at(polytope.faces, edge.beside[0]).normal;
    near[k].second = edge.faces < 2 ? &nothing : &at(polytope.faces, edge.beside[1]).normal;
  }
}

void PolytopePair::find_near_edges(bool of_a, double slack, double floor) {
  const Polytope& polytope = of_a ? a() : b();
  const auto is_near = [&](int corner) {
    return of_a ? at(heights_a_, corner) >= top_of_a_ - slack
                : at(heights_b_, corner) <= bottom_of_b_ + slack;
  };
  indices_.clear();
  if (polytope.faces.empty()) {
    for (std::size_t i = 0; i < polytope.edges.size(); ++i) indices_.push_back(static_cast<int>(i));
  }
  // Edges that may separate have a face that is not as deep.
  const Depths& depths = depths_under(of_a);
  for (const int f : depths.shallow) {
    for (const int i : at(polytope.faces, f).edges) {
      const Polytope::Edge& edge = at(polytope.edges, i);
      if (may_separate(edge, depths.all, floor) && (is_near(edge.begin) || is_near(edge.end))) {
        indices_.push_back(i);
      }
    }
  }
  std::sort(indices_.begin(), indices_.end());
  indices_.erase(std::unique(indices_.begin(), indices_.end()), indices_.end());
  list_near_edges(of_a, indices_);
}

void PolytopePair::look_at_nearest_edges(Axis& best) {
  if (a().edges.empty() || b().edges.empty()) return;
  for (const bool of_a : {true, false}) {
    const Polytope& polytope = of_a ? a() : b();
    const Feature& feature = of_a ? best.a : best.b;
    const bool is_face = feature.kind == Feature::Kind::face;
    list_near_edges(of_a, is_face ? at(polytope.faces, feature.index).edges
                                  : at(polytope.edges_at, feature.index));
  }
  look_at_near_edges(best);
}

void PolytopePair::look_at_edges(double distance, Axis& best) {
  if (a().edges.empty() || b().edges.empty()) return;
  measure_heights(best);
  // Along the best direction of edges, the points of these that are nearest to each other are as
  // far apart as it tells, or as deep, which is less deep than here: both are near the surface.
  const double behind = distance + 2.0 * std::abs(best.separation) + tie * size_,
               floor = best.separation + 0.5 * tie * size_;
  // All at once are often ruled out of that whose face it is.
  for (const bool of_a : {best.b.kind != Feature::Kind::face, best.b.kind == Feature::Kind::face}) {
    find_near_edges(of_a, behind, floor);
    if (near_edges_[of_a ? 0 : 1].empty()) return;
  }
  look_at_near_edges(best);
}

/// The directions out of a solid at an edge are those between the normals of the faces beside it.
/// Those out of one and into the other, if any, are along the product of both edges: it must lie
/// between either two, seen in the same sense.
void PolytopePair::look_at_near_edges(Axis& best) const {
  constexpr double slack = 1e-8;
  for (const NearEdge& edge_b : near_edges_[1]) {
    for (const NearEdge& edge_a : near_edges_[0]) {
      const double first_a = -edge_b.direction.dot(*edge_a.first),
                   second_a = edge_b.direction.dot(*edge_a.second);
      if (std::max(first_a, second_a) > slack && std::min(first_a, second_a) < -slack) continue;
      const double first_b = -edge_a.direction.dot(*edge_b.first),
                   second_b = edge_a.direction.dot(*edge_b.second);
      const double most = std::max({first_a, second_a, first_b, second_b}),
                   least = std::min({first_a, second_a, first_b, second_b});
      if (most > slack && least < -slack) continue;
      const double sense = most <= slack && least >= -slack ? 0.0 : most <= slack ? 1.0 : -1.0;
      look_at_crossing(edge_a.index, edge_b.index, sense, best);
    }
  }
}

void PolytopePair::look_at_crossing(int of_a, int of_b, double sense, Axis& best) const {
  const Polytope::Edge &edge_a = at(a().edges, of_a), &edge_b = at(b().edges, of_b);
  const Vec3 across = edge_a.direction.cross(R_ab_ * edge_b.direction);
  const Vec3 between = at(b_in_a_, edge_b.begin) - at(a().corners, edge_a.begin);
  const double square = across.squaredNorm(), height = sense * across.dot(between);
  const double floor = best.separation + 0.5 * tie * size_;
  // height / sqrt(square) <= floor
  if (sense != 0.0 && height * std::abs(height) <= floor * std::abs(floor) * square) return;
  const double sine = std::sqrt(square);
  if (sine < smallest_sine) return;
  const Vec3 normal = across / sine;
  const double along = normal.dot(between);
  const Vec3 in_axes_of_b = R_ab_.transpose() * normal;
  // Out of both solids, if either sense of it is.
  constexpr double slack = 1e-9;
  const double first = along < 0.0 ? -1.0 : 1.0;
  for (const double out : {first, -first}) {
    if (!edge_a.is_out(out * normal, slack) || !edge_b.is_out(-out * in_axes_of_b, slack)) continue;
    if (out * along > best.separation + tie * size_) {
      best = {out * along, out * normal, {Feature::Kind::edge, of_a}, {Feature::Kind::edge, of_b}};
    }
    return;
  }
}

}  // namespace clatter
