#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <clatter/contact/search/box_tree.hpp>
#include <clatter/contact/shapes/polytope_pair.hpp>
#include <clatter/contact/shapes/surface.hpp>
#include <clatter/math/union_find.hpp>

namespace clatter {
namespace {

using Loop = std::vector<int>;

/// Heights over a plane, relative to the size of the surface, that round-off makes.
constexpr double flat = 1e-11;
/// Those that the numbers of single precision in files make.
constexpr double flat_in_single_precision = 3e-7;
/// Sine of the angle at an edge or corner below which it is none.
constexpr double smallest_bend = 1e-10;
/// A convex solid of more faces is cut into parts, few of which are near another solid.
constexpr std::size_t most_faces = 100;

std::size_t index_of(int i) { return static_cast<std::size_t>(i); }

double extent_of(const std::vector<Vec3>& points) {
  Box box;
  for (const Vec3& point : points) box.extend(point);
  return box.diagonal().norm();
}

Vec3 area_of(const std::vector<Vec3>& points, const Loop& loop) {
  Vec3 area = Vec3::Zero();
  const Vec3& first = points[index_of(loop[0])];
  for (std::size_t k = 1; k + 1 < loop.size(); ++k) {
    area += 0.5 * (points[index_of(loop[k])] - first).cross(points[index_of(loop[k + 1])] - first);
  }
  return area;
}

/// By begin and end of each side: the face that runs along it in this sense.
using Sides = std::map<std::pair<int, int>, int>;

Sides sides_of(const std::vector<Loop>& faces) {
  Sides sides;
  for (std::size_t f = 0; f < faces.size(); ++f) {
    const Loop& loop = faces[f];
    for (std::size_t k = 0; k < loop.size(); ++k) {
      sides[{loop[k], loop[(k + 1) % loop.size()]}] = static_cast<int>(f);
    }
  }
  return sides;
}

// ---- Faces in one plane

/// The outline of both, of which one runs from u to v and the other from v to u.
Loop joined(Loop one, Loop other, int u, int v) {
  std::rotate(one.begin(), std::find(one.begin(), one.end(), v), one.end());
  std::rotate(other.begin(), std::find(other.begin(), other.end(), u), other.end());
  one.insert(one.end(), other.begin() + 1, other.end() - 1);
  // Where they share more than this side the outline runs there and back.
  for (bool is_new = true; is_new && one.size() > 2;) {
    is_new = false;
    for (std::size_t k = 0; k < one.size() && !is_new; ++k) {
      const std::size_t next = (k + 1) % one.size(), last = (k + 2) % one.size();
      if (one[k] != one[last]) continue;
      one.erase(one.begin() + static_cast<std::ptrdiff_t>(std::max(next, last)));
      one.erase(one.begin() + static_cast<std::ptrdiff_t>(std::min(next, last)));
      is_new = true;
    }
  }
  return one;
}

bool is_plane_and_convex(const std::vector<Vec3>& points, const Loop& loop, double extent) {
  if (loop.size() < 3) return false;
  const Vec3 normal = area_of(points, loop).normalized();
  const auto at = [&](std::size_t k) -> const Vec3& {
    return points[index_of(loop[k % loop.size()])];
  };
  for (std::size_t k = 0; k < loop.size(); ++k) {
    if (std::abs(normal.dot(at(k) - at(0))) > flat * extent) return false;
    const Vec3 before = at(k + 1) - at(k), after = at(k + 2) - at(k + 1);
    const double area = normal.dot(before.cross(after));
    if (area < -flat * extent * std::max(before.norm(), after.norm())) return false;
  }
  return true;
}

// ---- Where it is bent

/// An edge between two faces of a surface, from the lower point to the higher.
struct SurfaceEdge {
  int begin, end;
  std::array<int, 2> faces;
};

class Bends {
 public:
  explicit Bends(const Surface& surface) : surface_(surface), extent_(extent_of(surface.points)) {
    for (const Loop& loop : surface.faces) {
      normals_.push_back(area_of(surface.points, loop).normalized());
    }
    const Sides sides = sides_of(surface.faces);
    ways_.resize(surface.points.size());
    for (const auto& [side, face] : sides) {
      const auto [begin, end] = side;
      ways_[index_of(begin)].emplace_back(at(end) - at(begin));
      if (begin < end) edges_.push_back({begin, end, {face, sides.at({end, begin})}});
    }
  }

