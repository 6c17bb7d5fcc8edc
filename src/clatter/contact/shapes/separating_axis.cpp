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

void PolytopePair::measure_depths(const Polytope& polytope, const Vec3& point) {
  polytope.normal_table.dot(point, depths_);
  for (std::size_t f = 0; f < depths_.size(); ++f) depths_[f] = polytope.offsets[f] - depths_[f];
}

PolytopePair::Highest PolytopePair::highest_over(const Polytope& polytope,
                                                 const VectorTable& corners, double floor,
                                                 double enough) {
  Highest best{floor};
  std::array<Vec3, 4> low;  // of the faces looked at last
  std::size_t looks = 0;
  const auto look_at = [&](std::size_t f) {
    const VectorTable::Lowest lowest = corners.lowest_along(polytope.faces[f].normal);
    low[looks++ % low.size()] = at(corners, lowest.index);
    const double separation = lowest.height - polytope.faces[f].offset;
    const auto face = static_cast<int>(f);
    if (separation > best.separation || (separation == best.separation && face < best.face)) {
      best = {separation, face, lowest.index};
    }
  };
  // What is lowest over one face is often low enough over another one.
  const auto is_low = [&](std::size_t f) {
    for (std::size_t k = 0; k < std::min(looks, low.size()); ++k) {
      if (polytope.height(static_cast<int>(f), low[k]) < best.separation) return true;
    }
    return false;
  };
  const std::size_t first = index_of_least(depths_);
  look_at(first);
  for (std::size_t f = 0; f < polytope.faces.size() && !(best.separation > enough); ++f) {
    if (f != first && -depths_[f] >= best.separation - round_off * size_ && !is_low(f)) look_at(f);
  }
  return best;
}

PolytopePair::Axis PolytopePair::first_axis(double enough) {
  Axis axis{-infinity, Vec3::UnitZ(), {}, {}};
  if (!a().faces.empty()) {
    measure_depths(a(), shift_ + R_ab_ * b().middle);
    const Highest best = highest_over(a(), b_in_a_, -infinity, enough);
    if (best.face < 0) return axis;  // these are no numbers
    axis = {best.separation,
            at(a().faces, best.face).normal,
            {Feature::Kind::face, best.face},
            {Feature::Kind::corner, best.corner}};
  }
  if (b().faces.empty() || axis.separation > enough) return axis;
  double floor = axis.separation + round_off * size_;  // of two that are equal always the same
  if (axis.separation < -nearness * size_ && !a().faces.empty()) {  // there may be much better ones
    look_at_nearest_edges(axis);
    floor = std::max(floor, axis.separation - tie * size_);
  }
  measure_depths(b(), in_b(a().middle));
  if (-depths_[index_of_least(depths_)] < floor) return axis;
  fill_a_in_b();
  const Highest best = highest_over(b(), a_in_b_, floor, enough);
  if (best.face < 0) return axis;
  return {best.separation,
          -(R_ab_ * at(b().faces, best.face).normal),
          {Feature::Kind::corner, best.corner},
          {Feature::Kind::face, best.face}};
}

/// A direction n out of a solid at an edge is (w_1 n_1 + w_2 n_2) / |w_1 n_1 + w_2 n_2| with
/// weights of the normals beside it, and a point of the other solid that lies d_1 and d_2 under
/// these faces is -(w_1 d_1 + w_2 d_2) / |w_1 n_1 + w_2 n_2| over the edge along it: along no such
/// direction more than -min(d_1, d_2), if d_1 + d_2 >= 0. Of a flat solid, whose normals are
/// opposite, the sum is zero: it has other directions out.
bool PolytopePair::may_separate(const Polytope::Edge& edge, double floor) const {
  const double first = at(depths_, edge.beside[0]), second = at(depths_, edge.beside[1]);
  return std::min(first, second) < -floor || first + second < round_off * size_;
}

