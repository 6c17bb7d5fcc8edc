#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clatter/recovery/impulse_filter.hpp>

namespace clatter {
namespace impulse_filter_test {

using ::testing::ElementsAre;

TEST(ImpulseFilter, TellsFreeImpactsFromForcesAndFromImpactsOnThem) {
  //                                  free          lands, stays     struck
  const std::vector<double> impulses{0, 5, 0, 0, 7, 2, 2, 2, 2, 8, 2, 2};
  const FilteredImpulses parts = ImpulseFilter().apply(impulses);
  EXPECT_THAT(parts.free, ElementsAre(0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(parts.on_closed, ElementsAre(0, 0, 0, 0, 6, 0, 0, 0, 0, 6, 0, 0));
  EXPECT_THAT(parts.smooth, ElementsAre(0, 0, 0, 0, 1, 2, 2, 2, 2, 2, 2, 2));
}

TEST(ImpulseFilter, LeavesSmoothSummitsAndEndsAlone) {
  const std::vector<double> impulses{9, 1, 1.0001, 1, 1, 9};
  const FilteredImpulses parts = ImpulseFilter().apply(impulses);
  EXPECT_EQ(parts.smooth, impulses);
}

TEST(ImpulseFilter, PartsAddUpToTheSignal) {
  std::vector<double> impulses;
  unsigned seed = 1;
  for (int k = 0; k < 500; ++k) {
    seed = 1664525 * seed + 1013904223;
    impulses.push_back(seed % 3 == 0 ? 0.0 : static_cast<double>(seed % 1000));
  }
  const FilteredImpulses parts = ImpulseFilter().apply(impulses);
  for (std::size_t k = 0; k < impulses.size(); ++k) {
    EXPECT_EQ(parts.free[k] + parts.smooth[k] + parts.on_closed[k], impulses[k]);
    EXPECT_GE(parts.on_closed[k], 0.0);
  }
}

TEST(ImpulseFilter, OfNothingIsNothing) { EXPECT_TRUE(ImpulseFilter().apply({}).smooth.empty()); }

}  // namespace impulse_filter_test
}  // namespace clatter
