#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <optional>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/core_shapes.hpp"
#include "support/least_on_circle.hpp"
#include "support/random_pair.hpp"

namespace clatter {
namespace outline_pairs_test {

using std::numbers::pi;
using testing::Dice;
using testing::SolidPair;
using Point = Eigen::Vector2d;

/// A smooth curve from 0 to 1, and how far a point is from it.
struct Curve {
  std::function<Point(double)> at;
  std::function<double(const Point&)> distance;
  double speed;  ///< at most
  /// All of it is as near as half of its length.
  Point middle = at(0.5);
  bool may_be_nearer(const Point& x, double than) const {
    return !(speed > 0.0) || (x - middle).norm() - 0.5 * speed < than;
  }
};

/// A shape in the plane with a radius all around, in its own axes, told apart from the library.
struct PlaneShape {
  std::string text;
  double radius = 0.0;
  std::vector<Curve> curves;  ///< around it
  bool is_wall = false;       ///< it has no inside
  /// Of a spline, which becomes arcs: how far these may be off it.
  double tolerance = 0.0;

  double distance(const Point& x) const {
    double least = INFINITY;
    for (const Curve& curve : curves) {
      if (curve.may_be_nearer(x, least)) least = std::min(least, curve.distance(x));
    }
    return least;
  }
  /// How often the curves cross a line from a point to the right; those that graze do not matter
  /// where the point is not near a curve.
  bool holds(const Point& x) const {
    if (is_wall) return false;
    int crossings = 0;
    constexpr int count = 60;
    for (const Curve& curve : curves) {
      if (std::abs(curve.middle.y() - x.y()) > 0.5 * curve.speed) continue;
      for (int k = 0; k < count; ++k) {
        const Point p = curve.at(static_cast<double>(k) / count) - x,
                    q = curve.at(static_cast<double>(k + 1) / count) - x;
        if ((p.y() > 0.0) == (q.y() > 0.0)) continue;
        if (p.x() + (q.x() - p.x()) * p.y() / (p.y() - q.y()) > 0.0) ++crossings;
      }
    }
    return crossings % 2 != 0;
  }
};

Curve line(const Point& from, const Point& to) {
  return {[=](double t) -> Point { return from + t * (to - from); },
          [=](const Point& x) {
            const Point along = to - from;
            const double length = along.squaredNorm();
            const double t =
                length > 0.0 ? std::clamp(along.dot(x - from) / length, 0.0, 1.0) : 0.0;
            return (x - from - t * along).norm();
          },
          (to - from).norm()};
}

/// To the left when `bulge`, the tangent of a quarter of its angle, is positive.
Curve arc(const Point& from, const Point& to, double bulge) {
  if (bulge == 0.0) return line(from, to);
  const double turn = 4.0 * std::atan(bulge);
  const Point chord = to - from, left(-chord.y(), chord.x());
  const Point centre = 0.5 * (from + to) + 0.5 / std::tan(0.5 * turn) * left;
  const double radius = (from - centre).norm();
  const double begin = std::atan2((from - centre).y(), (from - centre).x());
  return {[=](double t) -> Point {
            const double angle = begin + t * turn;
            return centre + radius * Point(std::cos(angle), std::sin(angle));
          },
          [=](const Point& x) {
            const Point out = x - centre;
            const double sign = turn > 0.0 ? 1.0 : -1.0;
            double past = sign * (std::atan2(out.y(), out.x()) - begin);
            past -= 2.0 * pi * std::floor(past / (2.0 * pi));
            if (past <= std::abs(turn)) return std::abs(out.norm() - radius);
            return std::min((x - from).norm(), (x - to).norm());
          },
          radius* std::abs(turn)};
}

Curve ellipse(const Point& semi_axes) {
  return {
      [=](double t) -> Point {
        return semi_axes.cwiseProduct(Point(std::cos(2.0 * pi * t), std::sin(2.0 * pi * t)));
      },
      [=](const Point& x) { return std::abs(testing::distance_from_ellipsoid<2>(x, semi_axes)); },
      2.0 * pi* semi_axes.maxCoeff()};
}

/// A cubic by values and derivatives at both ends, over a length.
Curve cubic(const Point& p, const Point& q, const Point& dp, const Point& dq, double length) {
  const Point a = p, b = length * dp, c = 3.0 * (q - p) - length * (2.0 * dp + dq),
              d = 2.0 * (p - q) + length * (dp + dq);
  const auto at = [=](double t) -> Point { return a + t * (b + t * (c + t * d)); };
  const auto distance = [=](const Point& x) {
    // Near the best of many places, by halving where the slope of the distance changes its sign.
    const auto slope = [&](double t) { return (at(t) - x).dot(b + t * (2.0 * c + 3.0 * t * d)); };
    constexpr int count = 40;
    int nearest = 0;
    for (int k = 1; k <= count; ++k) {
      const auto squared = [&](int i) {
        return (at(static_cast<double>(i) / count) - x).squaredNorm();
      };
      if (squared(k) < squared(nearest)) nearest = k;
    }
    double low = static_cast<double>(std::max(nearest - 1, 0)) / count,
           high = static_cast<double>(std::min(nearest + 1, count)) / count;
    for (int k = 0; k < 50; ++k) {
      const double middle = 0.5 * (low + high);
      (slope(middle) < 0.0 ? low : high) = middle;
    }
    const double best = 0.5 * (low + high);
    return (at(best) - x).norm();
  };
  return {at, distance, b.norm() + 2.0 * c.norm() + 3.0 * d.norm()};
}

/// The closed cubic spline through points over the lengths of chords.
std::vector<Curve> spline(const std::vector<Point>& points) {
  const auto count = static_cast<Eigen::Index>(points.size());
  const auto at = [&](Eigen::Index k) { return points[static_cast<std::size_t>(k % count)]; };
  VecX h(count);
  for (Eigen::Index k = 0; k < count; ++k) h[k] = (at(k + 1) - at(k)).norm();
  // Slopes m with continuous second derivatives.
  MatX A = MatX::Zero(count, count), right(count, 2);
  for (Eigen::Index k = 0; k < count; ++k) {
    const Eigen::Index before = (k + count - 1) % count;
    A(k, before) += h[k];
    A(k, k) += 2.0 * (h[before] + h[k]);
    A(k, (k + 1) % count) += h[before];
    const Point slope_before = (at(k) - at(before)) / h[before], slope = (at(k + 1) - at(k)) / h[k];
    right.row(k) = 3.0 * (h[k] * slope_before + h[before] * slope).transpose();
  }
  const MatX m = A.partialPivLu().solve(right);
  std::vector<Curve> curves;
  for (Eigen::Index k = 0; k < count; ++k) {
    curves.push_back(
        cubic(at(k), at(k + 1), m.row(k).transpose(), m.row((k + 1) % count).transpose(), h[k]));
  }
  return curves;
}

enum class PlaneKind { disc, box, capsule, polygon, ellipse, profile, spline, wall, segment };
constexpr std::array plane_kinds{PlaneKind::disc,    PlaneKind::box,     PlaneKind::capsule,
                                 PlaneKind::polygon, PlaneKind::ellipse, PlaneKind::profile,
                                 PlaneKind::spline,  PlaneKind::wall,    PlaneKind::segment};
constexpr std::array plane_names{"disc",    "box",    "capsule", "polygon", "ellipse",
                                 "profile", "spline", "wall",    "segment"};
/// Hollow, and below a line.
enum class PlaneAround { disc, box, ellipse, profile, spline, half_space, none };
constexpr std::array plane_around{PlaneAround::disc,    PlaneAround::box,
                                  PlaneAround::ellipse, PlaneAround::profile,
                                  PlaneAround::spline,  PlaneAround::half_space};
constexpr std::array plane_around_names{"hollow_disc",    "hollow_box",    "hollow_ellipse",
                                        "hollow_profile", "hollow_spline", "half_space"};

/// Points around the origin at random distances, a hollow where they are near it.
std::vector<Point> star(Dice& dice, int count, double scale) {
  std::vector<Point> points;
  for (int k = 0; k < count; ++k) {
    const double angle = 2.0 * pi * (k + 0.3 * dice.number()) / count;
    points.emplace_back(scale * (0.65 + 0.35 * dice.number()) *
                        Point(std::cos(angle), std::sin(angle)));
  }
  return points;
}

std::string list_of(const std::vector<Point>& points) {
  std::string list;
  for (const Point& point : points) list += fmt::format("[{}, {}], ", point.x(), point.y());
  return list;
}

/// Sizes of up to about `scale`. `hollow`: as walls around a space.
PlaneShape make_plane_shape(PlaneKind kind, Dice& dice, double scale, bool hollow) {
  const double r = scale * dice.length(), l = scale * dice.length();
  const bool is_round = !hollow && dice.number() > 0.0;
  const double rounding = is_round ? 0.1 * scale * dice.length() : 0.0;
  PlaneShape shape;
  shape.radius = rounding;
  const auto tell = [&](const char* name, const std::string& sizes) {
    shape.text = fmt::format("{{ kind = '{}', {}, rounding = {}, {} material = 'stone' }}", name,
                             sizes, rounding, hollow ? "hollow = true," : "");
  };
  const auto close = [&](const std::vector<Point>& points, const std::vector<double>& bulges) {
    for (std::size_t k = 0; k < points.size(); ++k) {
      shape.curves.push_back(
          arc(points[k], points[(k + 1) % points.size()], bulges.empty() ? 0.0 : bulges[k]));
    }
  };
  switch (kind) {
    case PlaneKind::disc:
      if (hollow) {
        shape.curves = {arc({-r, 0}, {r, 0}, 1.0), arc({r, 0}, {-r, 0}, 1.0)};
      } else {
        shape.curves = {line({0, 0}, {0, 0})};
        shape.radius += r;
      }
      tell("disc", fmt::format("radius = {}, thickness = 1", r));
      break;
    case PlaneKind::box:
      close({{-r, -l}, {r, -l}, {r, l}, {-r, l}}, {});
      tell("box", fmt::format("size = [{}, {}, 1]", 2.0 * r, 2.0 * l));
      break;
    case PlaneKind::capsule:
      shape.curves = {line({-0.5 * l, 0}, {0.5 * l, 0})};
      shape.radius += 0.3 * r;
      tell("capsule", fmt::format("radius = {}, length = {}", 0.3 * r, l));
      break;
    case PlaneKind::polygon: {
      const std::vector<Point> points = star(dice, 7, scale);
      close(points, {});
      tell("polygon", fmt::format("points = [{}]", list_of(points)));
      break;
    }
    case PlaneKind::ellipse:
      shape.curves = {ellipse({r, l})};
      tell("ellipse", fmt::format("semi_axes = [{}, {}]", r, l));
      break;
    case PlaneKind::profile: {
      const std::vector<Point> points = star(dice, 5, scale);
      std::vector<double> bulges;
      std::string list;
      for (std::size_t k = 0; k < points.size(); ++k) {
        // Hollow ones not so deep that they meet each other.
        const double bulge = dice.length() * (dice.number() > 0.0 ? 0.3 : -0.15);
        bulges.push_back(k == 0 ? 0.0 : bulge);
        list += fmt::format("{}, ", bulges.back());
      }
      close(points, bulges);
      tell("profile", fmt::format("points = [{}], bulges = [{}]", list_of(points), list));
      break;
    }
    case PlaneKind::spline: {
      const std::vector<Point> points = star(dice, 6, scale);
      shape.curves = spline(points);
      shape.tolerance = 1e-4 * scale;
      tell("spline",
           fmt::format("points = [{}], tolerance = {}", list_of(points), shape.tolerance));
      break;
    }
    case PlaneKind::wall: {
      const std::vector<Point> points{{-r, 0.2 * l}, {-0.2 * r, 0}, {0.3 * r, 0.3 * l}, {r, 0}};
      const std::array bulges{0.0, -0.3 * dice.length(), 0.5 * dice.length()};
      for (std::size_t k = 0; k < 3; ++k) {
        shape.curves.push_back(arc(points[k], points[k + 1], bulges[k]));
      }
      shape.radius += 0.05 * scale;
      shape.is_wall = true;
      tell("wall", fmt::format("points = [{}], bulges = [{}, {}, {}], radius = {}", list_of(points),
                               bulges[0], bulges[1], bulges[2], 0.05 * scale));
      break;
    }
    case PlaneKind::segment:
      shape.curves = {line({-r, -l}, {r, l})};
      shape.radius += 0.05 * scale;
      shape.is_wall = true;
      tell("segment",
           fmt::format("points = [[{}, {}], [{}, {}]], radius = {}", -r, -l, r, l, 0.05 * scale));
      break;
  }
  return shape;
}

struct PlanePairing {
  PlaneAround around;
  PlaneKind a, b;
};

PlaneShape make_around(PlaneAround around, Dice& dice) {
  switch (around) {
    case PlaneAround::disc:
      return make_plane_shape(PlaneKind::disc, dice, 4.0, true);
    case PlaneAround::box:
      return make_plane_shape(PlaneKind::box, dice, 4.0, true);
    case PlaneAround::ellipse:
      return make_plane_shape(PlaneKind::ellipse, dice, 4.0, true);
    case PlaneAround::profile:
      return make_plane_shape(PlaneKind::profile, dice, 4.0, true);
    case PlaneAround::spline:
      return make_plane_shape(PlaneKind::spline, dice, 4.0, true);
    default:
      break;
  }
  const double angle = pi * dice.number();
  const Point n(std::cos(angle), std::sin(angle));
  PlaneShape shape;
  shape.text =
      fmt::format("{{ kind = 'half_space', normal = [{}, {}], material = 'stone' }}", n.x(), n.y());
  shape.curves = {{[](double) -> Point { return Point::Zero(); },
                   [=](const Point& x) { return n.dot(x); }, 0.0}};
  shape.is_wall = true;
  return shape;
}

class OutlinePairOfKinds : public testing::RandomPair<PlanePairing> {
 protected:
  OutlinePairOfKinds()
      : RandomPair(100 * static_cast<unsigned>(GetParam().around) +
                   10 * static_cast<unsigned>(GetParam().a) + static_cast<unsigned>(GetParam().b)) {
  }

