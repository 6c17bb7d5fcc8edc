#include <algorithm>
#include <cstddef>

#include <clatter/recovery/impulse_filter.hpp>

namespace clatter {

FilteredImpulses ImpulseFilter::apply(std::span<const double> impulses) const {
  const std::size_t count = impulses.size();
  FilteredImpulses parts;
  parts.smooth.assign(impulses.begin(), impulses.end());
  parts.free.assign(count, 0.0);
  parts.on_closed.assign(count, 0.0);
  if (count < 3) return parts;
  const double none = least_impulse * *std::max_element(impulses.begin(), impulses.end());
  for (std::size_t k = 1; k + 1 < count; ++k) {
    const double here = impulses[k], before = impulses[k - 1], after = impulses[k + 1];
    if (!(here > none && here > before && here > after)) continue;
    if (before <= none && after <= none) {
      parts.free[k] = here;
      parts.smooth[k] = 0.0;
      continue;
    }
    const double mean = 0.5 * (before + after);
    if (!(here - mean > least_impact * mean)) continue;
    parts.smooth[k] = mean;
    parts.on_closed[k] = here - mean;
  }
  return parts;
}

}  // namespace clatter