  double extent() const { return extent_; }
  const std::vector<SurfaceEdge>& edges() const { return edges_; }
  const Vec3& normal(int face) const { return normals_[index_of(face)]; }
  const std::vector<Vec3>& ways(int point) const { return ways_[index_of(point)]; }

  /// Across an edge into a face beside it.
  Vec3 into(const SurfaceEdge& edge, int side) const {
    const Vec3 along = (side == 0 ? 1.0 : -1.0) * (at(edge.end) - at(edge.begin));
    return normal(edge.faces[index_of(side)]).cross(along).normalized();
  }
  bool is_ridge(const SurfaceEdge& edge) const {
    return normal(edge.faces[0]).dot(into(edge, 1)) < -smallest_bend;
  }

  /// One piece without hollows, to single precision.
  bool is_convex() const {
    UnionFind pieces;
    pieces.separate(surface_.faces.size());
    for (const SurfaceEdge& edge : edges_) {
      pieces.join(edge.faces[0], edge.faces[1]);
      for (const int corner : surface_.faces[index_of(edge.faces[1])]) {
        const double height = normal(edge.faces[0]).dot(at(corner) - at(edge.begin));
        if (height > flat_in_single_precision * extent_) return false;
      }
    }
    for (std::size_t f = 0; f < surface_.faces.size(); ++f) {
      if (pieces.root(static_cast<int>(f)) != 0) return false;
    }
    return true;
  }

  /// Whether some plane touches the surface, near a point of it, at this point alone.
  bool is_tip(int point) const {
    std::vector<Vec3> ways;
    for (const Vec3& way : ways_[index_of(point)]) ways.push_back(way.normalized());
    const auto furthest = [&](const Vec3& direction, double enough) {
      double most = -1.0;
      for (const Vec3& way : ways) {
        most = std::max(most, way.dot(direction));
        if (most > enough) break;
      }
      return most;
    };
    Vec3 out = Vec3::Zero();  // between all directions that have no part along any way
    for (std::size_t i = 0; i < ways.size(); ++i) {
      for (std::size_t k = 0; k < ways.size(); ++k) {
        const Vec3 across = ways[i].cross(ways[k]);
        const double sine = across.norm();
        if (sine > smallest_bend && furthest(across / sine, 1e-14 / sine) <= 1e-14 / sine) {
          out += across / sine;
        }
      }
    }
    return out.norm() > 0.0 && furthest(out.normalized(), 0.0) < -smallest_bend;
  }

 private:
  const Vec3& at(int point) const { return surface_.points[index_of(point)]; }

  const Surface& surface_;
  double extent_;
  std::vector<Vec3> normals_;
  std::vector<SurfaceEdge> edges_;
  std::vector<std::vector<Vec3>> ways_;
};

// ---- Pyramids

Box box_of(const Polytope& polytope) {
  Box box;
  for (const Vec3& corner : polytope.corners) box.extend(corner);
  return box;
}

class Pyramids {
 public:
  Pyramids(const Surface& surface, const Bends& bends) : surface_(surface), bends_(bends) {
    for (const Loop& loop : surface.faces) {
      Polytope& sheet = sheets_.emplace_back(flat_polytope(loop));
      boxes_.push_back(box_of(sheet));
    }
  }

  std::variant<std::vector<Polytope>, NoRoomBehind> make() {
    // Behind edges of less than a right angle there is no room for a prism.
    std::vector<Polytope> prisms;
    std::vector<double> depths;
    for (const int face : fit(&Pyramids::prism, 6, prisms, depths)) depths[index_of(face)] = 0.0;
    std::vector<Polytope> pyramids;
    std::vector<double> heights;
    const std::vector<int> bad = fit(&Pyramids::pyramid, 30, pyramids, heights);
    if (!bad.empty()) return NoRoomBehind{middle_of(surface_.faces[index_of(bad.front())])};
    // Less than that, as what has room may reach the far side of the solid.
    for (std::size_t f = 0; f < pyramids.size(); ++f) pyramids[f].depth = 0.9 * depths[f];
    return pyramids;
  }

