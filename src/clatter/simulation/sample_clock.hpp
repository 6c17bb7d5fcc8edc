#pragma once

#include <cmath>

namespace clatter {

/// Which steps of a run are to be stored: the first after each multiple of an interval. Counted in
/// steps, so that rounding of the time does not matter.
class SampleClock {
 public:
  /// `interval` and `step` in [s]; every step when the interval is not longer than a step.
  SampleClock(double interval, double step) : steps_per_interval_(interval / step) {}

  bool is_due(long step) const {
    return step == 0 || steps_per_interval_ <= 1.0 || interval_of(step) > interval_of(step - 1);
  }

 private:
  /// A step counts as on the multiple when it misses it by rounding only.
  double interval_of(long step) const {
    return std::floor(double(step) / steps_per_interval_ * (1.0 + 1e-12) + 1e-9);
  }

  double steps_per_interval_;
};

}  // namespace clatter
