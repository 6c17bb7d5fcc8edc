#include <algorithm>
#include <cmath>
#include <limits>

#include <clatter/contact/shapes/nearest_points.hpp>

namespace clatter {
namespace {

/// Up to four differences b - a of points, and the weights that give the one of their hull that is
/// nearest to the origin. Each of them but the last has a part in the nearest of those before.
struct Simplex {
  struct Corner {
    Vec3 point;
    int a = 0, b = 0;
    double weight = 1.0;
  };
  std::array<Corner, 4> corners;
  int count = 0;

  void add(const Vec3& point, int a = 0, int b = 0) { corners[count++] = {point, a, b, 1.0}; }
  const Vec3& point(int i) const { return corners[i].point; }
  bool has(int of_a, int of_b) const {
    for (int i = 0; i < count; ++i) {
      if (corners[i].a == of_a && corners[i].b == of_b) return true;
    }
    return false;
  }
  Vec3 nearest() const {
    Vec3 sum = corners[0].weight * corners[0].point;
    for (int i = 1; i < count; ++i) sum += corners[i].weight * corners[i].point;
    return sum;
  }
};

/// Chosen corners of a simplex with their weights, and how far the point that they give is.
struct Choice {
  std::array<int, 3> corners{};
  std::array<double, 3> weights{};
  int count = 0;
  double square = std::numeric_limits<double>::infinity();
};

/// The last corner is part of what lies nearer than all before it did: sides without it need no
/// look.
Choice nearest_with_last(const Simplex& s, int i) {
  const int last = s.count - 1;
  const Vec3 &p = s.point(last), way = s.point(i) - p;
  const double length = way.squaredNorm();
  const double t = length > 0.0 ? -p.dot(way) / length : 0.0;
  if (!(t > 0.0)) return {{last}, {1.0}, 1, p.squaredNorm()};
  if (!(t < 1.0)) return {{i}, {1.0}, 1, s.point(i).squaredNorm()};
  return {{i, last}, {t, 1.0 - t}, 2, (p + t * way).squaredNorm()};
}

/// The corner of a triangle at which its two shorter sides meet comes first.
std::array<int, 3> beginning_across_longest(const Simplex& s, int i, int j, int k) {
  const auto length = [&](int one, int two) { return (s.point(one) - s.point(two)).squaredNorm(); };
  const double across_i = length(j, k), across_j = length(k, i), across_k = length(i, j);
  if (across_i >= across_j && across_i >= across_k) return {i, j, k};
  if (across_j >= across_k) return {j, k, i};
  return {k, i, j};
}

Choice nearest_with_last(const Simplex& s, int i, int j) {
  // Of what is long and thin the shorter sides lose fewest digits.
  const std::array<int, 3> corners = beginning_across_longest(s, i, j, s.count - 1);
  const Vec3 &p = s.point(corners[0]), u = s.point(corners[1]) - p, v = s.point(corners[2]) - p;
  const Vec3 n = u.cross(v);
  const double area = n.squaredNorm();
  if (area > 0.0) {
    // Barycentric coordinates of the foot of the origin.
    const double at_v = p.cross(u).dot(n) / area, at_u = v.cross(p).dot(n) / area;
    const double at_p = 1.0 - at_u - at_v;
    if (at_p > 0.0 && at_u > 0.0 && at_v > 0.0) {
      const double height = p.dot(n);
      return {corners, {at_p, at_u, at_v}, 3, height * height / area};
    }
  }
  const Choice one = nearest_with_last(s, i), two = nearest_with_last(s, j);
  return two.square < one.square ? two : one;
}

/// On the sides of a tetrahedron that the origin is beyond; none when it lies within.
Choice nearest_on_tetrahedron(const Simplex& s) {
  const Vec3& p = s.point(3);
  Choice best;
  for (int left_out = 0; left_out < 3; ++left_out) {
    const int i = (left_out + 1) % 3, j = (left_out + 2) % 3;
    const Vec3 n = (s.point(i) - p).cross(s.point(j) - p), height = s.point(left_out) - p;
    const double of_corner = n.dot(height), of_origin = -n.dot(p);
    // What is flat but for round-off holds nothing: its sides do not tell inside from outside.
    const bool is_flat = of_corner * of_corner <= 1e-24 * n.squaredNorm() * height.squaredNorm();
    if (!is_flat && of_corner * of_origin >= 0.0) continue;
    const Choice other = nearest_with_last(s, i, j);
    if (other.square < best.square) best = other;
  }
  return best;
}

/// Reduces a simplex to the corners that its nearest point lies between. False: the origin is in
/// it.
bool reduce(Simplex& s) {
  if (s.count == 1) return true;
  const Choice best = s.count == 2   ? nearest_with_last(s, 0)
                      : s.count == 3 ? nearest_with_last(s, 0, 1)
                                     : nearest_on_tetrahedron(s);
  if (best.count == 0) return false;
  Simplex next;
  for (int k = 0; k < best.count; ++k) {
    next.corners[k] = s.corners[best.corners[k]];
    next.corners[k].weight = best.weights[k];
  }
  next.count = best.count;
  s = next;
  return true;
}

void list_once(int corner, std::array<int, 3>& list, int& count) {
  if (std::find(list.begin(), list.begin() + count, corner) == list.begin() + count) {
    list[count++] = corner;
  }
}

}  // namespace

NearestPoints find_nearest_points(const VectorTable& a, const VectorTable& b, const Vec3& towards) {
  const auto of = [](const VectorTable& points, int i) {
    return points[static_cast<std::size_t>(i)];
  };
  Simplex simplex;
  const auto add_furthest = [&](Simplex& to, const Vec3& n) {
    const int i = a.lowest_along(-n).index, k = b.lowest_along(n).index;
    if (!to.has(i, k)) to.add(of(b, k) - of(a, i), i, k);
  };
  add_furthest(simplex, towards);
  Vec3 nearest = simplex.point(0);
  // Each round comes nearer, among finitely many simplices; round-off ends it at the latest.
  double square = nearest.squaredNorm();
  NearestPoints result;
  while (square > 0.0) {
    Simplex grown = simplex;
    add_furthest(grown, nearest);
    if (grown.count == simplex.count ||
        square - nearest.dot(grown.point(simplex.count)) <= 1e-15 * square) {
      break;
    }
    if (!reduce(grown)) return result;
    const Vec3 nearer = grown.nearest();
    if (!(nearer.squaredNorm() < square)) break;
    simplex = grown;
    nearest = nearer;
    square = nearest.squaredNorm();
  }
  if (square == 0.0) return result;
  result.distance = std::sqrt(square);
  for (int i = 0; i < simplex.count; ++i) {
    const Simplex::Corner& corner = simplex.corners[i];
    result.on_a += corner.weight * of(a, corner.a);
    result.on_b += corner.weight * of(b, corner.b);
    list_once(corner.a, result.corners_a, result.count_a);
    list_once(corner.b, result.corners_b, result.count_b);
  }
  return result;
}

double least_distance(const Support& a, const Support& b, double precision) {
  Simplex simplex;
  simplex.add(b(Vec3::UnitX()) - a(Vec3::UnitX()));
  double surely = 0.0;
  constexpr int most_rounds = 100;
  for (int round = 0; round < most_rounds; ++round) {
    const Vec3 nearest = simplex.nearest();
    const double distance = nearest.norm();
    if (!(distance > 0.0)) return 0.0;
    const Vec3 normal = nearest / distance;
    const Vec3 next = b(-normal) - a(normal);
    surely = std::max(surely, normal.dot(next));
    if (surely >= (1.0 - precision) * distance) break;
    simplex.add(next);
    if (!reduce(simplex)) return 0.0;
    if (!(simplex.nearest().norm() < distance)) break;
  }
  return surely;
}

}  // namespace clatter
