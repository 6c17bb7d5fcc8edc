#include <cmath>

#include <gtest/gtest.h>

#include <clatter/elements/load.hpp>

#include "support/finite_difference.hpp"
#include "support/random_state.hpp"

namespace clatter {
namespace load_test {

using testing::agrees;
using testing::differences;
using testing::displaced;
using testing::Random;

std::array<Expression, 3> expressions(const Vec3& v) { return {v.x(), v.y(), v.z()}; }

class LoadInAxes : public ::testing::TestWithParam<LoadAxes> {};

TEST_P(LoadInAxes, tangent_is_minus_the_derivative_of_the_generalised_force) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Random random(seed);
    const Configuration q = random.configuration(1);
    const Load load("f", 1, random.vector(), expressions(random.vector(5.0)),
                    expressions(random.vector(5.0)), GetParam());
    const auto minus_force = [&](const VecX& d) -> VecX {
      Vec12 both = Vec12::Zero();
      both.tail<6>() = d;
      return -load.generalised(load.at(0.0), displaced(q, ground, 1, both)[1]);
    };
    EXPECT_TRUE(agrees(load.tangent(load.at(0.0), q[1]), differences(minus_force, 6)))
        << "seed " << seed;
  }
}

TEST_P(LoadInAxes, power_is_force_times_velocity_of_its_point_plus_torque_times_spin) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Random random(seed);
    const NodeState q = random.configuration(1)[1];
    const Vec3 point = random.vector(), force = random.vector(5.0), torque = random.vector(5.0);
    const Load load("f", 1, point, expressions(force), expressions(torque), GetParam());
    const Vec6 v = random.numbers(6);
    const Mat3 to_space = GetParam() == LoadAxes::space ? Mat3::Identity() : q.R;
    const Vec3 spin = q.R * v.tail<3>();
    const Vec3 point_velocity = v.head<3>() + spin.cross(q.R * point);
    const double power = (to_space * force).dot(point_velocity) + (to_space * torque).dot(spin);
    EXPECT_NEAR(load.generalised(load.at(0.0), q).dot(v), power, 1e-13) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Axes, LoadInAxes, ::testing::Values(LoadAxes::space, LoadAxes::body),
                         [](const auto& test) {
                           return test.param == LoadAxes::space ? "space" : "body";
                         });

TEST(Load, follows_its_functions_of_time) {
  const Load load("f", 1, Vec3::Zero(), {Expression("2*t"), 0.0, Expression("sin(t)")},
                  {0.0, Expression("t^2"), 0.0}, LoadAxes::space);
  const NodeState q;
  EXPECT_EQ(load.generalised(load.at(0.0), q).norm(), 0.0);
  Vec6 expected;
  expected << 3.0, 0.0, std::sin(1.5), 0.0, 2.25, 0.0;
  EXPECT_LT((load.generalised(load.at(1.5), q) - expected).norm(), 1e-15);
}

}  // namespace load_test
}  // namespace clatter
