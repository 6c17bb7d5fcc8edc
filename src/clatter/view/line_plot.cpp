#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <clatter/view/line_plot.hpp>

namespace clatter {
namespace {

using Extent = std::pair<double, double>;

template <class Values>
Extent range_of(const std::vector<LinePlot::Curve>& curves, Values values, Extent range) {
  for (const LinePlot::Curve& curve : curves) {
    for (const double value : values(curve)) {
      if (!std::isfinite(value)) continue;
      range.first = std::min(range.first, value);
      range.second = std::max(range.second, value);
    }
  }
  return range;
}

constexpr Extent nothing{std::numeric_limits<double>::infinity(),
                         -std::numeric_limits<double>::infinity()};

Extent widened(Extent range) {
  if (range.first > range.second) return {0.0, 1.0};
  // Closer than round-off of the values tells: all are equal.
  const double size = std::max(std::abs(range.first), std::abs(range.second));
  if (range.second - range.first > 1e-12 * size) return range;
  const double margin = size > 0.0 ? 0.1 * size : 1.0;
  return {range.first - margin, range.second + margin};
}

}  // namespace

double AxisMarks::at(int i) const {
  const double value = first + i * step;
  return std::abs(value) < 1e-6 * step ? 0.0 : value;
}

std::string AxisMarks::label(int i) const {
  const double value = at(i);
  const double size = std::max(std::abs(first), std::abs(at(count - 1)));
  if (value == 0.0) return "0";
  // As many digits as tell neighbours apart.
  const int digits = static_cast<int>(std::floor(std::log10(size / step) + 1e-6)) + 2;
  return fmt::format("{:.{}g}", value, std::clamp(digits, 1, 15));
}

AxisMarks axis_marks(double low, double high, int count) {
  const double rough = (high - low) / std::max(count, 1);
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  double step = 10.0 * power;
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= 0.999 * rough) {
      step = factor * power;
      break;
    }
  }
  const double begin = std::ceil(low / step - 1e-9), end = std::floor(high / step + 1e-9);
  return {begin * step, step, static_cast<int>(end - begin) + 1};
}

std::pair<double, double> x_range(const LinePlot& plot) {
  Extent range = nothing;
  for (const LinePlot::Panel& panel : plot.panels) {
    range = range_of(
        panel.curves, [](const auto& curve) -> const auto& { return curve.x; }, range);
  }
  return widened(range);
}

std::pair<double, double> y_range(const LinePlot::Panel& panel) {
  return widened(range_of(
      panel.curves, [](const auto& curve) -> const auto& { return curve.y; }, nothing));
}

LinePlot::Curve thinned(const LinePlot::Curve& curve, std::pair<double, double> range,
                        int columns) {
  const std::size_t size = std::min(curve.x.size(), curve.y.size());
  LinePlot::Curve result{curve.name, {}, {}};
  const auto keep = [&](std::size_t i) {
    result.x.push_back(curve.x[i]);
    result.y.push_back(curve.y[i]);
  };
  const auto column_of = [&](std::size_t i) {
    return std::floor((curve.x[i] - range.first) / (range.second - range.first) * columns);
  };
  for (std::size_t begin = 0, end = 0; begin < size; begin = end) {
    const double column = column_of(begin);
    std::size_t low = begin, high = begin;
    // A gap in the curve ends its piece, as what is not finite equals nothing.
    for (end = begin + 1; end < size && column_of(end) == column && std::isfinite(curve.y[end]);
         ++end) {
      if (curve.y[end] < curve.y[low]) low = end;
      if (curve.y[end] > curve.y[high]) high = end;
    }
    std::vector<std::size_t> kept{begin, low, high, end - 1};
    std::sort(kept.begin(), kept.end());
    kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
    for (const std::size_t i : kept) keep(i);
  }
  return result;
}

}  // namespace clatter
