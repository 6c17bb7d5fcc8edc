#include <array>
#include <cmath>

#include <fmt/format.h>

#include <clatter/view/line_plot.hpp>

namespace clatter {
namespace {

// Okabe and Ito's colours, which most colour-blind people tell apart; the darker ones first.
constexpr std::array colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                             "#000000", "#e69f00", "#56b4e9", "#8a7a00"};
// Curves are told apart in grey, too; seven, so that no two of 56 curves are alike.
constexpr std::array dashes{
    "", "3 1", "0.8 0.8", "4 1 0.8 1", "6 1.5", "2 0.7 2 0.7 0.5 0.7", "4 0.8 0.8 0.8 0.8 0.8"};

// All in mm: letters of 8 points.
constexpr double letters = 2.82, line_height = 4.0, left_margin = 17.0, right_margin = 4.0,
                 top_margin = 4.0, bottom_margin = 12.0, between = 5.0, mark = 1.2,
                 above_panel = 0.9;
constexpr double points_per_mm = 8.0;  ///< of curves
constexpr int most_named = 12;         ///< curves in the legend of a panel

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return result;
}

void add_text(std::string& svg, double x, double y, const char* anchor, const std::string& text,
              const char* more = "") {
  svg += fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y,
                     anchor, more, escaped(text));
}

/// Where a panel lies on the sheet, and what it shows.
struct Frame {
  double x, y, width, height;
  std::pair<double, double> across, up;

  double to_x(double value) const {
    return x + width * (value - across.first) / (across.second - across.first);
  }
  double to_y(double value) const {
    return y + height * (1.0 - (value - up.first) / (up.second - up.first));
  }
};

void add_axes(std::string& svg, const Frame& frame, bool is_last, const std::string& label) {
  const AxisMarks across =
      axis_marks(frame.across.first, frame.across.second, static_cast<int>(frame.width / 20.0));
  const AxisMarks up = axis_marks(frame.up.first, frame.up.second,
                                  std::max(2, static_cast<int>(frame.height / 9.0)));
  std::string grid, marks;
  for (int i = 0; i < across.count; ++i) {
    const double x = frame.to_x(across.at(i));
    grid += fmt::format("M{:.2f} {:.2f}v{:.2f}", x, frame.y, frame.height);
    marks += fmt::format("M{:.2f} {:.2f}v{:.2f}", x, frame.y + frame.height, mark);
    if (is_last) {
      add_text(svg, x, frame.y + frame.height + mark + letters + 0.4, "middle", across.label(i));
    }
  }
  for (int i = 0; i < up.count; ++i) {
    const double y = frame.to_y(up.at(i));
    grid += fmt::format("M{:.2f} {:.2f}h{:.2f}", frame.x, y, frame.width);
    marks += fmt::format("M{:.2f} {:.2f}h{:.2f}", frame.x, y, -mark);
    add_text(svg, frame.x - mark - 0.6, y + 0.35 * letters, "end", up.label(i));
  }
  svg += fmt::format("<path class=\"grid\" d=\"{}\"/>\n<path class=\"axis\" d=\"{}\"/>\n", grid,
                     marks);
  svg += fmt::format(
      "<rect class=\"axis\" x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\"/>\n",
      frame.x, frame.y, frame.width, frame.height);
  const double middle = frame.y + frame.height / 2;
  add_text(svg, letters + 0.4, middle, "middle", label,
           fmt::format(" transform=\"rotate(-90 {:.2f} {:.2f})\"", letters + 0.4, middle).c_str());
}

