#include <array>
#include <cmath>
#include <random>
#include <tuple>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/core_shapes.hpp"
#include "support/least_on_sphere.hpp"
#include "support/random_cases.hpp"
#include "support/solid_pair.hpp"

namespace clatter {
namespace certified_pairs_test {

using testing::CoreKind;
using testing::CoreShape;
using testing::Dice;
using testing::Edges;
using testing::SolidPair;

using ConvexPair = std::tuple<CoreKind, CoreKind, Edges>;

std::string name_of_pair(const ::testing::TestParamInfo<ConvexPair>& test) {
  const auto& [a, b, edges] = test.param;
  return fmt::format("{}{}_and_{}", edges == Edges::sharp ? "sharp_" : "", name_of(a), name_of(b));
}

/// Two convex solids near each other and what the library says of them.
class PairOfKinds : public ::testing::TestWithParam<ConvexPair> {
 protected:
  PairOfKinds()
      : dice_{std::mt19937(10 * static_cast<unsigned>(std::get<0>(GetParam())) +
                           static_cast<unsigned>(std::get<1>(GetParam())))} {}

  static Edges edges() { return std::get<2>(GetParam()); }

  void make() {
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
  void place() {
    pair_->q[1] = dice_.place(1.0);
    pair_->q[2] = dice_.place(1.0);
    const Vec3 way = dice_.vector().normalized();
    pair_->q[2].x = pair_->q[1].x + 10.0 * way;
    const bool may_overlap = a_.radius + b_.radius > 0.0;
    ASSERT_TRUE(pair_->approach(-way, may_overlap ? -2e-5 : 2e-6, 5e-5));
  }

  Dice dice_;
  CoreShape a_, b_;
  std::optional<SolidPair> pair_;
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
  for (int i = 0; i < cases; ++i) {
    if (i % 100 == 0) make();
    ASSERT_NO_FATAL_FAILURE(place()) << "case " << i;
    if (edges() == Edges::sharp && pair_->contacts().empty()) continue;
    const auto [gap, on_a, on_b, n] = pair_->points_of(pair_->nearest_contact());
    const Vec3 in_a = pair_->at_a().R.transpose() * (on_a - a_.radius * n - pair_->at_a().x);
    const Vec3 in_b = pair_->at_b().R.transpose() * (on_b + b_.radius * n - pair_->at_b().x);
    EXPECT_NEAR(n.norm(), 1.0, 1e-14);
    EXPECT_NEAR(apart_along(n), gap, exact) << "case " << i;
    const Vec3 between = on_b - on_a;
    EXPECT_NEAR(between.dot(n), gap, exact) << "case " << i;
    // Where the points are is as sure as the root of how near they are.
    EXPECT_LT((between - between.dot(n) * n).norm(), 1e-7) << "case " << i;
    // What is beside a face by less than edge_margin of the sizes is over it.
    EXPECT_LT(a_.distance(in_a), 1e-6) << "case " << i;
    EXPECT_LT(b_.distance(in_b), 1e-6) << "case " << i;
    if (HasFailure()) return;
  }
}

/// The shortest shift that parts two solids is along the direction in which they overlap least,
/// which is sought here among all. The search may end a little beside it.
TEST_P(PairOfKinds, overlaps_by_as_much_as_the_shortest_shift_that_parts_them) {
  const int cases = testing::cases_of(testing::looks_at_numbers ? 20 : 1);
  for (int i = 0; i < cases; ++i) {
    if (i % 100 == 0) make();
    ASSERT_NO_FATAL_FAILURE(place()) << "case " << i;
    const Vec3 way = (pair_->at_a().x - pair_->at_b().x).normalized();
    pair_->q[2].x += std::pow(10.0, -3.5 + 1.5 * dice_.number()) * way;
    const double told = pair_->gap();
    if (told > 0.0) continue;
    const double right = -testing::least_on_sphere([&](const Vec3& n) { return -apart_along(n); });
    EXPECT_GT(told, right - 1e-9) << "case " << i;
    if (HasFailure()) return;
  }
}

TEST_P(PairOfKinds, has_the_derivatives_of_its_gap_and_rows) {
  testing::expect_derivatives(
      testing::cases_of(testing::looks_at_numbers ? 20 : 1), pair_, dice_, [&] { make(); },
      [&] { place(); });
}

}  // namespace certified_pairs_test
}  // namespace clatter
