#include <algorithm>
#include <cmath>
#include <limits>

#include <clatter/contact/shapes/nearest_points.hpp>

namespace clatter {
namespace {

/// Up to four differences b - a of points, and the weights that give the one of their hull that is
/// nearest to the origin.
struct Simplex {
  std::array<Vec3, 4> point{Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};
  std::array<int, 4> a{}, b{};
  std::array<double, 4> weight{};
  int count = 0;

  bool has(int of_a, int of_b) const {
    for (int i = 0; i < count; ++i) {
      if (a[i] == of_a && b[i] == of_b) return true;
    }
    return false;
  }
  void keep(std::initializer_list<std::pair<int, double>> chosen) {
    Simplex next;
    for (const auto& [i, w] : chosen) {
      next.point[next.count] = point[i];
      next.a[next.count] = a[i];
      next.b[next.count] = b[i];
      next.weight[next.count++] = w;
    }
    *this = next;
  }
  Vec3 nearest() const {
    Vec3 sum = Vec3::Zero();
    for (int i = 0; i < count; ++i) sum += weight[i] * point[i];
    return sum;
  }
};

/// Chosen corners of a simplex with their weights, and how far the point that they give is.
struct Choice {
  std::array<std::pair<int, double>, 3> corners;
  int count = 0;
  double square = std::numeric_limits<double>::infinity();
};

Choice nearest_on_corner(const Simplex& s, int i) {
  return {{{{i, 1.0}}}, 1, s.point[i].squaredNorm()};
}

Choice nearest_on_line(const Simplex& s, int i, int k) {
  const Vec3 way = s.point[k] - s.point[i];
  const double length = way.squaredNorm();
  const double t = length > 0.0 ? -s.point[i].dot(way) / length : 0.0;
  if (!(t > 0.0)) return nearest_on_corner(s, i);
  if (!(t < 1.0)) return nearest_on_corner(s, k);
  return {{{{i, 1.0 - t}, {k, t}}}, 2, (s.point[i] + t * way).squaredNorm()};
}

Choice nearest_on_triangle(const Simplex& s, int i, int j, int k) {
  const Vec3 &p = s.point[i], u = s.point[j] - p, v = s.point[k] - p, n = u.cross(v);
  const double area = n.squaredNorm();
  if (area > 0.0) {
    // Barycentric coordinates of the foot of the origin.
    const double at_k = u.cross(-p).dot(n) / area, at_j = (-p).cross(v).dot(n) / area;
    const double at_i = 1.0 - at_j - at_k;
    if (at_i > 0.0 && at_j > 0.0 && at_k > 0.0) {
      const double height = p.dot(n);
      return {{{{i, at_i}, {j, at_j}, {k, at_k}}}, 3, height * height / area};
    }
  }
  Choice best = nearest_on_line(s, i, j);
  for (const Choice& other : {nearest_on_line(s, j, k), nearest_on_line(s, k, i)}) {
    if (other.square < best.square) best = other;
  }
  return best;
}

/// Whether the origin lies within the tetrahedron.
bool holds_origin(const Simplex& s) {
  for (int i = 0; i < 4; ++i) {
    const Vec3 &p = s.point[(i + 1) % 4], &q = s.point[(i + 2) % 4], &r = s.point[(i + 3) % 4];
    const Vec3 n = (q - p).cross(r - p);
    const Vec3 height = s.point[i] - p;
    const double of_corner = n.dot(height), of_origin = -n.dot(p);
    // What is flat but for round-off holds nothing: its sides do not tell inside from outside.
    const bool is_flat = std::abs(of_corner) <= 1e-12 * n.norm() * height.norm();
    if (is_flat || of_corner * of_origin < 0.0) return false;
  }
  return true;
}

/// Reduces a simplex to the corners that its nearest point lies between. False: the origin is in
/// it.
bool reduce(Simplex& s) {
  Choice best;
  switch (s.count) {
    case 1:
      best = nearest_on_corner(s, 0);
      break;
    case 2:
      best = nearest_on_line(s, 0, 1);
      break;
    case 3:
      best = nearest_on_triangle(s, 0, 1, 2);
      break;
    default:
      if (holds_origin(s)) return false;
      for (int left_out = 0; left_out < 4; ++left_out) {
        const Choice other =
            nearest_on_triangle(s, (left_out + 1) % 4, (left_out + 2) % 4, (left_out + 3) % 4);
        if (other.square < best.square) best = other;
      }
  }
  if (best.count == 1) s.keep({best.corners[0]});
  if (best.count == 2) s.keep({best.corners[0], best.corners[1]});
  if (best.count == 3) s.keep({best.corners[0], best.corners[1], best.corners[2]});
  return true;
}

int list_once(const std::array<int, 4>& from, int count, std::array<int, 3>& to) {
  int listed = 0;
  for (int i = 0; i < count; ++i) {
    if (std::find(to.begin(), to.begin() + listed, from[i]) == to.begin() + listed) {
      to[listed++] = from[i];
    }
  }
  return listed;
}

}  // namespace

NearestPoints find_nearest_points(const VectorTable& a, const VectorTable& b) {
  const auto of = [](const VectorTable& points, int i) {
    return points[static_cast<std::size_t>(i)];
  };
  Simplex simplex;
  simplex.point[0] = b[0] - a[0];
  simplex.weight[0] = 1.0;
  simplex.count = 1;
  Vec3 nearest = simplex.point[0];
  // Each round comes nearer, among finitely many simplices; round-off ends it at the latest.
  double square = nearest.squaredNorm();
  NearestPoints result;
  while (square > 0.0) {
    const int i = a.lowest_along(-nearest).index, k = b.lowest_along(nearest).index;
    const Vec3 next = of(b, k) - of(a, i);
    if (square - nearest.dot(next) <= 1e-15 * square || simplex.has(i, k)) break;
    Simplex grown = simplex;
    grown.point[grown.count] = next;
    grown.a[grown.count] = i;
    grown.b[grown.count++] = k;
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
    result.on_a += simplex.weight[i] * of(a, simplex.a[i]);
    result.on_b += simplex.weight[i] * of(b, simplex.b[i]);
  }
  result.count_a = list_once(simplex.a, simplex.count, result.corners_a);
  result.count_b = list_once(simplex.b, simplex.count, result.corners_b);
  return result;
}

double least_distance(const Support& a, const Support& b, double precision) {
  Simplex simplex;
  simplex.point[0] = b(Vec3::UnitX()) - a(Vec3::UnitX());
  simplex.weight[0] = 1.0;
  simplex.count = 1;
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
    simplex.point[simplex.count++] = next;
    if (!reduce(simplex)) return 0.0;
    if (!(simplex.nearest().norm() < distance)) break;
  }
  return surely;
}

}  // namespace clatter