  static bool is_contained() { return GetParam().around != PlaneAround::none; }
  static bool is_half_space() { return GetParam().around == PlaneAround::half_space; }

  void make() override {
    // Splines at random may cross themselves, profiles as well.
    for (int attempt = 0; attempt < 100; ++attempt) {
      a_ = is_contained() ? make_around(GetParam().around, dice_)
                          : make_plane_shape(GetParam().a, dice_, 1.0, false);
      b_ = make_plane_shape(GetParam().b, dice_, is_contained() ? 0.4 : 1.0, false);
      try {
        pair_.emplace(a_.text, b_.text, SolidPair::In::plane,
                      is_half_space() ? SolidPair::First::ground : SolidPair::First::body);
      } catch (const Error&) {
        continue;
      }
      follow_arcs(a_, pair_->node_a);
      follow_arcs(b_, pair_->node_b);
      return;
    }
    FAIL() << "no sound shapes";
  }

  /// Of a spline: the arcs that the library has made of it, once it is seen that they follow it.
  void follow_arcs(PlaneShape& shape, std::size_t node) const {
    if (shape.tolerance == 0.0) return;
    const std::vector<Solid>& solids = pair_->machine().solids();
    const auto solid = std::find_if(solids.begin(), solids.end(), [&](const Solid& one) {
      return one.node == static_cast<int>(node);
    });
    PlaneShape arcs = shape;
    arcs.curves.clear();
    for (const Arc& piece : solid->outline.chain) {
      arcs.curves.push_back(arc(piece.begin, piece.end, std::tan(0.25 * piece.turn)));
    }
    constexpr int count = 20;
    const auto expect_near = [&](const PlaneShape& one, const PlaneShape& other) {
      for (const Curve& curve : one.curves) {
        for (int k = 0; k <= count; ++k) {
          ASSERT_LT(other.distance(curve.at(static_cast<double>(k) / count)), shape.tolerance);
        }
      }
    };
    expect_near(arcs, shape);
    expect_near(shape, arcs);
    shape = arcs;
  }

