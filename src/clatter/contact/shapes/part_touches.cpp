#include <algorithm>
#include <cmath>
#include <limits>

#include <clatter/contact/shapes/polytope_pair.hpp>

namespace clatter {
namespace {

/// Relative to the size of the solids: what is beside a face by less is over it.
constexpr double beside_margin = 1e-7;
constexpr double smallest_crossing_sine = 1e-6;
/// How far flat places may be turned from each other that lie on each other [rad].
constexpr double most_turn = 0.1;

/// Whether no way from a corner leads down by more than `slack`.
bool is_lowest_around(const std::vector<Vec3>& ways, const Vec3& up, double slack) {
  return std::all_of(ways.begin(), ways.end(), [&](const Vec3& way) {
    return up.dot(way) >= -std::min(slack, most_turn * way.norm());
  });
}

/// How far a direction, of unit length, is turned from those out of the solid at an edge [rad].
double turned_from_edge(const Polytope::Edge& edge, const Vec3& direction) {
  double most = 0.0;
  for (int k = 0; k < edge.faces; ++k) {
    most = std::max(most, direction.dot(edge.into[static_cast<std::size_t>(k)]));
  }
  return most;
}

bool is_within(const Polytope& polytope, const Vec3& point, double margin) {
  for (std::size_t f = 0; f < polytope.faces.size(); ++f) {
    if (polytope.height(static_cast<int>(f), point) > margin) return false;
  }
  return true;
}

std::size_t index_in(int i) { return static_cast<std::size_t>(i); }

}  // namespace

void PolytopePair::find_touches_of_parts(double reach, bool must_find,
                                         std::vector<Touch>& touches) {
  list_near_features(reach, beside_margin * size_, touches);
  if (!touches.empty() || !must_find) return;
  // Sharp features that meet: as if each reached a little further.
  list_near_features(reach, 2.0 * reach, touches);
  if (touches.empty()) return;
  const auto first =
      std::max_element(touches.begin(), touches.end(),
                       [](const Touch& one, const Touch& other) { return one.gap < other.gap; });
  touches = {*first};
}

void PolytopePair::list_near_features(double reach, double margin, std::vector<Touch>& touches) {
  add_near_corners_on_faces(true, reach, margin, touches);
  add_near_corners_on_faces(false, reach, margin, touches);
  add_near_edges(reach, margin, touches);
  if (radii() > 0.0) add_near_rounded(reach, touches);
  // Features on far sides of the solids lie behind each other as well: they are no touches.
  const auto is_deep = [&](const Touch& touch) { return touch.gap < -2.0 * reach; };
  if (std::none_of(touches.begin(), touches.end(), is_deep)) return;
  const double least = std::min(3.0 * gap(), -2.0 * reach);
  std::erase_if(touches, [&](const Touch& touch) { return touch.gap < least; });
}

void PolytopePair::add_near_corners_on_faces(bool faces_of_a, double reach, double margin,
                                             std::vector<Touch>& touches) const {
  const Polytope &with_faces = faces_of_a ? a() : b(), &with_corners = faces_of_a ? b() : a();
  const VectorTable& corners = faces_of_a ? b_in_a_ : a_in_b_;
  const double slack = 2.0 * reach + beside_margin * size_;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    if (with_corners.is_tip[i] == 0) continue;
    int best = -1;
    double highest = -std::numeric_limits<double>::infinity();
    for (std::size_t f = 0; f < with_faces.faces.size(); ++f) {
      const auto face = static_cast<int>(f);
      const double height = with_faces.height(face, corners[i]);
      if (with_faces.is_part &&
          (!with_faces.faces[f].is_surface ||
           (height < -with_faces.depth && !is_within(with_faces, corners[i], margin)))) {
        continue;
      }
      if (height - radii() > reach) {  // it is nowhere near this convex solid
        best = -1;
        break;
      }
      if (height <= highest || !with_faces.is_over(face, corners[i], margin)) continue;
      const Vec3& normal = with_faces.faces[f].normal;
      const Vec3 up = faces_of_a ? Vec3(R_ab_.transpose() * normal) : Vec3(R_ab_ * normal);
      if (!is_lowest_around(with_corners.ways[i], up, slack)) continue;
      best = face;
      highest = height;
    }
    if (best < 0) continue;
    const Feature corner{Feature::Kind::corner, static_cast<int>(i)};
    const Feature face{Feature::Kind::face, best};
    const double gap = highest - radii();
    touches.push_back(faces_of_a ? Touch{face, corner, gap} : Touch{corner, face, gap});
  }
}

