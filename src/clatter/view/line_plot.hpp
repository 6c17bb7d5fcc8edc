#pragma once

#include <string>
#include <utility>
#include <vector>

namespace clatter {

/// Curves over one axis, in panels above each other that each have a unit of their own.
struct LinePlot {
  struct Curve {
    std::string name;
    std::vector<double> x, y;  ///< as many of either; what is not finite is not drawn
  };
  struct Panel {
    std::string label;
    std::vector<Curve> curves;
  };
  std::string title, x_label;
  std::vector<Panel> panels;
};

/// Where an axis has its marks: 1, 2 or 5 times a power of ten apart, about `count` of them.
struct AxisMarks {
  double first = 0.0, step = 1.0;
  int count = 0;

  double at(int i) const;
  /// Short, and alike on all marks: "0.05", "2e-06".
  std::string label(int i) const;
};
AxisMarks axis_marks(double low, double high, int count);

/// Low and high of all finite values, widened when they are equal; 0 and 1 when there are none.
std::pair<double, double> x_range(const LinePlot& plot);
std::pair<double, double> y_range(const LinePlot::Panel& panel);

/// The same curve as far as it can be seen in so many columns: where more points than that fall in
/// one, the first, the lowest, the highest and the last of them.
LinePlot::Curve thinned(const LinePlot::Curve& curve, std::pair<double, double> range, int columns);

/// A drawing for print, sizes in mm. Curves differ in colour, which the colour-blind tell apart,
/// and in their dashes.
std::string svg_of(const LinePlot& plot, double width, double height);

/// A drawing of Braille letters for a terminal with so many columns, and rows for each panel.
std::string text_of(const LinePlot& plot, int columns, int rows);

}  // namespace clatter
