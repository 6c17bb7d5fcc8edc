#include <gtest/gtest.h>

#include <clatter/simulation/channel.hpp>

namespace clatter {
namespace channel_test {

TEST(TurnedQuantity, has_the_parts_in_the_other_order_and_turns_vectors_between_them) {
  struct Case {
    const char *path, *turned;
    double sign;
  };
  for (const Case& c :
       {Case{"pairs/die/ground/force/x", "pairs/ground/die/force/x", -1.0},
        Case{"pairs/die/ground/force", "pairs/ground/die/force", -1.0},
        Case{"pairs/die/ground/impulse/z", "pairs/ground/die/impulse/z", -1.0},
        Case{"pairs/die/ground/normal/y", "pairs/ground/die/normal/y", -1.0},
        Case{"pairs/die/ground/position/y", "pairs/ground/die/position/y", 1.0},
        Case{"pairs/die/ground/normal_impulse", "pairs/ground/die/normal_impulse", 1.0},
        Case{"impacts/die/ground/impulse", "impacts/ground/die/impulse", 1.0}}) {
    const auto turned = turned_quantity(c.path);
    ASSERT_TRUE(turned) << c.path;
    EXPECT_EQ(turned->path, c.turned);
    EXPECT_EQ(turned->sign, c.sign) << c.path;
  }
}

TEST(TurnedQuantity, is_none_of_what_is_no_pair) {
  for (const char* path :
       {"bodies/die/position/x", "impacts/floor/peak", "pairs", "", "pairs/die/"}) {
    EXPECT_FALSE(turned_quantity(path)) << path;
  }
}

}  // namespace channel_test
}  // namespace clatter
