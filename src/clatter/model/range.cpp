#include <cmath>

#include <fmt/format.h>

#include <clatter/model/range.hpp>

namespace clatter {
namespace {

// Beyond these, squares and products of a few numbers leave the range of double.
constexpr double largest_number = 1e100;
constexpr double smallest_positive = 1e-100;

}  // namespace

std::string Range::text() const {
  if (std::isfinite(max)) {
    return fmt::format("in {}{}, {}]", min_excluded ? "(" : "[", min, max);
  }
  if (!std::isfinite(min)) return "";
  return fmt::format("{} {}", min_excluded ? ">" : ">=", min);
}

std::optional<std::string> complaint_about(std::string_view key, double value, const Range& range,
                                           const std::string& expected) {
  if (!std::isfinite(value)) {
    return fmt::format("'{}' must be a finite number, not {}", key, value);
  }
  if (!range.contains(value)) {
    return fmt::format("'{}': expected {}, found {}", key, expected, value);
  }
  const bool too_small = range.min_excluded && value - range.min < smallest_positive;
  if (std::abs(value) > largest_number || too_small) {
    return fmt::format("'{}': {} is too {} to compute with", key, value,
                       too_small ? "small" : "large");
  }
  return std::nullopt;
}

}  // namespace clatter
