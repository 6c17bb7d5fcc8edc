#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

namespace clatter {

/// Numbers 0, 1, ... in sets that are joined two by two; a set is known by its smallest number.
class UnionFind {
 public:
  void reserve(std::size_t count) { parent_.reserve(count); }
  /// Each of so many numbers is a set of its own.
  void separate(std::size_t count) {
    parent_.resize(count);
    std::iota(parent_.begin(), parent_.end(), 0);
  }

  /// The smallest number of the set that `i` is in. Halves the way there for the next time.
  int root(int i) {
    while (parent(i) != i) {
      int& up = parent(i);
      up = parent(up);
      i = up;
    }
    return i;
  }
  /// Joins the sets of both numbers, and returns their common root.
  int join(int i, int j) {
    const int one = root(i), two = root(j);
    return parent(std::max(one, two)) = std::min(one, two);
  }

 private:
  int& parent(int i) { return parent_[static_cast<std::size_t>(i)]; }

  std::vector<int> parent_;
};

}  // namespace clatter
