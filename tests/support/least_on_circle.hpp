#pragma once

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

/// The least values of a function of an angle, by sections around the best of `count` places: to
/// the square of the root of round-off.
template <class Function>
std::vector<double> minima_on_circle(int count, const Function& f) {
  using std::numbers::pi;
  std::vector<double> values, found;
  for (int i = 0; i < count; ++i) values.push_back(f(2.0 * pi * i / count));
  for (int i = 0; i < count; ++i) {
    const double here = values[static_cast<std::size_t>(i)];
    if (here > values[static_cast<std::size_t>((i + 1) % count)] ||
        here > values[static_cast<std::size_t>((i + count - 1) % count)]) {
      continue;
    }
    found.push_back(f(least_between(2.0 * pi * (i - 1) / count, 2.0 * pi * (i + 1) / count, f)));
  }
  return found;
}

template <class Function>
double least_on_circle(int count, const Function& f) {
  double least = std::numeric_limits<double>::infinity();
  for (const double value : minima_on_circle(count, f)) least = std::min(least, value);
  return least;
}

}  // namespace clatter::testing
