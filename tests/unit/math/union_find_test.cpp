#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <clatter/math/union_find.hpp>

namespace clatter {
namespace union_find_test {

TEST(UnionFind, keeps_numbers_apart_until_they_are_joined) {
  UnionFind sets;
  sets.separate(4);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(sets.root(i), i);
  EXPECT_EQ(sets.join(3, 1), 1);
  EXPECT_EQ(sets.root(3), 1);
  EXPECT_EQ(sets.root(0), 0);
  EXPECT_EQ(sets.root(2), 2);
}

RC_GTEST_PROP(UnionFind, knows_each_set_by_its_smallest_number, ()) {
  const int count = *rc::gen::inRange(1, 30);
  const auto pairs = *rc::gen::container<std::vector<std::pair<int, int>>>(
      rc::gen::pair(rc::gen::inRange(0, count), rc::gen::inRange(0, count)));
  UnionFind sets;
  sets.separate(static_cast<std::size_t>(count));
  std::vector<int> smallest(static_cast<std::size_t>(count));
  std::iota(smallest.begin(), smallest.end(), 0);
  for (const auto& [i, j] : pairs) {
    const int one = smallest[static_cast<std::size_t>(i)],
              two = smallest[static_cast<std::size_t>(j)];
    for (int& each : smallest) {
      if (each == one || each == two) each = std::min(one, two);
    }
    RC_ASSERT(sets.join(i, j) == std::min(one, two));
  }
  for (int i = 0; i < count; ++i) RC_ASSERT(sets.root(i) == smallest[static_cast<std::size_t>(i)]);
}

}  // namespace union_find_test
}  // namespace clatter
