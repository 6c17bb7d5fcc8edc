#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <clatter/contact/search/pair_search.hpp>

#include "support/random_state.hpp"

namespace clatter {
namespace pair_search_test {

using testing::Random;
using Pairs = std::vector<std::pair<int, int>>;

std::vector<Ball> balls(Random& random, int count, double spread) {
  std::vector<Ball> all;
  for (int i = 0; i < count; ++i) {
    all.push_back({random.vector(spread), random.number(0.05, 0.3)});
  }
  return all;
}

/// All pairs looked at.
Pairs by_force(const std::vector<Ball>& ones, const std::vector<Ball>& twos, bool same,
               double skin) {
  Pairs pairs;
  for (std::size_t i = 0; i < ones.size(); ++i) {
    for (std::size_t k = same ? i + 1 : 0; k < twos.size(); ++k) {
      const double gap = (ones[i].centre - twos[k].centre).norm() - ones[i].radius - twos[k].radius;
      if (gap < skin) pairs.emplace_back(static_cast<int>(i), static_cast<int>(k));
    }
  }
  return pairs;
}

RC_GTEST_PROP(PairSearch, finds_the_pairs_that_looking_at_all_of_them_finds, ()) {
  Random random(*rc::gen::arbitrary<unsigned>());
  const double spread = random.number(0.2, 5.0), skin = random.number(0.0, 0.5);
  const auto ones = balls(random, *rc::gen::inRange(0, 60), spread);
  const auto twos = balls(random, *rc::gen::inRange(0, 60), 0.7 * spread);
  PairSearch search;
  Pairs found;
  search.find(ones, ones, true, skin, found);
  RC_ASSERT(found == by_force(ones, ones, true, skin));
  search.find(ones, twos, false, skin, found);
  RC_ASSERT(found == by_force(ones, twos, false, skin));
}

TEST(PairSearch, is_not_troubled_by_one_that_flew_away) {
  std::vector<Ball> all{
      {Vec3::Zero(), 1.0}, {Vec3(1.5, 0.0, 0.0), 1.0}, {Vec3(1e9, 1e9, -1e9), 1.0}};
  PairSearch search;
  Pairs found;
  search.find(all, all, true, 0.1, found);
  EXPECT_EQ(found, (Pairs{{0, 1}}));
}

}  // namespace pair_search_test
}  // namespace clatter
