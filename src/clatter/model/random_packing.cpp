#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <clatter/model/grain_sizes.hpp>
#include <clatter/model/random_packing.hpp>

namespace clatter {
namespace {

/// Of one ball, before there is no room.
constexpr int most_tries = 3000;
/// Overlap that counts as touching, relative to the radii.
constexpr double touching = 1e-9;

/// Balls by the cells that their centres are in.
class BallCells {
 public:
  BallCells(const Vec3& low, const Vec3& size, double cell, std::size_t balls)
      : low_(low), next_(balls, none) {
    // No more cells than balls, about.
    std::size_t all = 1;
    for (int i = 0; i < 3; ++i) {
      const double wanted = std::floor(size[i] / cell);
      const double most = std::ceil(std::cbrt(static_cast<double>(balls))) * 8.0;
      count_[i] = static_cast<int>(std::clamp(wanted, 1.0, most));
      cell_[i] = size[i] > 0.0 ? size[i] / count_[i] : 1.0;
      all *= static_cast<std::size_t>(count_[i]);
    }
    first_.assign(all, none);
  }

  void add(std::size_t ball, const Vec3& at) {
    std::size_t& first = first_[index(cell_of(at))];
    next_[ball] = first;
    first = ball;
  }
  /// Whether `is` of any ball within one cell of the place.
  template <class Is>
  bool any_near(const Vec3& at, const Is& is) const {
    const std::array<int, 3> c = cell_of(at);
    std::array<int, 3> k{};
    for (k[0] = c[0] - 1; k[0] <= c[0] + 1; ++k[0]) {
      for (k[1] = c[1] - 1; k[1] <= c[1] + 1; ++k[1]) {
        for (k[2] = c[2] - 1; k[2] <= c[2] + 1; ++k[2]) {
          if (!is_inside(k)) continue;
          for (std::size_t b = first_[index(k)]; b != none; b = next_[b]) {
            if (is(b)) return true;
          }
        }
      }
    }
    return false;
  }

 private:
  static constexpr std::size_t none = ~std::size_t{0};
  std::array<int, 3> cell_of(const Vec3& at) const {
    std::array<int, 3> c{};
    for (std::size_t i = 0; i < 3; ++i) {
      const auto axis = static_cast<Eigen::Index>(i);
      c[i] = std::clamp(static_cast<int>((at[axis] - low_[axis]) / cell_[i]), 0, count_[i] - 1);
    }
    return c;
  }
  bool is_inside(const std::array<int, 3>& c) const {
    for (std::size_t i = 0; i < 3; ++i) {
      if (c[i] < 0 || c[i] >= count_[i]) return false;
    }
    return true;
  }
  std::size_t index(const std::array<int, 3>& c) const {
    return static_cast<std::size_t>(c[0]) +
           static_cast<std::size_t>(count_[0]) *
               (static_cast<std::size_t>(c[1]) +
                static_cast<std::size_t>(count_[1]) * static_cast<std::size_t>(c[2]));
  }

  Vec3 low_;
  std::array<double, 3> cell_{};
  std::array<int, 3> count_{};
  std::vector<std::size_t> first_, next_;
};

}  // namespace

RandomPacking pack_at_random(std::span<const double> radii, const Vec3& size, int dimensions,
                             double gap, std::uint64_t seed) {
  RandomPacking packing;
  packing.places.assign(radii.size(), Vec3::Zero());
  std::vector<std::size_t> order(radii.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t j) { return radii[i] > radii[j]; });
  if (order.empty()) return packing;
  BallCells cells(Vec3::Zero(), size, 2.0 * radii[order.front()] + gap, radii.size());
  std::uint64_t counter = 0;
  for (const std::size_t ball : order) {
    const double r = radii[ball];
    bool is_placed = false;
    for (int attempt = 0; attempt < most_tries && !is_placed; ++attempt) {
      Vec3 at = Vec3::Zero();
      bool fits = true;
      for (int i = 0; i < dimensions; ++i) {
        const double room = size[i] - 2.0 * r;
        fits = fits && room >= -touching * r;
        at[i] = r + std::max(0.0, room) * (0.5 + 0.5 * scatter(seed, counter++));
      }
      if (!fits) break;
      const bool is_taken = cells.any_near(at, [&](std::size_t other) {
        const double apart = r + radii[other] + gap;
        return (packing.places[other] - at).squaredNorm() < apart * apart;
      });
      if (is_taken) continue;
      packing.places[ball] = at;
      cells.add(ball, at);
      is_placed = true;
    }
    if (!is_placed) packing.missing.push_back(ball);
  }
  return packing;
}

std::pair<std::size_t, std::size_t> overlapping_pair(std::span<const Vec3> places,
                                                     std::span<const double> radii) {
  if (places.empty()) return {0, 0};
  Vec3 low = places[0], high = places[0];
  for (const Vec3& place : places) {
    low = low.cwiseMin(place);
    high = high.cwiseMax(place);
  }
  const double largest = *std::max_element(radii.begin(), radii.end());
  BallCells cells(low, high - low, 2.0 * largest, places.size());
  for (std::size_t ball = 0; ball < places.size(); ++ball) {
    std::size_t found = ball;
    cells.any_near(places[ball], [&](std::size_t other) {
      const double apart = (1.0 - touching) * (radii[ball] + radii[other]);
      if ((places[other] - places[ball]).squaredNorm() < apart * apart) found = other;
      return found != ball;
    });
    if (found != ball) return {found, ball};
    cells.add(ball, places[ball]);
  }
  return {0, 0};
}

}  // namespace clatter
