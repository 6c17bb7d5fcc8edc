#pragma once

#include <span>
#include <utility>
#include <vector>

#include <clatter/math/types.hpp>

namespace clatter {

struct Ball {
  Vec3 centre;
  double radius;
};

/// Finds which of many spheres are near each other, without looking at all pairs: spheres are
/// sorted into the cells of a grid, and only neighbouring cells are searched. The effort grows in
/// proportion to the number of spheres when they are of similar size.
class PairSearch {
 public:
  /// Pairs (i of ones, k of twos) with a gap of less than `skin`, in ascending order. `same`: the
  /// two lists are one, and each pair is found once, with i < k.
  void find(std::span<const Ball> ones, std::span<const Ball> twos, bool same, double skin,
            std::vector<std::pair<int, int>>& pairs);

 private:
  struct Entry {
    long long cell;
    int ball;
  };
  double largest_in_grid(std::span<const Ball> balls);
  template <class Look>
  void look_around(long long x, long long y, long long z, const Look& look_at) const;

  std::vector<Entry> grid_;
  std::vector<int> large_;
  std::vector<double> radii_;
};

}  // namespace clatter
