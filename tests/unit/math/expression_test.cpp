#include <array>
#include <cmath>
#include <numbers>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include <clatter/math/expression.hpp>

namespace clatter {
namespace expression_test {

constexpr double unit_round_off = 1.1e-16;

TEST(Expression, number_is_constant_with_no_rates) {
  const Expression e = 2.5;
  EXPECT_TRUE(e.is_constant());
  EXPECT_EQ(e(0.0), 2.5);
  EXPECT_EQ(e(7.0), 2.5);
  EXPECT_EQ(e.rate(1.0, 1e-3), 0.0);
  EXPECT_EQ(e.second_rate(1.0, 1e-3), 0.0);
  EXPECT_EQ(e.text(), "2.5");
}

TEST(Expression, formula_is_a_function_of_time) {
  const Expression e("2*sin(10*t) + pi");
  EXPECT_FALSE(e.is_constant());
  for (const double t : {0.0, 0.3, 12.5}) {
    EXPECT_NEAR(e(t), 2.0 * std::sin(10.0 * t) + std::numbers::pi, 8 * unit_round_off);
  }
  EXPECT_EQ(e.text(), "2*sin(10*t) + pi");
}

TEST(Expression, formula_may_branch) {
  const Expression e("t < 1 ? 0 : t - 1");
  EXPECT_EQ(e(0.5), 0.0);
  EXPECT_EQ(e(3.0), 2.0);
}

TEST(Expression, rate_is_exact_to_round_off_for_polynomials_of_degree_eight) {
  const Expression e("t^8 - 3*t^2 + t");
  const double t = 0.9, spacing = 0.05;
  // The sum of absolute weights is about two, values are about three, pow is good to a few units.
  const double round_off = 40 * unit_round_off / spacing;
  EXPECT_NEAR(e.rate(t, spacing), 8 * std::pow(t, 7) - 6 * t + 1, round_off);
}

TEST(Expression, second_rate_is_exact_to_round_off_for_polynomials_of_degree_nine) {
  const Expression e("t^9 - 3*t^2 + t");
  const double t = 0.9, spacing = 0.05;
  const double round_off = 80 * unit_round_off / (spacing * spacing);
  EXPECT_NEAR(e.second_rate(t, spacing), 72 * std::pow(t, 7) - 6, round_off);
}

TEST(Expression, rates_of_an_oscillation_converge_at_eighth_order) {
  const Expression e("sin(2*t)");
  const double t = 0.4;
  const auto error = [&](double spacing) {
    return std::abs(e.rate(t, spacing) - 2.0 * std::cos(2.0 * t));
  };
  const auto second_error = [&](double spacing) {
    return std::abs(e.second_rate(t, spacing) + 4.0 * std::sin(2.0 * t));
  };
  // Leading terms: 2^9 cos/630 spacing^8 and 2^10 sin/3150 spacing^8; 10 % for the next one.
  EXPECT_NEAR(std::log2(error(0.2) / error(0.1)), 8.0, 0.15);
  EXPECT_NEAR(std::log2(second_error(0.2) / second_error(0.1)), 8.0, 0.15);
  EXPECT_NEAR(error(0.1), std::pow(2.0, 9) / 630.0 * std::cos(0.8) * 1e-8, 1e-10);
}

TEST(Expression, copies_are_independent_of_the_original) {
  Expression copy;
  {
    const Expression original("3*t");
    copy = original;
    EXPECT_EQ(original(1.0), 3.0);
  }  // the original is gone
  EXPECT_EQ(copy(2.0), 6.0);
  const Expression another(copy);
  EXPECT_EQ(copy(1.0), 3.0);
  EXPECT_EQ(another(5.0), 15.0);
  EXPECT_EQ(copy.text(), "3*t");
}

TEST(Expression, moved_formula_keeps_working) {
  Expression source("t+1");
  Expression target(std::move(source));
  EXPECT_EQ(target(1.0), 2.0);
  Expression assigned = 4.0;
  assigned = std::move(target);
  EXPECT_EQ(assigned(2.0), 3.0);
  assigned = Expression(7.0);
  EXPECT_TRUE(assigned.is_constant());
  EXPECT_EQ(assigned(2.0), 7.0);
}

TEST(Expression, threads_that_share_one_agree_with_a_single_thread) {
  const Expression e("t < 1 ? 2*sin(10*t) + t^3 : max(t, 2) - 1");
  constexpr int count = 200000;
  const auto sum_from = [&](double start) {
    double sum = 0.0;
    for (int i = 0; i < count; ++i) sum += e(start + 1e-5 * i);
    return sum;
  };
  const std::array<double, 2> alone{sum_from(0.0), sum_from(7.0)};
  std::array<double, 2> together{};
  {
    std::jthread first([&] { together[0] = sum_from(0.0); });
    std::jthread second([&] { together[1] = sum_from(7.0); });
  }
  EXPECT_EQ(together, alone);
}

}  // namespace expression_test
}  // namespace clatter
