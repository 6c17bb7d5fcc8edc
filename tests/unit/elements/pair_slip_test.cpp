#include <algorithm>
#include <functional>

#include <gtest/gtest.h>

#include <clatter/elements/pair_coordinate.hpp>
#include <clatter/elements/pair_slip.hpp>

#include "support/finite_difference.hpp"
#include "support/random_state.hpp"

namespace clatter {
namespace pair_slip_test {

using testing::agrees;
using testing::differences;
using testing::displaced;
using testing::Random;

struct Kind {
  const char* name;
  std::function<PairSlip(Random&, int a, int b)> make;
};

const std::vector<Kind> kinds{
    {"point",
     [](Random& r, int a, int b) {
       const Vec3 point = r.vector();
       return PairSlip::of_point(a, b, point, r.direction());
     }},
    {"sphere",
     [](Random& r, int a, int b) {
       const Mat3 axes = r.axes();
       return PairSlip::of_sphere(a, axes.col(2), axes.col(0), b, r.vector(), 0.3);
     }},
    {"disc",
     [](Random& r, int a, int b) {
       const Mat3 axes = r.axes();
       const Vec3 centre = r.vector();
       return PairSlip::of_disc(a, axes.col(2), axes.col(0), b, centre, r.direction(), 0.3);
     }},
};

// The ground may be either node.
const std::vector<std::pair<int, int>> pairs{{1, 2}, {2, 1}, {ground, 1}, {2, ground}};

class EveryPairSlip : public ::testing::TestWithParam<Kind> {
 protected:
  template <class Check>
  void at_random_states(const Check& check) {
    for (unsigned seed = 0; seed < 25; ++seed) {
      Random random(seed);
      const Configuration q = random.configuration(2);
      for (const auto& [a, b] : pairs) {
        const PairSlip slip = GetParam().make(random, a, b);
        Mat12 H;
        slip.row_derivative(q, H);
        if (H.norm() > 20.0) continue;  // a disc that lies almost flat, where differences are rough
        check(slip, a, b, q, random);
        if (HasFailure()) FAIL() << "seed " << seed << ", nodes " << a << ", " << b;
      }
    }
  }
};

TEST_P(EveryPairSlip, derivative_of_the_row_is_what_differences_give) {
  at_random_states([](const PairSlip& slip, int a, int b, const Configuration& q, Random&) {
    const auto row = [&](const VecX& d) -> VecX {
      Vec12 g;
      slip.row(displaced(q, a, b, d), g);
      return g;
    };
    Mat12 H;
    slip.row_derivative(q, H);
    EXPECT_TRUE(agrees(H, differences(row, 12)));
  });
}

TEST_P(EveryPairSlip, has_no_derivatives_where_it_denies_them) {
  at_random_states([](const PairSlip& slip, int, int, const Configuration& q, Random&) {
    Mat12 H;
    slip.row_derivative(q, H);
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 4; ++j) {
        const double block = H.block<3, 3>(3 * i, 3 * j).norm();
        EXPECT_TRUE(slip.couples(i, j) || block == 0.0) << i << j;
      }
    }
  });
}

TEST_P(EveryPairSlip, is_zero_when_both_nodes_move_as_one_body) {
  at_random_states([](const PairSlip& slip, int a, int b, const Configuration& q, Random& random) {
    Vec12 g, common;
    slip.row(q, g);
    const Vec3 velocity = random.vector(), spin = random.vector();
    for (const auto& [node, offset] : {std::pair(a, 0), std::pair(b, 6)}) {
      const NodeState& state = q[static_cast<std::size_t>(node)];
      common.segment<3>(offset) = velocity + spin.cross(state.x);
      common.segment<3>(offset + 3) = state.R.transpose() * spin;
    }
    EXPECT_NEAR(g.dot(common), 0.0, 1e-13);
  });
}

// The gradient of a coordinate is unsymmetric by the bracket of the two rotations and nothing else;
// what is more shows that no coordinate has this rate.
TEST_P(EveryPairSlip, is_the_rate_of_no_coordinate) {
  double most = 0.0;
  at_random_states([&](const PairSlip& slip, int, int, const Configuration& q, Random&) {
    Vec12 g;
    Mat12 H, bracket = Mat12::Zero();
    slip.row(q, g);
    slip.row_derivative(q, H);
    bracket.block<3, 3>(3, 3) = skew(g.segment<3>(3));
    bracket.block<3, 3>(9, 9) = skew(g.segment<3>(9));
    most = std::max(most, (H - H.transpose() - bracket).norm());
  });
  EXPECT_GT(most, 0.1);
}

INSTANTIATE_TEST_SUITE_P(Kinds, EveryPairSlip, ::testing::ValuesIn(kinds),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(PairSlip, of_a_point_is_its_velocity_across) {
  Configuration q(2);
  q[1].x = Vec3(1.0, 2.0, 0.0);
  q[1].p = exp_so3(0.5 * Vec3::UnitZ());
  q[1].R = q[1].p.toRotationMatrix();
  const PairSlip slip = PairSlip::of_point(ground, 1, Vec3(-0.3, 0.0, 0.0), Vec3::UnitY());
  Vec12 g, v = Vec12::Zero();
  v.segment<3>(6) = q[1].R * Vec3(0.7, 0.2, 0.0);  // 0.2 across
  v[11] = 2.0;
  slip.row(q, g);
  EXPECT_NEAR(g.dot(v), 0.2 - 2.0 * 0.3, 1e-15);
}

// Along the normal the material of the lowest point moves as fast as the height changes, since the
// lowest point is an extremum; so the row of `along the normal` is the gradient of the height.
TEST(PairSlip, along_the_normal_is_the_rate_of_the_height) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    Random random(seed);
    const Configuration q = random.configuration(2);
    const Vec3 normal = random.direction(), centre = random.vector(), axle = random.direction();
    const PairSlip disc = PairSlip::of_disc(1, normal, normal, 2, centre, axle, 0.3);
    const PairCoordinate rim =
        PairCoordinate::rim(1, random.vector(), normal, 2, centre, axle, 0.3);
    Vec12 row, gradient;
    disc.row(q, row);
    rim.gradient(q, gradient);
    EXPECT_LT((row - gradient).norm(), 1e-14 * (1.0 + row.norm()) * 10.0);
  }
}

}  // namespace pair_slip_test
}  // namespace clatter
