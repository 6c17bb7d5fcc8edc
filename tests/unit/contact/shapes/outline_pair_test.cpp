#include <cmath>
#include <functional>
#include <numbers>

#include <gtest/gtest.h>

#include <clatter/contact/geometry/patch_pair.hpp>
#include <clatter/contact/shapes/outline_pair.hpp>

#include "support/dice.hpp"
#include "support/random_cases.hpp"

namespace clatter {
namespace outline_pair_test {

using std::numbers::pi;
using testing::Dice;

NodeState place(double x, double y, double angle) {
  NodeState at;
  at.x = {x, y, 0.0};
  at.p = Quaternion(Eigen::AngleAxisd(angle, Vec3::UnitZ()));
  at.R = at.p.toRotationMatrix();
  return at;
}

/// Square with half a circle cut out of its top, and round at the lower left.
ArcChain bowl() {
  return {make_arc({-1, -0.5}, {-0.5, -1}, 0.5 * pi),
          make_line({-0.5, -1}, {1, -1}),
          make_line({1, -1}, {1, 1}),
          make_line({1, 1}, {0.6, 1}),
          make_arc({0.6, 1}, {-0.6, 1}, -pi),
          make_line({-0.6, 1}, {-1, 1}),
          make_line({-1, 1}, {-1, -0.5})};
}

ArcChain cam() {  // two circles with tangents between them
  const double sine = 0.5 / 1.5, cosine = std::sqrt(1.0 - sine * sine);
  const Vec2 up(sine, cosine), down(sine, -cosine), far(1.5, 0.0);
  return {make_arc(up, down, 2.0 * (pi - std::acos(sine))), make_line(down, far + 0.5 * down),
          make_arc(far + 0.5 * down, far + 0.5 * up, 2.0 * std::acos(sine)),
          make_line(far + 0.5 * up, up)};
}

ArcChain track() {
  return {make_line({-2, 1}, {-1, 0}), make_arc({-1, 0}, {1, 0}, 0.5 * pi),
          make_arc({1, 0}, {2, 1}, -0.3)};
}

Patch ellipse(double x, double y) {
  Patch patch;
  patch.kind = Patch::Kind::ellipse;
  patch.size = {x, y, 0.0};
  patch.origin = {0.1, -0.1, 0.0};
  patch.axes = Eigen::AngleAxisd(0.3, Vec3::UnitZ()).toRotationMatrix();
  return patch;
}

/// A solid; its surface without the radius, of lines and arcs.
struct Sample {
  Outline outline;
  ArcChain surface;
};

std::vector<Sample> samples() {
  const auto closed = [](const ArcChain& chain, double radius, bool hollow) {
    return Sample{make_outline(chain, radius, hollow), chain};
  };
  const std::array box{Vec3(-0.4, -0.2, 0), Vec3(0.4, -0.2, 0), Vec3(0.4, 0.2, 0),
                       Vec3(-0.4, 0.2, 0)};
  const Vec2 left(-0.3, 0), right(0.3, 0);
  return {closed(bowl(), 0.0, false),
          closed(cam(), 0.0, false),
          closed(bowl(), 0.05, false),
          closed({make_arc(left, right, 1.0), make_arc(right, left, 1.0)}, 0.0, false),
          {make_outline(make_polygon(box), false),
           {make_line({-0.4, -0.2}, {0.4, -0.2}), make_line({0.4, -0.2}, {0.4, 0.2}),
            make_line({0.4, 0.2}, {-0.4, 0.2}), make_line({-0.4, 0.2}, {-0.4, -0.2})}},
          {make_outline(make_core(std::array{Vec3(0.1, 0.2, 0.0)}, 0.25, true), false),
           {make_line({0.1, 0.2}, {0.1, 0.2})}},
          {make_wall(track(), 0.0), track()},
          {make_wall(track(), 0.1), track()},
          {make_ellipse(ellipse(0.7, 0.3), 0.0, false), {}},
          {make_ellipse(ellipse(0.2, 0.5), 0.1, false), {}}};
}

bool is_wall(std::size_t sample) { return sample == 6 || sample == 7; }

/// Least distance of many points of both, then in ever smaller steps from the best; positive.
double distance_by_looking(const ArcChain& a, const NodeState& at_a, const ArcChain& b,
                           const NodeState& at_b) {
  constexpr int count = testing::looks_at_numbers ? 40 : 4;
  double best = 1e9;
  for (const Arc& in_a : a) {
    const Arc one = placed(in_a, at_a.R, at_a.x);
    for (const Arc& in_b : b) {
      const Arc other = placed(in_b, at_b.R, at_b.x);
      double least = 1e9, s = 0.0, t = 0.0;
      const auto look = [&](double u, double w) {
        u = std::clamp(u, 0.0, 1.0);
        w = std::clamp(w, 0.0, 1.0);
        const double apart = (one.at(u) - other.at(w)).norm();
        if (apart >= least) return false;
        least = apart;
        s = u;
        t = w;
        return true;
      };
      for (int i = 0; i <= count; ++i) {
        for (int k = 0; k <= count; ++k) look(double(i) / count, double(k) / count);
      }
      if (least > best + 0.2) continue;
      for (double step = 1.0 / count; step > 1e-9;) {
        bool helped = false;
        for (int i = 0; i < 16; ++i) {
          helped = look(s + step * std::cos(pi * i / 8), t + step * std::sin(pi * i / 8)) || helped;
        }
        if (!helped) step *= 0.6;
      }
      best = std::min(best, least);
    }
  }
  return best;
}

TEST(OutlinePair, gap_of_those_apart_is_the_distance_found_by_looking) {
  Dice dice;
  OutlinePair pair;
  const std::vector<Sample> all = samples();
  int apart = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t k = i; k < all.size(); ++k) {
      for (unsigned n = 0; n < testing::random_cases; ++n) {
        const NodeState at_a = place(dice.number(), dice.number(), 3.0 * dice.number());
        const NodeState at_b = place(2.5 * dice.number(), 2.5 * dice.number(), 3.0 * dice.number());
        pair.place(all[i].outline, at_a, all[k].outline, at_b);
        const double gap = pair.gap();
        if (!(gap > 0.0) || all[i].surface.empty() || all[k].surface.empty()) continue;
        ++apart;
        const double looked = distance_by_looking(all[i].surface, at_a, all[k].surface, at_b) -
                              all[i].outline.radius - all[k].outline.radius;
        EXPECT_NEAR(gap, looked, 1e-7) << i << " " << k;  // steps end at 1e-9 of lengths up to 5
      }
    }
  }
  EXPECT_GT(apart, testing::looks_at_numbers ? 20 : 0);
}

