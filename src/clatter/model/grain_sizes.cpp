#include <algorithm>
#include <cmath>

#include <clatter/model/grain_sizes.hpp>

namespace clatter {
namespace {

double below_normal(double z) { return 0.5 * std::erfc(-z * std::sqrt(0.5)); }

/// z with the part u of the normal distribution below it.
double normal_quantile(double u) {
  double low = -38.0, high = 38.0;
  for (int i = 0; i < 64; ++i) {
    const double middle = 0.5 * (low + high);
    (below_normal(middle) < u ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

/// Radius between a and b with the part u below it, of a density in proportion to r^-power.
double power_quantile(double a, double b, double power, double u) {
  if (a == b) return a;
  if (power == 1.0) return a * std::pow(b / a, u);
  const double e = 1.0 - power;
  return a * std::pow(1.0 + u * (std::pow(b / a, e) - 1.0), 1.0 / e);
}

/// Of a curve: straight over the logarithm of the radius between its points.
class Curve {
 public:
  Curve(const GrainSizes& sizes, int dimensions) : sizes_(sizes) {
    power_ = sizes.by_mass ? dimensions + 1.0 : 1.0;
    double sum = 0.0;
    for (std::size_t i = 0; i + 1 < sizes.radii.size(); ++i) {
      const double part = sizes.passing[i + 1] - sizes.passing[i];
      sum += part * (sizes.by_mass ? per_mass(sizes.radii[i], sizes.radii[i + 1]) : 1.0);
      ends_.push_back(sum);
    }
  }

  double quantile(double u) const {
    const double at = u * ends_.back();
    std::size_t i = 0;
    while (i + 1 < ends_.size() && ends_[i] <= at) ++i;
    const double begin = i == 0 ? 0.0 : ends_[i - 1];
    const double inside = (at - begin) / (ends_[i] - begin);
    return power_quantile(sizes_.radii[i], sizes_.radii[i + 1], power_, inside);
  }

 private:
  /// Grains for a unit of mass between a and b, relative to those at the largest radius.
  double per_mass(double a, double b) const {
    const double d = power_ - 1.0, top = sizes_.radii.back();
    const double at_a = std::pow(top / a, d);
    if (a == b) return at_a;
    return (at_a - std::pow(top / b, d)) / (d * std::log(b / a));
  }

  const GrainSizes& sizes_;
  double power_ = 1.0;
  std::vector<double> ends_;  // of the pieces: grains up to there
};

}  // namespace

double scatter(std::uint64_t seed, std::uint64_t counter) {
  std::uint64_t z = seed * 0x9e3779b97f4a7c15ULL + (counter + 1) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  z ^= z >> 31;
  return static_cast<double>(z >> 11) * 0x1p-52 - 1.0;
}

std::optional<std::pair<std::string, std::string>> GrainSizes::complaint() const {
  using Complaint = std::pair<std::string, std::string>;
  if (smallest && largest && !(*smallest <= *largest)) {
    return Complaint("largest", "'largest' must not be less than 'smallest'");
  }
  if (kind != Kind::curve) return std::nullopt;
  if (radii.size() < 2 || radii.size() != passing.size()) {
    return Complaint("passing",
                     "'passing' and 'radius': expected two or more numbers, as many of "
                     "the one as of the other");
  }
  if (!std::is_sorted(radii.begin(), radii.end()) || !(radii.front() > 0.0)) {
    return Complaint("radius", "'radius': expected radii above 0 that ascend");
  }
  if (!std::is_sorted(passing.begin(), passing.end()) || passing.front() != 0.0 ||
      passing.back() != 1.0) {
    return Complaint("passing", "'passing': expected parts that ascend from 0 to 1");
  }
  return std::nullopt;
}

std::vector<double> grain_radii(const GrainSizes& sizes, std::size_t count, int dimensions,
                                std::uint64_t seed) {
  // Which part of the distribution is whose: in random order.
  std::vector<std::pair<double, std::size_t>> order(count);
  for (std::size_t k = 0; k < count; ++k) order[k] = {scatter(~seed, 2 * k), k};
  std::sort(order.begin(), order.end());
  double low = 0.0, high = 1.0, median = sizes.median;
  if (sizes.kind == GrainSizes::Kind::log_normal) {
    if (sizes.by_mass) median *= std::exp(-dimensions * sizes.deviation * sizes.deviation);
    const auto below = [&](double r) {
      return below_normal(std::log(r / median) / sizes.deviation);
    };
    if (sizes.smallest) low = below(*sizes.smallest);
    if (sizes.largest) high = below(*sizes.largest);
  }
  std::optional<Curve> curve;
  if (sizes.kind == GrainSizes::Kind::curve) curve.emplace(sizes, dimensions);
  std::vector<double> radii(count);
  for (std::size_t part = 0; part < count; ++part) {
    const std::size_t k = order[part].second;
    const double within = 0.5 + 0.5 * scatter(~seed, 2 * k + 1);
    const double u = (static_cast<double>(part) + within) / static_cast<double>(count);
    switch (sizes.kind) {
      case GrainSizes::Kind::uniform:
        radii[k] =
            power_quantile(*sizes.smallest, *sizes.largest, sizes.by_mass ? dimensions : 0.0, u);
        break;
      case GrainSizes::Kind::log_normal:
        radii[k] = median * std::exp(sizes.deviation * normal_quantile(low + u * (high - low)));
        break;
      case GrainSizes::Kind::curve:
        radii[k] = curve->quantile(u);
        break;
    }
  }
  return radii;
}

}  // namespace clatter
