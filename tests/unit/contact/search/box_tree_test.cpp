#include <limits>
#include <random>

#include <gtest/gtest.h>

#include <clatter/contact/search/box_tree.hpp>

namespace clatter {
namespace box_tree_test {

std::vector<Box> random_boxes(int count, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<> place(0.0, 10.0), power(-3.0, 0.5);
  std::vector<Box> boxes;
  for (int k = 0; k < count; ++k) {
    const Vec3 at(place(generator), place(generator), place(generator));
    boxes.emplace_back(at, Vec3(at + Vec3::Constant(std::pow(10.0, power(generator)))));
  }
  return boxes;
}

TEST(BoxTree, finds_what_looking_at_all_pairs_finds) {
  BoxTree tree;
  std::vector<std::pair<int, int>> pairs;
  for (const int count : {0, 1, 2, 5, 50, 400}) {
    std::vector<Box> boxes = random_boxes(count, 3U + static_cast<unsigned>(count));
    if (count > 10) {
      const double infinity = std::numeric_limits<double>::infinity();
      boxes[7] = Box(Vec3::Constant(-infinity), Vec3::Constant(infinity));
    }
    std::vector<std::pair<int, int>> expected;
    for (int i = 0; i < count; ++i) {
      for (int k = i + 1; k < count; ++k) {
        if (boxes[static_cast<std::size_t>(i)].intersects(boxes[static_cast<std::size_t>(k)])) {
          expected.emplace_back(i, k);
        }
      }
    }
    tree.find(boxes, pairs);
    EXPECT_EQ(pairs, expected) << count << " boxes";
  }
}

}  // namespace box_tree_test
}  // namespace clatter