void PolytopePair::add_near_edges(double reach, double margin, std::vector<Touch>& touches) const {
  const std::vector<Polytope::Edge>&edges_a = a().touching_edges(), &edges_b = b().touching_edges();
  for (std::size_t k = 0; k < edges_b.size(); ++k) {
    const Polytope::Edge& edge_b = edges_b[k];
    const Vec3 begin_b = b_in_a_[index_in(edge_b.begin)],
               way_b = b_in_a_[index_in(edge_b.end)] - begin_b;
    for (std::size_t i = 0; i < edges_a.size(); ++i) {
      const Polytope::Edge& edge_a = edges_a[i];
      const Vec3 &begin_a = a().corners[index_in(edge_a.begin)],
                 way_a = a().corners[index_in(edge_a.end)] - begin_a;
      const double length_a = way_a.norm(), length_b = way_b.norm();
      const Vec3 across = way_a.cross(way_b);
      const double area = across.norm();
      if (area < smallest_crossing_sine * length_a * length_b) continue;
      // begin_a + s way_a and begin_b + t way_b lie over each other along the normal.
      const Vec3 between = begin_b - begin_a;
      const double distance = across.dot(between) / area;
      if (std::abs(distance) > reach + radii() + std::max(length_a, length_b)) continue;
      const double s = between.cross(way_b).dot(across) / (area * area),
                   t = between.cross(way_a).dot(across) / (area * area);
      // At tips they are corners on faces.
      const auto is_between_ends = [&](double at, double length, const Polytope& of,
                                       const Polytope::Edge& edge) {
        const bool ends = margin > beside_margin * size_ * 1.5;
        const auto beyond = [&](int corner) {
          return (of.is_tip[index_in(corner)] != 0 && !ends ? 1.0 : -1.0) * margin / length;
        };
        return at >= beyond(edge.begin) && at <= 1.0 - beyond(edge.end);
      };
      if (!is_between_ends(s, length_a, a(), edge_a) || !is_between_ends(t, length_b, b(), edge_b))
        continue;
      // The sense in which it points out of a and into b.
      Vec3 normal = across / area;
      const auto turned = [&](double sense) {
        return std::max(turned_from_edge(edge_a, sense * normal),
                        turned_from_edge(edge_b, -sense * (R_ab_.transpose() * normal)));
      };
      const double sense = turned(1.0) <= turned(-1.0) ? 1.0 : -1.0;
      const double slack = (2.0 * reach + margin) / std::min(length_a, length_b);
      if (turned(sense) > std::min(most_turn, slack)) continue;
      const double gap = sense * distance - radii();
      if (gap > reach) continue;
      touches.push_back({{Feature::Kind::edge, static_cast<int>(i)},
                         {Feature::Kind::edge, static_cast<int>(k)},
                         gap});
    }
  }
}

void PolytopePair::add_near_rounded(double reach, std::vector<Touch>& touches) const {
  const double slack = 2.0 * reach + beside_margin * size_, least = 1e-9 * size_;
  const auto add_corners_over_edges = [&](bool edges_of_a) {
    const Polytope &with_edges = edges_of_a ? a() : b(), &with_corners = edges_of_a ? b() : a();
    const VectorTable& corners = edges_of_a ? b_in_a_ : a_in_b_;
    const std::vector<Polytope::Edge>& edges = with_edges.touching_edges();
    for (std::size_t e = 0; e < edges.size(); ++e) {
      const Vec3 &begin = with_edges.corners[index_in(edges[e].begin)],
                 way = with_edges.corners[index_in(edges[e].end)] - begin;
      for (std::size_t i = 0; i < corners.size(); ++i) {
        if (with_corners.is_tip[i] == 0) continue;
        const double s = way.dot(corners[i] - begin) / way.squaredNorm();
        if (!(s >= 0.0) || !(s <= 1.0)) continue;
        const Vec3 out = corners[i] - begin - s * way;
        const double distance = out.norm();
        if (distance - radii() > reach || distance < least) continue;
        if (turned_from_edge(edges[e], out / distance) > 1e-12) continue;
        const Vec3 up = edges_of_a ? Vec3(R_ab_.transpose() * out) : Vec3(R_ab_ * out);
        if (!is_lowest_around(with_corners.ways[i], up / distance, slack)) continue;
        const Feature corner{Feature::Kind::corner, static_cast<int>(i)};
        const Feature edge{Feature::Kind::edge, static_cast<int>(e)};
        const double gap = distance - radii();
        touches.push_back(edges_of_a ? Touch{edge, corner, gap} : Touch{corner, edge, gap});
      }
    }
  };
  add_corners_over_edges(true);
  add_corners_over_edges(false);
  for (std::size_t i = 0; i < a().corners.size(); ++i) {
    for (std::size_t k = 0; k < b_in_a_.size() && a().is_tip[i] != 0; ++k) {
      if (b().is_tip[k] == 0) continue;
      const Vec3 out = b_in_a_[k] - a().corners[i];
      const double distance = out.norm();
      if (distance - radii() > reach || distance < least) continue;
      const Vec3 up = out / distance;
      if (!is_lowest_around(a().ways[i], -up, 1e-12 * size_) ||
          !is_lowest_around(b().ways[k], R_ab_.transpose() * up, 1e-12 * size_)) {
        continue;
      }
      touches.push_back({{Feature::Kind::corner, static_cast<int>(i)},
                         {Feature::Kind::corner, static_cast<int>(k)},
                         distance - radii()});
    }
  }
}

}  // namespace clatter
