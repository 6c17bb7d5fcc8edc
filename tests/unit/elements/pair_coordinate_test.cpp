#include <cmath>
#include <functional>
#include <numbers>
#include <string_view>

#include <gtest/gtest.h>

#include <clatter/elements/pair_coordinate.hpp>

#include "support/finite_difference.hpp"
#include "support/random_state.hpp"

namespace clatter {
namespace pair_coordinate_test {

using testing::agrees;
using testing::differences;
using testing::displaced;
using testing::Random;

using Make = std::function<PairCoordinate(Random&, int a, int b)>;

struct Kind {
  const char* name;
  Make make;
};

const std::vector<Kind> kinds{
    {"along",
     [](Random& r, int a, int b) {
       const Vec3 point_a = r.vector(), direction = r.direction(), point_b = r.vector();
       return PairCoordinate::along(a, point_a, direction, b, point_b);
     }},
    {"cosine",
     [](Random& r, int a, int b) {
       const Vec3 direction_a = r.direction(), direction_b = r.direction();
       return PairCoordinate::cosine(a, direction_a, b, direction_b);
     }},
    {"distance",
     [](Random& r, int a, int b) {
       // Far enough apart for the differences, whose error grows with 1/distance.
       const Vec3 point_a = r.vector(), point_b = r.vector() + Vec3(3.0, 3.0, 3.0);
       return PairCoordinate::distance(a, point_a, b, point_b);
     }},
    {"angle",
     [](Random& r, int a, int b) {
       const Mat3 axes = r.axes();
       return PairCoordinate::angle(a, axes.col(0), axes.col(1), b, r.direction());
     }},
    {"rim",
     [](Random& r, int a, int b) {
       const Vec3 point = r.vector(), normal = r.direction(), centre = r.vector();
       return PairCoordinate::rim(a, point, normal, b, centre, r.direction(), 0.3);
     }},
};

// The ground may be either node.
const std::vector<std::pair<int, int>> pairs{{1, 2}, {2, 1}, {ground, 1}, {2, ground}};

class EveryPairCoordinate : public ::testing::TestWithParam<Kind> {
 protected:
  /// Calls `check` for each pair of nodes at many random states.
  template <class Check>
  void at_random_states(const Check& check) {
    for (unsigned seed = 0; seed < 25; ++seed) {
      Random random(seed);
      const Configuration q = random.configuration(2);
      for (const auto& [a, b] : pairs) {
        const PairCoordinate coordinate = GetParam().make(random, a, b);
        if (!is_away_from_its_pole(coordinate, q)) continue;
        check(coordinate, q, random);
        if (HasFailure()) FAIL() << "seed " << seed << ", nodes " << a << ", " << b;
      }
    }
  }

