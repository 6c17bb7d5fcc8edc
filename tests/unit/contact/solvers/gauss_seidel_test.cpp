#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <clatter/contact/solvers/contact_solver.hpp>

#include "support/random_state.hpp"

namespace clatter {
namespace gauss_seidel_test {

using testing::Random;

CondensedContact coulomb(int first_row, int rows, double mu) {
  CondensedContact contact{first_row, rows};
  if (rows > 1) {
    contact.law.ball_count = 1;
    contact.law.balls[0] = {1, rows - 1, mu};
  }
  return contact;
}

/// Sliding, rolling and drilling, each with its coefficient.
CondensedContact with_blocks(int first_row, const std::vector<std::pair<int, double>>& blocks) {
  CondensedContact contact{first_row, 1};
  for (const auto& [rows, coefficient] : blocks) {
    contact.law.balls[static_cast<std::size_t>(contact.law.ball_count++)] = {contact.rows, rows,
                                                                             coefficient};
    contact.rows += rows;
  }
  return contact;
}

/// True when it came within the tolerance.
bool sweep(const MatX& D, const VecX& b, const std::vector<CondensedContact>& contacts,
           double tolerance, VecX& p) {
  ContactProblem problem{D.sparseView(), b, contacts};
  problem.W.makeCompressed();
  return ContactSolver()
      .solve(problem, {ContactSolverKind::gauss_seidel, tolerance, 20000}, p)
      .solved;
}

/// Largest violation of Signorini's and Coulomb's conditions by reactions p.
double violation(const MatX& D, const VecX& b, std::span<const CondensedContact> contacts,
                 const VecX& p) {
  const VecX g = b + D * p;
  double worst = 0.0;
  for (const CondensedContact& c : contacts) {
    const double p_N = p[c.first_row], g_N = g[c.first_row];
    worst = std::max({worst, -p_N, -g_N, std::abs(std::min(p_N, g_N))});
    for (const FrictionBall& ball : c.law.all_balls()) {
      const VecX p_B = p.segment(c.first_row + ball.first_row, ball.rows);
      const VecX g_B = g.segment(c.first_row + ball.first_row, ball.rows);
      worst = std::max(worst, p_B.norm() - ball.coefficient * p_N);
      // The reaction is the projection of itself minus the slip: no slip inside the ball, opposite
      // to it on its edge.
      VecX projected = p_B - g_B;
      const double radius = ball.coefficient * std::max(p_N, 0.0);
      if (projected.norm() > radius) projected *= radius / projected.norm();
      worst = std::max(worst, (projected - p_B).norm());
    }
  }
  return worst;
}

RC_GTEST_PROP(GaussSeidel, solves_frictional_contact_problems, ()) {
  Random random(*rc::gen::arbitrary<unsigned>());
  std::vector<CondensedContact> contacts;
  int rows = 0;
  for (int c = 0; c < 4; ++c) {
    const int own = *rc::gen::inRange(1, 4);
    contacts.push_back(coulomb(rows, own, own > 1 ? random.number(0.1, 0.8) : 0.0));
    rows += own;
  }
  // W M^-1 W^T of more unknowns than rows, kept away from singular.
  MatX W(rows, rows + 4);
  for (Eigen::Index i = 0; i < W.size(); ++i) W(i) = random.number();
  const MatX D = W * W.transpose() + 0.5 * MatX::Identity(rows, rows);
  const VecX b = random.numbers(rows);
  VecX p = VecX::Zero(rows);
  RC_ASSERT(sweep(D, b, contacts, 1e-11, p));
  RC_ASSERT(violation(D, b, contacts, p) < 1e-9);
}

RC_GTEST_PROP(GaussSeidel, solves_problems_with_several_blocks_of_friction, ()) {
  Random random(*rc::gen::arbitrary<unsigned>());
  const std::vector<std::vector<int>> kinds{{2, 2, 1}, {1, 1}, {3, 2}, {2, 1}, {1}, {}};
  std::vector<CondensedContact> contacts;
  int rows = 0;
  for (int c = 0; c < 3; ++c) {
    std::vector<std::pair<int, double>> blocks;
    for (const int own : kinds[static_cast<std::size_t>(*rc::gen::inRange(0, 6))]) {
      blocks.emplace_back(own, *rc::gen::inRange(0, 6) == 0 ? 0.0 : random.number(0.05, 0.6));
    }
    contacts.push_back(with_blocks(rows, blocks));
    rows += contacts.back().rows;
  }
  MatX W(rows, rows + 4);
  for (Eigen::Index i = 0; i < W.size(); ++i) W(i) = random.number();
  const MatX D = W * W.transpose() + 0.5 * MatX::Identity(rows, rows);
  const VecX b = random.numbers(rows);
  VecX p = VecX::Zero(rows);
  RC_ASSERT(sweep(D, b, contacts, 1e-11, p));
  RC_ASSERT(violation(D, b, contacts, p) < 1e-9);
}

TEST(GaussSeidel, holds_each_block_within_its_own_bound) {
  // The rows do not touch each other: the contact closes with 2; sliding is too fast to be held,
  // rolling is not, drilling is free.
  const MatX D = MatX::Identity(6, 6);
  VecX b(6);
  b << -2.0, 3.0, -4.0, 0.3, 0.4, 1.0;
  const std::vector<CondensedContact> contacts{with_blocks(0, {{2, 0.5}, {2, 0.4}, {1, 0.0}})};
  VecX p = VecX::Zero(6);
  EXPECT_TRUE(sweep(D, b, contacts, 1e-14, p));
  VecX expected(6);
  expected << 2.0, -0.6, 0.8, -0.3, -0.4, 0.0;
  EXPECT_LT((p - expected).norm(), 1e-14);
}

TEST(GaussSeidel, leaves_blocks_that_cannot_move_without_reaction) {
  MatX D = MatX::Identity(4, 4);
  D(3, 3) = 0.0;  // nothing turns about the normal
  VecX b(4);
  b << -1.0, 0.1, 0.0, 0.0;
  const std::vector<CondensedContact> contacts{with_blocks(0, {{2, 0.5}, {1, 0.3}})};
  VecX p = VecX::Zero(4);
  EXPECT_TRUE(sweep(D, b, contacts, 1e-14, p));
  VecX expected(4);
  expected << 1.0, -0.1, 0.0, 0.0;
  EXPECT_LT((p - expected).norm(), 1e-14);
}

TEST(GaussSeidel, leaves_all_blocks_of_separating_contacts_without_reaction) {
  const MatX D = MatX::Identity(6, 6);
  VecX b(6);
  b << 0.2, 1.0, -1.0, 0.5, 0.5, -1.0;
  const std::vector<CondensedContact> contacts{with_blocks(0, {{2, 0.5}, {2, 0.4}, {1, 0.3}})};
  VecX p = VecX::Ones(6);
  EXPECT_TRUE(sweep(D, b, contacts, 1e-14, p));
  EXPECT_EQ(p.norm(), 0.0);
}

TEST(GaussSeidel, shares_the_load_of_redundant_contacts) {
  // Two equal contacts carry what one would: D is singular.
  const MatX D = MatX::Ones(2, 2);
  const VecX b = VecX::Constant(2, -1.0);
  const std::vector<CondensedContact> contacts{coulomb(0, 1, 0.0), coulomb(1, 1, 0.0)};
  VecX p = VecX::Zero(2);
  EXPECT_TRUE(sweep(D, b, contacts, 1e-14, p));
  EXPECT_NEAR(p.sum(), 1.0, 1e-14);
  EXPECT_GE(p.minCoeff(), 0.0);
}

TEST(GaussSeidel, leaves_separating_contacts_without_reaction) {
  const MatX D = MatX::Identity(3, 3);
  const std::vector<CondensedContact> contacts{coulomb(0, 3, 0.5)};
  VecX p = VecX::Ones(3);
  EXPECT_TRUE(sweep(D, Vec3(0.2, -1.0, 1.0), contacts, 1e-14, p));
  EXPECT_EQ(p.norm(), 0.0);
}

}  // namespace gauss_seidel_test
}  // namespace clatter
