#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include <clatter/math/types.hpp>

namespace clatter::testing {

/// The least value of a function on the unit sphere: the best few of many, in ever smaller steps.
template <class Function>
double least_on_sphere(const Function& f) {
  constexpr int count = 400;
  constexpr std::size_t few = 6;
  std::vector<std::pair<double, Vec3>> all;
  for (int i = 0; i < count; ++i) {
    const double z = 1.0 - (2.0 * i + 1.0) / count, angle = 2.399963229728653 * i;
    const double r = std::sqrt(1.0 - z * z);
    const Vec3 n(r * std::cos(angle), r * std::sin(angle), z);
    all.emplace_back(f(n), n);
  }
  const auto is_better = [](const auto& one, const auto& two) { return one.first < two.first; };
  std::partial_sort(all.begin(), all.begin() + few, all.end(), is_better);
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < few; ++i) {
    auto [best, n] = all[i];
    double turn = 0.0;
    for (double step = 0.1; step > 1e-7; step *= 0.7) {
      turn += 0.7;  // so that no direction is left out
      const Vec3 u = n.unitOrthogonal(), w = n.cross(u);
      for (int k = 0; k < 6; ++k) {
        const double angle = turn + k * std::numbers::pi / 3.0;
        const Vec3 next = (n + step * (std::cos(angle) * u + std::sin(angle) * w)).normalized();
        if (const double there = f(next); there < best) {
          best = there;
          n = next;
          step /= 0.7;
          break;
        }
      }
    }
    least = std::min(least, best);
  }
  return least;
}

}  // namespace clatter::testing
