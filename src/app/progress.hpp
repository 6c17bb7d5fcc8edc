#pragma once

#include <chrono>

namespace clatter {

/// Tells how far a run is: on a terminal one line that is kept up to date, otherwise a line every
/// few seconds. Says nothing when quiet.
class Progress {
 public:
  Progress(double duration, long steps_total, bool quiet);

  /// Cheap enough to be called every step.
  void update(double time, long steps_done);
  /// Removes the line from the terminal, so that other text can be written.
  void clear();

  double seconds() const;  ///< since the start

 private:
  using Clock = std::chrono::steady_clock;

  double duration_;
  long steps_total_;
  bool quiet_, terminal_, shown_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_;
};

}  // namespace clatter
