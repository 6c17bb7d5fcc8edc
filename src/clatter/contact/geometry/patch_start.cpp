#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include <Eigen/Eigenvalues>

#include <clatter/contact/geometry/contact_frame.hpp>
#include <clatter/contact/geometry/patch_start.hpp>

namespace clatter {
namespace {

using CoreKind = Patch::Kind;

/// Of patches sorted by kind.
struct Feet {
  Foot first, second;
  bool in_half = true;
};

/// Made of straight lines, each with one normal: their normals have a constant component along z.
bool is_ruled(const Patch& patch) {
  return patch.kind == CoreKind::line || patch.kind == CoreKind::cone ||
         patch.kind == CoreKind::ellipse;
}

/// That component, of normals out of the solid.
double normal_along_z(const Patch& patch) {
  if (patch.kind != CoreKind::cone) return 0.0;
  return patch.hollow ? std::sin(patch.size.x()) : -std::sin(patch.size.x());
}

bool either_is_hollow(const PlacedPatch& first, const PlacedPatch& second) {
  return first.patch.has_other_inside() || second.patch.has_other_inside();
}

/// The angle, on an arc about zero or all around, at which a function with few minima is least, or
/// the first of them: all are looked at, between samples. Those that are less out of place come
/// before others.
template <class Function, class Misplaced>
double least_on_arc(double half_arc, const Function& f, const Misplaced& misplaced,
                    bool is_first = false) {
  constexpr int most = 48;
  const bool is_circle = half_arc >= std::numbers::pi;
  const int usual = is_first ? 33 : 9;  // the first and the next may be close together
  const int count = is_circle ? most : usual;
  const double spacing = 2.0 * half_arc / (is_circle ? count : count - 1);
  const auto angle = [&](int i) { return i * spacing - half_arc; };
  std::array<double, most> values{};
  for (int i = 0; i < count; ++i) values[static_cast<std::size_t>(i)] = f(angle(i));
  double best = 0.0;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::pair least{infinity, infinity};  // how far out of place, what is to be small
  for (int i = 0; i < count; ++i) {
    const auto value = [&](int k) {
      if (!is_circle && (k < 0 || k == count)) return infinity;
      return values[static_cast<std::size_t>((k + count) % count)];
    };
    if (value(i) > value(i - 1) || value(i) > value(i + 1)) continue;
    // Golden section: to 1e-3 of a radian, from where Newton's method goes on.
    constexpr double golden = 0.6180339887498949;
    double low = angle(i - 1), high = angle(i + 1);
    double left = high - golden * (high - low), right = low + golden * (high - low);
    double at_left = f(left), at_right = f(right);
    for (int k = 0; k < 12; ++k) {
      if (at_left < at_right) {
        high = std::exchange(right, left);
        at_right = at_left;
        left = high - golden * (high - low);
        at_left = f(left);
      } else {
        low = std::exchange(left, right);
        at_left = at_right;
        right = low + golden * (high - low);
        at_right = f(right);
      }
    }
    const double lowest = at_left < at_right ? left : right;
    const std::pair found{misplaced(lowest), is_first ? lowest : std::min(at_left, at_right)};
    if (found < least) {
      least = found;
      best = lowest;
    }
  }
  return best;
}
template <class Function>
double least_on_arc(double half_arc, const Function& f) {
  return least_on_arc(half_arc, f, [](double) { return 0.0; });
}

/// By how much an angle is beyond the ends of an arc [rad].
double beyond_arc(const Patch& arc, double angle) {
  return std::max(0.0, std::abs(angle) - arc.half_arc);
}

/// The point of a circle that comes first to another patch: each of its points has one nearest to
/// it. Inside a hollow line or circle that is the one furthest from it. Places beyond the ends of
/// an arc, of either, are those of the next one: where both are nearly as near, rings that lie
/// along each other have two that are not to be taken for one another.
Feet circle_with(const PlacedPatch& circle, const PlacedPatch& other) {
  const bool farthest = !other.patch.is_surface() && other.patch.has_other_inside();
  const auto foot_at = [](double angle) { return Foot(std::cos(angle), std::sin(angle), 0.0); };
  const auto height = [&](double at) {
    const Vec3 point = circle.at(foot_at(at));
    const Foot below = other.below(point);
    const Vec3 between = point - other.at(below);
    const bool is_beyond_tip = other.patch.kind == CoreKind::cone && !(below.z() > 0.0);
    if (is_beyond_tip && !other.patch.hollow) return (point - other.origin).norm();
    if (other.patch.is_surface()) return other.normal(below).dot(between);
    return farthest ? -between.norm() : between.norm();
  };
  const auto misplaced = [&](double at) {
    double beyond = beyond_arc(circle.patch, at);
    if (other.patch.kind == CoreKind::circle && other.patch.is_part()) {
      const Foot below = other.below(circle.at(foot_at(at)));
      beyond += beyond_arc(other.patch, std::atan2(below.y(), below.x()));
    }
    return beyond;
  };
  const bool is_first = other.patch.kind == CoreKind::circle && circle.patch.is_part() &&
                        circle.patch.outward.isZero(0.0);
  const Foot foot = foot_at(least_on_arc(circle.patch.half_arc, height, misplaced, is_first));
  return {foot, other.below(circle.at(foot))};
}

/// Part of an ellipse, and what is inside of it, or what it is inside of: the point of the ellipse
/// where they come first together.
Feet part_of_ellipse_with(const PlacedPatch& ellipse, const PlacedPatch& other) {
  const auto foot_at = [&](double angle) {
    return Foot(std::cos(ellipse.patch.arc_middle + angle),
                std::sin(ellipse.patch.arc_middle + angle), 0.0);
  };
  const auto height = [&](double at) {
    const Vec3 point = ellipse.at(foot_at(at));
    const Foot below = other.below(point);
    const Vec3 between = point - other.at(below);
    if (other.patch.is_surface()) return other.normal(below).dot(between);
    return other.patch.has_other_inside() ? -between.norm() : between.norm();
  };
  // In an arc of a hollow circle the ellipse may go on beyond it, and end there further out.
  const auto misplaced = [&](double at) {
    constexpr double rough = 1e-2;
    const Vec3 out = ellipse.at(foot_at(at)) - other.origin;
    const bool is_wanted = std::abs(at) < ellipse.patch.half_arc - rough &&
                           out.dot(other.to_space(other.patch.outward)) >= 0.0;
    return is_wanted ? 0.0 : 1.0;
  };
  const double angle = least_on_arc(ellipse.patch.half_arc, height, misplaced);
  const Foot foot = foot_at(angle);
  return {foot, other.below(ellipse.at(foot))};
}

bool is_part_of_ellipse(const PlacedPatch& placed) {
  return placed.patch.kind == CoreKind::ellipse && placed.patch.is_part();
}

/// What of another patch is deepest below a plane.
Feet plane_with(const PlacedPatch& plane, const PlacedPatch& other) {
  const Foot foot = other.facing(-plane.axes.col(2));
  return {plane.below(other.at(foot)), foot};
}

/// The direction of the straight line through a foot of a ruled patch.
Vec3 line_at(const PlacedPatch& ruled, const Foot& foot) {
  const CorePoint point = core_point(ruled.patch, foot);
  return ruled.to_space(point.first[ruled.patch.kind == CoreKind::line ? 0 : 1]);
}

Foot moved_along_line(const Foot& foot, double by) { return foot + by * Vec3::UnitZ(); }

/// Where the straight lines of two ruled patches that have the normals n and -n are nearest.
Feet lines_with_normal(const PlacedPatch& first, const PlacedPatch& second, const Vec3& n) {
  const Foot foot_1 = first.facing(n), foot_2 = second.facing(-n);
  const Vec3 line_1 = line_at(first, foot_1), line_2 = line_at(second, foot_2);
  const Vec3 between = second.at(foot_2) - first.at(foot_1);
  const double cosine = line_1.dot(line_2);
  const double sine_squared = line_1.cross(line_2).squaredNorm();
  const double along_1 = line_1.dot(between), along_2 = line_2.dot(between);
  if (sine_squared < 1e-24) return {moved_along_line(foot_1, along_1), foot_2};  // parallel
  return {moved_along_line(foot_1, (along_1 - cosine * along_2) / sine_squared),
          moved_along_line(foot_2, (cosine * along_1 - along_2) / sine_squared)};
}

/// Two ruled patches: the components of the normal along both z are known, and it is one of two
/// directions. That of the larger gap separates them, unless it meets a cone beyond its tip.
Feet two_ruled(const PlacedPatch& first, const PlacedPatch& second) {
  const Vec3 z_1 = first.axes.col(2), z_2 = second.axes.col(2);
  const double k_1 = normal_along_z(first.patch), k_2 = -normal_along_z(second.patch);
  const double cosine = z_1.dot(z_2);
  const Vec3 cross = z_1.cross(z_2);
  const double sine_squared = cross.squaredNorm();
  if (sine_squared < 1e-24) {
    const Foot foot = first.below(second.origin);
    const Vec3 n = first.patch.is_surface()
                       ? first.normal(foot)
                       : Vec3((second.origin - first.at(foot)).stableNormalized());
    return lines_with_normal(first, second, n);
  }
  const double part_1 = (k_1 - cosine * k_2) / sine_squared;
  const double part_2 = (k_2 - cosine * k_1) / sine_squared;
  const double rest = std::max(0.0, 1.0 - part_1 * k_1 - part_2 * k_2);
  Feet best;
  std::pair<bool, double> most{false, -std::numeric_limits<double>::infinity()};
  for (const double sign : {1.0, -1.0}) {
    const Vec3 n = part_1 * z_1 + part_2 * z_2 + sign * std::sqrt(rest / sine_squared) * cross;
    const Feet feet = lines_with_normal(first, second, n);
    const bool exist = (first.patch.kind != CoreKind::cone || feet.first.z() > 0.0) &&
                       (second.patch.kind != CoreKind::cone || feet.second.z() > 0.0);
    const std::pair<bool, double> found{exist,
                                        n.dot(second.at(feet.second) - first.at(feet.first))};
    if (found > most) {
      most = found;
      best = feet;
    }
  }
  return best;
}

/// How far two patches are apart along n, a normal of both. Convex ones are apart as far as the
/// largest of it; one that is inside another, the least.
double apart(const PlacedPatch& first, const PlacedPatch& second, const Vec3& n) {
  return n.dot(second.at(second.facing(-n)) - first.at(first.facing(n)));
}

/// Walls as an ellipsoid sees them that is inside. Seen in lengths in which it is a ball they are
/// elliptic, and their points nearest to the ball are where they touch first. There is one on that
/// side of the plane across their shortest axis where the ball is, and there may be another on the
/// other side.
class SeenWalls {
 public:
  SeenWalls(const PlacedPatch& walls, const PlacedPatch& inside) : walls_(walls), inside_(inside) {
    const bool is_ball = inside.patch.kind != CoreKind::ellipsoid;
    stretched_ =
        is_ball ? Mat3(Mat3::Identity()) : Mat3(inside.axes * inside.patch.size.asDiagonal());
    inverse_ = stretched_.inverse();
    // Walls are where x . squares x = constant, in their axes.
    const Patch& patch = walls.patch;
    Vec3 squares(1.0, 1.0, 0.0);
    if (patch.kind == CoreKind::ellipsoid) squares = patch.size.array().square().inverse();
    if (patch.kind == CoreKind::cone) squares.z() = -std::pow(std::tan(patch.size.x()), 2);
    const Mat3 seen = walls.axes.transpose() * stretched_;
    solver_.computeDirect(seen.transpose() * squares.asDiagonal() * seen);
    // One of the two senses, that which turns least as bodies roll.
    Eigen::Index shortest = 0;
    patch.size.minCoeff(&shortest);
    const Vec3 across = solver_.eigenvectors().col(2);
    const double along = is_ball ? across.dot(walls.axes.col(shortest)) : across.x();
    across_ = along < 0.0 ? Vec3(-across) : across;
  }

