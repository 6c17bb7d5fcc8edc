#include <algorithm>
#include <cmath>

#include <clatter/contact/search/box_tree.hpp>

namespace clatter {
namespace {

constexpr int leaf_size = 4;

double middle(const Box& box, int axis) {
  const double sum = box.min()[axis] + box.max()[axis];
  return std::isfinite(sum) ? 0.5 * sum : 0.0;
}

void add(int i, int k, std::vector<std::pair<int, int>>& pairs) {
  pairs.emplace_back(std::min(i, k), std::max(i, k));
}

}  // namespace

int BoxTree::grow(std::span<const Box> boxes, int begin, int end) {
  const auto index = static_cast<int>(branches_.size());
  Branch branch{{}, begin, end};
  Box middles;
  for (int i = begin; i < end; ++i) {
    const Box& box = boxes[static_cast<std::size_t>(order_[static_cast<std::size_t>(i)])];
    branch.box.extend(box);
    middles.extend(Vec3(middle(box, 0), middle(box, 1), middle(box, 2)));
  }
  branches_.push_back(branch);
  if (end - begin <= leaf_size) return index;
  int axis = 0;
  middles.sizes().maxCoeff(&axis);
  const int half = begin + (end - begin) / 2;
  std::nth_element(order_.begin() + begin, order_.begin() + half, order_.begin() + end,
                   [&](int i, int k) {
                     const double of_i = middle(boxes[static_cast<std::size_t>(i)], axis);
                     const double of_k = middle(boxes[static_cast<std::size_t>(k)], axis);
                     return of_i != of_k ? of_i < of_k : i < k;
                   });
  const int left = grow(boxes, begin, half), right = grow(boxes, half, end);
  branches_[static_cast<std::size_t>(index)].left = left;
  branches_[static_cast<std::size_t>(index)].right = right;
  return index;
}

void BoxTree::look_within(std::span<const Box> boxes, int branch,
                          std::vector<std::pair<int, int>>& pairs) {
  const Branch& of = branches_[static_cast<std::size_t>(branch)];
  if (of.left >= 0) {
    look_within(boxes, of.left, pairs);
    look_within(boxes, of.right, pairs);
    look_between(boxes, of.left, of.right, pairs);
    return;
  }
  for (int i = of.begin; i < of.end; ++i) {
    for (int k = i + 1; k < of.end; ++k) {
      const int one = order_[static_cast<std::size_t>(i)],
                two = order_[static_cast<std::size_t>(k)];
      if (boxes[static_cast<std::size_t>(one)].intersects(boxes[static_cast<std::size_t>(two)])) {
        add(one, two, pairs);
      }
    }
  }
}

void BoxTree::look_between(std::span<const Box> boxes, int branch, int other,
                           std::vector<std::pair<int, int>>& pairs) {
  const Branch &one = branches_[static_cast<std::size_t>(branch)],
               &two = branches_[static_cast<std::size_t>(other)];
  if (!one.box.intersects(two.box)) return;
  if (one.left < 0 && two.left < 0) {
    for (int i = one.begin; i < one.end; ++i) {
      for (int k = two.begin; k < two.end; ++k) {
        const int first = order_[static_cast<std::size_t>(i)];
        const int second = order_[static_cast<std::size_t>(k)];
        if (boxes[static_cast<std::size_t>(first)].intersects(
                boxes[static_cast<std::size_t>(second)])) {
          add(first, second, pairs);
        }
      }
    }
    return;
  }
  // The larger one is opened.
  const bool open_one =
      two.left < 0 || (one.left >= 0 && one.end - one.begin >= two.end - two.begin);
  const int left = open_one ? one.left : two.left, right = open_one ? one.right : two.right;
  const int rest = open_one ? other : branch;
  look_between(boxes, left, rest, pairs);
  look_between(boxes, right, rest, pairs);
}

void BoxTree::find(std::span<const Box> boxes, std::vector<std::pair<int, int>>& pairs) {
  pairs.clear();
  if (boxes.size() < 2) return;
  order_.resize(boxes.size());
  for (std::size_t i = 0; i < boxes.size(); ++i) order_[i] = static_cast<int>(i);
  branches_.clear();
  look_within(boxes, grow(boxes, 0, static_cast<int>(boxes.size())), pairs);
  std::sort(pairs.begin(), pairs.end());
}

}  // namespace clatter