/// Brings b towards a until they are almost together; false: it passes.
bool bring_together(OutlinePair& pair, const Outline& a, const NodeState& at_a, const Outline& b,
                    NodeState& at_b, double near) {
  const Vec3 way = (at_a.x - at_b.x).normalized();
  for (int i = 0; i < 300; ++i) {
    pair.place(a, at_a, b, at_b);
    const double gap = pair.gap();
    if (gap < near) return gap > 0.0;
    at_b.x += (gap - 0.5 * near) * way;
  }
  return false;
}

/// Least distance of points of an ellipse from a chain.
double distance_by_looking(const Patch& of, const NodeState& at_a, const ArcChain& chain,
                           const NodeState& at_b) {
  double least = 1e9, best = 0.0;
  const auto look = [&](double angle) {
    const Vec3 in_a =
        of.origin + of.axes * core_position(of, {std::cos(angle), std::sin(angle), 0.0});
    const Vec3 in_b = at_b.R.transpose() * (at_a.x + at_a.R * in_a - at_b.x);
    const double apart = distance(chain, in_b.head<2>());
    if (apart >= least) return false;
    least = apart;
    best = angle;
    return true;
  };
  constexpr int count = 2000;
  for (int i = 0; i < count; ++i) look(2.0 * pi * i / count);
  for (double step = 2.0 * pi / count; step > 1e-10;) {
    if (!look(best + step) && !look(best - step)) step *= 0.5;
  }
  return least;
}

TEST(OutlinePair, gap_of_ellipses_is_the_distance_found_by_looking) {
  Dice dice;
  OutlinePair pair;
  const std::vector<Sample> all = samples();
  int apart = 0;
  for (const bool hollow : {false, true}) {
    const Patch core = hollow ? ellipse(2.0, 1.5) : ellipse(0.7, 0.3);
    const double radius = hollow ? 0.0 : 0.05, spread = hollow ? 0.3 : 2.0;
    const Outline round = make_ellipse(core, radius, hollow);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].surface.empty()) continue;
      for (int n = 0; n < (testing::looks_at_numbers ? 10 : 1); ++n) {
        const NodeState at_a = place(spread * dice.number(), spread * dice.number(), dice.number());
        const NodeState at_b = place(0.0, 0.0, 3.0 * dice.number());
        pair.place(round, at_a, all[i].outline, at_b);
        const double gap = pair.gap();
        pair.place(all[i].outline, at_b, round, at_a);
        EXPECT_NEAR(pair.gap(), gap, 1e-12);
        if (!(gap > 0.0)) continue;
        ++apart;
        const double looked =
            distance_by_looking(core, at_a, all[i].surface, at_b) - radius - all[i].outline.radius;
        EXPECT_NEAR(gap, looked, 1e-9) << hollow << " " << i;
      }
    }
  }
  EXPECT_GT(apart, testing::looks_at_numbers ? 40 : 0);
}

