#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <clatter/contact/shapes/polytope.hpp>
#include <clatter/math/convex_hull.hpp>
#include <clatter/math/polygon.hpp>

namespace clatter {
namespace {

/// Normal, offset and the directions into the face, from its corners.
Polytope::Face make_face(const std::vector<Vec3>& corners, const std::vector<int>& loop) {
  Polytope::Face face;
  face.corners = loop;
  const auto at = [&](std::size_t k) { return corners[static_cast<std::size_t>(loop[k])]; };
  Vec3 area = Vec3::Zero();
  for (std::size_t k = 1; k + 1 < loop.size(); ++k) {
    area += (at(k) - at(0)).cross(at(k + 1) - at(0));
  }
  face.normal = area.normalized();
  for (std::size_t k = 0; k < loop.size(); ++k) {
    face.offset += face.normal.dot(at(k)) / static_cast<double>(loop.size());
    face.into.push_back(face.normal.cross(at((k + 1) % loop.size()) - at(k)).normalized());
  }
  return face;
}

void add_edges(Polytope& polytope) {
  std::map<std::pair<int, int>, std::size_t> known;
  for (std::size_t f = 0; f < polytope.faces.size(); ++f) {
    Polytope::Face& face = polytope.faces[f];
    for (std::size_t k = 0; k < face.corners.size(); ++k) {
      const int begin = face.corners[k], end = face.corners[(k + 1) % face.corners.size()];
      const auto [found, is_new] = known.emplace(std::minmax(begin, end), polytope.edges.size());
      if (is_new) {
        const Vec3 way = polytope.corners[static_cast<std::size_t>(end)] -
                         polytope.corners[static_cast<std::size_t>(begin)];
        polytope.edges.push_back({begin, end, way.normalized(), {}, 0});
      }
      face.edges.push_back(static_cast<int>(found->second));
      Polytope::Edge& edge = polytope.edges[found->second];
      edge.beside[static_cast<std::size_t>(edge.faces)] = static_cast<int>(f);
      edge.into[static_cast<std::size_t>(edge.faces++)] = face.into[k];
    }
  }
}

void add_ways(Polytope& polytope) {
  polytope.ways.assign(polytope.corners.size(), {});
  polytope.edges_at.assign(polytope.corners.size(), {});
  for (std::size_t i = 0; i < polytope.edges.size(); ++i) {
    const Polytope::Edge& edge = polytope.edges[i];
    const auto begin = static_cast<std::size_t>(edge.begin),
               end = static_cast<std::size_t>(edge.end);
    const Vec3 way = polytope.corners[end] - polytope.corners[begin];
    polytope.ways[begin].push_back(way);
    polytope.ways[end].push_back(-way);
    for (const std::size_t corner : {begin, end}) {
      polytope.edges_at[corner].push_back(static_cast<int>(i));
    }
  }
}

}  // namespace

void Polytope::complete() {
  middle = Vec3::Zero();
  double square = 0.0;
  corner_table.resize(corners.size());
  for (std::size_t i = 0; i < corners.size(); ++i) {
    middle += corners[i] / static_cast<double>(corners.size());
    square = std::max(square, (corners[i] - corners.front()).squaredNorm());
    corner_table.set(i, corners[i]);
  }
  width = std::sqrt(square);
  normal_table.resize(faces.size());
  offsets.resize(faces.size());
  for (std::size_t f = 0; f < faces.size(); ++f) {
    normal_table.set(f, faces[f].normal);
    offsets[f] = faces[f].offset;
    faces[f].bounds.clear();
    for (std::size_t k = 0; k < faces[f].into.size(); ++k) {
      const auto corner = static_cast<std::size_t>(faces[f].corners[k]);
      faces[f].bounds.push_back(faces[f].into[k].dot(corners[corner]));
    }
  }
}

double Polytope::extent() const {
  if (is_half_space()) return std::numeric_limits<double>::infinity();
  double furthest = 0.0;
  for (const Vec3& corner : corners) furthest = std::max(furthest, corner.norm());
  return furthest + radius;
}

Polytope make_polytope(std::vector<Vec3> corners, const std::vector<std::vector<int>>& faces) {
  Polytope polytope;
  polytope.corners = std::move(corners);
  polytope.is_tip.assign(polytope.corners.size(), 1);
  for (const std::vector<int>& loop : faces) {
    polytope.faces.push_back(make_face(polytope.corners, loop));
  }
  add_edges(polytope);
  add_ways(polytope);
  polytope.complete();
  return polytope;
}

Polytope make_box(const Vec3& size) {
  std::vector<Vec3> corners;
  for (int k = 0; k < 8; ++k) {
    corners.push_back(0.5 * size.cwiseProduct(Vec3((k & 1) != 0 ? 1 : -1, (k & 2) != 0 ? 1 : -1,
                                                   (k & 4) != 0 ? 1 : -1)));
  }
  return make_polytope(
      std::move(corners),
      {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}});
}