  /// Of the plane, where the walls have a normal: 1 or -1.
  int side_of(const Vec3& normal) const {
    Vec3 from_centre = -normal;
    if (walls_.patch.kind != CoreKind::line) {
      Foot foot = walls_.facing(normal);
      if (walls_.patch.kind == CoreKind::cone) foot.z() = 1.0;  // from the tip
      from_centre = walls_.at(foot) - walls_.origin;
    }
    return across_.dot(inverse_ * from_centre) < 0.0 ? -1 : 1;
  }

  /// Of an ellipsoid: the place that is nearest, seen so, and that which faces it.
  std::array<Foot, 2> places() const {
    Patch seen;
    seen.kind = CoreKind::ellipsoid;
    seen.size = solver_.eigenvalues().cwiseSqrt().cwiseInverse();
    const Mat3& axes = solver_.eigenvectors();
    Foot nearest =
        foot_of_point(seen, axes.transpose() * inverse_ * (inside_.origin - walls_.origin));
    const auto on_walls = [&](const Foot& foot) -> Foot {
      const Vec3 from_centre = stretched_ * (axes * seen.size.cwiseProduct(foot));
      return walls_.to_axes(from_centre).cwiseQuotient(walls_.patch.size).normalized();
    };
    return {on_walls(nearest), on_walls({nearest.x(), nearest.y(), -nearest.z()})};
  }

