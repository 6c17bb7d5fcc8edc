#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <clatter/math/formula.hpp>

namespace clatter {
namespace formula_test {

double value(const std::string& text, double t = 3.0) { return Formula(text)(t); }

TEST(Formula, operators_bind_as_in_mathematics) {
  EXPECT_EQ(value("1 + 2*t"), 7.0);
  EXPECT_EQ(value("2 - 3 - 4"), -5.0);
  EXPECT_EQ(value("8/2/2"), 2.0);
  EXPECT_EQ(value("2^t^2"), 512.0);
  EXPECT_EQ(value("-t^2"), -9.0);
  EXPECT_EQ(value("2^-2"), 0.25);
  EXPECT_EQ(value("t*-2"), -6.0);
  EXPECT_EQ(value("-t*2 + +t"), -3.0);
  EXPECT_EQ(value("(1 + 2)*(t - 1)"), 6.0);
  EXPECT_EQ(value("-(t - 4)"), 1.0);
}

TEST(Formula, comparisons_and_logic_give_zero_or_one) {
  EXPECT_EQ(value("t == 3"), 1.0);
  EXPECT_EQ(value("t != 3"), 0.0);
  EXPECT_EQ(value("t >= 3 && t <= 3"), 1.0);
  EXPECT_EQ(value("t > 3 || t < 3"), 0.0);
  EXPECT_EQ(value("1 || 0 && 0"), 1.0);
  EXPECT_EQ(value("0.5 && t"), 1.0);
  EXPECT_EQ(value("1 - t > 0"), 0.0);
}

TEST(Formula, choices_nest_and_take_all_that_follows) {
  const std::string text = "t < 1 ? 5 : t < 2 ? t + 1 : 7 + 10";
  EXPECT_EQ(value(text, 0.5), 5.0);
  EXPECT_EQ(value(text, 1.5), 2.5);
  EXPECT_EQ(value(text, 2.5), 17.0);
}

// The last number of a choice stands before what follows in the text, but not on every way there.
TEST(Formula, what_follows_a_choice_applies_to_both_of_its_ends) {
  EXPECT_EQ(value("(t < 1 ? 2 : 3) + 4", 0.0), 6.0);
  EXPECT_EQ(value("(t < 1 ? 2 : 3) + 4", 1.0), 7.0);
  EXPECT_EQ(value("-(t < 1 ? 2 : 3)", 0.0), -2.0);
  EXPECT_EQ(value("(t < 4 ? 2 : t)^3", 3.0), 8.0);
}

TEST(Formula, knows_functions_and_constants) {
  EXPECT_EQ(value("sin(t)"), std::sin(3.0));
  EXPECT_EQ(value("exp(-t) + cos(2*t)"), std::exp(-3.0) + std::cos(6.0));
  EXPECT_EQ(value("sqrt(abs(-t - 6))"), 3.0);
  EXPECT_EQ(value("atan2(t, -1)"), std::atan2(3.0, -1.0));
  EXPECT_EQ(value("min(t, 2, 5) + max(t, 4)"), 6.0);
  EXPECT_EQ(value("sum(1, 2, t) + avg(1, t)"), 8.0);
  EXPECT_EQ(value("sign(-t) + sign(t) + sign(0)"), 0.0);
  EXPECT_EQ(value("rint(2.6)"), 3.0);
  EXPECT_EQ(value("ln(t) - log(t)"), 0.0);
  EXPECT_EQ(value("2*pi"), 2.0 * std::numbers::pi);
}

TEST(Formula, reads_numbers_of_all_forms) {
  EXPECT_EQ(value("1e3"), 1e3);
  EXPECT_EQ(value(".5e-1"), 0.05);
  EXPECT_EQ(value("5."), 5.0);
  EXPECT_EQ(value("0.1"), 0.1);
}

TEST(Formula, small_powers_of_time_are_products) {
  const double t = 0.7;
  EXPECT_EQ(value("t^2", t), t * t);
  EXPECT_EQ(value("t^3", t), t * t * t);
  EXPECT_EQ(value("t^4", t), t * t * t * t);
  EXPECT_EQ(value("t^5", t), std::pow(t, 5));
}

TEST(Formula, numbers_that_only_multiply_time_are_joined) {
  const double t = 0.7;
  EXPECT_EQ(value("3 - 2*t/5", t), 3.0 - 0.4 * t);
  EXPECT_EQ(value("t*3*0.1", t), 3.0 * 0.1 * t);
  EXPECT_EQ(value("(t < 1 ? 2*t : t)/5", t), 2.0 * t / 5.0);
  EXPECT_EQ(value("2 + 3*t*t*4", t), 2.0 + 3.0 * t * t * 4.0);
}

std::string complaint(const std::string& text) {
  try {
    return fmt::format("none, its value is {}", value(text));
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

TEST(Formula, text_that_is_no_formula_in_t_is_refused_with_a_reason) {
  EXPECT_EQ(complaint(""), "it ends too early");
  EXPECT_EQ(complaint("2*"), "it ends too early");
  EXPECT_EQ(complaint("sin(t"), "it ends too early, expected ')'");
  EXPECT_EQ(complaint("2*x"), "unexpected 'x' at character 3");
  EXPECT_EQ(complaint("t t"), "unexpected 't' at character 3");
  EXPECT_EQ(complaint("1;2"), "unexpected ';' at character 2");
  EXPECT_EQ(complaint("nosuch(t)"), "unexpected 'nosuch' at character 1");
  EXPECT_EQ(complaint("sin t"), "unexpected 't' at character 5, expected '('");
  EXPECT_EQ(complaint("t ? 1"), "it ends too early, expected ':'");
  EXPECT_EQ(complaint("inf"), "unexpected 'inf' at character 1");
  EXPECT_EQ(complaint("t*\u00e4"), "unexpected text at character 3");
}

TEST(Formula, list_of_values_and_assignment_are_refused) {
  for (const char* text : {"1,5", "2*t, 3*t", "(1, 2)", "t = 3", "t += 1"}) {
    EXPECT_THROW(Formula{text}, std::invalid_argument) << text;
  }
}

TEST(Formula, endless_nesting_is_refused) {
  for (const char* piece : {"(", "-", "1-(", "t ? 1 : ", "sin("}) {
    std::string text;
    for (int i = 0; i < 100000; ++i) text += piece;
    EXPECT_EQ(complaint(text), "the formula is nested too deep") << piece;
  }
}

}  // namespace formula_test
}  // namespace clatter