Polytope make_half_space(bool planar) {
  Polytope polytope;
  polytope.is_planar = planar;
  polytope.faces.push_back({planar ? Vec3::UnitY() : Vec3::UnitZ(), 0.0, {}, {}, true});
  polytope.complete();
  return polytope;
}

Polytope make_core(std::span<const Vec3> ends, double radius, bool planar) {
  Polytope polytope;
  polytope.corners.assign(ends.begin(), ends.end());
  polytope.is_tip.assign(ends.size(), 1);
  polytope.radius = radius;
  polytope.is_planar = planar;
  const Vec3 way = (ends.back() - ends.front()).normalized();
  if (!planar) {
    if (ends.size() > 1) polytope.edges.push_back({0, 1, way, {}, 0});
    add_ways(polytope);
  }
  for (int begin = 0; planar && begin < 2 && ends.size() > 1; ++begin) {  // both sides
    const Vec3 along = begin == 0 ? way : -way;
    const Vec3 normal(along.y(), -along.x(), 0.0);
    polytope.faces.push_back(
        {normal, normal.dot(ends[0]), {begin, 1 - begin}, {along, -along}, true});
  }
  polytope.complete();
  return polytope;
}

Polytope make_polygon(std::span<const Vec3> corners) {
  Polytope polytope;
  polytope.is_planar = true;
  polytope.corners.assign(corners.begin(), corners.end());
  polytope.is_tip.assign(corners.size(), 1);
  for (std::size_t k = 0; k < corners.size(); ++k) {
    const std::size_t next = (k + 1) % corners.size();
    const Vec3 along = (corners[next] - corners[k]).normalized();
    const Vec3 normal(along.y(), -along.x(), 0.0);
    polytope.faces.push_back({normal,
                              normal.dot(0.5 * (corners[k] + corners[next])),
                              {static_cast<int>(k), static_cast<int>(next)},
                              {along, -along},
                              true});
  }
  polytope.complete();
  return polytope;
}

std::vector<Polytope> make_convex_parts(std::vector<Vec3> corners) {
  if (signed_area(corners) < 0.0) std::reverse(corners.begin(), corners.end());
  const auto count = static_cast<int>(corners.size());
  const auto at = [&](int k) -> const Vec3& {
    return corners[static_cast<std::size_t>((k + count) % count)];
  };
  std::vector<char> is_tip;
  for (int k = 0; k < count; ++k) {
    is_tip.push_back((at(k) - at(k - 1)).cross(at(k + 1) - at(k)).z() > 0.0 ? 1 : 0);
  }
  if (std::find(is_tip.begin(), is_tip.end(), 0) == is_tip.end()) return {make_polygon(corners)};
  std::vector<Polytope> parts;
  for (const std::array<int, 3>& triangle : triangulate(corners)) {
    Polytope part = make_polygon(std::array{at(triangle[0]), at(triangle[1]), at(triangle[2])});
    for (std::size_t k = 0; k < 3; ++k) {
      char& tip = is_tip[static_cast<std::size_t>(triangle[k])];
      part.is_tip[k] = tip;
      tip = 0;  // one part is enough
      part.faces[k].is_surface = (triangle[k] + 1) % count == triangle[(k + 1) % 3];
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

Polytope make_hull(const std::vector<Vec3>& points) {
  const ConvexHull hull = convex_hull(points).value();
  return make_polytope(hull.points, hull.faces);
}

Polytope placed(const Polytope& polytope, const Mat3& turn, const Vec3& shift) {
  Polytope result = polytope;
  for (Vec3& corner : result.corners) corner = turn * corner + shift;
  for (std::vector<Polytope::Edge>* edges : {&result.edges, &result.ridges}) {
    for (Polytope::Edge& edge : *edges) {
      edge.direction = turn * edge.direction;
      for (int k = 0; k < edge.faces; ++k) {
        Vec3& into = edge.into[static_cast<std::size_t>(k)];
        into = turn * into;
      }
    }
  }
  for (std::vector<Vec3>& from_corner : result.ways) {
    for (Vec3& way : from_corner) way = turn * way;
  }
  for (Polytope::Face& face : result.faces) {
    face.normal = turn * face.normal;
    face.offset += face.normal.dot(shift);
    for (Vec3& into : face.into) into = turn * into;
  }
  result.complete();
  return result;
}

}  // namespace clatter