void add_curve(std::string& svg, const Frame& frame, const LinePlot::Curve& curve,
               std::size_t number) {
  const LinePlot::Curve shown =
      thinned(curve, frame.across, static_cast<int>(frame.width * points_per_mm));
  std::string path;
  bool is_down = false;
  for (std::size_t i = 0; i < shown.x.size(); ++i) {
    if (!std::isfinite(shown.x[i]) || !std::isfinite(shown.y[i])) {
      is_down = false;
      continue;
    }
    path += fmt::format("{}{:.2f} {:.2f}", is_down ? 'L' : 'M', frame.to_x(shown.x[i]),
                        frame.to_y(shown.y[i]));
    is_down = true;
  }
  const char* dash = dashes[number % dashes.size()];
  svg += fmt::format("<path class=\"curve\" stroke=\"{}\"{} d=\"{}\"/>\n",
                     colours[number % colours.size()],
                     *dash != '\0' ? fmt::format(" stroke-dasharray=\"{}\"", dash) : "", path);
}

double legend_height(const LinePlot::Panel& panel) {
  const std::size_t curves = panel.curves.size();
  if (curves < 2) return curves == 1 ? line_height + above_panel : 0.0;
  const std::size_t lines = curves > most_named ? most_named + 1 : curves;
  return line_height * static_cast<double>((lines + 1) / 2) + above_panel;
}

/// Above the panel, in two columns.
void add_legend(std::string& svg, const Frame& frame, const LinePlot::Panel& panel) {
  const double begin = frame.y - legend_height(panel) + 0.4;
  for (std::size_t i = 0; i < panel.curves.size(); ++i) {
    const double x = frame.x + (i % 2 == 0 ? 0.0 : frame.width / 2);
    const double y = begin + line_height * static_cast<double>(i / 2) + 0.5 * line_height;
    if (i == most_named) {
      add_text(svg, x, y + 0.35 * letters, "start",
               fmt::format("and {} more", panel.curves.size() - most_named));
      break;
    }
    const char* dash = dashes[i % dashes.size()];
    svg += fmt::format(
        "<path class=\"curve\" stroke=\"{}\" stroke-dasharray=\"{}\" "
        "d=\"M{:.2f} {:.2f}h9\"/>\n",
        colours[i % colours.size()], dash, x, y);
    add_text(svg, x + 10.5, y + 0.35 * letters, "start", panel.curves[i].name);
  }
}

}  // namespace

std::string svg_of(const LinePlot& plot, double width, double height) {
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}mm\" height=\"{1}mm\" "
      "viewBox=\"0 0 {0} {1}\">\n"
      "<style>text{{font:{2}px 'Liberation Sans',Arial,Helvetica,sans-serif;fill:#000}}"
      ".axis{{fill:none;stroke:#000;stroke-width:.2}}.grid{{fill:none;stroke:#ddd;"
      "stroke-width:.15}}.curve{{fill:none;stroke-width:.35;stroke-linejoin:round}}</style>\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n",
      width, height, letters);
  double y = top_margin;
  if (!plot.title.empty()) {
    add_text(svg, left_margin, y + letters, "start", plot.title, " style=\"font-weight:bold\"");
    y += line_height + 1.0;
  }
  double taken = y + bottom_margin;
  for (const LinePlot::Panel& panel : plot.panels) taken += legend_height(panel) + between;
  const auto count = static_cast<double>(plot.panels.size());
  const double panel_height = std::max(8.0, (height - taken + between) / std::max(count, 1.0));
  const auto across = x_range(plot);
  for (std::size_t p = 0; p < plot.panels.size(); ++p) {
    const LinePlot::Panel& panel = plot.panels[p];
    auto up = y_range(panel);
    const double margin = 0.04 * (up.second - up.first);
    y += legend_height(panel);
    const Frame frame{left_margin,  y,      width - left_margin - right_margin,
                      panel_height, across, {up.first - margin, up.second + margin}};
    add_axes(svg, frame, p + 1 == plot.panels.size(), panel.label);
    for (std::size_t c = 0; c < panel.curves.size(); ++c) add_curve(svg, frame, panel.curves[c], c);
    add_legend(svg, frame, panel);
    y += panel_height + between;
  }
  add_text(svg, left_margin + (width - left_margin - right_margin) / 2, height - 2.0, "middle",
           plot.x_label);
  return svg + "</svg>\n";
}

}  // namespace clatter
