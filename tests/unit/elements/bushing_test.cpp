#include <gtest/gtest.h>

#include <clatter/elements/bushing.hpp>

#include "support/force_element_checks.hpp"
#include "support/random_state.hpp"

namespace clatter {
namespace bushing_test {

using testing::Random;

BushingSpec spec_of(Random& random) {
  BushingSpec spec;
  spec.name = "mount";
  spec.a.point = random.vector();
  spec.b.point = random.vector();
  spec.axes_a = random.axes();
  spec.axes_b = random.axes();
  spec.stiffness = Vec3(10.0, 20.0, 35.0);
  spec.rotational_stiffness = Vec3(3.0, 8.0, 5.0);
  spec.damping = Vec3(2.0, 0.0, 1.0);
  spec.rotational_damping = Vec3(0.5, 2.0, 1.0);
  spec.preload = Vec3(-4.0, 2.0, 7.0);
  return spec;
}

/// Bodies turned against each other by up to 2.9 rad: beyond pi the rotation vector jumps.
template <class Check>
void at_random_states(const Check& check) {
  int turned_far = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    Random random(seed);
    const Configuration q = random.configuration(2);
    const NodalVector v = random.numbers(18);
    for (const auto& [a, b] : {std::pair(1, 2), std::pair(ground, 1), std::pair(2, ground)}) {
      const Bushing bushing(spec_of(random), a, b);
      const double angle = bushing.read(q, v).rotation.norm();
      if (angle > 2.9) continue;
      if (angle > 2.0) ++turned_far;
      check(bushing, q, v);
      if (::testing::Test::HasFailure()) FAIL() << "seed " << seed << ", nodes " << a << ", " << b;
    }
  }
  EXPECT_GT(turned_far, 10);
}

TEST(Bushing, elastic_force_is_minus_the_gradient_of_the_energy) {
  at_random_states(testing::expect_elastic_force_is_minus_the_gradient_of_the_energy);
}

TEST(Bushing, stiffness_is_minus_the_derivative_of_the_force_by_position) {
  at_random_states(testing::expect_stiffness_is_minus_the_derivative_of_the_force_by_position);
}

TEST(Bushing, damping_is_minus_the_derivative_of_the_force_by_velocity) {
  at_random_states(testing::expect_damping_is_minus_the_derivative_of_the_force_by_velocity);
}

TEST(Bushing, takes_out_the_damper_power_and_nothing_else) {
  at_random_states(testing::expect_damper_power_is_taken_out_and_nothing_else);
}

TEST(Bushing, acts_on_its_bodies_with_opposite_forces_and_no_net_torque) {
  at_random_states(testing::expect_forces_are_opposite_without_net_torque);
}

TEST(Bushing, pulls_back_along_and_about_its_axes) {
  BushingSpec spec;
  spec.stiffness = Vec3(10.0, 20.0, 30.0);
  spec.rotational_stiffness = Vec3(1.0, 2.0, 3.0);
  spec.damping = Vec3(1.0, 1.0, 1.0);
  spec.rotational_damping = Vec3(0.0, 0.0, 0.5);
  spec.preload = Vec3(0.0, 0.0, 7.0);
  const Bushing bushing(spec, ground, 1);
  Configuration q(2);
  q[1].x = Vec3(0.1, -0.2, 0.3);
  q[1].p = exp_so3(Vec3(0.0, 0.0, 2.0));
  q[1].R = q[1].p.toRotationMatrix();
  NodalVector v = NodalVector::Zero(12);
  v[6] = 0.5;
  v[11] = 4.0;
  const Bushing::Reading reading = bushing.read(q, v);
  EXPECT_LT((reading.displacement - q[1].x).norm(), 1e-15);
  EXPECT_LT((reading.rotation - Vec3(0.0, 0.0, 2.0)).norm(), 1e-14);
  EXPECT_LT((reading.force - Vec3(-1.5, 4.0, -16.0)).norm(), 1e-14);
  EXPECT_LT((reading.torque - Vec3(0.0, 0.0, -8.0)).norm(), 1e-13);
  EXPECT_NEAR(bushing.energy(q, 0.0), 0.05 + 0.4 + 1.35 + 2.1 + 6.0, 1e-13);
}

TEST(Bushing, turned_to_where_its_rotation_jumps_names_itself) {
  BushingSpec spec;
  spec.name = "mount";
  spec.rotational_stiffness = Vec3(1.0, 2.0, 3.0);
  const Bushing bushing(spec, ground, 1);
  Configuration q(2);
  q[1].p = exp_so3(Vec3(0.0, 2.9, 0.0));
  EXPECT_NO_THROW(bushing.check(q, 0.0));
  q[1].p = exp_so3(Vec3(0.0, 3.0, 0.0));
  EXPECT_THROW(bushing.check(q, 0.0), Error);
}

}  // namespace bushing_test
}  // namespace clatter
