#include <array>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include <clatter/contact/shapes/polytope_pair.hpp>
#include <clatter/math/convex_hull.hpp>

#include "support/dice.hpp"
#include "support/random_cases.hpp"

namespace clatter {
namespace polytope_pair_test {

const int cases = testing::cases_of(testing::looks_at_numbers ? 20000 : 200);

using testing::Dice;

Vec3 in_space(const NodeState& at, const Vec3& point) { return at.x + at.R * point; }

/// The gap from the hull of all differences of corners: nothing of it is shared with what is
/// tested. Positive: a lower bound of the distance, exact where the nearest place is within a face.
struct Difference {
  double gap = -INFINITY;
  Vec3 normal;
};
Difference gap_of_differences(const Polytope& a, const NodeState& at_a, const Polytope& b,
                              const NodeState& at_b) {
  std::vector<Vec3> differences;
  for (const Vec3& of_a : a.corners) {
    for (const Vec3& of_b : b.corners) {
      differences.push_back(in_space(at_b, of_b) - in_space(at_a, of_a));
    }
  }
  const ConvexHull hull = convex_hull(differences).value();
  Difference best;
  for (const std::vector<int>& face : hull.faces) {
    const Vec3 &p = hull.points[face[0]], &q = hull.points[face[1]], &r = hull.points[face[2]];
    const Vec3 normal = (q - p).cross(r - p).normalized();
    if (const double gap = -normal.dot(p); gap > best.gap) best = {gap, -normal};
  }
  return best;
}

double from_triangle(const Vec3& x, const Vec3& p, const Vec3& q, const Vec3& r) {
  const Vec3 normal = (q - p).cross(r - p).normalized();
  const Vec3 foot = x - normal * normal.dot(x - p);
  const bool inside = normal.dot((q - p).cross(foot - p)) >= 0.0 &&
                      normal.dot((r - q).cross(foot - q)) >= 0.0 &&
                      normal.dot((p - r).cross(foot - r)) >= 0.0;
  return inside ? std::abs(normal.dot(x - p)) : INFINITY;
}

double between_lines(const Vec3& p, const Vec3& u, const Vec3& q, const Vec3& w) {
  // Both at their ends, or one within, or both within.
  double least = INFINITY;
  const auto from_line = [](const Vec3& x, const Vec3& begin, const Vec3& way) {
    const double s = std::clamp(way.dot(x - begin) / way.squaredNorm(), 0.0, 1.0);
    return (x - begin - s * way).norm();
  };
  for (const double end : {0.0, 1.0}) {
    least = std::min({least, from_line(p + end * u, q, w), from_line(q + end * w, p, u)});
  }
  Eigen::Matrix2d A;
  A << u.dot(u), -u.dot(w), u.dot(w), -w.dot(w);
  const Eigen::Vector2d s = A.fullPivLu().solve(Eigen::Vector2d(u.dot(q - p), w.dot(q - p)));
  if (s.minCoeff() > 0.0 && s.maxCoeff() < 1.0) {
    least = std::min(least, (p + s[0] * u - q - s[1] * w).norm());
  }
  return least;
}

/// The distance of two that are apart: the least over all corners and faces, and all edges.
double distance_of_features(const Polytope& a, const NodeState& at_a, const Polytope& b,
                            const NodeState& at_b) {
  double least = INFINITY;
  const auto on_faces = [&](const Polytope& one, const NodeState& at_one, const Polytope& other,
                            const NodeState& at_other) {
    for (const Polytope::Face& face : one.faces) {
      for (std::size_t k = 1; k + 1 < face.corners.size(); ++k) {
        for (const Vec3& corner : other.corners) {
          least =
              std::min(least, from_triangle(in_space(at_other, corner),
                                            in_space(at_one, one.corners[face.corners[0]]),
                                            in_space(at_one, one.corners[face.corners[k]]),
                                            in_space(at_one, one.corners[face.corners[k + 1]])));
        }
      }
    }
  };
  on_faces(a, at_a, b, at_b);
  on_faces(b, at_b, a, at_a);
  for (const Polytope::Edge& of_a : a.edges) {
    for (const Polytope::Edge& of_b : b.edges) {
      const Vec3 p = in_space(at_a, a.corners[of_a.begin]),
                 q = in_space(at_b, b.corners[of_b.begin]);
      least = std::min(least, between_lines(p, in_space(at_a, a.corners[of_a.end]) - p, q,
                                            in_space(at_b, b.corners[of_b.end]) - q));
    }
  }
  return least;
}

class RandomPolytopes : public ::testing::Test {
 protected:
  void expect_right_gap(const Polytope& a, const Polytope& b) {
    const NodeState at_a = dice_.place(0.2), at_b = dice_.place(2.5);
    pair_.place(a, at_a, b, at_b);
    const double depth = gap_of_differences(a, at_a, b, at_b).gap;
    const double expected = depth < 0.0 ? depth : distance_of_features(a, at_a, b, at_b);
    EXPECT_NEAR(pair_.gap(), expected, 1e-11);
    (expected < 0.0 ? overlapped_ : apart_) += 1;
  }
  /// Shifted along the best direction until they overlap by little.
  void expect_right_depth(const Polytope& a, const Polytope& b) {
    const NodeState at_a = dice_.place(0.2);
    NodeState at_b = dice_.place(2.5);
    const Difference from = gap_of_differences(a, at_a, b, at_b);
    const double depth = std::pow(10.0, -5.0 + 4.0 * dice_.number());
    at_b.x -= (from.gap + depth) * from.normal;
    const double expected = gap_of_differences(a, at_a, b, at_b).gap;
    if (!(expected < 0.0)) return;  // another direction is better there
    pair_.place(a, at_a, b, at_b);
    EXPECT_NEAR(pair_.gap(), expected, 1e-11);
    // Nothing is left of what was looked at before.
    PolytopePair fresh;
    std::vector<Touch> touches, same;
    fresh.place(a, at_a, b, at_b);
    EXPECT_EQ(fresh.gap(), pair_.gap());
    pair_.find_touches(0.01, true, touches);
    fresh.find_touches(0.01, true, same);
    EXPECT_EQ(touches, same);
    EXPECT_FALSE(touches.empty());
    for (const Touch& touch : touches) EXPECT_GT(touch.gap, 2.0 * expected - 0.01);
    overlapped_ += 1;
  }
  void expect_both_happened() const {
    EXPECT_GT(20 * apart_, apart_ + overlapped_);
    EXPECT_GT(20 * overlapped_, apart_ + overlapped_);
  }

