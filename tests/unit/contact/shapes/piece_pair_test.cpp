#include <cmath>
#include <functional>
#include <random>

#include <Eigen/Eigenvalues>
#include <gtest/gtest.h>

#include <clatter/contact/shapes/piece_pair.hpp>

#include "support/dice.hpp"
#include "support/random_cases.hpp"

namespace clatter {
namespace piece_pair_test {

using testing::Dice;

/// A convex solid and its own account of how far it goes along a unit vector.
struct Sample {
  Pieces pieces;
  std::function<double(const Vec3&)> reach;
};

enum class Solid { cylinder, cone, ellipsoid, box, capsule, sphere };

Sample sample(Solid kind, Dice& dice, double rounding) {
  const double r = dice.length(), l = 2.0 * dice.length();
  const Vec3 s(dice.length(), dice.length(), dice.length());
  const auto across = [](const Vec3& n) { return std::hypot(n.x(), n.y()); };
  const std::array ends{Vec3(0.0, 0.0, -0.5 * l), Vec3(0.0, 0.0, 0.5 * l)};
  switch (kind) {
    case Solid::cylinder:
      return {rounded(make_cylinder(r, l), rounding),
              [=](const Vec3& n) { return r * across(n) + 0.5 * l * std::abs(n.z()) + rounding; }};
    case Solid::cone:
      return {rounded(make_cone(r, l), rounding), [=](const Vec3& n) {
                return std::max(0.75 * l * n.z(), r * across(n) - 0.25 * l * n.z()) + rounding;
              }};
    case Solid::ellipsoid:
      return {rounded(make_ellipsoid(s), rounding),
              [=](const Vec3& n) { return s.cwiseProduct(n).norm() + rounding; }};
    case Solid::box: {
      Polytope box = make_box(2.0 * s);
      box.radius = rounding;
      return {pieces_of(box), [=](const Vec3& n) { return s.dot(n.cwiseAbs()) + rounding; }};
    }
    case Solid::capsule:
      return {pieces_of(make_core(ends, 0.5 * r, false)),
              [=](const Vec3& n) { return 0.5 * l * std::abs(n.z()) + 0.5 * r; }};
    case Solid::sphere:
      break;
  }
  return {pieces_of(make_core(std::array{Vec3(Vec3::Zero())}, r, false)),
          [=](const Vec3&) { return r; }};
}

/// The best of all directions: how far the two are apart. It is looked for all around, and from the
/// best few in ever smaller steps.
std::pair<double, Vec3> separation(const Sample& a, const NodeState& at_a, const Sample& b,
                                   const NodeState& at_b) {
  const auto along = [&](const Vec3& n) {
    return n.dot(at_b.x - at_a.x) - a.reach(at_a.R.transpose() * n) -
           b.reach(-(at_b.R.transpose() * n));
  };
  constexpr int count = testing::looks_at_numbers ? 3000 : 100;
  constexpr std::size_t few = testing::looks_at_numbers ? 12 : 1;
  std::vector<std::pair<double, Vec3>> all;
  for (int i = 0; i < count; ++i) {
    const double z = 1.0 - (2.0 * i + 1.0) / count, angle = 2.399963229728653 * i;
    const double r = std::sqrt(1.0 - z * z);
    const Vec3 n(r * std::cos(angle), r * std::sin(angle), z);
    all.emplace_back(along(n), n);
  }
  const auto is_better = [](const auto& one, const auto& two) { return one.first > two.first; };
  std::partial_sort(all.begin(), all.begin() + few, all.end(), is_better);
  for (std::size_t i = 0; i < few; ++i) {
    auto& [best, n] = all[i];
    double turn = 0.0;
    for (double step = 0.05; step > 1e-11; step *= 0.7) {
      turn += 0.7;  // so that no direction is left out
      const Vec3 u = n.unitOrthogonal(), w = n.cross(u);
      for (int k = 0; k < 6; ++k) {
        const double angle = turn + k * M_PI / 3.0;
        const Vec3 next = (n + step * (std::cos(angle) * u + std::sin(angle) * w)).normalized();
        if (const double there = along(next); there > best) {
          best = there;
          n = next;
          step /= 0.7;
          break;
        }
      }
    }
  }
  return *std::min_element(all.begin(), all.begin() + few, is_better);
}

TEST(Pieces, go_as_far_as_closed_forms_say) {
  Dice dice{std::mt19937(5)};
  for (const Solid kind : {Solid::cylinder, Solid::cone, Solid::ellipsoid, Solid::box,
                           Solid::capsule, Solid::sphere}) {
    for (int i = 0; i < 100; ++i) {
      const Sample of = sample(kind, dice, i % 2 == 0 ? 0.0 : 0.05);
      const Vec3 n = dice.vector().normalized();
      EXPECT_NEAR(n.dot(furthest_point(of.pieces, n)), of.reach(n), 1e-14);
    }
  }
}

struct Case {
  Solid a, b;
  double rounding;
};

class EveryPair : public ::testing::TestWithParam<Case> {};

/// Two are put near each other, apart and overlapped, along the normal that separates them best.
TEST_P(EveryPair, is_as_far_apart_as_along_the_best_direction) {
  const auto [kind_a, kind_b, rounding] = GetParam();
  Dice dice{std::mt19937(static_cast<unsigned>(10 * static_cast<int>(kind_a)) +
                         static_cast<unsigned>(kind_b))};
  PiecePair pair;
  std::vector<Touch> touches;
  const int cases = testing::looks_at_numbers ? 12 : 1;
  for (int i = 0; i < cases; ++i) {
    const Sample a = sample(kind_a, dice, rounding), b = sample(kind_b, dice, rounding);
    const NodeState at_a = dice.place(1.0);
    NodeState at_b = dice.place(3.0);
    const auto [apart, normal] = separation(a, at_a, b, at_b);
    for (const double gap : {0.3, 1e-4, -1e-6, -1e-3, -2e-2}) {
      if (!testing::looks_at_numbers && gap != -1e-3) continue;
      NodeState near = at_b;
      near.x += (gap - apart) * normal;
      const double right = separation(a, at_a, b, near).first;
      pair.place(a.pieces, at_a, b.pieces, near, false);
      const double found = pair.gap();
      // It is along one of the directions, so that it cannot be too large. Near a sharp tip or rim
      // it may be along one that is not quite the best, by which sharp solids overlap more.
      const bool has_cone = kind_a == Solid::cone || kind_b == Solid::cone;
      const double of_sharp = has_cone ? 3.0 : 1.25;
      const double share = right > 0.0 ? 0.999 : rounding > 0.0 ? 1.0 : of_sharp;
      EXPECT_GT(found, share * right - 1e-9) << "case " << i << " gap " << gap;
      if (gap > 1e-3 || gap < -1e-2) continue;
      constexpr double reach = 1e-3;
      pair.find_touches({.reach = reach, .must_find = true, .closely = true}, touches);
      if (!testing::looks_at_numbers) continue;
      EXPECT_EQ(touches.empty(), found > reach) << "case " << i << " gap " << gap;
      if (found > 0.0 || (has_cone && rounding == 0.0))
        continue;  // corners near edges are no touches of sharp solids
      double least = INFINITY;
      for (const Touch& touch : touches) least = std::min(least, std::abs(touch.gap - found));
      EXPECT_LT(least, 1e-10) << "case " << i << " gap " << gap;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Pieces, EveryPair, ::testing::ValuesIn([] {
                           std::vector<Case> all;
                           for (const Solid a : {Solid::cylinder, Solid::cone, Solid::ellipsoid}) {
                             for (const Solid b : {Solid::cylinder, Solid::cone, Solid::ellipsoid,
                                                   Solid::box, Solid::capsule, Solid::sphere}) {
                               for (const double rounding : {0.0, 0.05}) {
                                 all.push_back({a, b, rounding});
                               }
                             }
                           }
                           return all;
                         }()));

/// All corners of a box in a hollow box, a sphere in a bore, in a drum and in a hollow sphere.
TEST(Pieces, of_containers_are_as_far_as_their_walls) {
  Dice dice{std::mt19937(3)};
  PiecePair pair;
  const NodeState at_wall = dice.place(2.0);
  for (int i = 0; i < 200; ++i) {
    NodeState at = dice.place(0.0);
    const Vec3 from_wall = 0.5 * dice.vector();
    at.x = at_wall.x + at_wall.R * from_wall;
    const auto gap_in = [&](const Pieces& walls, const Pieces& inside) {
      const Pieces around = hollowed(walls);
      pair.place(around, at_wall, inside, at, false);
      return pair.gap();
    };
    const Vec3 half(0.2, 0.3, 0.1);
    double least = INFINITY;
    const Mat3 turn = at_wall.R.transpose() * at.R;
    for (int axis = 0; axis < 3; ++axis) {
      const double reach = turn.row(axis).cwiseAbs().dot(half);
      least = std::min(least, 1.0 - std::abs(from_wall[axis]) - reach);
    }
    EXPECT_NEAR(gap_in(pieces_of(make_box({2.0, 2.0, 2.0})), pieces_of(make_box(2.0 * half))),
                least, 1e-13);
    const Pieces ball = pieces_of(make_core(std::array{Vec3(Vec3::Zero())}, 0.1, false));
    const double side = 0.9 - std::hypot(from_wall.x(), from_wall.y());
    EXPECT_NEAR(gap_in(make_cylinder(1.0, 10.0), ball), side, 1e-13);
    EXPECT_NEAR(gap_in(make_cylinder(1.0, 2.0), ball),
                std::min(side, 0.9 - std::abs(from_wall.z())), 1e-13);
    EXPECT_NEAR(gap_in(pieces_of(make_core(std::array{Vec3(Vec3::Zero())}, 1.0, false)), ball),
                0.9 - from_wall.norm(), 1e-13);
  }
}

/// A small cone, sunk into the top of a plate that is a thousand times as wide, tilted and far from
/// its edges: as deep as the lowest of its points.
TEST(Pieces, far_from_the_edges_of_a_face_touch_nothing_but_the_face) {
  const double radius = 1e-3, length = 2e-3, depth = 1e-4;
  const Pieces plate = pieces_of(make_box({1.0, 0.8, 0.2})), cone = make_cone(radius, length);
  const NodeState at_plate;
  Dice dice{std::mt19937(11)};
  PiecePair pair;
  std::vector<Touch> touches;
  for (int i = 0; i < 300; ++i) {
    NodeState at = dice.place(0.0);
    if (i % 2 == 0) {  // its base is nearly flat
      at.p = Quaternion(1.0, 0.05 * dice.number(), 0.05 * dice.number(), dice.number());
      at.p.normalize();
      at.R = at.p.toRotationMatrix();
    }
    const Vec3 down = -at.R.transpose() * Vec3::UnitZ();
    const double reach =
        std::max(0.75 * length * down.z(),
                 radius * std::hypot(down.x(), down.y()) - 0.25 * length * down.z());
    at.x = {0.4 * dice.number(), 0.3 * dice.number(), 0.1 - depth + reach};
    pair.place(plate, at_plate, cone, at, false);
    EXPECT_NEAR(pair.gap(), -depth, 1e-14) << i;
    pair.find_touches({.reach = 1e-6, .must_find = true, .closely = true}, touches);
    EXPECT_FALSE(touches.empty()) << i;
    for (const Touch& touch : touches) {
      EXPECT_EQ(plate[static_cast<std::size_t>(touch.a.index)].patch.kind, Patch::Kind::plane) << i;
    }
  }
}

/// In a hollow ellipsoid with semi-axes 3, 2 and 1 a ball of radius 1 about the same centre touches
/// at both ends of the shortest axis. Stretched along any axes both are ellipsoids that touch
/// there.
TEST(Pieces, of_an_ellipsoid_lie_on_both_sides_of_a_narrow_hollow) {
  Dice dice{std::mt19937(4)};
  PiecePair pair;
  std::vector<Touch> touches;
  for (int i = 0; i < 100; ++i) {
    const Mat3 turn = dice.place(0.0).R;
    const Mat3 stretch = turn * dice.size().asDiagonal() * turn.transpose();
    const auto ellipsoid = [&](const Mat3& semi_axes, NodeState& at) {
      const Mat3 square = stretch * semi_axes * semi_axes * stretch;
      const Eigen::SelfAdjointEigenSolver<Mat3> solver(square);
      at.R = solver.eigenvectors();
      if (at.R.determinant() < 0.0) at.R.col(0) *= -1.0;
      at.p = Quaternion(at.R);
      return make_ellipsoid(solver.eigenvalues().cwiseSqrt());
    };
    NodeState at_walls, at_inside;
    const Pieces walls = hollowed(ellipsoid(Vec3(3.0, 2.0, 1.0).asDiagonal(), at_walls)),
                 inside = ellipsoid(Mat3::Identity(), at_inside);
    at_walls.x = at_inside.x = dice.vector();
    pair.place(walls, at_walls, inside, at_inside, false);
    EXPECT_NEAR(pair.gap(), 0.0, 1e-13) << i;
    pair.find_touches({.reach = 1e-6, .must_find = true}, touches);
    ASSERT_EQ(touches.size(), 2u) << i;
    double middle = 0.0;
    for (const Touch& touch : touches) {
      const PatchPair patches =
          PiecePair::make_pair(walls[static_cast<std::size_t>(touch.a.index)].patch,
                               inside[static_cast<std::size_t>(touch.b.index)].patch, 0, 1, false);
      const PatchPair::Nearest at = patches.nearest(at_walls, at_inside);
      const Vec3 end = stretch * Vec3::UnitZ();
      const double side = at.point_a.dot(end) < 0.0 ? -1.0 : 1.0;
      EXPECT_NEAR((at.point_a - side * end).norm(), 0.0, 1e-7) << i;  // a gap of 1e-14 is as flat
      EXPECT_NEAR(at.gap, 0.0, 1e-13) << i;
      middle += side;
    }
    EXPECT_EQ(middle, 0.0) << i;  // one on either side
  }
}

}  // namespace piece_pair_test
}  // namespace clatter
