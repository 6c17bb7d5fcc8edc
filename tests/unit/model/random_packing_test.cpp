#include <gtest/gtest.h>

#include <clatter/model/grain_sizes.hpp>
#include <clatter/model/random_packing.hpp>

namespace clatter {
namespace random_packing_test {

TEST(RandomPacking, never_overlaps_keeps_its_gap_and_stays_in_its_box) {
  for (const int dimensions : {2, 3}) {
    std::vector<double> radii;
    for (std::size_t k = 0; k < 300; ++k) radii.push_back(0.03 + 0.02 * scatter(3, k));
    const Vec3 size(2.0, 1.5, dimensions == 3 ? 0.7 : 0.0);
    const double gap = 0.002;
    const RandomPacking packing = pack_at_random(radii, size, dimensions, gap, 11);
    ASSERT_TRUE(packing.missing.empty());
    for (std::size_t i = 0; i < radii.size(); ++i) {
      for (int axis = 0; axis < dimensions; ++axis) {
        EXPECT_GE(packing.places[i][axis], radii[i]);
        EXPECT_LE(packing.places[i][axis], size[axis] - radii[i]);
      }
      for (std::size_t j = 0; j < i; ++j) {
        EXPECT_GE((packing.places[i] - packing.places[j]).norm(), radii[i] + radii[j] + gap);
      }
    }
    EXPECT_EQ(overlapping_pair(packing.places, radii), std::pair(std::size_t{0}, std::size_t{0}));
    radii[7] += 0.4;
    EXPECT_NE(overlapping_pair(packing.places, radii).first,
              overlapping_pair(packing.places, radii).second);
  }
}

TEST(RandomPacking, says_who_finds_no_room) {
  const std::vector<double> radii(100, 0.1);  // pi in a box of 2
  EXPECT_GT(pack_at_random(radii, Vec3(2, 1, 0), 2, 0.0, 1).missing.size(), 30u);
  EXPECT_EQ(pack_at_random(std::vector<double>{0.6}, Vec3(1, 1, 1), 3, 0.0, 1).missing.size(), 1u);
}

}  // namespace random_packing_test
}  // namespace clatter
