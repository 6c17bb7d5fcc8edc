#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

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

TEST(Formula, has_quantities_by_their_paths) {
  const Formula formula(
      "2*joints/a-b/coordinate - bodies/x.1/velocity/y/4 + joints/a-b/coordinate ",
      Formula::Of::quantities);
  // A path goes on to a space or an operator that is no part of names: here to "/4".
  ASSERT_EQ(formula.quantities().size(), 2U);
  EXPECT_EQ(formula.quantities()[0], "joints/a-b/coordinate");
  EXPECT_EQ(formula.quantities()[1], "bodies/x.1/velocity/y/4");
  const std::array<double, 2> x{5.0, 7.0};
  EXPECT_EQ(formula.value(0.0, x), 8.0);
  EXPECT_THROW(Formula("joints/a/coordinate"), std::invalid_argument);
}

TEST(Formula, of_too_many_quantities_is_refused) {
  std::string text = "0";
  for (std::size_t i = 0; i <= Formula::most_quantities; ++i) {
    text += fmt::format(" + bodies/b{}/angle", i);
  }
  EXPECT_THROW(Formula(text, Formula::Of::quantities), std::invalid_argument);
}

// Central differences of fourth order with a spacing of 1e-3: 1e-12 of the fifth derivative, and
// round-off over the spacing.
TEST(Formula, has_slopes_by_its_quantities_and_by_time) {
  const std::array<const char*, 12> texts{
      "sin(t)*bodies/a/angle^2",
      "exp(-bodies/a/angle)*cos(bodies/b/angle) + tan(t)",
      "atan2(bodies/a/angle, bodies/b/angle)",
      "bodies/a/angle > 1 ? t*bodies/b/angle : 7",
      "min(bodies/a/angle, bodies/b/angle, 9) + max(t, bodies/b/angle)",
      "sqrt(abs(bodies/a/angle - 9))/bodies/b/angle ",
      "bodies/a/angle^bodies/b/angle ",
      "asin(bodies/a/angle/9) ",
      "-log(bodies/a/angle)*2 - -bodies/b/angle",
      "asinh(t*bodies/a/angle) + acosh(bodies/b/angle + 2) + atanh(t/9) + tanh(t) + sinh(t)",
      "avg(bodies/a/angle, t, bodies/b/angle)*(3 < t)",
      "acos(t/9) + atan(bodies/a/angle) + log2(t) + log10(bodies/b/angle) + cosh(t) + sign(t)"};
  for (std::string text : texts) {
    // "/9)" and so on after a path would be part of it.
    for (std::size_t at = text.find("angle/"); at != text.npos; at = text.find("angle/", at + 1)) {
      text.insert(at + 5, " ");
    }
    const Formula formula(text, Formula::Of::quantities);
    const double t = 0.8;
    const std::vector<double> x{1.3, 0.7};
    const std::size_t count = formula.quantities().size();
    for (std::size_t k = 0; k <= count; ++k) {
      const auto at = [&](double d) {
        std::vector<double> moved = x;
        if (k < count) moved[k] += d;
        return formula.value(k < count ? t : t + d, moved);
      };
      constexpr double d = 1e-3;
      const double expected = (8.0 * (at(d) - at(-d)) - (at(2 * d) - at(-2 * d))) / (12.0 * d);
      const double slope = formula.slope(t, x, k < count ? k : Formula::by_time);
      EXPECT_NEAR(slope, expected, 1e-9) << text << " by " << k;
    }
  }
}

TEST(Formula, calls_tables_as_functions) {
  FormulaTables tables;
  const std::vector<Eigen::Vector2d> points{{0.0, 1.0}, {2.0, 5.0}};
  tables.emplace("lift", std::make_shared<const Tabulated>(points));
  const Formula formula("3*lift(bodies/a/angle^2) + lift(t)", Formula::Of::quantities, &tables);
  const std::array<double, 1> x{1.0};
  EXPECT_DOUBLE_EQ(formula.value(0.5, x), 11.0);
  EXPECT_DOUBLE_EQ(formula.slope(0.5, x, 0), 12.0);
  EXPECT_DOUBLE_EQ(formula.slope(0.5, x, Formula::by_time), 2.0);
  EXPECT_THROW(Formula("drop(t)", Formula::Of::time, &tables), std::invalid_argument);
  EXPECT_THROW(Formula("lift(t, 2)", Formula::Of::time, &tables), std::invalid_argument);
}

}  // namespace formula_test
}  // namespace clatter
