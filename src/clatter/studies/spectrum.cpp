#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <numeric>
#include <vector>

#include <clatter/studies/spectrum.hpp>

namespace clatter {

std::optional<double> strongest_frequency(std::span<const double> times,
                                          std::span<const double> values,
                                          std::array<double, 2> band) {
  constexpr double pi = std::numbers::pi;
  constexpr double per_resolution = 16.0;  // lines that are looked at
  const std::size_t count = values.size();
  if (count < 4) return std::nullopt;
  const double length = times.back() - times.front();
  const double spacing = length / static_cast<double>(count - 1);
  const double mean =
      std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(count);
  std::vector<double> windowed(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double turn = 2.0 * pi * static_cast<double>(i) / static_cast<double>(count - 1);
    windowed[i] = (values[i] - mean) * 0.5 * (1.0 - std::cos(turn));
  }
  const auto strength = [&](double frequency) {
    const std::complex<double> turn = std::polar(1.0, -2.0 * pi * frequency * spacing);
    std::complex<double> sum = 0.0;  // by Horner's rule
    for (std::size_t i = count; i-- > 0;) sum = sum * turn + windowed[i];
    return std::norm(sum);
  };
  const double width = band[1] - band[0];
  const long lines = std::max(1L, std::lround(std::ceil(width * length * per_resolution)));
  double best = band[0], most = -1.0;
  for (long k = 0; k <= lines; ++k) {
    const double frequency = band[0] + width * static_cast<double>(k) / static_cast<double>(lines);
    const double own = strength(frequency);
    if (own > most) most = own, best = frequency;
  }
  return best;
}

}  // namespace clatter