 private:
  using Maker = Polytope (Pyramids::*)(int face, double height) const;

  /// Makes them as high as a face is wide, or lower, so that they do not reach out of the solid.
  /// Returns the faces where they still do.
  std::vector<int> fit(Maker maker, int most_halvings, std::vector<Polytope>& made,
                       std::vector<double>& heights) {
    std::vector<int> open;
    for (std::size_t f = 0; f < sheets_.size(); ++f) {
      open.push_back(static_cast<int>(f));
      heights.push_back(boxes_[f].diagonal().norm());
    }
    made.resize(sheets_.size());
    for (int halving = 0; !open.empty() && halving < most_halvings; ++halving) {
      for (const int face : open) {
        made[index_of(face)] = (this->*maker)(face, heights[index_of(face)]);
      }
      open = those_that_reach_out(open, made);
      for (const int face : open) heights[index_of(face)] *= 0.5;
    }
    return open;
  }

  Polytope prism(int face, double height) const {
    std::vector<Vec3> corners = sheets_[index_of(face)].corners;
    const auto count = static_cast<int>(corners.size());
    std::vector<Loop> loops(2);
    for (int k = 0; k < count; ++k) {
      const int next = (k + 1) % count;
      loops[0].push_back(k);
      loops[1].push_back(2 * count - 1 - k);
      loops.push_back({next, k, count + k, count + next});
      corners.emplace_back(corners[index_of(k)] - height * bends_.normal(face));
    }
    return make_polytope(std::move(corners), loops);
  }
  Polytope flat_polytope(const Loop& loop) const {
    std::vector<Vec3> corners;
    Loop there, back;
    for (const int point : loop) {
      there.push_back(static_cast<int>(corners.size()));
      corners.push_back(surface_.points[index_of(point)]);
    }
    back.assign(there.rbegin(), there.rend());
    return make_polytope(std::move(corners), {there, back});
  }

  Vec3 middle_of(const Loop& loop) const {
    Vec3 middle = Vec3::Zero();
    double total = 0.0;
    const Vec3& first = surface_.points[index_of(loop[0])];
    for (std::size_t k = 1; k + 1 < loop.size(); ++k) {
      const Vec3 &one = surface_.points[index_of(loop[k])],
                 &two = surface_.points[index_of(loop[k + 1])];
      const double area = (one - first).cross(two - first).norm();
      middle += area / 3.0 * (first + one + two);
      total += area;
    }
    return middle / total;
  }

  Polytope pyramid(int face, double height) const {
    const Loop& loop = surface_.faces[index_of(face)];
    std::vector<Vec3> corners = sheets_[index_of(face)].corners;
    const auto apex = static_cast<int>(corners.size());
    std::vector<Loop> loops(1);
    for (int k = 0; k < apex; ++k) {
      loops.front().push_back(k);
      loops.push_back({(k + 1) % apex, k, apex});
    }
    corners.emplace_back(middle_of(loop) - height * bends_.normal(face));
    Polytope result = make_polytope(std::move(corners), loops);
    for (std::size_t k = 1; k < result.faces.size(); ++k) result.faces[k].is_surface = false;
    result.is_tip.assign(result.corners.size(), 0);
    result.is_part = true;
    return result;
  }

  std::vector<int> those_that_reach_out(const std::vector<int>& of,
                                        const std::vector<Polytope>& made) {
    const std::size_t count = sheets_.size();
    boxes_.resize(count);
    for (const int face : of) boxes_.push_back(box_of(made[index_of(face)]));
    tree_.find(boxes_, pairs_);
    std::vector<char> reaches_out(of.size(), 0);
    for (const auto& [sheet, other] : pairs_) {
      if (index_of(sheet) >= count || index_of(other) < count) continue;
      const std::size_t k = index_of(other) - count;
      if (of[k] == sheet || reaches_out[k] != 0) continue;
      pair_.place(sheets_[index_of(sheet)], {}, made[index_of(of[k])], {});
      if (pair_.gap() < -1e-13 * bends_.extent()) reaches_out[k] = 1;
    }
    std::vector<int> result;
    for (std::size_t k = 0; k < of.size(); ++k) {
      if (reaches_out[k] != 0) result.push_back(of[k]);
    }
    return result;
  }

