#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

namespace clatter {

/// Calls task(i) for i = 0 ... count - 1 on all processors, for runs that do not know of each
/// other. When tasks throw, the exception of the first in order is thrown on after all have ended:
/// the result does not depend on timing.
template <typename Task>
void run_in_parallel(std::size_t count, Task task) {
  std::vector<std::exception_ptr> problems(count);
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        task(i);
      } catch (...) {
        problems[i] = std::current_exception();
      }
    }
  };
  {
    const std::size_t threads =
        std::min<std::size_t>(count, std::max(1u, std::thread::hardware_concurrency()));
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < threads; ++i) others.emplace_back(work);
    work();
  }
  for (const std::exception_ptr& problem : problems)
    if (problem) std::rethrow_exception(problem);
}

}  // namespace clatter
