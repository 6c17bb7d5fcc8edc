#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "support/dice.hpp"

namespace clatter::testing {

enum class CoreKind { sphere, capsule, box, hull, cylinder, cone, ellipsoid, ring };
inline constexpr std::array core_names{"sphere",   "capsule", "box",       "hull",
                                       "cylinder", "cone",    "ellipsoid", "ring"};
inline constexpr std::array convex_kinds{CoreKind::sphere,   CoreKind::capsule,  CoreKind::box,
                                         CoreKind::hull,     CoreKind::cylinder, CoreKind::cone,
                                         CoreKind::ellipsoid};
inline const char* name_of(CoreKind kind) { return core_names[static_cast<std::size_t>(kind)]; }

inline double distance_from_segment(const Vec3& x, const Vec3& from, const Vec3& to) {
  const Vec3 along = to - from;
  const double share = std::clamp(along.dot(x - from) / along.squaredNorm(), 0.0, 1.0);
  return (x - from - share * along).norm();
}

inline double distance_from_triangle(const Vec3& x, const std::array<Vec3, 3>& corners) {
  const auto& [a, b, c] = corners;
  const Vec3 normal = (b - a).cross(c - a).normalized();
  bool is_over = true;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec3 &from = corners[i], &to = corners[(i + 1) % 3];
    least = std::min(least, distance_from_segment(x, from, to));
    is_over = is_over && normal.cross(to - from).dot(x - from) >= 0.0;
  }
  return is_over ? std::abs(normal.dot(x - a)) : least;
}

/// From the surface of an ellipsoid, or in the plane an ellipse; negative inside. The nearest point
/// is axes_i^2 x_i / (axes_i^2 + s) with sum (axes_i x_i / (axes_i^2 + s))^2 = 1. The sum is convex
/// and falls with s beyond its last pole: Newton's method comes to the root from where a part of it
/// alone is 1.
template <int dimensions>
double distance_from_ellipsoid(const Eigen::Matrix<double, dimensions, 1>& x,
                               const Eigen::Matrix<double, dimensions, 1>& axes) {
  using Numbers = Eigen::Array<double, dimensions, 1>;
  const Numbers squares = axes.array().square(), product = axes.array() * x.array();
  const double tiny = 1e-16 * squares.minCoeff();
  double s = (product.abs() - squares).maxCoeff();
  for (int i = 0; i < 100; ++i) {
    const Numbers parts = (product / (squares + s)).square();
    const double step = (parts.sum() - 1.0) / (2.0 * (parts / (squares + s)).sum());
    s += step;
    if (!(step > tiny + 1e-16 * std::abs(s))) break;
  }
  return std::copysign((x.array() * s / (squares + s)).matrix().norm(), s);
}

/// A core with a radius all around, in its own axes, told apart from the library. All but rings
/// are convex.
struct CoreShape {
  std::string text;  ///< its table in a model file
  double radius = 0.0;
  std::function<double(const Vec3&)> distance;  ///< of a point from the core; zero inside
  // Where it goes furthest.
  struct Circle {
    double radius, z;
    Vec3 at(double angle) const { return {radius * std::cos(angle), radius * std::sin(angle), z}; }
  };
  std::vector<Vec3> points;
  std::vector<Circle> circles;
  std::optional<Vec3> semi_axes;

  /// The point of the core that is furthest along a vector.
  Vec3 furthest(const Vec3& n) const {
    if (semi_axes) {
      const Vec3 stretched = semi_axes->cwiseProduct(n);
      return semi_axes->cwiseProduct(stretched) / stretched.norm();
    }
    Vec3 best = Vec3::Zero();
    double most = -std::numeric_limits<double>::infinity();
    const auto look_at = [&](const Vec3& point) {
      if (!(n.dot(point) > most)) return;
      most = n.dot(point);
      best = point;
    };
    for (const Vec3& point : points) look_at(point);
    const double across = std::sqrt(n.x() * n.x() + n.y() * n.y());
    const double c = across > 0.0 ? n.x() / across : 1.0, s = across > 0.0 ? n.y() / across : 0.0;
    for (const Circle& circle : circles) {
      look_at({circle.radius * c, circle.radius * s, circle.z});
    }
    return best;
  }
  /// How far it goes along a unit vector.
  double reach(const Vec3& n) const { return n.dot(furthest(n)) + radius; }
};

enum class Edges { rounded, sharp };