  const Surface& surface_;
  const Bends& bends_;
  std::vector<Polytope> sheets_;
  std::vector<Box> boxes_;
  BoxTree tree_;
  std::vector<std::pair<int, int>> pairs_;
  PolytopePair pair_;
};

/// Gives each part the corners and edges of the surface that it is to touch with, each once.
void add_bends(const Surface& surface, const Bends& bends, std::vector<Polytope>& parts) {
  std::vector<char> is_done(surface.points.size(), 0);
  for (std::size_t f = 0; f < parts.size(); ++f) {
    const Loop& loop = surface.faces[f];
    for (std::size_t k = 0; k < loop.size(); ++k) {
      parts[f].ways[k] = bends.ways(loop[k]);
      char& done = is_done[index_of(loop[k])];
      if (done == 0 && bends.is_tip(loop[k])) parts[f].is_tip[k] = 1;
      done = 1;
    }
  }
  for (const SurfaceEdge& edge : bends.edges()) {
    if (!bends.is_ridge(edge)) continue;
    Polytope& part = parts[index_of(edge.faces[0])];
    const Loop& loop = surface.faces[index_of(edge.faces[0])];
    const auto number = [&](int point) {
      return static_cast<int>(std::find(loop.begin(), loop.end(), point) - loop.begin());
    };
    const Vec3 way = surface.points[index_of(edge.end)] - surface.points[index_of(edge.begin)];
    part.ridges.push_back({number(edge.begin),
                           number(edge.end),
                           way.normalized(),
                           {bends.into(edge, 0), bends.into(edge, 1)},
                           2});
  }
}

}  // namespace

Surface merge_faces(Surface surface) {
  const std::vector<Vec3>& points = surface.points;
  std::vector<Loop>& faces = surface.faces;
  const double extent = extent_of(points);
  struct Seam {
    double length;
    int u, v;
    std::array<int, 2> faces;
  };
  std::vector<Seam> seams;
  const Sides sides = sides_of(faces);
  for (const auto& [side, face] : sides) {
    const int u = side.first, v = side.second;
    if (u > v) continue;
    const int other = sides.at({v, u});
    const Vec3 normal = area_of(points, faces[index_of(face)]).normalized();
    const Loop& across = faces[index_of(other)];
    const bool is_flat = std::all_of(across.begin(), across.end(), [&](int corner) {
      return std::abs(normal.dot(points[index_of(corner)] - points[index_of(u)])) <= flat * extent;
    });
    if (!is_flat) continue;
    seams.push_back({(points[index_of(v)] - points[index_of(u)]).norm(), u, v, {face, other}});
  }
  // Diagonals first.
  std::stable_sort(seams.begin(), seams.end(),
                   [](const Seam& a, const Seam& b) { return a.length > b.length; });
  UnionFind sets;
  sets.separate(faces.size());
  for (const Seam& seam : seams) {
    const int one = sets.root(seam.faces[0]), other = sets.root(seam.faces[1]);
    if (one == other) continue;
    Loop loop = joined(faces[index_of(one)], faces[index_of(other)], seam.u, seam.v);
    if (!is_plane_and_convex(points, loop, extent)) continue;
    faces[index_of(sets.join(one, other))] = std::move(loop);
  }
  std::size_t count = 0;
  for (std::size_t f = 0; f < faces.size(); ++f) {
    if (sets.root(static_cast<int>(f)) != static_cast<int>(f)) continue;
    if (count != f) faces[count] = std::move(faces[f]);
    ++count;
  }
  faces.resize(count);
  return surface;
}

std::variant<std::vector<Polytope>, NoRoomBehind> make_solid_parts(const Surface& surface) {
  const Bends bends(surface);
  if (surface.faces.size() <= most_faces && bends.is_convex()) {
    return std::vector<Polytope>{make_hull(surface.points)};
  }
  std::variant<std::vector<Polytope>, NoRoomBehind> parts = Pyramids(surface, bends).make();
  if (auto* good = std::get_if<std::vector<Polytope>>(&parts)) add_bends(surface, bends, *good);
  return parts;
}

}  // namespace clatter
