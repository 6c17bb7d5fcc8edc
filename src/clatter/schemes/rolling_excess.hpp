#pragma once

#include <vector>

#include <clatter/schemes/step_work.hpp>

namespace clatter {

/// Bodies that roll in chains of contacts that close on themselves, more contacts than bodies, as
/// balls between races: sticking contacts contradict each other then, by the square of what bodies
/// turn in the step, and positions with friction may have no solution. Scratch of a scheme.
class RollingExcess {
 public:
  explicit RollingExcess(const StepWork& work);

  /// Whether there are such in the step, among listed contacts.
  bool exists();

 private:
  const StepWork& w_;
  std::vector<char> touched_;  // node
  std::vector<int> excess_;    // island: contacts less bodies
};

}  // namespace clatter
