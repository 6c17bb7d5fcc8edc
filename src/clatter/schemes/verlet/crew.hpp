#pragma once

#include <barrier>
#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

namespace clatter {

/// Threads that go through one job together. The caller is the first of them; each works on its own
/// part of what there is and waits for the others where the job says so.
class Crew {
 public:
  explicit Crew(int count);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  Crew(Crew&&) = delete;
  Crew& operator=(Crew&&) = delete;

  int count() const { return count_; }
  /// job(thread) on all of them. It must not throw.
  void run(const std::function<void(int)>& job);
  /// Within a job: until all are here.
  void meet() {
    if (count_ > 1) meeting_.arrive_and_wait();
  }
  /// The part [begin, end) of `all` that is for a thread.
  struct Part {
    std::size_t begin, end;
  };
  Part part(int thread, std::size_t all) const {
    const auto t = static_cast<std::size_t>(thread), n = static_cast<std::size_t>(count_);
    return {all * t / n, all * (t + 1) / n};
  }

 private:
  int count_;
  std::barrier<> meeting_;
  bool is_over_ = false;
  const std::function<void(int)>* job_ = nullptr;
  std::vector<std::thread> others_;
};

}  // namespace clatter