 private:
  const PlacedPatch &walls_, &inside_;
  Mat3 stretched_, inverse_;  // from the lengths of the other, and to them
  Eigen::SelfAdjointEigenSolver<Mat3> solver_;
  Vec3 across_;  // in these lengths
};

/// A ruled patch and one that has a foot for every normal of it: an ellipsoid, or in the plane both
/// are ellipses.
Feet ruled_with(const PlacedPatch& ruled, const PlacedPatch& other) {
  const double along = normal_along_z(ruled.patch);
  const double across_z = std::sqrt(1.0 - along * along);
  const auto normal_at = [&](double angle) -> Vec3 {
    return ruled.axes * Vec3(across_z * std::cos(angle), across_z * std::sin(angle), along);
  };
  const double sign = either_is_hollow(ruled, other) ? 1.0 : -1.0;
  const auto apart_at = [&](double angle) { return sign * apart(ruled, other, normal_at(angle)); };
  bool in_half = true;
  double angle = 0.0;
  if (ruled.patch.half() == 0) {
    angle = least_on_arc(std::numbers::pi, apart_at);
  } else {
    const SeenWalls walls(ruled, other);
    const auto is_in_half = [&](double at) {
      return walls.side_of(normal_at(at)) == ruled.patch.half();
    };
    angle = least_on_arc(std::numbers::pi, apart_at,
                         [&](double at) { return is_in_half(at) ? 0.0 : 1.0; });
    in_half = is_in_half(angle);
  }
  const Vec3 n = normal_at(angle);
  const Foot foot = other.facing(-n), on_line = ruled.facing(n);
  const Vec3 between = other.at(foot) - ruled.at(on_line);
  return {moved_along_line(on_line, line_at(ruled, on_line).dot(between)), foot, in_half};
}

/// Two ellipsoids: how far they are apart as a function of the normal, on the sphere of directions.
class TwoEllipsoids {
 public:
  TwoEllipsoids(const PlacedPatch& first, const PlacedPatch& second)
      : first_(first), second_(second), sign_(either_is_hollow(first, second) ? -1.0 : 1.0) {
    between_ = second.origin - first.origin;
    for (const PlacedPatch* each : {&first, &second}) {
      const Mat3 stretched = each->axes * each->patch.size.asDiagonal();
      squares_[each == &first ? 0 : 1] = stretched * stretched.transpose();
      signs_[each == &first ? 0 : 1] = each->patch.hollow ? -1.0 : 1.0;
    }
  }

