#include <array>
#include <cmath>
#include <random>
#include <tuple>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/core_shapes.hpp"
#include "support/least_on_sphere.hpp"
#include "support/random_pair.hpp"

namespace clatter {
namespace certified_pairs_test {

using testing::CoreKind;
using testing::CoreShape;
using testing::Edges;

using ConvexPair = std::tuple<CoreKind, CoreKind, Edges>;

std::string name_of_pair(const ::testing::TestParamInfo<ConvexPair>& test) {
  const auto& [a, b, edges] = test.param;
  return fmt::format("{}{}_and_{}", edges == Edges::sharp ? "sharp_" : "", name_of(a), name_of(b));
}

/// Two convex solids near each other and what the library says of them.
class PairOfKinds : public testing::RandomPair<ConvexPair> {
 protected:
  PairOfKinds()
      : RandomPair(10 * static_cast<unsigned>(std::get<0>(GetParam())) +
                   static_cast<unsigned>(std::get<1>(GetParam()))) {}

  static Edges edges() { return std::get<2>(GetParam()); }

  void make() override {
    a_ = make_core_shape(std::get<0>(GetParam()), dice_, 1.0, edges());
    b_ = make_core_shape(std::get<1>(GetParam()), dice_, 1.0, edges());
    pair_.emplace(a_.text, b_.text);
  }

  /// How far they are apart along a unit vector from a to b: not more than their distance.
  double apart_along(const Vec3& n) const {
    const NodeState &at_a = pair_->at_a(), &at_b = pair_->at_b();
    return n.dot(at_b.x - at_a.x) - a_.reach(at_a.R.transpose() * n) -
           b_.reach(-(at_b.R.transpose() * n));
  }

  /// At random, apart or overlapped by less than what counts as a touch: cores are apart.
  void place() override {
    pair_->q[1] = dice_.place(1.0);
    pair_->q[2] = dice_.place(1.0);
    const Vec3 way = dice_.vector().normalized();
    pair_->q[2].x = pair_->q[1].x + 10.0 * way;
    const bool may_overlap = a_.radius + b_.radius > 0.0;
    ASSERT_TRUE(pair_->approach(-way, may_overlap ? -2e-5 : 2e-6, 5e-5));
  }

  CoreShape a_, b_;
};

INSTANTIATE_TEST_SUITE_P(Certified, PairOfKinds, ::testing::ValuesIn([] {
                           std::vector<ConvexPair> all;
                           for (const CoreKind a : testing::convex_kinds) {
                             for (const CoreKind b : testing::convex_kinds) {
                               all.emplace_back(a, b, Edges::rounded);
                               all.emplace_back(a, b, Edges::sharp);
                             }
                           }
                           return all;
                         }()),
                         name_of_pair);

/// Two points, one in each solid, are as far apart as the solids are along the direction between
/// them: no other points are nearer, and no other direction tells them further apart. Sharp corners
/// that meet corners or edges touch nowhere but for an instant: they may have no contact.
TEST_P(PairOfKinds, is_nearest_where_points_and_direction_prove_it) {
  constexpr double exact = 1e-9;  // of their size, which is about one
  const int cases = testing::cases_of(testing::looks_at_numbers ? 100 : 3);
  look_at_touches(cases, [&](const std::vector<Contact>& contacts) {
    if (edges() == Edges::sharp && contacts.empty()) return;
    ASSERT_FALSE(contacts.empty());
    const auto [gap, on_a, on_b, n] = pair_->points_of(pair_->nearest_of(contacts));
    const Vec3 in_a = pair_->at_a().R.transpose() * (on_a - a_.radius * n - pair_->at_a().x);
    const Vec3 in_b = pair_->at_b().R.transpose() * (on_b + b_.radius * n - pair_->at_b().x);
    EXPECT_NEAR(n.norm(), 1.0, 1e-14);
    EXPECT_NEAR(apart_along(n), gap, exact);
    const Vec3 between = on_b - on_a;
    EXPECT_NEAR(between.dot(n), gap, exact);
    // Where the points are is as sure as the root of how near they are.
    EXPECT_LT((between - between.dot(n) * n).norm(), 1e-7);
    // What is beside a face by less than edge_margin of the sizes is over it.
    EXPECT_LT(a_.distance(in_a), 1e-6);
    EXPECT_LT(b_.distance(in_b), 1e-6);
  });
}

/// The shortest shift that parts two solids is along the direction in which they overlap least,
/// which is sought here among all. The search may end a little beside it.
TEST_P(PairOfKinds, overlaps_by_as_much_as_the_shortest_shift_that_parts_them) {
  const int cases = testing::cases_of(testing::looks_at_numbers ? 20 : 1);
  look_at_cases(cases, [&] {
    ASSERT_NO_FATAL_FAILURE(place());
    const Vec3 way = (pair_->at_a().x - pair_->at_b().x).normalized();
    pair_->q[2].x += std::pow(10.0, -3.5 + 1.5 * dice_.number()) * way;
    const double told = pair_->gap();
    if (told > 0.0) return;
    const double right = -testing::least_on_sphere([&](const Vec3& n) { return -apart_along(n); });
    EXPECT_GT(told, right - 1e-9);
  });
}

}  // namespace certified_pairs_test
}  // namespace clatter
