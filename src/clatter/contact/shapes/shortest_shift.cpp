#include <algorithm>
#include <cmath>
#include <limits>

#include <clatter/contact/shapes/shortest_shift.hpp>

namespace clatter {

/// False: the corners lie on a line, but for round-off.
bool ShortestShift::add_face(int i, int j, int k) {
  const auto at = [&](int n) -> const Vec3& { return points_[static_cast<std::size_t>(n)]; };
  const Vec3 one = at(j) - at(i), two = at(k) - at(i);
  const Vec3 across = one.cross(two);
  const double area = across.norm();
  if (!(area > 1e-14 * one.norm() * two.norm())) return false;
  const Vec3 normal = across / area;
  faces_.push_back({{i, j, k}, normal, normal.dot(at(i))});
  return true;
}

/// Instead of the faces that are seen from a point, by more than `margin` over them, those between
/// it and their border. False: round-off leaves no such border.
bool ShortestShift::grow_to(int point, double margin) {
  const Vec3 at = points_[static_cast<std::size_t>(point)];
  sides_.clear();
  const auto add_side = [&](int from, int to) {
    const auto back = std::find_if(sides_.begin(), sides_.end(), [&](const Side& side) {
      return side.from == to && side.to == from;
    });
    if (back == sides_.end()) {
      sides_.push_back({from, to});
    } else {
      *back = sides_.back();
      sides_.pop_back();
    }
  };
  const std::size_t seen = std::erase_if(faces_, [&](const Face& face) {
    if (!(face.normal.dot(at) > face.offset + margin)) return false;
    for (std::size_t k = 0; k < 3; ++k) add_side(face.corners[k], face.corners[(k + 1) % 3]);
    return true;
  });
  return sides_.size() == seen + 2 &&
         std::all_of(sides_.begin(), sides_.end(),
                     [&](const Side& side) { return add_face(side.from, side.to, point); });
}

double ShortestShift::find(const Support& a, const Support& b, double precision) {
  points_.clear();
  faces_.clear();
  double least = std::numeric_limits<double>::infinity();
  // The difference b - a that is furthest along a unit vector.
  const auto add_furthest = [&](const Vec3& u) {
    points_.push_back(b(u) - a(-u));
    least = std::min(least, u.dot(points_.back()));
    return static_cast<int>(points_.size()) - 1;
  };
  // Of both senses of a direction that which leads further away from the first point.
  const auto add_beside = [&](const Vec3& u) {
    const int one = add_furthest(u), two = add_furthest(-u);
    const auto away = [&](int i) {
      return std::abs(u.dot(points_[static_cast<std::size_t>(i)] - points_.front()));
    };
    return away(one) > away(two) ? one : two;
  };
  add_furthest(Vec3::UnitX());
  const int second = add_furthest(-Vec3::UnitX());
  const Vec3 first = points_.front(), along = points_[static_cast<std::size_t>(second)] - first;
  const int third = add_beside(along.unitOrthogonal());
  const Vec3 across = along.cross(points_[static_cast<std::size_t>(third)] - first);
  if (!(across.norm() > 0.0)) return -least;
  const int fourth = add_beside(across.normalized());
  const double height = across.dot(points_[static_cast<std::size_t>(fourth)] - first);
  std::array corners{0, second, third, fourth};
  if (height > 0.0) std::swap(corners[1], corners[2]);
  const auto& [i, j, k, l] = corners;
  if (!add_face(i, j, k) || !add_face(i, l, j) || !add_face(j, l, k) || !add_face(k, l, i)) {
    return -least;
  }
  constexpr int most_rounds = 300;
  const double margin = 1e-2 * precision;  // what is flat but for round-off stays flat
  for (int round = 0; round < most_rounds; ++round) {
    const auto nearest =
        std::min_element(faces_.begin(), faces_.end(),
                         [](const Face& one, const Face& two) { return one.offset < two.offset; });
    if (nearest == faces_.end() || least - nearest->offset < precision) break;
    const Vec3 normal = nearest->normal;
    const double offset = nearest->offset;
    const int next = add_furthest(normal);
    if (normal.dot(points_.back()) - offset < precision || !grow_to(next, margin)) break;
  }
  return -least;
}

}  // namespace clatter
