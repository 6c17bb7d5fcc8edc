#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <clatter/math/arc.hpp>
#include <clatter/math/smooth_curve.hpp>

#include "support/dice.hpp"
#include "support/random_cases.hpp"

namespace clatter {
namespace arc_test {

using std::numbers::pi;
using testing::Dice;

Arc random_arc(Dice& dice) {
  const Vec2 begin(dice.number(), dice.number()), end(dice.number(), dice.number());
  const double turn = 6.0 * dice.number();
  return make_arc(begin, end, std::abs(turn) < 1.0 ? 0.0 : turn);
}

TEST(Arc, runs_from_begin_to_end_at_its_radius) {
  Dice dice;
  for (int i = 0; i < 50; ++i) {
    const Arc arc = random_arc(dice);
    EXPECT_LT((arc.at(0.0) - arc.begin).norm(), 1e-14);
    EXPECT_LT((arc.at(1.0) - arc.end).norm(), 1e-12);
    EXPECT_LT((arc.reversed().at(0.25) - arc.at(0.75)).norm(), 1e-12);
    const double step = 1e-6;
    const Vec2 along = (arc.at(0.3 + step) - arc.at(0.3 - step)) / (2.0 * step * arc.length());
    EXPECT_LT((along - arc.direction(0.3)).norm(), 1e-8);  // step^2 and round-off / step
    EXPECT_NEAR(arc.share_of(arc.at(0.3)), 0.3, 1e-11);
    if (arc.is_straight()) continue;
    EXPECT_NEAR((arc.at(0.7) - arc.centre).norm(), arc.radius, 1e-12 * arc.radius);
  }
}

/// From samples of both, then in ever smaller steps.
double distance_by_looking(const Arc& a, const Arc& b) {
  constexpr int count = 60;
  double best = 1e9, at_a = 0.0, at_b = 0.0;
  const auto look = [&](double s, double t) {
    if (s < 0.0 || s > 1.0 || t < 0.0 || t > 1.0) return false;
    const double apart = (a.at(s) - b.at(t)).norm();
    if (apart >= best) return false;
    best = apart;
    at_a = s;
    at_b = t;
    return true;
  };
  for (int i = 0; i <= count; ++i) {
    for (int k = 0; k <= count; ++k) look(double(i) / count, double(k) / count);
  }
  for (double step = 1.0 / count; step > 1e-10;) {
    bool helped = false;
    for (int i = 0; i < 16; ++i) {
      const double angle = 2.0 * pi * i / 16;
      helped = look(at_a + step * std::cos(angle), at_b + step * std::sin(angle)) || helped;
    }
    for (const double sign : {-1.0, 1.0}) {
      helped = look(at_a, std::clamp(at_b + sign * step, 0.0, 1.0)) || helped;
      helped = look(std::clamp(at_a + sign * step, 0.0, 1.0), at_b) || helped;
    }
    if (!helped) step *= 0.6;
  }
  return best;
}

TEST(Arc, distance_of_two_is_that_found_by_looking) {
  Dice dice;
  for (int i = 0; i < (testing::looks_at_numbers ? 150 : 3); ++i) {
    const Arc a = random_arc(dice), b = random_arc(dice);
    // Looking ends at a step of 1e-10 of lengths up to 20.
    if (crossings(a, b).count == 0) {
      EXPECT_NEAR(distance(a, b), distance_by_looking(a, b), 1e-8) << i;
    } else {
      EXPECT_EQ(distance(a, b), 0.0);
    }
    const Vec2 point(dice.number(), dice.number());
    EXPECT_NEAR(distance(a, point), distance_by_looking(a, make_line(point, point)), 1e-8);
  }
}

TEST(Arc, crossings_lie_on_both) {
  Dice dice;
  int found = 0;
  for (int i = 0; i < 200; ++i) {
    const Arc a = random_arc(dice), b = random_arc(dice);
    const Crossings all = crossings(a, b);
    for (int k = 0; k < all.count; ++k, ++found) {
      const auto c = static_cast<std::size_t>(k);
      EXPECT_LT((a.at(all.of_a[c]) - b.at(all.of_b[c])).norm(), 1e-7);  // root of round-off
    }
  }
  EXPECT_GT(found, 20);
}

ArcChain lens() {  // two arcs of a quarter each, over a chord of root two: radius 1
  const Vec2 left(-std::sqrt(0.5), 0.0), right(std::sqrt(0.5), 0.0);
  return {make_arc(left, right, 0.5 * pi), make_arc(right, left, 0.5 * pi)};
}

TEST(ArcChain, moments_of_circle_lens_and_stadium_are_those_of_closed_forms) {
  const PlaneMoments circle = moments_of({make_circle({0.3, -0.2}, 0.7, 1.0)}, {0.3, -0.2});
  EXPECT_NEAR(circle.area, 0.49 * pi, 1e-14);
  EXPECT_NEAR(circle.second(0, 0), std::pow(0.7, 4) * pi / 4.0, 1e-14);
  EXPECT_NEAR(circle.second(0, 1), 0.0, 1e-16);
  EXPECT_NEAR(moments_of(lens(), {3.0, 4.0}).area, 0.5 * pi - 1.0, 1e-14);
  EXPECT_NEAR(moments_of(reversed(lens()), {0.0, 0.0}).area, 1.0 - 0.5 * pi, 1e-14);
  // Half circle: centroid at 4 r / (3 pi).
  const ArcChain half{make_line({-1, 0}, {1, 0}), make_arc({1, 0}, {-1, 0}, pi)};
  const PlaneMoments of_half = moments_of(half, {0.0, 0.0});
  EXPECT_NEAR(of_half.first.y() / of_half.area, 4.0 / (3.0 * pi), 1e-14);
  EXPECT_NEAR(of_half.second(1, 1), pi / 8.0, 1e-14);
}

TEST(ArcChain, turns_once_around_what_is_inside) {
  const ArcChain chain = lens();
  EXPECT_EQ(turns_around(chain, {0.0, 0.29}), 1);
  EXPECT_EQ(turns_around(chain, {0.0, 0.30}), 0);
  EXPECT_EQ(turns_around(reversed(chain), {0.5, 0.0}), -1);
  EXPECT_EQ(turns_around(chain, {0.8, 0.0}), 0);
  // A square with half a circle cut out of its top side.
  const ArcChain bowl{make_line({-1, -1}, {1, -1}),  make_line({1, -1}, {1, 1}),
                      make_line({1, 1}, {0.5, 1}),   make_arc({0.5, 1}, {-0.5, 1}, -pi),
                      make_line({-0.5, 1}, {-1, 1}), make_line({-1, 1}, {-1, -1})};
  EXPECT_EQ(turns_around(bowl, {0.0, 0.51}), 0);
  EXPECT_EQ(turns_around(bowl, {0.0, 0.49}), 1);
  EXPECT_EQ(turns_around(bowl, {-0.8, 0.9}), 1);
  EXPECT_TRUE(first_meeting_of(bowl, true).empty());
}

TEST(ArcChain, pieces_that_meet_are_found) {
  const ArcChain bow{make_line({0, 0}, {1, 1}), make_line({1, 1}, {1, 0}),
                     make_line({1, 0}, {0, 1}), make_line({0, 1}, {0, 0})};
  ASSERT_EQ(first_meeting_of(bow, true).size(), 1u);
  EXPECT_EQ(first_meeting_of(bow, true)[0].first, 0u);
  EXPECT_EQ(first_meeting_of(bow, true)[0].second, 2u);
  // An arc that swings through the line before it.
  const ArcChain swing{make_line({0, 0}, {2, 0}), make_arc({2, 0}, {1, 0.5}, -4.5),
                       make_line({1, 0.5}, {0, 0})};
  EXPECT_FALSE(first_meeting_of(swing, true).empty());
  const ArcChain back{make_line({0, 0}, {2, 0}), make_line({2, 0}, {1, 0}),
                      make_line({1, 0}, {0, 0})};
  EXPECT_FALSE(first_meeting_of(back, true).empty());
}

std::vector<Vec2> points_of_cam(int count) {
  std::vector<Vec2> points;
  for (int i = 0; i < count; ++i) {
    const double angle = 2.0 * pi * i / count, r = 1.0 + 0.2 * std::cos(2.0 * angle);
    points.emplace_back(r * std::cos(angle), r * std::sin(angle));
  }
  return points;
}

TEST(SmoothCurve, goes_through_its_points_without_corners) {
  const std::vector<Vec2> points = points_of_cam(17);
  for (const double tolerance : {1e-3, 1e-6}) {
    const ArcChain chain = smooth_curve_through(points, tolerance);
    for (const Vec2& point : points) EXPECT_LT(distance(chain, point), 1e-12);
    for (std::size_t k = 0; k < chain.size(); ++k) {
      const Arc &one = chain[k], &next = chain[(k + 1) % chain.size()];
      EXPECT_EQ(one.end, next.begin);
      EXPECT_LT((one.direction(1.0) - next.direction(0.0)).norm(), 1e-12);
    }
    EXPECT_TRUE(first_meeting_of(chain, true).empty());
  }
}

TEST(SmoothCurve, comes_to_the_curve_with_the_fourth_power_of_the_spacing) {
  // Cubic splines are off by h^4: half the spacing, a sixteenth.
  const auto off = [](int count) {
    const ArcChain chain = smooth_curve_through(points_of_cam(count), 1e-8);
    double most = 0.0;
    for (const Vec2& point : points_of_cam(8 * count))
      most = std::max(most, distance(chain, point));
    return most;
  };
  const double coarse = off(24), fine = off(48);
  EXPECT_LT(coarse, 1e-3);
  EXPECT_GT(coarse / fine, 12.0);
  EXPECT_LT(coarse / fine, 22.0);
}

}  // namespace arc_test
}  // namespace clatter
