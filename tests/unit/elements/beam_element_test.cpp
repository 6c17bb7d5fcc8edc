#include <gtest/gtest.h>

#include <clatter/elements/beam_element.hpp>

#include "support/finite_difference.hpp"
#include "support/random_state.hpp"

namespace clatter {
namespace beam_element_test {

using testing::agrees;
using testing::differences;
using testing::displaced;
using testing::Random;

constexpr int A = 1, B = 2;

/// Stiffnesses and lengths near one, so that differences are as exact as they can be.
BeamProperties some_properties(Random& random) {
  BeamProperties p;
  p.length = 0.8;
  for (int i = 0; i < 6; ++i) p.stiffness[i] = random.number(1.0, 3.0);
  p.unstressed_curvature = random.vector(0.3);
  p.line_mass = 1.3;
  p.line_inertia = {0.3, 0.2, 0.1};
  return p;
}

/// Two frames at most 2 rad from each other and the ground.
Configuration some_configuration(Random& random) {
  Configuration q = random.configuration(2);
  q[B].p = q[A].p * exp_so3(random.number(0.0, 2.0) * random.direction());
  q[B].R = q[B].p.toRotationMatrix();
  return q;
}

BeamProperties with_corner_frames(BeamProperties p, Random& random) {
  p.frame_a = random.axes();
  p.frame_b = exp_so3(random.vector(0.3)).toRotationMatrix().transpose() * p.frame_a;
  return p;
}

class BeamElementAtRandom : public ::testing::TestWithParam<unsigned> {
 protected:
  Random random{GetParam()};
  Configuration q = some_configuration(random);
  NodalVector v = random.numbers(18);