/// A point of either solid that is as near to the other as any, up to round-off.
Vec3 PolytopePair::foremost(bool of_a) const {
  const std::vector<double>& heights = of_a ? heights_a_ : heights_b_;
  const VectorTable& corners = of_a ? a().corner_table : b_in_a_;
  Vec3 sum = Vec3::Zero();
  int count = 0;
  for (std::size_t i = 0; i < heights.size(); ++i) {
    if (std::abs(heights[i] - (of_a ? top_of_a_ : bottom_of_b_)) > 0.2 * tie * size_) continue;
    sum += corners[i];
    ++count;
  }
  return sum / count;
}

void PolytopePair::add_near_edge(bool of_a, int index) {
  static const Vec3 nothing = Vec3::Zero();
  const Polytope& polytope = of_a ? a() : b();
  const Polytope::Edge& edge = at(polytope.edges, index);
  const auto normal = [&](std::size_t k) {
    return edge.faces < 2 ? &nothing : &at(polytope.faces, edge.beside[k]).normal;
  };
  const Vec3 along = of_a ? Vec3(R_ab_.transpose() * edge.direction) : Vec3(R_ab_ * edge.direction);
  near_edges_[of_a ? 0 : 1].push_back({index, along, normal(0), normal(1)});
}

void PolytopePair::list_near_edges(bool of_a, double slack, double floor) {
  const Polytope& polytope = of_a ? a() : b();
  const auto is_near = [&](int corner) {
    return of_a ? at(heights_a_, corner) >= top_of_a_ - slack
                : at(heights_b_, corner) <= bottom_of_b_ + slack;
  };
  indices_.clear();
  if (polytope.faces.empty()) {
    for (std::size_t i = 0; i < polytope.edges.size(); ++i) indices_.push_back(static_cast<int>(i));
  }
  measure_depths(polytope, of_a ? foremost(false) : in_b(foremost(true)));
  for (std::size_t f = 0; f < depths_.size(); ++f) {
    // Edges that may separate have one that is not as deep.
    if (depths_[f] >= std::max(-floor, round_off * size_)) continue;
    for (const int i : polytope.faces[f].edges) {
      const Polytope::Edge& edge = at(polytope.edges, i);
      if (may_separate(edge, floor) && (is_near(edge.begin) || is_near(edge.end))) {
        indices_.push_back(i);
      }
    }
  }
  std::sort(indices_.begin(), indices_.end());
  indices_.erase(std::unique(indices_.begin(), indices_.end()), indices_.end());
  near_edges_[of_a ? 0 : 1].clear();
  for (const int i : indices_) add_near_edge(of_a, i);
}

void PolytopePair::look_at_nearest_edges(Axis& best) {
  if (a().edges.empty() || b().edges.empty()) return;
  for (const bool of_a : {true, false}) {
    near_edges_[of_a ? 0 : 1].clear();
    const Polytope& polytope = of_a ? a() : b();
    const Feature& feature = of_a ? best.a : best.b;
    const bool is_face = feature.kind == Feature::Kind::face;
    for (const int i :
         is_face ? at(polytope.faces, feature.index).edges : at(polytope.edges_at, feature.index)) {
      add_near_edge(of_a, i);
    }
  }
  look_at_near_edges(best);
}

void PolytopePair::look_at_edges(double distance, Axis& best) {
  if (a().edges.empty() || b().edges.empty()) return;
  measure_heights(best.normal);
  // Along the best direction of edges, the points of these that are nearest to each other are as
  // far apart as it tells, or as deep, which is less deep than here: both are near the surface.
  const double behind = distance + 2.0 * std::abs(best.separation) + tie * size_,
               floor = best.separation + 0.5 * tie * size_;
  // All at once are often ruled out of that whose face it is.
  for (const bool of_a : {best.b.kind != Feature::Kind::face, best.b.kind == Feature::Kind::face}) {
    list_near_edges(of_a, behind, floor);
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