TEST(OutlinePair, ellipse_lies_in_a_narrow_bowl_on_two_places) {
  // Of semi-axes 0.5 and 0.2, whose flat side is less curved than a circle of radius 0.6.
  OutlinePair pair;
  std::vector<Touch> touches;
  Patch core = ellipse(0.5, 0.2);
  core.origin.setZero();
  core.axes.setIdentity();
  const Outline lying = make_ellipse(core, 0.0, false);
  const auto test = [&](const Outline& bowl_b, const Vec2& centre, double radius) {
    // x^2 + (y + h)^2 = R^2 is largest on the ellipse at y = h b^2 / (a^2 - b^2).
    const double a = 0.25, b = 0.04, h = 0.25;
    const double y = -h * b / (a - b), x = std::sqrt(a * (1.0 - y * y / b));
    const double gap = radius - std::hypot(x, y - h);
    pair.place(bowl_b, place(0, 0, 0), lying, place(centre.x(), centre.y() - h, 0));
    EXPECT_NEAR(pair.gap(), gap, 1e-13);
    pair.find_touches(gap + 0.01, false, touches);
    ASSERT_EQ(touches.size(), 2u);
    EXPECT_NEAR(touches[0].gap, gap, 1e-13);
    EXPECT_NEAR(touches[1].gap, gap, 1e-13);
  };
  test(make_outline(bowl(), 0.0, false), {0.0, 1.0}, 0.6);
  Patch circle = core;
  circle.size = {0.6, 0.6, 0.0};
  test(make_ellipse(circle, 0.0, true), {0.0, 0.0}, 0.6);
}

TEST(OutlinePair, disc_in_the_narrow_end_of_a_hollow_ellipse_touches_twice) {
  OutlinePair pair;
  std::vector<Touch> touches;
  Patch core = ellipse(1.0, 0.5);
  core.origin.setZero();
  core.axes.setIdentity();
  // At (c, 0) nearest are the points with x = c a^2 / (a^2 - b^2), off by b^2 (1 - c^2/(a^2 -
  // b^2)).
  const double c = 0.6, apart = std::sqrt(0.25 * (1.0 - c * c / 0.75));
  const Outline disc = make_outline(make_core(std::array{Vec3(0, 0, 0)}, 0.3, true), false);
  const Outline room = make_ellipse(core, 0.0, true);
  pair.place(room, place(0, 0, 0), disc, place(c, 0, 0));
  EXPECT_NEAR(pair.gap(), apart - 0.3, 1e-13);
  pair.find_touches(0.1, false, touches);
  ASSERT_EQ(touches.size(), 2u);
  EXPECT_NEAR(touches[0].gap, apart - 0.3, 1e-13);
  EXPECT_NEAR(touches[1].gap, apart - 0.3, 1e-13);
}

TEST(OutlinePair, those_that_meet_touch_where_they_are_nearest) {
  Dice dice;
  OutlinePair pair;
  std::vector<Touch> touches;
  const std::vector<Sample> all = samples();
  int met = 0, by_corners = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (is_wall(i) && is_wall(k)) continue;
      for (int n = 0; n < (testing::looks_at_numbers ? 12 : 1); ++n) {
        const Outline &a = all[i].outline, &b = all[k].outline;
        const NodeState at_a = place(dice.number(), dice.number(), 3.0 * dice.number());
        const double angle = 3.0 * dice.number();
        NodeState at_b = place(6.0 * std::cos(angle), 6.0 * std::sin(angle), 3.0 * dice.number());
        if (!bring_together(pair, a, at_a, b, at_b, 1e-4)) continue;
        const double reach = 1e-3, gap = pair.gap();
        pair.find_touches(reach, true, touches);
        ASSERT_FALSE(touches.empty()) << i << " " << k << " " << n;
        const Touch first =
            *std::min_element(touches.begin(), touches.end(),
                              [](const Touch& p, const Touch& q) { return p.gap < q.gap; });
        ++met;
        if (std::abs(first.gap - gap) > 1e-9) {
          // A corner on a corner, as if one were a little longer.
          ++by_corners;
          EXPECT_LT(first.gap, gap);
          EXPECT_GT(first.gap, gap - 2.0 * reach);
          continue;
        }
        const Configuration q{at_a, at_b};
        const PatchPair patches(a.elements[std::size_t(first.a.index)].patch,
                                b.elements[std::size_t(first.b.index)].patch, 0, 1, true);
        EXPECT_NEAR(patches.gap(q), gap, 1e-12);
        // Apart by as much as one is shifted along the normal.
        const Vec3 normal = patches.frame(q, Vec3::UnitX()).normal;
        NodeState shifted = at_b;
        shifted.x += 2e-5 * normal;
        pair.place(a, at_a, b, shifted);
        EXPECT_NEAR(pair.gap(), gap + 2e-5, 1e-10) << i << " " << k;
        // Inside each other as deep; less where a sharp corner has come through a thin wall.
        shifted.x -= 4e-4 * normal;
        pair.place(a, at_a, b, shifted);
        const double inside = gap - 3.8e-4;
        EXPECT_GE(pair.gap(), inside - 1e-10) << i << " " << k;
        EXPECT_LT(pair.gap(), (is_wall(i) || is_wall(k) ? 0.05 : 0.5) * inside) << i << " " << k;
      }
    }
  }
  EXPECT_GT(met, testing::looks_at_numbers ? 200 : 5);
  EXPECT_LT(by_corners, met / 10);
}