  Dice dice_;
  PolytopePair pair_;
  int apart_ = 0, overlapped_ = 0;
};

TEST_F(RandomPolytopes, have_the_gap_of_their_differences_as_boxes) {
  for (int k = 0; k < cases; ++k) expect_right_gap(make_box(dice_.size()), make_box(dice_.size()));
  expect_both_happened();
}

TEST_F(RandomPolytopes, have_the_gap_of_their_differences_as_hulls) {
  for (int k = 0; k < cases / 10; ++k) {
    expect_right_gap(make_hull(dice_.cloud(12)), make_hull(dice_.cloud(6)));
  }
  expect_both_happened();
}

TEST_F(RandomPolytopes, that_overlap_by_little_have_the_gap_of_their_differences) {
  for (int k = 0; k < cases / 10; ++k) {
    expect_right_depth(make_box(dice_.size()), make_box(dice_.size()));
    expect_right_depth(make_hull(dice_.cloud(12)), make_box(dice_.size()));
    expect_right_depth(make_hull(dice_.cloud(8)), make_hull(dice_.cloud(20)));
  }
  EXPECT_GT(overlapped_, cases / 10);
}

TEST_F(RandomPolytopes, of_rounded_boxes_are_nearer_by_the_radii) {
  for (int k = 0; k < cases / 10; ++k) {
    Polytope a = make_box(dice_.size()), b = make_box(dice_.size());
    const NodeState at_a = dice_.place(0.2), at_b = dice_.place(4.0);
    pair_.place(a, at_a, b, at_b);
    const double sharp = pair_.gap();
    if (!(sharp > 0.0)) continue;
    a.radius = 0.05;
    b.radius = 0.02;
    pair_.place(a, at_a, b, at_b);
    EXPECT_NEAR(pair_.gap(), sharp - 0.07, 1e-14);
  }
}

TEST_F(RandomPolytopes, do_not_care_which_is_first) {
  PolytopePair other;
  std::vector<Touch> touches, turned;
  for (int k = 0; k < cases / 10; ++k) {
    const Polytope a = make_box(dice_.size()), b = make_box(dice_.size());
    const NodeState at_a = dice_.place(0.2), at_b = dice_.place(2.0);
    pair_.place(a, at_a, b, at_b);
    other.place(b, at_b, a, at_a);
    EXPECT_NEAR(pair_.gap(), other.gap(), 1e-13);
    pair_.find_touches(0.01, false, touches);
    other.find_touches(0.01, false, turned);
    EXPECT_EQ(touches.size(), turned.size());
  }
}

TEST(PolytopePair, of_capsules_has_the_distance_of_their_lines) {
  Dice dice;
  PolytopePair pair;
  for (int k = 0; k < cases; ++k) {
    const std::array<Vec3, 2> ends_a{dice.vector(), dice.vector()},
        ends_b{dice.vector(), dice.vector()};
    const Polytope a = make_core(ends_a, 0.1, false), b = make_core(ends_b, 0.2, false);
    const NodeState at_a = dice.place(1.0), at_b = dice.place(1.0);
    const Vec3 p = in_space(at_a, ends_a[0]), q = in_space(at_b, ends_b[0]);
    const double expected =
        between_lines(p, in_space(at_a, ends_a[1]) - p, q, in_space(at_b, ends_b[1]) - q) - 0.3;
    pair.place(a, at_a, b, at_b);
    if (expected < -0.299) continue;
    EXPECT_NEAR(pair.gap(), expected, 1e-11);
  }
}

/// One end of an edge is sunk into the top of a box, the other is over it, as flat as round-off
/// lets an edge be.
TEST(PolytopePair, that_lie_flat_are_as_deep_as_the_deepest_corner) {
  Dice dice;
  PolytopePair pair;
  const Polytope box = make_box({1, 1, 1});
  for (int k = 0; k < cases; ++k) {
    const double depth = 3e-9 * dice.length(), height = 3e-9 * dice.length();
    const Polytope tetrahedron =
        make_hull({{0.4 * dice.number(), 0.4 * dice.number(), 0.5 - depth},
                   {0.4 * dice.number(), 0.4 * dice.number(), 0.5 + height},
                   {-0.3, -1.0, 1.5},
                   {0.3, 1.0, 1.5}});
    pair.place(box, {}, tetrahedron, {});
    EXPECT_NEAR(pair.gap(), -depth, 1e-15);
  }
}

/// Corners of what two boxes share that lie on each other, turned by an angle about the vertical.
int touches_of_turned_box(double angle, const Vec3& size, double height) {
  const Polytope lower = make_box({1, 1, 1}), upper = make_box(size);
  NodeState on_top;
  on_top.x = {0.1, 0.05, 0.5 + 0.5 * size.z() + height};
  on_top.R = Eigen::AngleAxisd(angle, Vec3::UnitZ()).toRotationMatrix();
  PolytopePair pair;
  pair.place(lower, {}, upper, on_top);
  std::vector<Touch> touches;
  pair.find_touches(1e-3, false, touches);
  for (const Touch& touch : touches) EXPECT_NEAR(touch.gap, height, 1e-14);
  return static_cast<int>(touches.size());
}

TEST(Touches, of_a_small_box_on_a_large_one_are_its_four_corners) {
  EXPECT_EQ(touches_of_turned_box(0.0, {0.2, 0.2, 0.2}, 0.0), 4);
  EXPECT_EQ(touches_of_turned_box(0.3, {0.2, 0.2, 0.2}, 1e-4), 4);
  EXPECT_EQ(touches_of_turned_box(0.3, {0.2, 0.2, 0.2}, 2e-3), 0);
}

TEST(Touches, of_a_large_box_on_a_smaller_one_are_the_corners_of_that) {
  EXPECT_EQ(touches_of_turned_box(0.3, {4, 4, 0.2}, 0.0), 4);
}

TEST(Touches, of_a_plank_across_a_box_are_where_the_edges_cross) {
  EXPECT_EQ(touches_of_turned_box(0.0, {4, 0.2, 0.2}, 0.0), 4);
  EXPECT_EQ(touches_of_turned_box(0.2, {4, 0.2, 0.2}, 0.0), 4);
}

TEST(Touches, of_turned_squares_are_the_eight_corners_of_what_they_share) {
  const Polytope box = make_box({1, 1, 1});
  NodeState on_top;
  on_top.x = {0.0, 0.0, 1.0};
  on_top.R = Eigen::AngleAxisd(0.7, Vec3::UnitZ()).toRotationMatrix();
  PolytopePair pair;
  pair.place(box, {}, box, on_top);
  std::vector<Touch> touches;
  pair.find_touches(1e-3, false, touches);
  EXPECT_EQ(touches.size(), 8U);
}

TEST(Touches, of_a_corner_over_a_corner_are_one_when_they_must_be_found) {
  const Polytope box = make_box({1, 1, 1});
  NodeState beside;
  beside.x = {1.0 + 1e-5, 1.0 + 1e-5, 1.0 + 1e-5};
  PolytopePair pair;
  pair.place(box, {}, box, beside);
  std::vector<Touch> touches;
  pair.find_touches(1e-4, true, touches);
  EXPECT_GE(touches.size(), 1U);
  EXPECT_NEAR(pair.gap(), std::sqrt(3.0) * 1e-5, 1e-15);
}

TEST(ConvexParts, of_a_hollow_polygon_fill_it_and_touch_only_with_its_surface) {
  // An L: its inner corner cannot touch.
  const std::vector<Vec3> corners{{0, 0, 0}, {2, 0, 0}, {2, 1, 0}, {1, 1, 0}, {1, 2, 0}, {0, 2, 0}};
  for (const bool turned : {false, true}) {
    std::vector<Vec3> given = corners;
    if (turned) std::reverse(given.begin(), given.end());
    int faces = 0, tips = 0;
    for (const Polytope& part : make_convex_parts(given)) {
      for (const Polytope::Face& face : part.faces) faces += face.is_surface ? 1 : 0;
      for (const char tip : part.is_tip) tips += tip;
    }
    EXPECT_EQ(faces, 6);
    EXPECT_EQ(tips, 5);
  }
}

}  // namespace polytope_pair_test
}  // namespace clatter