  Point to_a(const Point& in_b) const {
    const Vec3 in_space = pair_->at_b().x + pair_->at_b().R * Vec3(in_b.x(), in_b.y(), 0.0);
    const Vec3 in_a = pair_->at_a().R.transpose() * (in_space - pair_->at_a().x);
    return in_a.head<2>();
  }

  /// The least distance of points of one from the other, apart: all of b is looked at that can be
  /// nearer than what was found, as a distance changes by no more than one moves.
  double right_gap() const {
    double best = INFINITY;
    for (const Curve& curve : b_.curves) {
      best = std::min(best, a_.distance(to_a(curve.middle)));
    }
    struct Interval {
      double from, to, at_from, at_to;
    };
    std::vector<Interval> open;
    for (const Curve& curve : b_.curves) {
      const auto distance = [&](double t) { return a_.distance(to_a(curve.at(t))); };
      if (distance(0.5) - 0.5 * curve.speed >= best) continue;
      open.push_back({0.0, 1.0, distance(0.0), distance(1.0)});
      best = std::min({best, open.back().at_from, open.back().at_to});
      while (!open.empty()) {
        const Interval at = open.back();
        open.pop_back();
        const double length = curve.speed * (at.to - at.from);
        if (0.5 * (at.at_from + at.at_to - length) >= best) continue;
        if (length < 2e-3) {
          best = std::min(best, distance(testing::least_between(at.from, at.to, distance)));
          continue;
        }
        const double middle = 0.5 * (at.from + at.to), value = distance(middle);
        best = std::min(best, value);
        open.push_back({at.from, middle, at.at_from, value});
        open.push_back({middle, at.to, value, at.at_to});
      }
    }
    return best - a_.radius - b_.radius;
  }