  Feet feet() const {
    const Samples samples = best_samples();
    Vec3 n = climb(samples.best);
    // Ellipsoids that are apart have no other summit.
    if (sign_ < 0.0 || value(n) < 0.0) {
      for (const Vec3& sample : samples.of_side) {
        const Vec3 other = climb(sample);
        if (value(other) > value(n)) n = other;
      }
    }
    return {first_.facing(n), second_.facing(-n)};
  }

  /// Where the one is inside the other, in one half of it.
  Feet feet_in_half() const {
    const bool are_first_walls = first_.patch.half() != 0;
    const PlacedPatch &walls = are_first_walls ? first_ : second_,
                      &inside = are_first_walls ? second_ : first_;
    const SeenWalls seen(walls, inside);
    const auto [nearest, facing] = seen.places();
    std::pair<bool, double> most{false, -std::numeric_limits<double>::infinity()};
    Vec3 best = Vec3::UnitX();
    // While they are far apart another place may be nearest.
    for (const Foot& foot : {nearest, facing, walls.below(inside.origin)}) {
      const Vec3 out = walls.normal(foot), n = climb(are_first_walls ? out : Vec3(-out));
      const bool in_half = seen.side_of(are_first_walls ? n : Vec3(-n)) == walls.patch.half();
      const std::pair found{in_half, value(n)};
      if (found > most) {
        most = found;
        best = n;
      }
    }
    return {first_.facing(best), second_.facing(-best), most.first};
  }

