#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include <clatter/elements/spring.hpp>

#include "support/force_element_checks.hpp"
#include "support/random_state.hpp"

namespace clatter {
namespace spring_test {

using testing::Random;

enum class Kind { axial, linear, torsional };

struct Case {
  Kind kind;
  double stiffness, damping;
  const char* law = "";
  SpringLaw of = stiffness;
  std::vector<double> kinks = {};  // elongations where the tangent jumps
};

// A rope that holds and one that lets go, alike for buffers; table and gas as far as states reach.
const SpringLaw rope = SpringLaw::Kinds(OneSidedLaw{30.0, 1});
const SpringLaw buffer = SpringLaw::Kinds(OneSidedLaw{30.0, -1});
const std::vector<Eigen::Vector2d> points{{-1.0, -40.0}, {0.5, -2.0}, {2.0, 30.0}};
const SpringLaw table = SpringLaw::Kinds(TableLaw(points));
const SpringLaw gas = SpringLaw::Kinds(GasLaw{20.0, 10.0, 1.3});

class EverySpring : public ::testing::TestWithParam<Case> {
 protected:
  static PairCoordinate coordinate(Random& random, int a, int b) {
    const Vec3 point_a = random.vector(), point_b = random.vector() + Vec3(3.0, 3.0, 3.0);
    const Mat3 axes = random.axes();
    switch (GetParam().kind) {
      case Kind::axial:
        return PairCoordinate::distance(a, point_a, b, point_b);
      case Kind::linear:
        return PairCoordinate::along(a, point_a, axes.col(0), b, point_b);
      case Kind::torsional:
        // Nearly in the plane at the states below, away from the pole of the angle.
        return PairCoordinate::angle(a, axes.col(0), axes.col(1), b,
                                     axes * Vec3(0.8, 0.5, 0.3).normalized());
    }
    throw std::logic_error("no such kind");
  }

  template <class Check>
  void at_random_states(const Check& check) {
    for (unsigned seed = 0; seed < 20; ++seed) {
      Random random(seed);
      Configuration q = random.configuration(2);
      if (GetParam().kind == Kind::torsional) {  // turned by less than 40 degrees
        for (NodeState& state : q) {
          state.p = exp_so3(random.vector(0.2));
          state.R = state.p.toRotationMatrix();
        }
      }
      const NodalVector v = random.numbers(18);
      for (const auto& [a, b] : {std::pair(1, 2), std::pair(ground, 1), std::pair(2, ground)}) {
        const PairCoordinate s = coordinate(random, a, b);
        if (near_kink(Spring("s", s, GetParam().stiffness, GetParam().damping, 0.4), q, v))
          continue;
        const Spring spring("s", s, GetParam().of, GetParam().damping, 0.4);
        check(spring, q, v);
        if (HasFailure()) FAIL() << "seed " << seed << ", nodes " << a << ", " << b;
      }
    }
  }

