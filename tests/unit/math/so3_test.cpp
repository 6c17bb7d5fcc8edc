#include <cmath>
#include <numbers>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <clatter/math/so3.hpp>

#include "support/finite_difference.hpp"
#include "support/random_state.hpp"

namespace clatter {
namespace so3_test {

using std::numbers::pi;
using testing::Random;

constexpr double unit_round_off = 1.1e-16;

// Angles on both sides of every place where a formula may switch or lose digits.
const std::vector<double> angles{
    0.0,    1e-300, 1e-160, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4,      1e-3,      0.0199,     0.0201,
    0.1999, 0.2001, 0.5,    1.0,   2.0,   3.0,  3.1,  pi - 1e-3, pi - 1e-6, pi - 1e-10, pi - 1e-14};

/// A double between -1 and 1 that shrinks to zero.
rc::Gen<double> fraction() {
  return rc::gen::map(rc::gen::inRange(-1000000, 1000001), [](int i) { return 1e-6 * i; });
}

rc::Gen<Vec3> rotation_vector(double longest) {
  return rc::gen::map(rc::gen::tuple(fraction(), fraction(), fraction()),
                      [longest](const std::tuple<double, double, double>& t) -> Vec3 {
                        const auto [x, y, z] = t;
                        return longest / std::sqrt(3.0) * Vec3(x, y, z);
                      });
}

// T and its coefficients in long double, by series long enough to be exact: a reference that has
// no switch between formulas.
Mat3 tangent_by_series(const Vec3& psi) {
  using Wide = Eigen::Matrix<long double, 3, 3>;
  const Wide s = skew(psi).cast<long double>();
  Wide term = Wide::Identity(), sum = Wide::Identity();
  for (int k = 1; k < 60; ++k) {  // T = sum (-s)^k / (k + 1)!
    term = (term * -s / static_cast<long double>(k + 1)).eval();
    sum += term;
  }
  return sum.cast<double>();
}

TEST(So3, skew_times_a_vector_is_the_cross_product) {
  Random random(1);
  const Vec3 a = random.vector(), b = random.vector();
  // Products of two numbers below one and one subtraction.
  EXPECT_LT((skew(a) * b - a.cross(b)).norm(), 4 * unit_round_off);
}

TEST(So3, exponential_is_a_unit_quaternion_at_all_angles) {
  Random random(2);
  for (const double angle : angles) {
    // sine, cosine and the division each err by a unit in the last place.
    EXPECT_NEAR(exp_so3(angle * random.direction()).norm(), 1.0, 4 * unit_round_off) << angle;
  }
}

TEST(So3, exponential_turns_by_the_angle_about_the_axis) {
  Random random(3);
  for (const double angle : angles) {
    const Vec3 axis = random.direction();
    const Mat3 expected = Eigen::AngleAxisd(angle, axis).toRotationMatrix();
    EXPECT_LT((exp_so3(angle * axis).toRotationMatrix() - expected).norm(), 1e-15 * 4) << angle;
  }
}

TEST(So3, logarithm_inverts_the_exponential_from_zero_to_pi) {
  Random random(4);
  for (const double angle : angles) {
    for (int i = 0; i < 20; ++i) {
      const Vec3 psi = angle * random.direction();
      // Relative, however small the angle: a few roundings. At pi - 1e-14 the axis is still told
      // from its opposite because w = 5e-15 is.
      EXPECT_LE((log_so3(exp_so3(psi)) - psi).norm(), 8 * unit_round_off * angle) << angle;
    }
  }
}

TEST(So3, logarithm_of_half_a_turn_is_that_turn_in_either_sense) {
  Random random(5);
  for (int i = 0; i < 50; ++i) {
    const Vec3 psi = pi * random.direction();
    const Vec3 back = log_so3(exp_so3(psi));
    EXPECT_NEAR(back.norm(), pi, 8 * unit_round_off * pi);
    EXPECT_LT(std::min((back - psi).norm(), (back + psi).norm()), 8 * unit_round_off * pi);
  }
}

TEST(So3, logarithm_does_not_depend_on_the_sign_of_the_quaternion) {
  Random random(6);
  for (int i = 0; i < 50; ++i) {
    const Quaternion p = random.rotation();
    const Quaternion opposite(-p.w(), -p.x(), -p.y(), -p.z());
    EXPECT_EQ((log_so3(p) - log_so3(opposite)).norm(), 0.0);
  }
}

TEST(So3, logarithm_beyond_half_a_turn_is_the_shorter_way_back) {
  const Vec3 axis = Vec3(1.0, 2.0, -2.0) / 3.0;
  for (const double beyond : {1e-10, 1e-4, 0.5, 3.0}) {
    const Vec3 back = log_so3(exp_so3((pi + beyond) * axis));
    // pi + beyond is rounded before it is used.
    EXPECT_LT((back + (pi - beyond) * axis).norm(), 1e-15 * 8) << beyond;
  }
}

TEST(So3, tangent_agrees_with_its_power_series_on_both_sides_of_every_switch) {
  Random random(7);
  for (const double angle : angles) {
    for (int i = 0; i < 20; ++i) {
      const Vec3 psi = angle * random.direction();
      // Entries of order one and a handful of operations each.
      EXPECT_LT((tangent_so3(psi) - tangent_by_series(psi)).cwiseAbs().maxCoeff(),
                8 * unit_round_off * (1.0 + angle))
          << angle;
    }
  }
}

TEST(So3, first_order_part_of_the_tangent_is_exact_for_small_angles) {
  Random random(8);
  for (const double angle : {1e-12, 1e-6, 1e-3, 0.01, 0.0199, 0.0201}) {
    const Vec3 psi = angle * random.direction();
    // T - T^T = -2 (1 - cos th)/th^2 skew(psi): seen without the identity, relative to the angle.
    const double half = std::sin(0.5 * angle) / angle;
    const Mat3 odd = 0.5 * (tangent_so3(psi) - tangent_so3(psi).transpose());
    EXPECT_LT((odd + 2.0 * half * half * skew(psi)).norm(), 8 * unit_round_off * angle) << angle;
  }
}

TEST(So3, tangent_and_its_inverse_multiply_to_the_identity) {
  Random random(9);
  for (const double angle : angles) {
    for (int i = 0; i < 20; ++i) {
      const Vec3 psi = angle * random.direction();
      const Mat3 product = tangent_so3(psi) * inverse_tangent_so3(psi);
      EXPECT_LT((product - Mat3::Identity()).cwiseAbs().maxCoeff(), 1e-14) << angle;
    }
  }
}

TEST(So3, inverse_of_the_tangent_grows_only_towards_a_full_turn) {
  Random random(10);
  for (const double angle : {pi, 4.0, 5.0, 6.0, 6.28}) {
    const Vec3 psi = angle * random.direction();
    const Mat3 inverse = inverse_tangent_so3(psi);
    const Mat3 product = tangent_so3(psi) * inverse;
    // Round-off times the condition number.
    EXPECT_LT((product - Mat3::Identity()).norm(), 20 * unit_round_off * inverse.norm() * angle)
        << angle;
  }
}

// exp(psi)^T exp(psi + dpsi) = exp(dTheta) with dTheta = T dpsi to first order.
RC_GTEST_PROP(So3, tangent_is_the_derivative_of_the_exponential, ()) {
  const Vec3 psi = *rotation_vector(6.0);
  const Quaternion back = exp_so3(psi).conjugate();
  const auto turned = [&](const VecX& d) -> VecX { return log_so3(back * exp_so3(psi + d)); };
  RC_ASSERT(testing::agrees(tangent_so3(psi), testing::differences(turned, 3)));
}

RC_GTEST_PROP(So3, inverse_tangent_is_the_derivative_of_the_logarithm, ()) {
  const Vec3 psi = *rotation_vector(2.9);
  const auto log_of = [&](const VecX& d) -> VecX {
    return log_so3(exp_so3(psi) * exp_so3(Vec3(d)));
  };
  RC_ASSERT(testing::agrees(inverse_tangent_so3(psi), testing::differences(log_of, 3)));
}

// A constant body-frame spin over a step ends in the same space-frame direction.
RC_GTEST_PROP(So3, rotation_carries_the_inverse_tangent_into_its_transpose, ()) {
  Random random(*rc::gen::arbitrary<unsigned>());
  const Vec3 psi = *rotation_vector(3.1);
  const Mat3 start = random.axes(), end = start * exp_so3(psi).toRotationMatrix();
  const Mat3 inverse = inverse_tangent_so3(psi);
  // R_n T^-1 = R_{n+1} T^-T; products of matrices with entries up to pi/2.
  RC_ASSERT((start * inverse - end * inverse.transpose()).cwiseAbs().maxCoeff() < 1e-14);
}

TEST(So3, turns_and_back_again_give_the_identity) {
  Random random(11);
  for (const double angle : angles) {
    const Vec3 psi = angle * random.direction();
    const Quaternion none = exp_so3(psi) * exp_so3(-psi);
    EXPECT_LT(none.vec().norm(), 4 * unit_round_off) << angle;
  }
}

}  // namespace so3_test
}  // namespace clatter
