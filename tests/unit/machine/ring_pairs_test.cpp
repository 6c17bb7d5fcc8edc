#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/core_shapes.hpp"
#include "support/least_on_circle.hpp"
#include "support/random_pair.hpp"
#include "support/solid_pair.hpp"

namespace clatter {
namespace ring_pairs_test {

using std::numbers::pi;
using testing::CoreKind;
using testing::CoreShape;

/// A ring and another solid, and what the library says of them.
class RingPairOfKinds : public testing::RandomPair<CoreKind> {
 protected:
  RingPairOfKinds() : RandomPair(static_cast<unsigned>(GetParam())) {}

  /// A small partner fits into the hole.
  void make() override {
    tube_ = 0.15 + 0.1 * dice_.number();
    partner_ = make_core_shape(GetParam(), dice_, dice_.number() > 0.0 ? 1.0 : 0.4);
    pair_.emplace(
        fmt::format("{{ kind = 'ring', radius = 1, tube_radius = {}, material = 'stone' }}", tube_),
        partner_.text);
  }

  double radii() const { return tube_ + partner_.radius; }

  /// From the point at an angle of the circle.
  double gap_at(double angle) const {
    const Vec3 on_circle(std::cos(angle), std::sin(angle), 0.0);
    const Vec3 point = pair_->at_a().x + pair_->at_a().R * on_circle - pair_->at_b().x;
    return partner_.distance(pair_->at_b().R.transpose() * point) - radii();
  }
  /// Its minima along the circle of radius 1 that are less than `most`.
  std::vector<double> minima(double most) const {
    return testing::minima_on_circle(
        720, [&](double angle) { return gap_at(angle); }, 1.0, most);
  }

  /// At random, apart or overlapped by less than what counts as a touch; some in the hole. Straight
  /// towards a point of the circle it cannot miss the ring.
  void place() override {
    Configuration& q = pair_->q;
    q[1] = dice_.place(1.0);
    q[2] = dice_.place(1.0);
    const double angle = pi * dice_.number();
    const Vec3 target = q[1].x + q[1].R * Vec3(std::cos(angle), std::sin(angle), 0.0);
    q[2].x = q[1].x + q[1].R * (0.2 * dice_.vector());
    if (pair_->gap() < 1e-3) q[2].x = target + 10.0 * dice_.vector().normalized();  // no room
    ASSERT_TRUE(pair_->approach((target - q[2].x).normalized(), -2e-5, 5e-5));
  }

