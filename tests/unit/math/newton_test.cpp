#include <cmath>

#include <gtest/gtest.h>

#include <clatter/math/newton.hpp>

namespace clatter {
namespace newton_test {

/// One equation f(x) = 0, as solve_by_newton wants it.
template <class F, class Slope>
struct OneEquation {
  F f;
  Slope slope;
  double x;
  double update = 0.0;
  int moves = 0, max_updates = 50;

  double merit() const { return std::abs(f(x)); }
  bool accepts(double largest) const { return merit() <= largest; }
  NewtonVerdict judge(int updates, const RecentMerits& /*recent*/) const {
    if (merit() < 1e-12) return NewtonVerdict::solved;
    return updates < max_updates ? NewtonVerdict::go_on : NewtonVerdict::given_up;
  }
  bool find_update() {
    if (slope(x) == 0.0) return false;
    update = -f(x) / slope(x);
    return true;
  }
  void move(double from, double to) {
    x += (to - from) * update;
    ++moves;
  }
};
template <class F, class Slope>
OneEquation(F, Slope, double) -> OneEquation<F, Slope>;

TEST(Newton, solves_a_linear_equation_with_one_full_update) {
  OneEquation problem{[](double x) { return 3.0 * x - 6.0; }, [](double) { return 3.0; }, 10.0};
  int updates = -1;
  EXPECT_EQ(solve_by_newton(problem, 8, updates), NewtonEnd::solved);
  EXPECT_EQ(updates, 1);
  EXPECT_EQ(problem.moves, 1);
  EXPECT_DOUBLE_EQ(problem.x, 2.0);
}

TEST(Newton, halves_updates_that_lead_too_far) {
  // From 3 full updates of atan(x) go to and fro, ever further.
  const auto slope = [](double x) { return 1.0 / (1.0 + x * x); };
  OneEquation searched{[](double x) { return std::atan(x); }, slope, 3.0};
  OneEquation plain{[](double x) { return std::atan(x); }, slope, 3.0};
  int updates = 0;
  EXPECT_EQ(solve_by_newton(searched, 8, updates), NewtonEnd::solved);
  EXPECT_GT(searched.moves, updates);
  EXPECT_NE(solve_by_newton(plain, 0, updates), NewtonEnd::solved);
}

TEST(Newton, takes_the_full_update_where_no_part_of_it_helps) {
  // The slope has the wrong sign: every part of the update raises the merit.
  OneEquation problem{[](double x) { return x; }, [](double) { return -1.0; }, 1.0};
  problem.max_updates = 1;
  int updates = 0;
  EXPECT_EQ(solve_by_newton(problem, 3, updates), NewtonEnd::given_up);
  EXPECT_EQ(problem.x, 2.0);    // 1 + 1, to the bit, although it was halved on the way
  EXPECT_EQ(problem.moves, 5);  // full, three halves, full
}

TEST(Newton, stops_where_there_is_no_update) {
  OneEquation problem{[](double x) { return x * x + 1.0; }, [](double x) { return 2.0 * x; }, 0.0};
  int updates = -1;
  EXPECT_EQ(solve_by_newton(problem, 8, updates), NewtonEnd::no_update);
  EXPECT_EQ(updates, 0);
}

TEST(RecentMerits, are_those_of_the_last_three) {
  RecentMerits recent(5.0);
  recent.remember(0, 1.0);
  recent.remember(1, 2.0);
  EXPECT_EQ(recent.largest(), 5.0);
  recent.remember(2, 3.0);
  EXPECT_EQ(recent.largest(), 3.0);
  recent.remember(3, 0.5);
  EXPECT_EQ(recent.smallest(), 0.5);
  EXPECT_EQ(recent.largest(), 3.0);
}

}  // namespace newton_test
}  // namespace clatter
