#include <algorithm>
#include <cmath>

#include <clatter/contact/search/pair_search.hpp>

namespace clatter {
namespace {

constexpr long long most_cells = 1 << 20;  // along each axis: three of them fit into a number

}  // namespace

void PairSearch::find(std::span<const Ball> ones, std::span<const Ball> twos, bool same,
                      double skin, std::vector<std::pair<int, int>>& pairs) {
  pairs.clear();
  if (ones.empty() || twos.empty()) return;
  const auto near = [&](const Ball& one, const Ball& two) {
    const double reach = one.radius + two.radius + skin;
    return (one.centre - two.centre).squaredNorm() < reach * reach;
  };
  // A few large ones would make the cells large: they look at all others.
  radii_.clear();
  for (const Ball& ball : twos) radii_.push_back(ball.radius);
  const auto middle = radii_.begin() + static_cast<std::ptrdiff_t>(radii_.size() / 2);
  std::nth_element(radii_.begin(), middle, radii_.end());
  const double large = 4.0 * *middle;
  const auto is_large = [&](const Ball& ball) { return ball.radius > large; };

  Eigen::AlignedBox3d box;
  double largest = 0.0, largest_one = 0.0;
  for (const Ball& ball : twos) {
    if (is_large(ball)) continue;
    box.extend(ball.centre);
    largest = std::max(largest, ball.radius);
  }
  for (const Ball& ball : ones) {
    if (!is_large(ball)) largest_one = std::max(largest_one, ball.radius);
  }
  const double size = std::max(largest + largest_one + skin,
                               box.sizes().maxCoeff() / static_cast<double>(most_cells - 8));
  const Vec3 origin = box.min();
  const auto coordinate = [&](double x, int axis) {
    const double cell = std::floor((x - origin[axis]) / size);
    // One cell more on either side, for spheres outside of the grid.
    return static_cast<long long>(std::clamp(cell, -2.0, static_cast<double>(most_cells - 6))) + 2;
  };
  const auto key = [](long long x, long long y, long long z) {
    return (z * most_cells + y) * most_cells + x;
  };
  grid_.clear();
  large_.clear();
  for (std::size_t k = 0; k < twos.size(); ++k) {
    const Vec3& c = twos[k].centre;
    if (is_large(twos[k])) {
      large_.push_back(static_cast<int>(k));
    } else {
      grid_.push_back({key(coordinate(c.x(), 0), coordinate(c.y(), 1), coordinate(c.z(), 2)),
                       static_cast<int>(k)});
    }
  }
  std::sort(grid_.begin(), grid_.end(), [](const Entry& a, const Entry& b) {
    return a.cell != b.cell ? a.cell < b.cell : a.ball < b.ball;
  });
  for (std::size_t i = 0; i < ones.size(); ++i) {
    const Ball& one = ones[i];
    const std::size_t first = pairs.size();
    const auto look_at = [&](int k) {
      if (same && k <= static_cast<int>(i)) return;
      if (near(one, twos[static_cast<std::size_t>(k)])) pairs.emplace_back(static_cast<int>(i), k);
    };
    for (const int k : large_) look_at(k);
    if (is_large(one)) {
      for (const Entry& entry : grid_) look_at(entry.ball);
    } else {
      const long long x = coordinate(one.centre.x(), 0), y = coordinate(one.centre.y(), 1),
                      z = coordinate(one.centre.z(), 2);
      for (long long w = z - 1; w <= z + 1; ++w) {
        for (long long v = y - 1; v <= y + 1; ++v) {
          const long long from = key(std::max(x - 1, 0LL), v, w), to = key(x + 1, v, w);
          auto entry =
              std::lower_bound(grid_.begin(), grid_.end(), from,
                               [](const Entry& each, long long cell) { return each.cell < cell; });
          for (; entry != grid_.end() && entry->cell <= to; ++entry) look_at(entry->ball);
        }
      }
    }
    std::sort(pairs.begin() + static_cast<std::ptrdiff_t>(first), pairs.end());
  }
}

}  // namespace clatter