  double tube_ = 0.0;
  CoreShape partner_;
};

INSTANTIATE_TEST_SUITE_P(Rings, RingPairOfKinds,
                         ::testing::Values(CoreKind::sphere, CoreKind::capsule, CoreKind::box,
                                           CoreKind::hull, CoreKind::cylinder, CoreKind::cone,
                                           CoreKind::ellipsoid, CoreKind::ring),
                         [](const ::testing::TestParamInfo<CoreKind>& test) {
                           return std::string(name_of(test.param));
                         });

/// Sections find a minimum to the root of round-off, its value to round-off.
TEST_P(RingPairOfKinds, touches_wherever_the_distance_along_its_circle_is_least) {
  constexpr double exact = 1e-9;  // of their size, which is about one
  const int cases = testing::cases_of(testing::looks_at_numbers ? 60 : 2);
  look_at_touches(cases, [&](const std::vector<Contact>& found) {
    const std::vector<Solid>& solids = pair_->machine().solids();
    const double reach = 0.9e-3 * std::min(solids[0].size, solids[1].size);  // of touches
    const std::vector<double> right = minima(reach);
    ASSERT_FALSE(right.empty());
    const double least = *std::min_element(right.begin(), right.end());
    EXPECT_NEAR(pair_->gap(), least, exact);
    for (const double gap : right) {
      if (gap > reach) continue;
      EXPECT_TRUE(std::any_of(
          found.begin(), found.end(),
          [&](const Contact& contact) { return std::abs(contact.gap(pair_->q) - gap) < exact; }))
          << gap << " of " << found.size();
    }
    for (const Contact& contact : found) {
      const auto [gap, on_ring, on_other, n] = pair_->points_of(contact);
      EXPECT_GT(gap, least - exact);
      // Both points are on the surfaces, and as far apart as the gap says.
      const Vec3 core = pair_->at_a().R.transpose() * (on_ring - tube_ * n - pair_->at_a().x);
      EXPECT_NEAR(std::hypot(core.x(), core.y()), 1.0, exact);
      EXPECT_NEAR(core.z(), 0.0, exact);
      const Vec3 in_other =
          pair_->at_b().R.transpose() * (on_other + partner_.radius * n - pair_->at_b().x);
      EXPECT_LT(partner_.distance(in_other), 1e-6);
      EXPECT_NEAR(n.dot(on_other - on_ring), gap, exact);
    }
  });
}

TEST_P(RingPairOfKinds, is_apart_by_what_is_told_or_a_tenth_more) {
  const int cases = testing::cases_of(testing::looks_at_numbers ? 60 : 2);
  look_at_cases(cases, [&] {
    pair_->q[1] = dice_.place(0.5);
    pair_->q[2] = dice_.place(0.5);
    const double told = pair_->gap();
    const double right = testing::least_on_circle(
        720, [&](double angle) { return gap_at(angle); }, 1.0);
    // Of overlaps those count as half a tube that are deeper.
    const double half_tube = 0.5 * tube_;
    if (right > 0.0) {
      EXPECT_LT(told, right + 1e-9);
      EXPECT_GT(told, 0.9 * right - 1e-9);
    } else if (right > -half_tube) {
      EXPECT_NEAR(told, right, 1e-9);
    } else {
      EXPECT_LT(told, -half_tube + 1e-9);
    }
  });
}

/// A ring that lies over a wider one, so that their circles cross under two points `y` beside the
/// line of centres, however they are turned about their own axes: both places may be on one arc of
/// each, or on several. Each is `height` less the tubes apart.
TEST(Ring, that_lies_nearly_along_another_touches_it_at_two_places_close_together) {
  constexpr double tube = 0.1, wide = 2.0, apart = 5e-5, exact = 1e-12;
  const auto shape = [&](double radius) {
    return fmt::format("{{ kind = 'ring', radius = {}, tube_radius = {}, material = 'stone' }}",
                       radius, tube);
  };
  testing::SolidPair pair(shape(1.0), shape(wide));
  const auto turned = [](double angle) -> Mat3 {
    return Eigen::AngleAxisd(angle, Vec3::UnitZ()).toRotationMatrix();
  };
  for (const double y : {0.15, 0.05, 0.02}) {
    const double x = std::sqrt(1.0 - y * y);
    for (int turn = 0; turn < 7; ++turn) {
      pair.q[1].R = turned(0.06 * turn);
      pair.q[2].R = turned(0.02 - 0.11 * turn);
      for (NodeState& at : pair.q) at.p = Eigen::Quaterniond(at.R);
      pair.q[2].x = {x - std::sqrt(wide * wide - y * y), 0.0, 2.0 * tube + apart};
      const std::vector<Contact> found = pair.contacts();
      ASSERT_EQ(found.size(), 2U) << y << ", " << turn;
      double sum = 0.0;
      for (const Contact& contact : found) {
        const Vec3 on_a = pair.points_of(contact).on_a;
        EXPECT_NEAR(contact.gap(pair.q), apart, exact);
        EXPECT_NEAR((on_a - Vec3(x, std::copysign(y, on_a.y()), tube)).norm(), 0.0, 1e-9);
        sum += on_a.y();
      }
      EXPECT_NEAR(sum, 0.0, 1e-9);  // one on either side
    }
  }
}

}  // namespace ring_pairs_test
}  // namespace clatter
