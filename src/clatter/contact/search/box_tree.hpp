#pragma once

#include <span>
#include <utility>
#include <vector>

#include <clatter/math/types.hpp>

namespace clatter {

using Box = Eigen::AlignedBox3d;

/// Finds which of many boxes along the axes overlap. They are halved again and again along the axis
/// in which their centres are spread most, so that the effort grows like n log n, also for boxes of
/// very different size.
class BoxTree {
 public:
  /// Pairs (i, k) with i < k, ascending. Boxes may be unbounded.
  void find(std::span<const Box> boxes, std::vector<std::pair<int, int>>& pairs);

 private:
  struct Branch {
    Box box;
    int begin, end;             ///< of the order
    int left = -1, right = -1;  ///< none: a leaf
  };
  int grow(std::span<const Box> boxes, int begin, int end);
  void look_within(std::span<const Box> boxes, int branch, std::vector<std::pair<int, int>>& pairs);
  void look_between(std::span<const Box> boxes, int branch, int other,
                    std::vector<std::pair<int, int>>& pairs);

  std::vector<int> order_;
  std::vector<Branch> branches_;
};

}  // namespace clatter