/// Sizes of up to about `scale`. What is round all around has its radius, `rounded` or not.
inline CoreShape make_core_shape(CoreKind kind, Dice& dice, double scale = 1.0,
                                 Edges edges = Edges::rounded) {
  const double r = scale * dice.length(), l = 2.0 * scale * dice.length();
  const double small = 0.1 * scale * dice.length();
  const double rounding = edges == Edges::rounded ? small : 0.0;
  const Vec3 s = scale * Vec3(dice.length(), dice.length(), dice.length());
  const auto across = [](const Vec3& x) { return std::hypot(x.x(), x.y()); };
  CoreShape shape;
  const auto tell = [&](const std::string& sizes, bool is_round) {
    shape.text = fmt::format("{{ kind = '{}', {}, {} material = 'stone' }}", name_of(kind), sizes,
                             is_round ? "" : fmt::format("rounding = {},", rounding));
    if (!is_round) shape.radius = rounding;
  };
  switch (kind) {
    case CoreKind::sphere:
      tell(fmt::format("radius = {}", r), true);
      shape.radius = r;
      shape.points = {Vec3::Zero()};
      shape.distance = [](const Vec3& x) { return x.norm(); };
      break;
    case CoreKind::capsule:
      tell(fmt::format("radius = {}, length = {}", 0.3 * r, l), true);
      shape.radius = 0.3 * r;
      shape.points = {{0, 0, -0.5 * l}, {0, 0, 0.5 * l}};
      shape.distance = [=](const Vec3& x) {
        return distance_from_segment(x, {0, 0, -0.5 * l}, {0, 0, 0.5 * l});
      };
      break;
    case CoreKind::box:
      tell(fmt::format("size = [{}, {}, {}]", 2 * s.x(), 2 * s.y(), 2 * s.z()), false);
      for (int k = 0; k < 8; ++k) {
        shape.points.emplace_back(s.cwiseProduct(
            Vec3((k & 1) != 0 ? 1 : -1, (k & 2) != 0 ? 1 : -1, (k & 4) != 0 ? 1 : -1)));
      }
      shape.distance = [=](const Vec3& x) { return (x.cwiseAbs() - s).cwiseMax(0.0).norm(); };
      break;
    case CoreKind::hull: {  // of four points about their centre
      Eigen::Matrix<double, 3, 4> corners;
      do {
        for (int k = 0; k < 4; ++k) corners.col(k) = dice.vector();
        corners.colwise() -= corners.rowwise().mean().eval();
      } while (std::abs(corners.leftCols<3>().determinant()) < 0.05);
      corners *= scale;
      std::string list;
      for (int k = 0; k < 4; ++k) {
        list += fmt::format("[{}, {}, {}], ", corners(0, k), corners(1, k), corners(2, k));
        shape.points.emplace_back(corners.col(k));
      }
      tell(fmt::format("points = [{}]", list), false);
      Eigen::Matrix4d equations;
      equations << corners, Eigen::RowVector4d::Ones();
      const Eigen::Matrix4d shares = equations.inverse();
      shape.distance = [=](const Vec3& x) {
        if ((shares * x.homogeneous()).minCoeff() >= 0.0) return 0.0;
        double least = std::numeric_limits<double>::infinity();
        for (int k = 0; k < 4; ++k) {
          least = std::min(
              least, distance_from_triangle(x, {corners.col((k + 1) % 4), corners.col((k + 2) % 4),
                                                corners.col((k + 3) % 4)}));
        }
        return least;
      };
      break;
    }
    case CoreKind::cylinder:
      tell(fmt::format("radius = {}, length = {}", r, l), false);
      shape.circles = {{r, -0.5 * l}, {r, 0.5 * l}};
      shape.distance = [=](const Vec3& x) {
        return std::hypot(std::max(0.0, across(x) - r), std::max(0.0, std::abs(x.z()) - 0.5 * l));
      };
      break;
    case CoreKind::cone:
      tell(fmt::format("radius = {}, length = {}", r, l), false);
      shape.points = {{0, 0, 0.75 * l}};
      shape.circles = {{r, -0.25 * l}};
      shape.distance = [=](const Vec3& x) {  // from a triangle in the plane of radius and z
        const Vec3 at(across(x), x.z(), 0.0), left(-r, -0.25 * l, 0), right(r, -0.25 * l, 0),
            tip(0, 0.75 * l, 0);
        const bool is_below_side = l * (at.x() - r) + r * (at.y() + 0.25 * l) <= 0.0;
        if (is_below_side && at.y() >= -0.25 * l) return 0.0;
        return distance_from_triangle(at, {left, right, tip});
      };
      break;
    case CoreKind::ellipsoid:
      tell(fmt::format("semi_axes = [{}, {}, {}]", s.x(), s.y(), s.z()), false);
      shape.semi_axes = s;
      shape.distance = [=](const Vec3& x) {
        return std::max(0.0, distance_from_ellipsoid<3>(x, s));
      };
      break;
    case CoreKind::ring:
      tell(fmt::format("radius = {}, tube_radius = {}", r, 0.2 * r), true);
      shape.radius = 0.2 * r;
      shape.circles = {{r, 0.0}};
      shape.distance = [=](const Vec3& x) { return std::hypot(across(x) - r, x.z()); };
      break;
  }
  return shape;
}

}  // namespace clatter::testing
