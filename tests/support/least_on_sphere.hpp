#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <clatter/math/types.hpp>

namespace clatter::testing {

/// The least value of a function on the unit sphere: the best few of many, in ever smaller steps.
template <class Function>
double least_on_sphere(const Function& f) {
  constexpr int count = 400;
  constexpr std::size_t few = 6;
  static const std::vector<Vec3> many = [] {
    std::vector<Vec3> directions;
    for (int i = 0; i < count; ++i) {
      const double z = 1.0 - (2.0 * i + 1.0) / count, angle = 2.399963229728653 * i;
      const double r = std::sqrt(1.0 - z * z);
      directions.emplace_back(r * std::cos(angle), r * std::sin(angle), z);
    }
    return directions;
  }();
  std::vector<std::pair<double, Vec3>> all;
  all.reserve(count);
  for (const Vec3& n : many) all.emplace_back(f(n), n);
  const auto is_better = [](const auto& one, const auto& two) { return one.first < two.first; };
  std::partial_sort(all.begin(), all.begin() + few, all.end(), is_better);
  double least = std::numeric_limits<double>::infinity();
  const double half_root = std::sqrt(0.75);
  const std::array<std::pair<double, double>, 6> around{{{1.0, 0.0},
                                                         {0.5, half_root},
                                                         {-0.5, half_root},
                                                         {-1.0, 0.0},
                                                         {-0.5, -half_root},
                                                         {0.5, -half_root}}};
  for (std::size_t i = 0; i < few; ++i) {
    auto [best, n] = all[i];
    Vec3 ahead = n.unitOrthogonal();
    for (double step = 0.1; step > 1e-7; step *= 0.7) {
      // Turned ever further, so that no direction is left out.
      const Vec3 beside = n.cross(ahead);
      ahead = (0.7648421872844885 * ahead + 0.644217687237691 * beside);
      ahead = (ahead - n.dot(ahead) * n).normalized();
      const Vec3 left = n.cross(ahead);
      for (const auto& [along, across] : around) {
        const Vec3 next = (n + step * (along * ahead + across * left)).normalized();
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
