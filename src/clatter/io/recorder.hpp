#pragma once

#include <chrono>
#include <span>

namespace clatter {

/// Something that keeps the rows of a run: a result file, a table, a series of pictures.
class Recorder {
 public:
  virtual ~Recorder() = default;

  /// Takes the row of all channels at `time` [s]. Throws Error, naming the file, when it cannot be
  /// written.
  virtual void append(double time, std::span<const double> row) = 0;
  /// Makes everything appended so far readable to others, even if this process is killed.
  virtual void flush() = 0;
  /// Flushes and closes; the recorder takes no more rows.
  virtual void close() = 0;

  /// Flushes when the last flush is a while ago, and tells. Cheap: call it every step.
  bool flush_if_due() {
    const Clock::time_point now = Clock::now();
    const Clock::duration since = now - last_flush_;
    if (since < flush_interval || longest_part * since < now - begin_) return false;
    last_flush_ = now;
    flush();
    return true;
  }

 private:
  using Clock = std::chrono::steady_clock;
  /// What a crash may cost [s of wall time]; long enough that writing is a small part of a run.
  static constexpr std::chrono::seconds flush_interval{2};
  /// Nor more than a twentieth of a long run: what is flushed before a chunk is full is written
  /// again with the rest of it, which makes files larger.
  static constexpr int longest_part = 20;
  Clock::time_point begin_ = Clock::now(), last_flush_ = begin_;
};

}  // namespace clatter
