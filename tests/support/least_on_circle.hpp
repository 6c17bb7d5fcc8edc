#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace clatter::testing {

/// Where a function has its least value between two places, by golden sections.
template <class Function>
double least_between(double low, double high, const Function& f) {
  constexpr double golden = 0.6180339887498949;
  double left = high - golden * (high - low), right = low + golden * (high - low);
  double at_left = f(left), at_right = f(right);
  for (int k = 0; k < 40; ++k) {
    if (at_left < at_right) {
      high = right;
      right = left;
      at_right = at_left;
      left = high - golden * (high - low);
      at_left = f(left);
    } else {
      low = left;
      left = right;
      at_left = at_right;
      right = low + golden * (high - low);
      at_right = f(right);
    }
  }
  return 0.5 * (low + high);
}

/// The least values of a function of an angle that are less than `most`, by sections around the
/// best of `count` places: to the square of the root of round-off. The function changes by no more
/// than `slope` times the angle, so that most places need no look.
template <class Function>
std::vector<double> minima_on_circle(int count, const Function& f, double slope, double most) {
  using std::numbers::pi;
  const double spacing = 2.0 * pi / count;
  std::vector<double> values(static_cast<std::size_t>(count), INFINITY), found;
  for (int i = 0; i < count;) {
    const double here = f(spacing * i);
    values[static_cast<std::size_t>(i)] = here;
    const double jump = (here - most) / (slope * spacing);  // up to there it is more than `most`
    i += jump > 1.0 ? static_cast<int>(std::min<double>(jump, count)) : 1;
  }
  for (int i = 0; i < count; ++i) {
    const double here = values[static_cast<std::size_t>(i)];
    if (!(here < INFINITY) || here > values[static_cast<std::size_t>((i + 1) % count)] ||
        here > values[static_cast<std::size_t>((i + count - 1) % count)]) {
      continue;
    }
    found.push_back(f(least_between(spacing * (i - 1), spacing * (i + 1), f)));
  }
  return found;
}

/// The least of all.
template <class Function>
double least_on_circle(int count, const Function& f, double slope) {
  // From a few places on: it is not more than the least of these.
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 12; ++i) least = std::min(least, f(std::numbers::pi / 6.0 * i));
  for (const double value : minima_on_circle(count, f, slope, least)) {
    least = std::min(least, value);
  }
  return least;
}

}  // namespace clatter::testing