  /// An angle has no value where x_b stands on the plane (x_a, y_a), and a flat disc no lowest
  /// point; derivatives grow like powers of one over the length of the projection.
  static bool is_away_from_its_pole(const PairCoordinate& coordinate, const Configuration& q) {
    Vec12 g;
    Mat12 H;
    coordinate.gradient(q, g);
    coordinate.hessian(q, H);
    if (std::string_view(GetParam().name) == "rim") return H.norm() < 6.0;
    return !coordinate.is_angle() || g.norm() < 3.0;
  }
};

TEST_P(EveryPairCoordinate, has_no_derivatives_where_it_denies_them) {
  at_random_states([](const PairCoordinate& coordinate, const Configuration& q, Random&) {
    Vec12 g;
    Mat12 H;
    coordinate.gradient(q, g);
    coordinate.hessian(q, H);
    for (int i = 0; i < 4; ++i) {
      const double gradient = g.segment<3>(3 * i).norm();
      EXPECT_TRUE(coordinate.acts_on(i) || gradient == 0.0) << i;
      for (int j = 0; j < 4; ++j) {
        const double hessian = H.block<3, 3>(3 * i, 3 * j).norm();
        EXPECT_TRUE(coordinate.couples(i, j) || hessian == 0.0) << i << j;
      }
    }
  });
}

TEST_P(EveryPairCoordinate, gradient_is_the_derivative_of_the_value) {
  at_random_states([](const PairCoordinate& c, const Configuration& q, Random&) {
    const double centre = c.value(q);
    const auto value = [&](const VecX& d) -> VecX {
      const double change = c.value(displaced(q, c.a(), c.b(), d)) - centre;
      return VecX::Constant(1,
                            c.is_angle() ? std::remainder(change, 2.0 * std::numbers::pi) : change);
    };
    Vec12 g;
    c.gradient(q, g);
    EXPECT_TRUE(agrees(g.transpose(), differences(value, 12)));
  });
}

TEST_P(EveryPairCoordinate, hessian_is_the_derivative_of_the_gradient) {
  at_random_states([](const PairCoordinate& c, const Configuration& q, Random&) {
    const auto gradient = [&](const VecX& d) -> VecX {
      Vec12 g;
      c.gradient(displaced(q, c.a(), c.b(), d), g);
      return g;
    };
    Mat12 H;
    c.hessian(q, H);
    EXPECT_TRUE(agrees(H, differences(gradient, 12)));
  });
}

// With body-frame variations second derivatives do not commute: moving by i then k differs from k
// then i by the bracket of the two rotations, H_ik - H_ki = g . [e_i, e_k].
TEST_P(EveryPairCoordinate, hessian_is_unsymmetric_by_the_bracket_of_rotations) {
  at_random_states([](const PairCoordinate& c, const Configuration& q, Random&) {
    Vec12 g;
    Mat12 H;
    c.gradient(q, g);
    c.hessian(q, H);
    Mat12 bracket = Mat12::Zero();
    bracket.block<3, 3>(3, 3) = skew(g.segment<3>(3));
    bracket.block<3, 3>(9, 9) = skew(g.segment<3>(9));
    // Products of a few numbers of order ten.
    EXPECT_LT((H - H.transpose() - bracket).cwiseAbs().maxCoeff(), 1e-13);
  });
}

TEST_P(EveryPairCoordinate, does_not_change_when_both_nodes_move_as_one_body) {
  at_random_states([](const PairCoordinate& c, const Configuration& q, Random& random) {
    Vec12 g;
    c.gradient(q, g);
    const Vec3 velocity = random.vector(), spin = random.vector();
    Vec12 common;
    for (const auto& [node, offset] : {std::pair(c.a(), 0), std::pair(c.b(), 6)}) {
      const NodeState& state = q[static_cast<std::size_t>(node)];
      common.segment<3>(offset) = velocity + spin.cross(state.x);
      common.segment<3>(offset + 3) = state.R.transpose() * spin;
    }
    EXPECT_NEAR(g.dot(common), 0.0, 1e-13);
  });
}

INSTANTIATE_TEST_SUITE_P(Kinds, EveryPairCoordinate, ::testing::ValuesIn(kinds),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(PairCoordinate, along_measures_the_component_in_the_frame_of_a) {
  Configuration q(2);
  q[1].x = Vec3(1.0, 2.0, 3.0);
  const auto c = PairCoordinate::along(ground, Vec3(0.0, 0.5, 0.0), Vec3::UnitY(), 1, Vec3::Zero());
  EXPECT_DOUBLE_EQ(c.value(q), 1.5);
  EXPECT_TRUE(c.is_length());
  EXPECT_FALSE(c.is_angle());
}

TEST(PairCoordinate, rim_is_the_lowest_point_of_a_disc) {
  Configuration q(2);
  q[1].x = Vec3(1.0, 2.0, 3.0);
  q[1].p = exp_so3(0.4 * Vec3::UnitX());
  q[1].R = q[1].p.toRotationMatrix();
  const auto c = PairCoordinate::rim(ground, Vec3(0.0, 0.0, 1.0), Vec3::UnitZ(), 1, Vec3::Zero(),
                                     Vec3::UnitZ(), 0.5);
  double lowest = 3.0;
  for (int i = 0; i < 360; ++i) {
    const double angle = i * std::numbers::pi / 180.0;
    const Vec3 on_rim = 0.5 * Vec3(std::cos(angle), std::sin(angle), 0.0);
    lowest = std::min(lowest, (q[1].x + q[1].R * on_rim).z());
  }
  EXPECT_NEAR(c.value(q), lowest - 1.0, 1e-15 * 4);
  EXPECT_TRUE(c.is_length());
}

TEST(PairCoordinate, angle_is_counted_from_x_towards_y) {
  Configuration q(2);
  const auto c = PairCoordinate::angle(ground, Vec3::UnitX(), Vec3::UnitY(), 1, Vec3::UnitX());
  EXPECT_TRUE(c.is_angle());
  EXPECT_FALSE(c.is_length());
  for (const double angle : {-3.0, -1.0, 0.0, 0.5, 3.1}) {
    q[1].p = exp_so3(angle * Vec3::UnitZ());
    q[1].R = q[1].p.toRotationMatrix();
    EXPECT_NEAR(c.value(q), angle, 1e-15 * 4);
  }
}

}  // namespace pair_coordinate_test
}  // namespace clatter
