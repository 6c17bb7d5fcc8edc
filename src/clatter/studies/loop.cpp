#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <clatter/studies/loop.hpp>

namespace clatter {

double Loop::damping() const {
  const double triangle = 0.5 * half_x * std::abs(y_at_tips);
  if (!(triangle > 0.0)) return std::numeric_limits<double>::infinity();
  return std::abs(area) / (4.0 * std::numbers::pi * triangle);
}

Loop loop_of(std::span<const double> x, std::span<const double> y) {
  Loop loop;
  if (x.empty()) return loop;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t next = i + 1 < x.size() ? i + 1 : 0;
    loop.area += 0.5 * (y[i] + y[next]) * (x[next] - x[i]);
  }
  // Where x turns, the sample that comes there first: the loop may fall straight down then.
  const auto least = std::min_element(x.begin(), x.end());
  const auto largest = std::max_element(x.begin(), x.end());
  loop.half_x = 0.5 * (*largest - *least);
  loop.y_at_tips = 0.5 * (y[static_cast<std::size_t>(largest - x.begin())] -
                          y[static_cast<std::size_t>(least - x.begin())]);
  return loop;
}

}  // namespace clatter
