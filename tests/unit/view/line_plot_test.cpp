#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clatter/view/line_plot.hpp>
#include <clatter/view/result_reader.hpp>

#include "support/message_of.hpp"

namespace clatter {
namespace line_plot_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(AxisMarks, are_one_two_or_five_times_a_power_of_ten_apart_and_within_the_range) {
  const AxisMarks marks = axis_marks(-0.13, 0.92, 5);
  EXPECT_NEAR(marks.step, 0.5, 1e-12);
  EXPECT_EQ(marks.count, 2);
  EXPECT_EQ(marks.at(0), 0.0);
  EXPECT_EQ(marks.label(0), "0");
  EXPECT_EQ(marks.label(1), "0.5");
  for (const double size : {1e-9, 1.0, 3e7}) {
    for (int count = 2; count < 9; ++count) {
      const AxisMarks some = axis_marks(2 * size, 3 * size, count);
      EXPECT_GE(some.at(0), 2 * size * (1 - 1e-12));
      EXPECT_LE(some.at(some.count - 1), 3 * size * (1 + 1e-12));
      EXPECT_LE(some.count, count + 1);
      for (int i = 1; i < some.count; ++i) EXPECT_NE(some.label(i), some.label(i - 1));
    }
  }
}

TEST(LinePlot, a_thinned_curve_keeps_the_highest_and_lowest_of_each_column) {
  LinePlot::Curve curve{"spikes", {}, {}};
  for (int i = 0; i < 10000; ++i) {
    curve.x.push_back(i);
    curve.y.push_back(i == 4321 ? 7.0 : i == 8765 ? -5.0 : 0.0);
  }
  const LinePlot::Curve thin = thinned(curve, {0.0, 9999.0}, 100);
  EXPECT_LE(thin.x.size(), 4u * 101u);
  EXPECT_EQ(*std::max_element(thin.y.begin(), thin.y.end()), 7.0);
  EXPECT_EQ(*std::min_element(thin.y.begin(), thin.y.end()), -5.0);
  EXPECT_TRUE(std::is_sorted(thin.x.begin(), thin.x.end()));
  EXPECT_EQ(thin.x.back(), 9999.0);
}

TEST(LinePlot, svg_has_the_curve_where_its_numbers_say_and_no_markup_of_names) {
  LinePlot plot{"<script>alert(1)</script>", "time [s]", {{"[m]", {{"a<b", {0, 1}, {0, 2}}}}}};
  const std::string svg = svg_of(plot, 100.0, 60.0);
  EXPECT_THAT(svg, Not(HasSubstr("<script")));
  EXPECT_THAT(svg, HasSubstr("a&lt;b"));
  // From the left axis at 17 mm to the right one, 4 mm from the edge; y upwards.
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  const auto at = svg.find("d=\"M", svg.find("class=\"curve\""));
  ASSERT_EQ(std::sscanf(svg.c_str() + at, "d=\"M%lf %lfL%lf %lf", &x0, &y0, &x1, &y1), 4);
  EXPECT_NEAR(x0, 17.0, 0.01);
  EXPECT_NEAR(x1, 96.0, 0.01);
  EXPECT_GT(y0, y1);
}

TEST(LinePlot, what_is_not_finite_is_left_out_and_breaks_the_curve) {
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  const LinePlot plot{"", "t", {{"[m]", {{"a", {0, 1, 2, 3, 4}, {0, 1, nan, infinity, 2}}}}}};
  EXPECT_EQ(y_range(plot.panels[0]), (std::pair{0.0, 2.0}));
  const std::string svg = svg_of(plot, 100.0, 60.0);
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
  EXPECT_THAT(text_of(plot, 60, 5), HasSubstr("⠀"));
}

TEST(LinePlot, without_numbers_there_are_axes_all_the_same) {
  const LinePlot plot{"", "t", {{"[m]", {{"a", {}, {}}}}}};
  EXPECT_EQ(x_range(plot), (std::pair{0.0, 1.0}));
  EXPECT_THAT(svg_of(plot, 100.0, 60.0), HasSubstr("</svg>"));
}

TEST(LinePlot, in_a_terminal_a_rising_line_goes_from_the_lower_left_to_the_upper_right) {
  const LinePlot plot{"", "t", {{"[m]", {{"a", {0, 1}, {0, 1}}}}}};
  const std::string text = text_of(plot, 24, 2);
  // Eleven columns of letters on two rows: the first row is empty on the left.
  EXPECT_THAT(text, HasSubstr("1 │⠀"));
  EXPECT_THAT(text, HasSubstr("⠀\n"));
}

TEST(LinePlot, curves_of_a_terminal_have_letters_where_they_end) {
  const LinePlot plot{"", "t", {{"[m]", {{"rises", {0, 1}, {0, 1}}, {"falls", {0, 1}, {1, 0}}}}}};
  const std::string text = text_of(plot, 24, 2);
  const auto rows = text.find("│"), rises = text.find("a\n"), falls = text.find("b\n");
  EXPECT_LT(rows, rises);
  EXPECT_LT(rises, falls);
  EXPECT_THAT(text, HasSubstr(" a rises\n"));
  EXPECT_THAT(text, HasSubstr(" b falls\n"));
}

TEST(LinePlot, curves_on_paper_differ_without_their_colours) {
  LinePlot plot{"", "t", {{"[m]", {}}}};
  for (int i = 0; i < 7; ++i) plot.panels[0].curves.push_back({"a", {0, 1}, {0, double(i)}});
  const std::string svg = svg_of(plot, 100.0, 60.0);
  std::vector<std::string> dashes;
  for (auto at = svg.find("stroke-dasharray=\""); at != std::string::npos;
       at = svg.find("stroke-dasharray=\"", at + 1)) {
    dashes.push_back(svg.substr(at, svg.find('"', at + 18) - at));
  }
  // In the legend all have one, that of the first is empty; of curves themselves the others.
  std::sort(dashes.begin(), dashes.end());
  EXPECT_EQ(dashes.size(), 13u);
  dashes.erase(std::unique(dashes.begin(), dashes.end()), dashes.end());
  EXPECT_EQ(dashes.size(), 7u);
}

std::vector<std::string> paths(const std::vector<ChannelComponent>& components) {
  std::vector<std::string> result;
  for (const ChannelComponent& each : components) result.push_back(each.path());
  return result;
}

TEST(SelectComponents, finds_components_whole_channels_and_patterns) {
  const std::vector<Channel> channels{{"bodies/a/position", {"x", "y"}, "m", 0},
                                      {"bodies/b/position", {"x", "y"}, "m", 2},
                                      {"energy/total", {""}, "J", 4}};
  const auto select = [&](std::vector<std::string> patterns) {
    return paths(select_components(channels, patterns));
  };
  EXPECT_THAT(select({"bodies/*/position/y"}),
              ElementsAre("bodies/a/position/y", "bodies/b/position/y"));
  EXPECT_THAT(select({"energy/total", "bodies/a/position"}),
              ElementsAre("bodies/a/position/x", "bodies/a/position/y", "energy/total"));
  EXPECT_THAT(testing::message_of([&] { select({"energy/totl"}); }),
              HasSubstr("no channel is named 'energy/totl'; did you mean 'energy/total'?"));
}

}  // namespace line_plot_test
}  // namespace clatter
