#pragma once

#include <algorithm>
#include <vector>

namespace clatter {

/// Which nodes have come to rest and are left where they are. Part of a state.
struct Sleep {
  std::vector<int> calm;  ///< node: steps that it has been at rest, one after the other
  std::vector<int> with;  ///< node: the first of those that it sleeps with; the ground: awake
  /// [s] Of the step that impulses and pushes on those who sleep are of.
  double step = 0.0;
};

inline int bodies_asleep(const Sleep& sleep) {
  return static_cast<int>(
      std::count_if(sleep.with.begin(), sleep.with.end(), [](int with) { return with != 0; }));
}

}  // namespace clatter