 private:
  /// To be made as large as can be.
  double value(const Vec3& n) const {
    double all = n.dot(between_);
    for (std::size_t i = 0; i < 2; ++i) all -= signs_[i] * std::sqrt(n.dot(squares_[i] * n));
    return sign_ * all;
  }

  struct Samples {
    Vec3 best = Vec3::UnitX();
    std::array<Vec3, 6> of_side;  ///< of a cube
  };

  /// Between the centres, and normals of either ellipsoid all around.
  Samples best_samples() const {
    Samples samples;
    std::array<double, 6> most{};
    most.fill(-std::numeric_limits<double>::infinity());
    samples.of_side.fill(Vec3::UnitX());
    const auto look_at = [&](const Vec3& direction) {
      if (!(direction.norm() > 0.0)) return;
      const Vec3 n = direction.normalized();
      Eigen::Index axis = 0;
      n.cwiseAbs().maxCoeff(&axis);
      const auto side = static_cast<std::size_t>(2 * axis + (n[axis] > 0.0 ? 1 : 0));
      const double here = value(n);
      if (here <= most[side]) return;
      most[side] = here;
      samples.of_side[side] = n;
    };
    look_at(between_);
    for (int i = 0; i < 27; ++i) {
      const Vec3 corner(i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1);
      for (const PlacedPatch* each : {&first_, &second_}) {
        look_at(each->to_space(corner));
        look_at(each->to_space(corner.cwiseQuotient(each->patch.size)));
      }
    }
    samples.best = samples.of_side[static_cast<std::size_t>(
        std::max_element(most.begin(), most.end()) - most.begin())];
    return samples;
  }

  /// Newton's method on the sphere, always upwards.
  Vec3 climb(Vec3 n) const {
    for (int i = 0; i < 40; ++i) {
      Vec3 slope = between_;
      Mat3 curvature = Mat3::Zero();
      for (std::size_t k = 0; k < 2; ++k) {
        const Vec3 pull = squares_[k] * n;
        const double support = std::sqrt(n.dot(pull));
        slope -= signs_[k] / support * pull;
        curvature -=
            signs_[k] / support * (squares_[k] - pull * pull.transpose() / (support * support));
      }
      const Vec3 u = n.unitOrthogonal(), w = n.cross(u);
      Eigen::Matrix<double, 3, 2> tangents;
      tangents << u, w;
      const Eigen::Vector2d uphill = sign_ * tangents.transpose() * slope;
      const Eigen::Matrix2d bend = sign_ * (tangents.transpose() * curvature * tangents -
                                            n.dot(slope) * Eigen::Matrix2d::Identity());
      // In the axes where the bend has no mixed term.
      const double turn = 0.5 * std::atan2(2.0 * bend(0, 1), bend(0, 0) - bend(1, 1));
      Eigen::Matrix2d axes;
      axes << std::cos(turn), -std::sin(turn), std::sin(turn), std::cos(turn);
      const Eigen::Vector2d bends = (axes.transpose() * bend * axes).diagonal().cwiseAbs();
      const Eigen::Vector2d stiffness = bends.cwiseMax(1e-6 * bends.maxCoeff() + 1e-300);
      const Eigen::Vector2d step = axes * (axes.transpose() * uphill).cwiseQuotient(stiffness);
      Vec3 next = (n + tangents * step).normalized();
      const double here = value(n);
      for (double share = 0.5; value(next) < here && share > 1e-4; share *= 0.5) {
        next = (n + share * (tangents * step)).normalized();
      }
      if (!(value(next) > here)) break;
      n = next;
      if (step.norm() < 1e-5) break;
    }
    return n;
  }

