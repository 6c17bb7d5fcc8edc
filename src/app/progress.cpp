#include "app/progress.hpp"

#include <algorithm>
#include <unistd.h>

#include "app/console.hpp"

namespace clatter {

namespace {
constexpr std::chrono::milliseconds terminal_interval{100}, line_interval{5000};
}

Progress::Progress(double duration, long steps_total, bool quiet)
    : duration_(duration),
      steps_total_(steps_total),
      quiet_(quiet),
      terminal_(isatty(STDOUT_FILENO) != 0),
      next_(start_ + (terminal_ ? terminal_interval : line_interval)) {}

double Progress::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

void Progress::update(double time, long steps_done) {
  if (quiet_) return;
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + (terminal_ ? terminal_interval : line_interval);

  const double elapsed = seconds();
  const double share = double(steps_done) / double(std::max(steps_total_, 1L));
  const std::string text =
      fmt::format("{:3.0f} %   t = {:.4g} s of {:.4g} s   {:.0f} steps/s   {} left", 100 * share,
                  time, duration_, double(steps_done) / elapsed,
                  format_duration(share > 0 ? elapsed * (1 - share) / share : -1.0));
  say("{}{}{}", terminal_ ? "\r\033[K" : "", text, terminal_ ? "" : "\n");
  shown_ = true;
}

void Progress::clear() {
  if (terminal_ && shown_) print_text("\r\033[K");
  shown_ = false;
}

}  // namespace clatter
