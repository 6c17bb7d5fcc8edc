#include <cmath>
#include <functional>
#include <random>

#include <gtest/gtest.h>

#include <clatter/contact/shapes/piece_pair.hpp>

#include "support/dice.hpp"
#include "support/random_cases.hpp"

namespace clatter {
namespace {

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
      pair.find_touches(reach, true, true, touches);
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

}  // namespace
}  // namespace clatter
