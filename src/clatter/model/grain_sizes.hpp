#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace clatter {

/// A number in [-1, 1) from a seed and a counter, the same everywhere (splitmix64).
double scatter(std::uint64_t seed, std::uint64_t counter);

/// How the sizes of grains are distributed. Radii are those of the circle or sphere around a grain.
struct GrainSizes {
  enum class Kind { uniform, log_normal, curve };
  Kind kind = Kind::uniform;
  std::optional<double> smallest, largest;  ///< [m]
  double median = 0.0;                      ///< [m] log-normal
  double deviation = 0.0;                   ///< log-normal: of the natural logarithm
  std::vector<double> radii;                ///< [m] curve: ascending; twice the same: a jump
  std::vector<double> passing;              ///< curve: part with smaller radii, from 0 to 1
  bool by_mass = false;                     ///< else by number

  /// What is wrong with it: the key, and a sentence.
  std::optional<std::pair<std::string, std::string>> complaint() const;
};

/// Radii of so many grains in random order. They lie as evenly in the distribution as their number
/// allows: one in each of `count` parts that are equally likely. The mass of a grain grows as its
/// radius to the power of `dimensions`.
std::vector<double> grain_radii(const GrainSizes& sizes, std::size_t count, int dimensions,
                                std::uint64_t seed);

}  // namespace clatter