  /// Differences reach 8e-3 to either side on arms of up to 6 m, and change the tension by less
  /// than 4 N.
  static bool near_kink(const Spring& linear, const Configuration& q, const NodalVector& v) {
    Spring::Force f;
    linear.force(q, v, 0.0, f);
    for (const double kink : GetParam().kinks) {
      if (std::abs(f.elongation - kink) < 0.06) return true;
    }
    return GetParam().of.side() != 0 && std::abs(f.tension) < 4.0;
  }
};

TEST_P(EverySpring, elastic_force_is_minus_the_gradient_of_the_energy) {
  at_random_states(testing::expect_elastic_force_is_minus_the_gradient_of_the_energy);
}

TEST_P(EverySpring, stiffness_is_minus_the_derivative_of_the_force_by_position) {
  at_random_states(testing::expect_stiffness_is_minus_the_derivative_of_the_force_by_position);
}

TEST_P(EverySpring, damping_is_minus_the_derivative_of_the_force_by_velocity) {
  at_random_states(testing::expect_damping_is_minus_the_derivative_of_the_force_by_velocity);
}

TEST_P(EverySpring, takes_out_the_damper_power_and_nothing_else) {
  at_random_states(testing::expect_damper_power_is_taken_out_and_nothing_else);
}

TEST_P(EverySpring, pushes_its_ends_with_opposite_forces_and_no_net_torque) {
  at_random_states(testing::expect_forces_are_opposite_without_net_torque);
}

std::string name_of(const ::testing::TestParamInfo<Case>& info) {
  static const std::array kinds{"axial", "linear", "torsional"};
  return std::string(kinds[static_cast<std::size_t>(info.param.kind)]) +
         (info.param.damping > 0.0 ? "_damped" : "") +
         (info.param.stiffness > 0.0 ? "" : "_without_spring") + info.param.law;
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, EverySpring,
    ::testing::Values(Case{Kind::axial, 30.0, 0.0}, Case{Kind::axial, 30.0, 4.0},
                      Case{Kind::axial, 0.0, 4.0}, Case{Kind::linear, 30.0, 0.0},
                      Case{Kind::linear, 30.0, 4.0}, Case{Kind::torsional, 30.0, 0.0},
                      Case{Kind::torsional, 30.0, 4.0},
                      Case{Kind::axial, 30.0, 4.0, "_rope", rope, {0.0}},
                      Case{Kind::linear, 30.0, 0.0, "_rope", rope, {0.0}},
                      Case{Kind::linear, 30.0, 40.0, "_rope_that_may_let_go", rope, {0.0}},
                      Case{Kind::linear, 30.0, 40.0, "_buffer", buffer, {0.0}},
                      Case{Kind::torsional, 30.0, 4.0, "_buffer", buffer, {0.0}},
                      Case{Kind::axial, 30.0, 4.0, "_table", table, {0.5}},
                      Case{Kind::linear, 30.0, 0.0, "_table", table, {0.5}},
                      Case{Kind::torsional, 30.0, 4.0, "_table", table, {0.5}},
                      Case{Kind::axial, 30.0, 0.0, "_gas", gas},
                      Case{Kind::linear, 30.0, 4.0, "_gas", gas}),
    name_of);

TEST(Spring, stretched_pulls_its_ends_together) {
  Configuration q(2);
  q[1].x = Vec3(3.0, 0.0, 0.0);
  NodalVector v = NodalVector::Zero(12);
  v[6] = 0.5;
  const Spring spring("s", PairCoordinate::distance(ground, Vec3::Zero(), 1, Vec3::Zero()), 10.0,
                      2.0, 1.0);
  Spring::Force f;
  spring.force(q, v, 0.0, f);
  EXPECT_DOUBLE_EQ(f.elongation, 2.0);
  EXPECT_DOUBLE_EQ(f.rate, 0.5);
  EXPECT_DOUBLE_EQ(f.tension, 21.0);
  EXPECT_DOUBLE_EQ(f.generalised[6], -21.0);
  EXPECT_DOUBLE_EQ(f.generalised[0], 21.0);
  EXPECT_DOUBLE_EQ(spring.energy(q, 0.0), 20.0);
  EXPECT_DOUBLE_EQ(spring.dissipated_power(q, v, 0.0), 0.5);
}

TEST(Spring, torsional_one_counts_turns_in_both_senses) {
  Spring spring("s", PairCoordinate::angle(ground, Vec3::UnitX(), Vec3::UnitY(), 1, Vec3::UnitX()),
                2.0, 0.0, 0.0);
  Configuration q(2);
  double reached = 0.0;
  const auto turn_to = [&](double angle) {
    q[1].p = exp_so3(std::remainder(angle, 2.0 * std::numbers::pi) * Vec3::UnitZ());
    q[1].R = q[1].p.toRotationMatrix();
    reached = spring.coordinate(q, reached);
  };
  for (int i = 0; i <= 100; ++i) turn_to(0.2 * i);
  // sine and cosine of the reduced angle, plus whole turns.
  EXPECT_NEAR(spring.coordinate(q, reached), 20.0, 1e-14);
  EXPECT_NEAR(spring.energy(q, reached), 400.0, 1e-12);
  for (int i = 100; i >= -100; --i) turn_to(0.2 * i);
  EXPECT_NEAR(spring.coordinate(q, reached), -20.0, 1e-14);
}

TEST(Spring, torsional_one_counts_turns_from_the_start_and_not_from_its_rest_angle) {
  Spring spring("s", PairCoordinate::angle(ground, Vec3::UnitX(), Vec3::UnitY(), 1, Vec3::UnitX()),
                2.0, 0.0, 10.0);
  const Configuration q(2);
  Spring::Force force;
  spring.force(q, NodalVector::Zero(12), spring.coordinate_at_start(), force);
  EXPECT_NEAR(spring.coordinate(q, 0.0), 0.0, 1e-14);
  EXPECT_NEAR(force.tension, -20.0, 1e-13);  // wound back by 10 rad
}

TEST(Spring, offset_shifts_the_zero_of_an_angle_and_its_turns) {
  const Spring spring("s",
                      PairCoordinate::angle(ground, Vec3::UnitX(), Vec3::UnitY(), 1, Vec3::UnitX()),
                      SpringLaw::Kinds(LinearLaw{2.0}), 0.0, 1.0, {}, 7.0, 7.0);
  const Configuration q(2);
  EXPECT_EQ(spring.coordinate_at_start(), 7.0);
  EXPECT_NEAR(spring.coordinate(q, 7.0), 7.0, 1e-14);
  EXPECT_NEAR(spring.energy(q, 7.0), 36.0, 1e-13);
}

Spring::Force force_on_a_line(const SpringLaw& law, double damping, double x, double speed) {
  Configuration q(2);
  q[1].x = Vec3(x, 0.0, 0.0);
  NodalVector v = NodalVector::Zero(12);
  v[6] = speed;
  const Spring spring("s",
                      PairCoordinate::along(ground, Vec3::Zero(), Vec3::UnitX(), 1, Vec3::Zero()),
                      law, damping, 1.0);
  Spring::Force f;
  spring.force(q, v, 0.0, f);
  return f;
}

TEST(Spring, rope_pulls_when_longer_than_at_rest_and_never_pushes) {
  EXPECT_DOUBLE_EQ(force_on_a_line(rope, 2.0, 1.5, 1.0).tension, 30.0 * 0.5 + 2.0);
  EXPECT_EQ(force_on_a_line(rope, 2.0, 1.5, -8.0).tension, 0.0);  // 15 - 16 would push
  EXPECT_EQ(force_on_a_line(rope, 2.0, 0.5, 1.0).tension, 0.0);   // no damper while slack
}

TEST(Spring, buffer_pushes_when_shorter_than_at_rest_and_never_pulls) {
  EXPECT_DOUBLE_EQ(force_on_a_line(buffer, 2.0, 0.5, -1.0).tension, -30.0 * 0.5 - 2.0);
  EXPECT_EQ(force_on_a_line(buffer, 2.0, 0.5, 8.0).tension, 0.0);
  EXPECT_EQ(force_on_a_line(buffer, 2.0, 1.5, -1.0).tension, 0.0);
}

TEST(Spring, whose_gas_is_used_up_names_itself) {
  const Spring spring("strut",
                      PairCoordinate::along(ground, Vec3::Zero(), Vec3::UnitX(), 1, Vec3::Zero()),
                      SpringLaw::Kinds(GasLaw{20.0, 0.5, 1.0}), 0.0, 1.0);
  Configuration q(2);
  q[1].x = Vec3(0.6, 0.0, 0.0);
  EXPECT_NO_THROW(spring.check(q, 0.0));
  q[1].x = Vec3(0.4, 0.0, 0.0);
  try {
    spring.check(q, 0.0);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("spring 'strut': its gas column is used up"),
              std::string::npos);
  }
}

}  // namespace spring_test
}  // namespace clatter
