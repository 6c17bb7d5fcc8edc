#include <algorithm>
#include <cmath>

#include <clatter/contact/geometry/patch.hpp>

namespace clatter {
namespace {

using CoreKind = Patch::Kind;

/// The part across z as a unit vector; when there is none, any.
Vec3 unit_around_z(double x, double y) {
  const double length = std::hypot(x, y);
  return length > 0.0 ? Vec3(x / length, y / length, 0.0) : Vec3(Vec3::UnitX());
}

/// (cos, sin, z) turned by a small angle; to second order it is one.
Vec3 turned_about_z(const Vec3& foot, double angle) {
  const Vec3 turned = unit_around_z(foot.x() - angle * foot.y(), foot.y() + angle * foot.x());
  return {turned.x(), turned.y(), foot.z()};
}

enum class Distance { nearest, furthest };

/// Unit vector s for which the point (axes_i s_i) of an ellipse or ellipsoid is nearest to `point`,
/// from outside or inside: s_i = axes_i y_i / (t + axes_i^2), with the largest t that makes it a
/// unit vector. Furthest: s_i = -axes_i y_i / (t - axes_i^2), likewise. That t is sought as the
/// multiplier of a trust region is (More and Sorensen 1983): 1/|s| is nearly linear in t, and
/// Newton's method goes up to the root without passing it.
template <int dimensions>
Eigen::Matrix<double, dimensions, 1> extreme_on_ellipsoid(
    Distance distance, const Eigen::Matrix<double, dimensions, 1>& axes,
    const Eigen::Matrix<double, dimensions, 1>& point) {
  using Vector = Eigen::Array<double, dimensions, 1>;
  const double side = distance == Distance::nearest ? 1.0 : -1.0;
  Eigen::Index first = 0;
  const double end = side * (side * axes).minCoeff(&first);
  // Counted from -side end^2, so that a point on the axes, which comes close to it, loses no
  // digits.
  const Vector offset = side * (axes.array() - end) * (axes.array() + end);
  Vector pull = axes.array() * point.array().abs();
  pull[first] = std::max(pull[first], 1e-150 * end * end);  // of two that are equal, one
  double t = (pull - offset).maxCoeff();
  Vector s = pull / (t + offset);
  for (int i = 0; i < 60; ++i) {
    const double length = s.matrix().norm();
    const double next = t + (length - 1.0) * length * length / (s.square() / (t + offset)).sum();
    if (!(next > t)) break;
    t = next;
    s = pull / (t + offset);
  }
  for (Eigen::Index i = 0; i < dimensions; ++i) s[i] = std::copysign(s[i], side * point[i]);
  return s.matrix().normalized();
}

}  // namespace

int Patch::parameters() const {
  switch (kind) {
    case CoreKind::point:
      return 0;
    case CoreKind::line:
    case CoreKind::circle:
      return 1;
    default:
      return 2;
  }
}

Vec3 core_position(const Patch& patch, const Foot& foot) {
  const Vec3& size = patch.size;
  switch (patch.kind) {
    case CoreKind::point:
      return Vec3::Zero();
    case CoreKind::line:
    case CoreKind::plane:
      return foot;
    case CoreKind::circle:
      return size.x() * foot;
    case CoreKind::cone: {
      const double out = foot.z() * std::sin(size.x());
      return {out * foot.x(), out * foot.y(), foot.z() * std::cos(size.x())};
    }
    case CoreKind::ellipse:
      return {size.x() * foot.x(), size.y() * foot.y(), foot.z()};
    case CoreKind::ellipsoid:
      return size.cwiseProduct(foot);
  }
  return Vec3::Zero();
}

CorePoint core_point(const Patch& patch, const Foot& foot) {
  const Vec3& size = patch.size;
  CorePoint at;
  at.position = core_position(patch, foot);
  const Vec3 out(foot.x(), foot.y(), 0.0), around(-foot.y(), foot.x(), 0.0);
  switch (patch.kind) {
    case CoreKind::point:
      break;
    case CoreKind::line:
      at.first[0] = Vec3::UnitZ();
      break;
    case CoreKind::plane:
      at.first = {Vec3::UnitX(), Vec3::UnitY()};
      break;
    case CoreKind::circle:
      at.first[0] = size.x() * around;
      at.second[0] = -at.position;
      break;
    case CoreKind::cone: {
      const double sine = std::sin(size.x());
      at.first = {foot.z() * sine * around, sine * out + std::cos(size.x()) * Vec3::UnitZ()};
      at.second[0] = -foot.z() * sine * out;
      at.second[1] = sine * around;
      break;
    }
    case CoreKind::ellipse:
      at.first = {size.cwiseProduct(around), Vec3::UnitZ()};
      at.second[0] = -size.cwiseProduct(out);
      break;
    case CoreKind::ellipsoid: {
      const Vec3 across = foot.unitOrthogonal();
      at.first = {size.cwiseProduct(across), size.cwiseProduct(foot.cross(across))};
      at.second[0] = at.second[2] = -at.position;
      break;
    }
  }
  return at;
}

Foot moved_foot(const Patch& patch, const Foot& foot, const std::array<double, 2>& by) {
  switch (patch.kind) {
    case CoreKind::point:
      return foot;
    case CoreKind::line:
      return foot + by[0] * Vec3::UnitZ();
    case CoreKind::plane:
      return foot + Vec3(by[0], by[1], 0.0);
    case CoreKind::circle:
      return turned_about_z(foot, by[0]);
    case CoreKind::cone:
    case CoreKind::ellipse:
      return turned_about_z(foot, by[0]) + by[1] * Vec3::UnitZ();
    case CoreKind::ellipsoid: {
      const Vec3 across = foot.unitOrthogonal();
      return (foot + by[0] * across + by[1] * foot.cross(across)).normalized();
    }
  }
  return foot;
}

Vec3 surface_normal(const Patch& patch, const Foot& foot) {
  const Vec3& size = patch.size;
  Vec3 normal = Vec3::UnitZ();
  if (patch.kind == CoreKind::cone) {
    normal = std::cos(size.x()) * Vec3(foot.x(), foot.y(), 0.0) - std::sin(size.x()) * normal;
  } else if (patch.kind == CoreKind::ellipse) {
    normal = Vec3(foot.x() / size.x(), foot.y() / size.y(), 0.0).normalized();
  } else if (patch.kind == CoreKind::ellipsoid) {
    normal = foot.cwiseQuotient(size).normalized();
  }
  return patch.hollow ? Vec3(-normal) : normal;
}

Vec3 outward_at(const Patch& patch, const Foot& foot) {
  if (patch.kind != CoreKind::circle) return patch.outward;
  const Vec3 around(-foot.y(), foot.x(), 0.0);
  return patch.outward.x() * foot + patch.outward.y() * around + patch.outward.z() * Vec3::UnitZ();
}

Foot foot_of_normal(const Patch& patch, const Vec3& n) {
  const Vec3 out = patch.hollow ? Vec3(-n) : n;
  const Vec3& size = patch.size;
  switch (patch.kind) {
    case CoreKind::circle:
    case CoreKind::cone:
      return unit_around_z(out.x(), out.y());
    case CoreKind::ellipse:
      return unit_around_z(size.x() * out.x(), size.y() * out.y());
    case CoreKind::ellipsoid:
      return size.cwiseProduct(out).normalized();
    default:
      return Foot::Zero();
  }
}

Foot foot_of_point(const Patch& patch, const Vec3& point) {
  const Vec3& size = patch.size;
  switch (patch.kind) {
    case CoreKind::point:
      return Foot::Zero();
    case CoreKind::line:
      return {0.0, 0.0, point.z()};
    case CoreKind::plane:
      return {point.x(), point.y(), 0.0};
    case CoreKind::circle:
      return unit_around_z(point.x(), point.y());
    case CoreKind::cone: {
      const Vec3 out = unit_around_z(point.x(), point.y());
      const double from_axis = std::hypot(point.x(), point.y());
      return {out.x(), out.y(), std::sin(size.x()) * from_axis + std::cos(size.x()) * point.z()};
    }
    case CoreKind::ellipse: {
      const Eigen::Vector2d s =
          extreme_on_ellipsoid<2>(Distance::nearest, size.head<2>(), point.head<2>());
      return {s.x(), s.y(), point.z()};
    }
    case CoreKind::ellipsoid:
      return extreme_on_ellipsoid<3>(Distance::nearest, size, point);
  }
  return Foot::Zero();
}

Foot foot_furthest_from(const Patch& patch, const Vec3& point) {
  switch (patch.kind) {
    case CoreKind::circle:
      return -unit_around_z(point.x(), point.y());
    case CoreKind::ellipse: {
      const Eigen::Vector2d s =
          extreme_on_ellipsoid<2>(Distance::furthest, patch.size.head<2>(), point.head<2>());
      return {s.x(), s.y(), point.z()};
    }
    case CoreKind::ellipsoid:
      return extreme_on_ellipsoid<3>(Distance::furthest, patch.size, point);
    default:
      return foot_of_point(patch, point);
  }
}

std::optional<Eigen::Matrix2d> curvature_of(const Patch& patch, const Foot& foot,
                                            const Vec3& normal,
                                            const std::array<Vec3, 2>& tangents) {
  using Mat2 = Eigen::Matrix2d;
  const int count = patch.parameters();
  const double r = patch.radius;
  if (count < 2 && r == 0.0) return std::nullopt;
  if (count == 0) return Mat2(Mat2::Identity() / r);
  const CorePoint core = core_point(patch, foot);
  if (count == 1) {
    // Across the core it is a circle; along it, a curve that is carried out by the radius.
    const double square = core.first[0].squaredNorm();
    const double own = -core.second[0].dot(normal) / square, along = own / (1.0 + r * own);
    const Eigen::Vector2d t(tangents[0].dot(core.first[0]), tangents[1].dot(core.first[0]));
    const Mat2 on_core = t * t.transpose() / t.squaredNorm();
    return Mat2(along * on_core + (Mat2::Identity() - on_core) / r);
  }
  Mat2 first, second, over;  // fundamental forms, and the parameters' directions over the tangents
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
      first(i, j) = core.first[a].dot(core.first[b]);
      second(i, j) = -core.second[a + b].dot(normal);
      over(i, j) = core.first[a].dot(tangents[b]);
    }
  }
  const Mat2 steps = first.inverse() * over;  // of the parameters along each tangent
  const Mat2 own = steps.transpose() * second * steps;
  return Mat2(own * (Mat2::Identity() + r * own).inverse());
}

}  // namespace clatter