TEST(OutlinePair, disc_in_hollow_arc_is_nearest_to_its_bottom) {
  const Outline track_a = make_outline(bowl(), 0.0, false);
  const Outline disc = make_outline(make_core(std::array{Vec3(0, 0, 0)}, 0.2, true), false);
  OutlinePair pair;
  std::vector<Touch> touches;
  pair.place(track_a, place(0, 0, 0), disc, place(0.1, 0.75, 0));
  // From the centre of the arc, (0, 1), to that of the disc.
  EXPECT_NEAR(pair.gap(), 0.6 - 0.2 - std::hypot(0.1, 0.25), 1e-15);
  pair.find_touches(0.2, false, touches);
  ASSERT_EQ(touches.size(), 1u);
  EXPECT_NEAR(touches[0].gap, 0.6 - 0.2 - std::hypot(0.1, 0.25), 1e-15);
}

TEST(OutlinePair, block_across_a_bowl_stands_on_its_two_edges) {
  const Outline track_a = make_outline(bowl(), 0.0, false);
  const std::array box{Vec3(-0.8, 0, 0), Vec3(0.8, 0, 0), Vec3(0.8, 0.2, 0), Vec3(-0.8, 0.2, 0)};
  const Outline block = make_outline(make_polygon(box), false);
  OutlinePair pair;
  std::vector<Touch> touches;
  pair.place(track_a, place(0, 0, 0), block, place(0, 1.0 + 1e-6, 1e-7));
  pair.find_touches(1e-3, false, touches);
  EXPECT_EQ(touches.size(), 4u);  // the rims of the bowl, and the corners of the block beyond them
}

/// A block under a corner between a line and an arc, turned a little out of the direction in which
/// the arc begins: beyond its begin the circle of the arc would be lower than the corner.
TEST(OutlinePair, arc_behind_a_corner_does_not_touch_beyond_its_end) {
  constexpr double corner = 0.3, turn = 1.0, beyond = 5e-4, height = 1e-5;
  const Vec2 centre(-std::sin(corner), std::cos(corner));
  const Vec2 end = centre + Vec2(std::sin(corner + turn), -std::cos(corner + turn));
  const Outline wedge =
      make_outline({make_line({-1, 0}, {0, 0}), make_arc({0, 0}, end, turn),
                    make_line(end, {-1, end.y()}), make_line({-1, end.y()}, {-1, 0})},
                   0.0, false);
  const Outline block = make_outline({make_line({-2, -1}, {2, -1}), make_line({2, -1}, {2, 0}),
                                      make_line({2, 0}, {-2, 0}), make_line({-2, 0}, {-2, -1})},
                                     0.0, false);
  OutlinePair pair;
  pair.place(block, place(0, 0, 0), wedge, place(0, height, beyond - corner));
  EXPECT_NEAR(pair.gap(), height, 1e-15);
  std::vector<Touch> touches;
  pair.find_touches(1e-3, false, touches);
  ASSERT_EQ(touches.size(), 1);
  EXPECT_NEAR(touches.front().gap, height, 1e-15);
}

TEST(OutlinePair, room_of_lines_and_arcs_holds_a_disc) {
  const Outline room = make_outline(cam(), 0.0, true);
  const Outline disc = make_outline(make_core(std::array{Vec3(0, 0, 0)}, 0.3, true), false);
  OutlinePair pair;
  pair.place(room, place(0, 0, 0), disc, place(0, 0, 0));
  EXPECT_NEAR(pair.gap(), 0.7, 1e-15);
  pair.place(room, place(0, 0, 0), disc, place(1.5, 0, 0));
  EXPECT_NEAR(pair.gap(), 0.2, 1e-15);
  pair.place(room, place(0, 0, 0), disc, place(1.9, 0, 0));
  EXPECT_NEAR(pair.gap(), -0.2, 1e-15);
  pair.place(room, place(0, 0, 0), disc, place(2.5, 0, 0));
  EXPECT_NEAR(pair.gap(), -0.8, 1e-15);
}

}  // namespace outline_pair_test
}  // namespace clatter