  Mat12 tangent(const BeamElement& element, const TangentFactors& factors) {
    const BeamElement::Helix lies = element.helix(q);
    Mat12 result, same;
    BeamElement::tangents({element, lies, nullptr, nullptr, result},
                          {element, lies, nullptr, nullptr, same}, v, factors);
    EXPECT_EQ(result, same);
    return result;
  }
};

TEST_P(BeamElementAtRandom, force_is_minus_the_gradient_of_the_energy) {
  NodalVector at_rest = NodalVector::Zero(18);
  BeamProperties p = some_properties(random);
  for (const bool corner : {false, true}) {
    if (corner) p = with_corner_frames(p, random);
    const BeamElement element(A, B, p);
    Vec12 f;
    element.force(element.helix(q), at_rest, f);
    const auto energy = [&](const VecX& d) {
      return VecX::Constant(1, element.energy(element.helix(displaced(q, A, B, d))));
    };
    EXPECT_TRUE(agrees(-f.transpose(), differences(energy, 12)));
  }
}

TEST_P(BeamElementAtRandom, tangents_are_the_derivatives_of_the_force) {
  for (const bool corner : {false, true}) {
    for (const double damping : {0.0, 0.3}) {
      BeamProperties p = some_properties(random);
      if (corner) p = with_corner_frames(p, random);
      p.stiffness_damping = damping;
      p.mass_damping = 2.0 * damping;
      const BeamElement element(A, B, p);
      const Mat12 K = tangent(element, {.stiffness = 1.0});
      const Mat12 C = tangent(element, {.damping = 1.0});
      const auto at = [&](const VecX& d) -> VecX {
        Vec12 f;
        element.force(element.helix(displaced(q, A, B, d)), v, f);
        return -f;
      };
      EXPECT_TRUE(agrees(K, differences(at, 12)));
      const auto moving = [&](const VecX& d) -> VecX {
        NodalVector faster = v;
        faster.tail<12>() += d;
        Vec12 f;
        element.force(element.helix(q), faster, f);
        return -f;
      };
      EXPECT_TRUE(agrees(C, differences(moving, 12)));
    }
  }
}

TEST_P(BeamElementAtRandom, two_elements_are_as_each_by_itself) {
  BeamProperties p = some_properties(random), other_p = with_corner_frames(p, random);
  other_p.length *= 2.0;
  other_p.stiffness_damping = 0.3;
  other_p.mass_damping = 0.6;
  const BeamElement one(A, B, p), other(B, A, other_p);
  const BeamElement::Helix lies = one.helix(q), other_lies = other.helix(q);
  Mat12 first, second;
  const TangentFactors factors{2.0, 3.0, 4.0};
  BeamElement::tangents({one, lies, nullptr, nullptr, first},
                        {other, other_lies, nullptr, nullptr, second}, v, factors);
  EXPECT_LT((first - tangent(one, factors)).norm(), 1e-13 * first.norm());
  EXPECT_LT((second - tangent(other, factors)).norm(), 1e-13 * second.norm());
  // With T, the columns of rotations of K are multiplied by it.
  const Mat3 T_a = tangent_so3(random.vector(1.0)), T_b = tangent_so3(random.vector(1.0));
  const TangentFactors stiffness{.stiffness = 1.0};
  BeamElement::tangents({one, lies, &T_a, &T_b, first}, {other, other_lies, &T_b, &T_a, second}, v,
                        stiffness);
  Mat12 K = tangent(one, stiffness), other_K = tangent(other, stiffness);
  for (const auto& [at, T, other_T] : {std::tuple(3, T_a, T_b), std::tuple(9, T_b, T_a)}) {
    K.middleCols<3>(at) = (K.middleCols<3>(at) * T).eval();
    other_K.middleCols<3>(at) = (other_K.middleCols<3>(at) * other_T).eval();
  }
  EXPECT_LT((first - K).norm(), 1e-13 * K.norm());
  EXPECT_LT((second - other_K).norm(), 1e-13 * other_K.norm());
}

/// A planar element is the element in space, where nothing leaves the plane.
TEST_P(BeamElementAtRandom, in_the_plane_is_the_same_as_in_space) {
  BeamProperties p = some_properties(random);
  p.unstressed_curvature.head<2>().setZero();
  p.stiffness.segment<3>(2).setZero();
  p.line_inertia.head<2>().setZero();
  const auto about_z = [&](double angle) {
    return Mat3(Eigen::AngleAxisd(angle, Vec3::UnitZ()).toRotationMatrix());
  };
  Configuration plane(3);
  NodalVector moving = NodalVector::Zero(18);
  const double start = random.number(-4.0, 4.0);
  for (const int n : {A, B}) {
    plane[n].x = {random.number(-1.0, 1.0), random.number(-1.0, 1.0), 0.0};
    plane[n].R = about_z(n == A ? start : start + random.number(-2.0, 2.0));
    plane[n].p = Quaternion(plane[n].R);
    for (const int i : {0, 1, 5}) moving[6 * n + i] = random.number(-1.0, 1.0);
  }
  for (const bool corner : {false, true}) {
    for (const double damping : {0.0, 0.3}) {
      if (corner) p.frame_a = about_z(random.number(-3.0, 3.0));
      if (corner) p.frame_b = about_z(random.number(-0.5, 0.5)) * p.frame_a;
      p.stiffness_damping = damping;
      p.mass_damping = 2.0 * damping;
      p.planar = true;
      const BeamElement flat(A, B, p);
      p.planar = false;
      const BeamElement spatial(A, B, p);
      const BeamElement::Helix flat_lies = flat.helix(plane), lies = spatial.helix(plane);
      EXPECT_NEAR(flat.energy(flat_lies), spatial.energy(lies), 1e-14);
      EXPECT_NEAR(flat.dissipated_power(plane, moving), spatial.dissipated_power(plane, moving),
                  1e-13);
      EXPECT_LT(
          (flat.section(plane, moving).resultant - spatial.section(plane, moving).resultant).norm(),
          1e-13);
      Vec12 f, g;
      flat.force(flat_lies, moving, f);
      spatial.force(lies, moving, g);
      EXPECT_LT((f - g).norm(), 1e-13 * (1.0 + g.norm()));
      flat.correct_momentum(moving, f);
      spatial.correct_momentum(moving, g);
      EXPECT_LT((f - g).norm(), 1e-14);
      for (const TangentFactors& factors :
           {TangentFactors{2.0, 3.0, 4.0}, TangentFactors{1.0, 0.0, 0.0},
            TangentFactors{0.0, 1.0, 0.0}, TangentFactors{0.0, 0.0, 1.0},
            TangentFactors{0.0, 0.0, 1.0, true}}) {
        Mat12 first, second;
        BeamElement::tangents({flat, flat_lies, nullptr, nullptr, first},
                              {spatial, lies, nullptr, nullptr, second}, moving, factors);
        for (const int i : {0, 1, 5, 6, 7, 11}) {
          for (const int j : {0, 1, 5, 6, 7, 11}) {
            EXPECT_NEAR(first(i, j), second(i, j), 1e-12 * (1.0 + second.norm()))
                << corner << damping << ": " << i << ", " << j;
          }
        }
      }
    }
  }
}

TEST_P(BeamElementAtRandom, damping_takes_out_the_power_of_its_forces) {
  BeamProperties p = some_properties(random);
  const BeamElement elastic(A, B, p);
  p.stiffness_damping = 0.2;
  p.mass_damping = 0.7;
  const BeamElement damped(A, B, p);
  Vec12 f, g;
  elastic.force(elastic.helix(q), v, f);
  damped.force(damped.helix(q), v, g);
  EXPECT_NEAR(damped.dissipated_power(q, v), (f - g).dot(of_pair(v, A, B)), 1e-12);
  EXPECT_GT(damped.dissipated_power(q, v), 0.0);
}

TEST_P(BeamElementAtRandom, rigid_motion_changes_no_strain_and_internal_forces_balance) {
  const BeamElement element(A, B, some_properties(random));
  const NodalVector at_rest = NodalVector::Zero(18);
  const SectionVector before = element.section(q, at_rest).strain;
  const Quaternion turn = random.rotation();
  const Vec3 shift = random.vector();
  Configuration moved = q;
  for (const int n : {A, B}) {
    moved[n].x = shift + turn * q[n].x;
    moved[n].p = turn * q[n].p;
    moved[n].R = moved[n].p.toRotationMatrix();
  }
  EXPECT_LT((element.section(moved, at_rest).strain - before).norm(), 1e-14);

  Vec12 f;
  element.force(element.helix(q), at_rest, f);
  EXPECT_LT((f.segment<3>(0) + f.segment<3>(6)).norm(), 1e-14);
  const Vec3 torque = q[A].x.cross(f.segment<3>(0)) + q[A].R * f.segment<3>(3) +
                      q[B].x.cross(f.segment<3>(6)) + q[B].R * f.segment<3>(9);
  EXPECT_LT(torque.norm(), 1e-13);
}

TEST_P(BeamElementAtRandom, frames_on_a_helix_have_its_constant_strain) {
  BeamProperties p = some_properties(random);
  p.unstressed_curvature.setZero();
  const BeamElement element(A, B, p);
  SectionVector strain = random.numbers(6, 0.5);
  // dR/ds = R skew(curvature), dx/ds = R (e_1 + shear), by a fine midpoint rule
  constexpr int pieces = 20000;
  const double ds = p.length / pieces;
  q[B] = q[A];
  for (int i = 0; i < pieces; ++i) {
    const Quaternion half = exp_so3(0.5 * ds * strain.tail<3>());
    q[B].x += ds * ((q[B].p * half) * (Vec3::UnitX() + strain.head<3>()));
    q[B].p = q[B].p * half * half;
  }
  q[B].p.normalize();
  q[B].R = q[B].p.toRotationMatrix();
  // The midpoint rule is off by ds^2/24 times the second derivative of R, of size curvature^2.
  const SectionVector found = element.section(q, NodalVector::Zero(18)).strain;
  EXPECT_LT((found - strain).norm(), ds * ds);
}

TEST_P(BeamElementAtRandom, consistent_mass_gives_the_energy_of_linear_velocities) {
  BeamProperties p = some_properties(random);
  const BeamElement element(A, B, p);
  Vec12 momentum;
  element.correct_momentum(v, momentum);
  const Vec12 pair = of_pair(v, A, B);
  EXPECT_LT((momentum - element.mass_correction() * pair).norm(), 1e-14);
  EXPECT_LT((tangent(element, {.mass = 2.0}) - 2.0 * element.mass_correction()).norm(), 1e-14);
  const double half_mass = 0.5 * p.length;
  const double lumped =
      0.5 * half_mass *
      (p.line_mass * (pair.segment<3>(0).squaredNorm() + pair.segment<3>(6).squaredNorm()) +
       pair.segment<3>(3).dot(p.line_inertia.cwiseProduct(pair.segment<3>(3))) +
       pair.segment<3>(9).dot(p.line_inertia.cwiseProduct(pair.segment<3>(9))));
  // Simpson's rule is exact for the square of a linear function.
  double exact = 0.0;
  for (const auto& [s, weight] : {std::pair(0.0, 1.0 / 6), {0.5, 4.0 / 6}, {1.0, 1.0 / 6}}) {
    const Vec6 u = (1.0 - s) * pair.head<6>() + s * pair.tail<6>();
    exact += 0.5 * p.length * weight *
             (p.line_mass * u.head<3>().squaredNorm() +
              u.tail<3>().dot(p.line_inertia.cwiseProduct(u.tail<3>())));
  }
  EXPECT_NEAR(lumped + 0.5 * momentum.dot(pair), exact, 1e-14);
}

INSTANTIATE_TEST_SUITE_P(Seeds, BeamElementAtRandom, ::testing::Range(1u, 9u));

TEST(BeamElement, signs_of_section_forces_are_those_of_the_textbook) {
  BeamProperties p;
  p.length = 1.0;
  p.stiffness.setOnes();
  const BeamElement element(A, B, p);
  Configuration q(3);
  q[B].x = {1.1, 0.0, 0.0};
  EXPECT_NEAR(element.section(q, NodalVector::Zero(18)).resultant[0], 0.1, 1e-15);  // tension
  q[B].x = {1.0, 0.01, 0.0};
  EXPECT_NEAR(element.section(q, NodalVector::Zero(18)).resultant[1], 0.01, 1e-15);
  // Turned left at b: positive curvature about z
  q[B].p = exp_so3({0.0, 0.0, 0.2});
  q[B].R = q[B].p.toRotationMatrix();
  EXPECT_NEAR(element.section(q, NodalVector::Zero(18)).strain[5], 0.2, 1e-15);
}

}  // namespace beam_element_test
}  // namespace clatter