  const PlacedPatch &first_, &second_;
  double sign_;
  Vec3 between_;
  std::array<Mat3, 2> squares_;  // of the support: |stretched n|^2 = n . squares n
  std::array<double, 2> signs_{};
};

/// A point in one half of an ellipsoid: as a ball, of any radius.
Feet point_in_half(const PlacedPatch& point, const PlacedPatch& around) {
  PlacedPatch ball = point;
  ball.patch.kind = CoreKind::ellipsoid;
  ball.patch.size.setConstant(around.patch.size.minCoeff());
  Feet feet = TwoEllipsoids(ball, around).feet_in_half();
  feet.first.setZero();
  return feet;
}

/// Inside a hollow sphere what is furthest from its centre comes first to it; on one half of it
/// only, uphill from where the other goes furthest to that side: of all points further along the
/// way from the centre none is nearer to it.
Foot foot_in_sphere(const PlacedPatch& sphere, const PlacedPatch& other) {
  if (sphere.patch.outward.isZero(0.0)) return other.opposite(sphere.origin);
  Foot foot = other.facing(sphere.to_space(sphere.patch.outward));
  constexpr int rounds = 30;  // to where Newton's method goes on
  for (int i = 0; i < rounds; ++i) {
    foot = other.facing((other.at(foot) - sphere.origin).stableNormalized());
  }
  return foot;
}

/// Sorted: the kind of the first comes not after that of the second.
Feet feet_of_sorted(const PlacedPatch& first, const PlacedPatch& second, bool planar) {
  const auto swapped = [](const Feet& feet) { return Feet{feet.second, feet.first, feet.in_half}; };
  const CoreKind kind_1 = first.patch.kind, kind_2 = second.patch.kind;
  if (is_part_of_ellipse(second)) return swapped(part_of_ellipse_with(second, first));
  if (is_part_of_ellipse(first)) return part_of_ellipse_with(first, second);
  if (kind_1 == CoreKind::point && second.patch.half() != 0) return point_in_half(first, second);
  if (kind_1 == CoreKind::point) {
    const bool is_hollow = first.patch.has_other_inside();
    return {Foot::Zero(), is_hollow ? foot_in_sphere(first, second) : second.below(first.origin)};
  }
  if (kind_1 == CoreKind::plane) return plane_with(first, second);
  if (kind_2 == CoreKind::plane) return swapped(plane_with(second, first));
  if (kind_1 == CoreKind::circle && kind_2 == CoreKind::circle) {
    return is_first_walked(first.patch, second.patch) ? circle_with(first, second)
                                                      : swapped(circle_with(second, first));
  }
  if (kind_1 == CoreKind::circle) return circle_with(first, second);
  if (kind_2 == CoreKind::circle) return swapped(circle_with(second, first));
  if (is_ruled(first.patch) && is_ruled(second.patch) && !planar) return two_ruled(first, second);
  if (is_ruled(first.patch)) return ruled_with(first, second);
  const TwoEllipsoids both(first, second);
  return first.patch.half() != 0 || second.patch.half() != 0 ? both.feet_in_half() : both.feet();
}

/// Of points, lines and circles, from a to b: along what lies between them, or across both. Feet
/// that are off by an angle `e` along a circle of radius `r` turn the one by about `e r sine /
/// distance` and the other by `e / sine`, where `sine` is that of the angle in which they cross.
Vec3 normal_of_thin(const PlacedPatch& a, const PlacedPatch& b, const PatchStart& feet) {
  const Vec3 between = b.at(feet.b) - a.at(feet.a);
  const double sign = either_is_hollow(a, b) ? -1.0 : 1.0;
  const Vec3 tangent_a = a.to_space(core_point(a.patch, feet.a).first[0]);
  const Vec3 tangent_b = b.to_space(core_point(b.patch, feet.b).first[0]);
  const Vec3 outward =
      a.to_space(outward_at(a.patch, feet.a)) - b.to_space(outward_at(b.patch, feet.b));
  const Vec3 cross = tangent_a.stableNormalized().cross(tangent_b.stableNormalized());
  const double sine = cross.norm();
  const bool crossing = sine > 1e-6;
  if (crossing && !outward.isZero(0.0)) {
    const double distance = between.norm();
    const double radius = std::max(a.patch.size.x(), b.patch.size.x());  // zero of lines
    const bool across_both = radius == 0.0 || distance <= radius * sine * sine;
    const Vec3 normal = across_both ? Vec3(cross / sine) : Vec3(between / distance);
    return std::copysign(1.0, normal.dot(outward)) * normal;
  }
  if (!between.isZero(0.0)) return sign * between.stableNormalized();
  // One on the other: all directions across are the same.
  if (crossing) return cross / sine;
  const Vec3 tangent = tangent_a.isZero(0.0) ? tangent_b : tangent_a;
  return tangent.isZero(0.0) ? Vec3(Vec3::UnitX()) : across(Vec3::Zero(), tangent.normalized());
}

bool is_sharp_edge(const Patch& patch) {
  return patch.kind == CoreKind::line && !patch.outward.isZero(0.0);
}

}  // namespace

bool find_crossing(const Patch& a, const Mat3& R_a, const Patch& b, const Vec3& shift,
                   const Mat3& R_b, Crossing& crossing) {
  if (!is_sharp_edge(a) || !is_sharp_edge(b)) return false;
  const Vec3 along_a = R_a * a.axes.col(2), along_b = R_b * b.axes.col(2);
  const Vec3 out_a = a.axes * a.outward, out_b = b.axes * b.outward;
  const Vec3 across = along_a.cross(along_b), outward = R_a * out_a - R_b * out_b;
  const double square = across.squaredNorm();
  if (square < 1e-12 || outward.isZero(0.0)) return false;
  const Vec3 origin_a = R_a * a.origin, origin_b = shift + R_b * b.origin;
  const Vec3 between = origin_b - origin_a;
  crossing.a = between.cross(along_b).dot(across) / square;
  crossing.b = between.cross(along_a).dot(across) / square;
  crossing.point_a = origin_a + crossing.a * along_a;
  crossing.point_b = origin_b + crossing.b * along_b;
  crossing.normal = std::copysign(1.0, across.dot(outward)) / std::sqrt(square) * across;
  return true;
}

bool is_first_walked(const Patch& first, const Patch& second) {
  if (first.has_other_inside()) return false;
  return first.size.x() <= second.size.x() || second.has_other_inside();
}

PatchStart find_start(const PlacedPatch& a, const PlacedPatch& b, bool planar) {
  PatchStart start;
  if (a.patch.kind <= b.patch.kind) {
    const Feet feet = feet_of_sorted(a, b, planar);
    start.a = feet.first;
    start.b = feet.second;
    start.in_half = feet.in_half;
  } else {
    const Feet feet = feet_of_sorted(b, a, planar);
    start.a = feet.second;
    start.b = feet.first;
    start.in_half = feet.in_half;
  }
  if (a.patch.is_surface()) {
    start.normal = a.normal(start.a);
  } else if (b.patch.is_surface()) {
    start.normal = -b.normal(start.b);
  } else {
    start.normal = normal_of_thin(a, b, start);
  }
  return start;
}

}  // namespace clatter
