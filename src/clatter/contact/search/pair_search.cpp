#include <algorithm>
#include <cmath>

#include <clatter/contact/search/pair_search.hpp>

namespace clatter {
namespace {

constexpr long long most_cells = 1 << 20;  // along each axis: three of them fit into a number

struct Cell {
  long long x, y, z;
  long long key() const { return (z * most_cells + y) * most_cells + x; }
};

/// Large enough for balls that are near to be in neighbouring cells.
struct Grid {
  Vec3 origin;
  double size;

  Cell cell(const Vec3& point) const { return {along(point, 0), along(point, 1), along(point, 2)}; }

 private:
  long long along(const Vec3& point, int axis) const {
    const double cell = std::floor((point[axis] - origin[axis]) / size);
    // One cell more on either side, for spheres outside of the grid.
    return static_cast<long long>(std::clamp(cell, -2.0, static_cast<double>(most_cells - 6))) + 2;
  }
};

/// For balls of no more than this radius.
Grid make_grid(std::span<const Ball> ones, std::span<const Ball> twos, double radius, double skin) {
  Eigen::AlignedBox3d box;
  double largest = 0.0, largest_one = 0.0;
  for (const Ball& ball : twos) {
    if (ball.radius > radius) continue;
    box.extend(ball.centre);
    largest = std::max(largest, ball.radius);
  }
  for (const Ball& ball : ones) {
    if (!(ball.radius > radius)) largest_one = std::max(largest_one, ball.radius);
  }
  return {box.min(), std::max(largest + largest_one + skin,
                              box.sizes().maxCoeff() / static_cast<double>(most_cells - 8))};
}

bool are_near(const Ball& one, const Ball& two, double skin) {
  const double reach = one.radius + two.radius + skin;
  return (one.centre - two.centre).squaredNorm() < reach * reach;
}

}  // namespace

/// A few large balls would make the cells large: they look at all others.
double PairSearch::largest_in_grid(std::span<const Ball> balls) {
  radii_.clear();
  for (const Ball& ball : balls) radii_.push_back(ball.radius);
  const auto middle = radii_.begin() + static_cast<std::ptrdiff_t>(radii_.size() / 2);
  std::nth_element(radii_.begin(), middle, radii_.end());
  return 4.0 * *middle;
}

/// Calls `look_at` with each ball of the grid that is in this or a neighbouring cell.
template <class Look>
void PairSearch::look_around(long long x, long long y, long long z, const Look& look_at) const {
  for (long long w = z - 1; w <= z + 1; ++w) {
    for (long long v = y - 1; v <= y + 1; ++v) {
      const long long from = Cell{std::max(x - 1, 0LL), v, w}.key(), to = Cell{x + 1, v, w}.key();
      auto entry =
          std::lower_bound(grid_.begin(), grid_.end(), from,
                           [](const Entry& each, long long cell) { return each.cell < cell; });
      for (; entry != grid_.end() && entry->cell <= to; ++entry) look_at(entry->ball);
    }
  }
}

void PairSearch::find(std::span<const Ball> ones, std::span<const Ball> twos, bool same,
                      double skin, std::vector<std::pair<int, int>>& pairs) {
  pairs.clear();
  if (ones.empty() || twos.empty()) return;
  const double radius = largest_in_grid(twos);
  const Grid grid = make_grid(ones, twos, radius, skin);
  grid_.clear();
  large_.clear();
  for (std::size_t k = 0; k < twos.size(); ++k) {
    if (twos[k].radius > radius) {
      large_.push_back(static_cast<int>(k));
    } else {
      grid_.push_back({grid.cell(twos[k].centre).key(), static_cast<int>(k)});
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
      if (are_near(one, twos[static_cast<std::size_t>(k)], skin)) {
        pairs.emplace_back(static_cast<int>(i), k);
      }
    };
    for (const int k : large_) look_at(k);
    if (one.radius > radius) {
      for (const Entry& entry : grid_) look_at(entry.ball);
    } else {
      const Cell cell = grid.cell(one.centre);
      look_around(cell.x, cell.y, cell.z, look_at);
    }
    std::sort(pairs.begin() + static_cast<std::ptrdiff_t>(first), pairs.end());
  }
}

}  // namespace clatter