  NodeState somewhere(double spread) {
    NodeState at;
    at.x = spread * Vec3(dice_.number(), dice_.number(), 0.0);
    at.angle = pi * dice_.number();
    at.p = exp_so3(at.angle * Vec3::UnitZ());
    at.R = at.p.toRotationMatrix();
    return at;
  }

  /// At random, also in hollows, apart or overlapped by less than what counts as a touch: cores are
  /// apart.
  void place() override {
    for (int attempt = 0; attempt < 200; ++attempt) {
      if (!is_half_space()) pair_->q[pair_->node_a] = somewhere(1.0);
      NodeState& at_b = pair_->q[pair_->node_b];
      at_b = somewhere(is_contained() ? 1.0 : (dice_.number() > 0.0 ? 4.0 : 1.0));
      if (!is_half_space()) at_b.x += pair_->at_a().x;
      Vec3 way(dice_.number(), dice_.number(), 0.0);
      if (!is_contained()) {
        const auto index = static_cast<std::size_t>(dice_.generator() % a_.curves.size());
        const Point target = a_.curves[index].at(0.5);
        way = pair_->at_a().x + pair_->at_a().R * Vec3(target.x(), target.y(), 0.0) - at_b.x;
      }
      const bool is_apart = pair_->gap() > 1e-2;
      const bool is_inside = a_.holds(to_a(b_.curves.front().at(0.0)));
      if (!is_apart || (!is_half_space() && is_inside != is_contained())) continue;
      const double least = a_.radius + b_.radius > 0.0 ? -2e-5 : 2e-6;
      if (pair_->approach(way.normalized(), least, 5e-5)) return;
    }
    FAIL() << "no place was found";
  }

