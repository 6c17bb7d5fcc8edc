#include <algorithm>
#include <numeric>

#include <clatter/math/polygon.hpp>

namespace clatter {
namespace {

// Twice the area of the triangle a b c: positive when c is to the left of the way from a to b.
double turn_at(const Vec3& a, const Vec3& b, const Vec3& c) {
  return (b.x() - a.x()) * (c.y() - a.y()) - (b.y() - a.y()) * (c.x() - a.x());
}

// Whether p, which is on the line through a and b, is between them.
bool is_between(const Vec3& a, const Vec3& b, const Vec3& p) {
  return std::min(a.x(), b.x()) <= p.x() && p.x() <= std::max(a.x(), b.x()) &&
         std::min(a.y(), b.y()) <= p.y() && p.y() <= std::max(a.y(), b.y());
}

bool segments_meet(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const double at_c = turn_at(a, b, c), at_d = turn_at(a, b, d);
  const double at_a = turn_at(c, d, a), at_b = turn_at(c, d, b);
  const auto opposite = [](double x, double y) { return (x > 0 && y < 0) || (x < 0 && y > 0); };
  if (opposite(at_c, at_d) && opposite(at_a, at_b)) return true;
  return (at_c == 0.0 && is_between(a, b, c)) || (at_d == 0.0 && is_between(a, b, d)) ||
         (at_a == 0.0 && is_between(c, d, a)) || (at_b == 0.0 && is_between(c, d, b));
}

// Whether neighbours a b and b c lie on each other.
bool folds_back(const Vec3& a, const Vec3& b, const Vec3& c) {
  if (turn_at(a, b, c) != 0.0) return false;
  return (a - b).head<2>().dot((c - b).head<2>()) >= 0.0;
}

// Whether the corner `at` of what is left of a polygon can be cut off.
bool is_ear(const std::vector<Vec3>& corners, const std::vector<int>& left, std::size_t at) {
  const std::size_t n = left.size(), before = (at + n - 1) % n, after = (at + 1) % n;
  const auto corner = [&](std::size_t i) -> const Vec3& {
    return corners[static_cast<std::size_t>(left[i])];
  };
  const Vec3 &a = corner(before), &b = corner(at), &c = corner(after);
  if (!(turn_at(a, b, c) > 0.0)) return false;
  for (std::size_t i = 0; i < n; ++i) {
    if (i == before || i == at || i == after) continue;
    const Vec3& p = corner(i);
    if (turn_at(a, b, p) >= 0.0 && turn_at(b, c, p) >= 0.0 && turn_at(c, a, p) >= 0.0) return false;
  }
  return true;
}

}  // namespace

double signed_area(const std::vector<Vec3>& corners) {
  double twice = 0.0;
  for (std::size_t i = 1; i + 1 < corners.size(); ++i) {
    twice += turn_at(corners[0], corners[i], corners[i + 1]);
  }
  return 0.5 * twice;
}

std::optional<std::array<std::size_t, 2>> crossing_sides(const std::vector<Vec3>& corners) {
  const std::size_t n = corners.size();
  for (std::size_t i = 0; i < n; ++i) {
    const Vec3 &a = corners[i], &b = corners[(i + 1) % n];
    for (std::size_t j = i + 1; j < n; ++j) {
      const Vec3 &c = corners[j], &d = corners[(j + 1) % n];
      const bool follows = j == i + 1, precedes = (j + 1) % n == i;
      const bool bad = follows    ? folds_back(a, b, d)
                       : precedes ? folds_back(c, a, b)
                                  : segments_meet(a, b, c, d);
      if (bad) return std::array{i, j};
    }
  }
  return std::nullopt;
}

std::vector<std::array<int, 3>> triangulate(const std::vector<Vec3>& corners) {
  std::vector<int> left(corners.size());
  std::iota(left.begin(), left.end(), 0);
  if (signed_area(corners) < 0.0) std::reverse(left.begin(), left.end());
  std::vector<std::array<int, 3>> triangles;
  while (left.size() > 3) {
    const std::size_t n = left.size();
    std::size_t ear = 0;
    while (ear < n && !is_ear(corners, left, ear)) ++ear;
    if (ear == n) ear = 0;  // all that is left is on a line
    triangles.push_back({left[(ear + n - 1) % n], left[ear], left[(ear + 1) % n]});
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(ear));
  }
  if (left.size() == 3) triangles.push_back({left[0], left[1], left[2]});
  return triangles;
}

}  // namespace clatter
