#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace clatter {

/// Allowed interval of a number, or of every number in a list.
struct Range {
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  bool min_excluded = false;

  bool contains(double value) const {
    return (min_excluded ? value > min : value >= min) && value <= max;
  }
  /// "> 0", ">= 0", "in [0, 1]"; empty when every number is allowed.
  std::string text() const;
};

/// Those of the specs, for the checks and for the description of the model file.
namespace ranges {
inline constexpr Range any = {};
inline constexpr Range positive = {0.0, std::numeric_limits<double>::infinity(), true};
inline constexpr Range not_negative = {0.0, std::numeric_limits<double>::infinity(), false};
inline constexpr Range gas_exponent = {1.0, 1.4};
inline constexpr Range elements = {1, 1e5};
inline constexpr Range restitution = {0.0, 1.0};
inline constexpr Range poisson_ratio = {-1.0, 0.5, true};
inline constexpr Range force_exponent = {1.0, 4.0};
inline constexpr Range tangential_restitution = {-1.0, 1.0};
inline constexpr Range rho_inf = {0.0, 1.0};
inline constexpr Range theta = {0.5, 1.0};
inline constexpr Range newmark_gamma = {0.5, 1.5};
inline constexpr Range newmark_beta = {0.25, 1.0};
inline constexpr Range tolerance = {0.0, 1.0, true};
inline constexpr Range max_iterations = {1, 1e6};
inline constexpr Range max_halvings = {0, 40};
inline constexpr Range substeps = {0, 1e6};
inline constexpr Range threads = {1, 256};
inline constexpr Range max_impacts = {1, 1e6};
}  // namespace ranges

/// What is wrong with the number of a key, if anything: it is not finite, not in the range, or so
/// large or small that squares and products leave the range of double. `expected` is said when it
/// is not in the range.
std::optional<std::string> complaint_about(std::string_view key, double value, const Range& range,
                                           const std::string& expected);

}  // namespace clatter
