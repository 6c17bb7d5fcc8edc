#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <clatter/math/types.hpp>

namespace clatter {

/// Places of balls within a box from the origin to `size`, at random and never nearer to each other
/// than `gap`: the largest first, each where it finds room. Those for which none is left are
/// missing from the end of the `order` in which they were placed.
struct RandomPacking {
  std::vector<Vec3> places;          ///< by ball
  std::vector<std::size_t> missing;  ///< balls
};
RandomPacking pack_at_random(std::span<const double> radii, const Vec3& size, int dimensions,
                             double gap, std::uint64_t seed);

/// The first pair of balls that overlap by more than round-off; none: both the same.
std::pair<std::size_t, std::size_t> overlapping_pair(std::span<const Vec3> places,
                                                     std::span<const double> radii);

}  // namespace clatter
