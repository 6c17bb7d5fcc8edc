#include <array>
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/convex_distance.hpp"
#include "support/core_shapes.hpp"
#include "support/least_on_circle.hpp"
#include "support/random_pair.hpp"

namespace clatter {
namespace beam_pairs_test {

using testing::BoundsOfDistance;
using testing::CoreKind;
using testing::CoreShape;
using testing::SolidPair;

/// A bent beam of two elements and a solid, or another beam, near each other: each element is what
/// lies within a radius of the straight line between its nodes.
class BeamPairOfKinds : public testing::RandomPair<std::string> {
 protected:
  BeamPairOfKinds() : RandomPair(static_cast<unsigned>(GetParam().size())) {}

  static bool is_beam() { return GetParam() == "beam"; }

  void make() override {
    radius_ = 0.1 + 0.08 * dice_.number();
    const auto beam = [&](const char* name, double radius, double y) {
      return fmt::format(
          "[[beam]]\nname = '{}'\npoints = [[0, {}, 0], [1, {}, 0], [2, {}, 0]]\nelements = 2\n"
          "section = {{ kind = 'circle', radius = {} }}\nyoungs_modulus = 1e9\n"
          "poisson_ratio = 0.3\ndensity = 1000\nmaterial = 'stone'\n",
          name, y, y, y, radius);
    };
    std::string other;
    if (is_beam()) {
      other_radius_ = 0.1 + 0.08 * dice_.number();
      other = beam("b", other_radius_, 5.0);
    } else {
      const auto kind =
          std::find(testing::core_names.begin(), testing::core_names.end(), GetParam()) -
          testing::core_names.begin();
      partner_ = make_core_shape(static_cast<CoreKind>(kind), dice_);
      other_radius_ = partner_.radius;
      other =
          "[[body]]\nname = 'b'\nmass = 1\ninertia = [1, 1, 1]\nshape = " + partner_.text + "\n";
    }
    pair_.emplace(
        "[[material]]\nname = 'stone'\nfriction = 0.3\nrolling_friction = 0.01\n"
        "drilling_friction = 0.01\n" +
            other + beam("a", radius_, 0.0) + "[integrator]\nstep = 1\nduration = 1\n",
        2, 1);
    elements_.clear();
    other_elements_.clear();
    for (const Solid& solid : pair_->machine().solids()) {
      if (!solid.is_element()) continue;
      (solid.name == "a" ? elements_ : other_elements_)
          .push_back(
              {static_cast<std::size_t>(solid.node), static_cast<std::size_t>(solid.second)});
    }
  }

  /// Brute force over the elements; with a guess of the direction from beam to partner.
  BoundsOfDistance right_gap(const Vec3& guess) const {
    BoundsOfDistance least;
    const Configuration& q = pair_->q;
    const auto furthest_of = [&](const Ends& ends, const Vec3& n) -> Vec3 {
      const Vec3 &one = q[ends[0]].x, &other = q[ends[1]].x;
      return n.dot(one) > n.dot(other) ? one : other;
    };
    for (const Ends& ends : elements_) {
      if (is_beam()) {
        for (const Ends& of_b : other_elements_) {
          least.take(testing::bounds_of_distance(
              [&](const Vec3& n) -> Vec3 { return furthest_of(of_b, n) - furthest_of(ends, -n); },
              1e-11, guess));
        }
      } else if (GetParam() == "ring") {
        const NodeState& at = pair_->at_b();
        const double distance = testing::least_on_circle(
            720,
            [&](double angle) {
              return testing::distance_from_segment(
                  at.x + at.R * partner_.circles.front().at(angle), q[ends[0]].x, q[ends[1]].x);
            },
            partner_.circles.front().radius);
        least.take({distance, distance});
      } else {
        const NodeState& at = pair_->at_b();
        least.take(testing::bounds_of_distance(
            [&](const Vec3& n) -> Vec3 {
              return at.x + at.R * partner_.furthest(at.R.transpose() * n) - furthest_of(ends, -n);
            },
            1e-11, guess));
      }
    }
    return {least.least - radius_ - other_radius_, least.most - radius_ - other_radius_};
  }

  /// Bent and stretched by up to a fifth; apart or overlapped by less than what counts as a touch.
  void place() override {
    for (int attempt = 0; attempt < 200; ++attempt) {
      Configuration& q = pair_->q;
      for (std::size_t n = 1; n < q.size(); ++n) q[n] = dice_.place(0.0);
      const auto bend = [&](const std::vector<Ends>& elements) {
        for (const Ends& ends : elements) {
          Vec3 way = dice_.vector().normalized();
          way.x() = 0.5 + std::abs(way.x());
          q[ends[1]].x = q[ends[0]].x + (1.0 + 0.2 * dice_.number()) * way.normalized();
        }
      };
      bend(elements_);
      bend(other_elements_);
      const Vec3 way = dice_.vector().normalized();
      const auto shift = [&](double by) {
        if (is_beam()) {
          q[other_elements_.front()[0]].x += by * way;
          for (const Ends& ends : other_elements_) q[ends[1]].x += by * way;
        } else {
          q[pair_->node_b].x += by * way;
        }
      };
      shift(-6.0);
      // Nearer than a thousandth of the radius is a touch.
      const bool is_thin = is_beam() || GetParam() == "ring";
      const double near = 1e-3 * (is_thin ? std::min(radius_, other_radius_) : radius_);
      double gap = 0.0;
      if (SolidPair::come_near(
              -0.8 * near, 0.8 * near, [&] { return gap = pair_->gap(); }, shift,
              [&] { return gap > 20.0; })) {
        return;
      }
    }
    FAIL() << "no place was found";
  }

  using Ends = std::array<std::size_t, 2>;
  double radius_ = 0.0, other_radius_ = 0.0;
  CoreShape partner_;
  std::vector<Ends> elements_, other_elements_;
};

INSTANTIATE_TEST_SUITE_P(Beams, BeamPairOfKinds,
                         ::testing::Values("sphere", "capsule", "box", "hull", "cylinder", "cone",
                                           "ellipsoid", "ring", "beam"),
                         [](const ::testing::TestParamInfo<std::string>& test) {
                           return test.param;
                         });

TEST_P(BeamPairOfKinds, is_as_far_as_the_nearest_of_its_elements) {
  constexpr double exact = 1e-9;  // of their size, which is about one
  const int cases = testing::cases_of(testing::looks_at_numbers ? 20 : 1);
  look_at_touches(cases, [&](const std::vector<Contact>& contacts) {
    ASSERT_FALSE(contacts.empty());
    const Contact& contact = pair_->nearest_of(contacts);
    const Vec3 normal = contact.frame(pair_->q, Vec3::UnitX()).normal;
    const BoundsOfDistance right = right_gap(normal);
    ASSERT_LT(right.most - right.least, exact);
    EXPECT_NEAR(contact.gap(pair_->q), right.least, exact);
    EXPECT_LT(pair_->gap(), right.most + exact);
    EXPECT_NEAR(normal.norm(), 1.0, 1e-14);
  });
}

}  // namespace beam_pairs_test
}  // namespace clatter
