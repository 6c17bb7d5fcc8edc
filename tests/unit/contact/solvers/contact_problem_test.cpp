#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <clatter/contact/solvers/contact_problem.hpp>

#include "support/random_state.hpp"

namespace clatter {
namespace contact_problem_test {

using testing::Random;

/// One contact with W = size * identity.
ContactProblem one_contact(int rows, double mu, const VecX& b, double size = 1.0) {
  ContactProblem problem;
  problem.W = (size * MatX::Identity(rows, rows)).sparseView();
  problem.b = b;
  problem.contacts = {coulomb_contact(0, rows, mu)};
  return problem;
}

/// The nearest point of the cone |y_T| <= mu y_N by its definition: where neither the point itself
/// nor the apex is nearest, the foot on the ray of the cone's edge in the plane of y.
Vec3 nearest_in_cone(const Vec3& y, double mu) {
  const double length = y.tail<2>().norm();
  if (length <= mu * y[0]) return y;
  Vec3 ray(1.0, 0.0, 0.0);
  if (length > 0.0) ray.tail<2>() = mu * y.tail<2>() / length;
  ray.normalize();
  return std::max(0.0, y.dot(ray)) * ray;
}

RC_GTEST_PROP(ContactProblem, error_is_the_natural_map_of_the_cone, ()) {
  Random random(*rc::gen::arbitrary<unsigned>());
  const int contacts = 3;
  ContactProblem problem;
  MatX W(9, 9);
  for (int i = 0; i < 9; ++i) W.col(i) = random.numbers(9);
  problem.W = W.sparseView();
  problem.b = random.numbers(9);
  for (int c = 0; c < contacts; ++c) {
    problem.contacts.push_back(coulomb_contact(3 * c, 3, random.number(0.0, 1.5)));
  }
  const VecX r = random.numbers(9);
  double common = 0.0, scaled = 0.0;
  for (int c = 0; c < contacts; ++c) {
    const double mu = problem.contacts[static_cast<std::size_t>(c)].law.balls[0].coefficient;
    Vec3 u = (W * r + problem.b).segment<3>(3 * c);
    u[0] += mu * u.tail<2>().norm();
    const Vec3 r_c = r.segment<3>(3 * c);
    const double trace = W.block<3, 3>(3 * c, 3 * c).trace();
    const double rho = trace > 0.0 ? 1.0 / trace : 1.0;
    common += (r_c - nearest_in_cone(r_c - u, mu)).squaredNorm();
    scaled += (r_c - nearest_in_cone(r_c - rho * u, mu)).squaredNorm() / (rho * rho);
  }
  const ContactError error = contact_error(problem, r);
  RC_ASSERT(std::abs(error.common - std::sqrt(common) / problem.b.norm()) <= 1e-13 * error.common);
  RC_ASSERT(std::abs(error.scaled - std::sqrt(scaled) / problem.b.norm()) <= 1e-12 * error.scaled);
}

TEST(ContactProblem, error_vanishes_for_take_off_stick_and_slip_only) {
  const double mu = 0.5;
  // u = r + b. Parts: r = 0. Sticks: r = -b. Slips: r_N = 2, |r_T| = 1 against the slip.
  const auto error = [&](const Vec3& b, const Vec3& r) {
    return contact_error(one_contact(3, mu, b), r).common;
  };
  EXPECT_EQ(error({1, 3, 0}, {0, 0, 0}), 0.0);
  EXPECT_EQ(error({-2, 0.6, -0.8}, {2, -0.6, 0.8}), 0.0);
  EXPECT_NEAR(error({-2, 3, -4}, {2, -0.6, 0.8}), 0.0, 1e-16);
  EXPECT_GT(error({-2, 3, -4}, {0, 0, 0}), 0.1);
  EXPECT_GT(error({-2, 3, -4}, {2, 0.6, -0.8}), 0.1);
  EXPECT_GT(error({1, 0, 0}, {1, 0, 0}), 0.1);
}

TEST(ContactProblem, contacts_without_friction_and_in_the_plane_have_errors_too) {
  EXPECT_EQ(
      contact_error(one_contact(1, 0.0, VecX::Constant(1, -2.0)), VecX::Constant(1, 2.0)).common,
      0.0);
  EXPECT_EQ(
      contact_error(one_contact(2, 0.0, Eigen::Vector2d(-2, 1)), Eigen::Vector2d(2, 0)).common,
      0.0);
  EXPECT_EQ(
      contact_error(one_contact(2, 0.5, Eigen::Vector2d(-2, 3)), Eigen::Vector2d(2, -1)).common,
      0.0);
  EXPECT_GT(
      contact_error(one_contact(2, 0.5, Eigen::Vector2d(-2, 3)), Eigen::Vector2d(2, 1)).common,
      0.1);
}

TEST(ContactProblem, scaled_error_does_not_depend_on_units) {
  // Reactions in units a thousand times as large: W is a million times as large where both sides of
  // the error change, or a thousand times where only reactions do.
  const Vec3 b(-2, 3, -4), r(1.7, -0.5, 0.9);
  const double in_newton = contact_error(one_contact(3, 0.5, b), r).scaled;
  const double in_kilonewton = contact_error(one_contact(3, 0.5, b, 1e3), r / 1e3).scaled;
  EXPECT_NEAR(in_kilonewton, in_newton, 1e-14 * in_newton);
}

TEST(ContactProblem, problem_without_velocities_is_solved_by_no_reactions) {
  const ContactError error = contact_error(one_contact(3, 0.5, Vec3::Zero()), Vec3::Zero());
  EXPECT_EQ(error.common, 0.0);
  EXPECT_EQ(error.scaled, 0.0);
}

TEST(ContactProblem, faults_are_named) {
  const ContactProblem fine = one_contact(3, 0.5, Vec3(-1, 0, 0));
  EXPECT_EQ(find_fault(fine), "");
  ContactProblem broken = fine;
  broken.b[1] = NAN;
  EXPECT_EQ(find_fault(broken), "a velocity is not a finite number");
  broken = fine;
  broken.contacts[0].law.balls[0].coefficient = -0.1;
  EXPECT_EQ(find_fault(broken), "contact 0 has the friction coefficient -0.1");
  broken = fine;
  broken.contacts[0].rows = 2;
  EXPECT_EQ(find_fault(broken), "the friction balls of contact 0 do not cover its rows");
  broken = fine;
  broken.contacts.clear();
  EXPECT_EQ(find_fault(broken), "the contacts have 0 rows, but there are 3");
}

}  // namespace contact_problem_test
}  // namespace clatter
