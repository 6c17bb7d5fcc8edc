#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include <clatter/view/line_plot.hpp>

namespace clatter {
namespace {

constexpr int label_width = 11;

/// Letters of two by four dots each.
class Canvas {
 public:
  Canvas(int columns, int rows)
      : columns_(columns),
        dots_(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows)) {}

  void set(int x, int y) {
    if (x < 0 || y < 0 || x >= 2 * columns_) return;
    const auto cell = static_cast<std::size_t>(y / 4 * columns_ + x / 2);
    if (cell >= dots_.size()) return;
    static constexpr std::array<std::array<int, 2>, 4> bits{
        {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}};
    dots_[cell] |= bits[static_cast<std::size_t>(y % 4)][static_cast<std::size_t>(x % 2)];
  }

  void line(double x0, double y0, double x1, double y1) {
    const int steps = static_cast<int>(std::ceil(std::max(std::abs(x1 - x0), std::abs(y1 - y0))));
    for (int i = 0; i <= steps; ++i) {
      const double part = steps == 0 ? 0.0 : double(i) / steps;
      set(static_cast<int>(std::lround(x0 + part * (x1 - x0))),
          static_cast<int>(std::lround(y0 + part * (y1 - y0))));
    }
  }

  std::string row(int y) const {
    std::string text;
    for (int x = 0; x < columns_; ++x) {
      const int code = 0x2800 + dots_[static_cast<std::size_t>(y * columns_ + x)];
      text += static_cast<char>(0xe0 | (code >> 12));
      text += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
      text += static_cast<char>(0x80 | (code & 0x3f));
    }
    return text;
  }

 private:
  int columns_;
  std::vector<int> dots_;
};

/// Of a curve among several; those of curves that end at one height stand beside each other.
char letter_of(std::size_t curve) { return curve < 26 ? static_cast<char>('a' + curve) : '+'; }

}  // namespace

std::string text_of(const LinePlot& plot, int columns, int rows) {
  const int width = std::max(columns - label_width - 2, 10);
  const std::pair across = x_range(plot);
  const double left = across.first, right = across.second;
  const auto indent = [](const std::string& text) {
    return fmt::format("{:>{}} ", text, label_width);
  };
  std::string text;
  if (!plot.title.empty()) text += plot.title + "\n";
  for (const LinePlot::Panel& panel : plot.panels) {
    const std::pair up = y_range(panel);
    const double low = up.first, high = up.second;
    Canvas canvas(width, rows);
    text += indent("") + panel.label + "\n";
    std::vector<std::string> letters(static_cast<std::size_t>(rows));  // where curves end
    for (const LinePlot::Curve& curve : panel.curves) {
      const auto to_x = [&](double x) { return (x - left) / (right - left) * (2 * width - 1); };
      const auto to_y = [&](double y) { return (high - y) / (high - low) * (4 * rows - 1); };
      const LinePlot::Curve shown = thinned(curve, {left, right}, 2 * width);
      for (std::size_t i = 0; i < shown.x.size(); ++i) {
        if (!std::isfinite(shown.x[i]) || !std::isfinite(shown.y[i])) continue;
        const bool goes_on =
            i > 0 && std::isfinite(shown.x[i - 1]) && std::isfinite(shown.y[i - 1]);
        const std::size_t from = goes_on ? i - 1 : i;
        canvas.line(to_x(shown.x[from]), to_y(shown.y[from]), to_x(shown.x[i]), to_y(shown.y[i]));
      }
      const auto end = std::find_if(shown.y.rbegin(), shown.y.rend(),
                                    [](double value) { return std::isfinite(value); });
      if (end == shown.y.rend() || panel.curves.size() == 1) continue;
      const int row = std::clamp(static_cast<int>(std::lround(to_y(*end))) / 4, 0, rows - 1);
      letters[static_cast<std::size_t>(row)] +=
          letter_of(static_cast<std::size_t>(&curve - panel.curves.data()));
    }
    for (int y = 0; y < rows; ++y) {
      const bool is_named = y == 0 || y == rows - 1;
      text += indent(is_named ? fmt::format("{:.4g}", y == 0 ? high : low) : "") + "│" +
              canvas.row(y) + letters[static_cast<std::size_t>(y)] + "\n";
    }
    for (std::size_t c = 0; c < panel.curves.size(); ++c) {
      if (panel.curves.size() > 1) text += indent(std::string(1, letter_of(c)));
      text += (panel.curves.size() > 1 ? "" : indent("")) + panel.curves[c].name + "\n";
    }
  }
  const std::string first = fmt::format("{:.4g}", left), last = fmt::format("{:.4g}", right);
  text += indent("") + fmt::format(" {}{:>{}}\n", first, last + "  " + plot.x_label,
                                   std::max<int>(width - static_cast<int>(first.size()), 0));
  return text;
}

}  // namespace clatter