  PlaneShape a_, b_;
};

std::vector<PlanePairing> plane_pairings() {
  std::vector<PlanePairing> all;
  for (const PlaneKind b : plane_kinds) {
    for (const PlaneKind a : plane_kinds) all.push_back({PlaneAround::none, a, b});
    for (const PlaneAround around : plane_around) all.push_back({around, PlaneKind::disc, b});
  }
  return all;
}

std::string name_of_pairing(const ::testing::TestParamInfo<PlanePairing>& test) {
  const auto& [around, a, b] = test.param;
  return fmt::format("{}_and_{}",
                     around == PlaneAround::none
                         ? plane_names[static_cast<std::size_t>(a)]
                         : plane_around_names[static_cast<std::size_t>(around)],
                     plane_names[static_cast<std::size_t>(b)]);
}

INSTANTIATE_TEST_SUITE_P(Outlines, OutlinePairOfKinds, ::testing::ValuesIn(plane_pairings()),
                         name_of_pairing);

TEST_P(OutlinePairOfKinds, is_as_far_as_the_nearest_points_of_its_curves) {
  constexpr double exact = 1e-9;  // of their size, which is about one
  const int cases = testing::cases_of(testing::looks_at_numbers ? 6 : 1);
  int without = 0;
  look_at_touches(cases, [&](const std::vector<Contact>& contacts) {
    const double right = right_gap();
    EXPECT_NEAR(pair_->gap(), right, exact);
    // Sharp corners that meet touch nowhere but for an instant.
    if (contacts.empty() && a_.radius + b_.radius == 0.0) {
      ++without;
      return;
    }
    ASSERT_FALSE(contacts.empty());
    const auto [gap, on_a, on_b, n] = pair_->points_of(pair_->nearest_of(contacts));
    EXPECT_NEAR(gap, right, exact);
    EXPECT_NEAR(n.norm(), 1.0, 1e-14);
    const Vec3 between = on_b - on_a;
    EXPECT_NEAR(between.dot(n), gap, 1e-9);
    EXPECT_LT((between - between.dot(n) * n).norm(), 1e-7);
    const Vec3 in_a = pair_->at_a().R.transpose() * (on_a - a_.radius * n - pair_->at_a().x);
    const Vec3 in_b = pair_->at_b().R.transpose() * (on_b + b_.radius * n - pair_->at_b().x);
    // What is beside a line by less than edge_margin of the sizes is over it.
    EXPECT_LT(std::abs(a_.distance(in_a.head<2>())), 1e-6);
    EXPECT_LT(b_.distance(in_b.head<2>()), 1e-6);
  });
  EXPECT_LE(without, cases / 2);
}

}  // namespace outline_pairs_test
}  // namespace clatter
