#include "contact/gauss_seidel.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "support/random_state.hpp"

namespace clatter {
namespace {

using testing::Random;

CondensedContact coulomb(int first_row, int rows, double mu) {
  CondensedContact contact{first_row, rows};
  if (rows > 1) {
    contact.law.ball_count = 1;
    contact.law.balls[0] = {1, rows - 1, mu};
  }
  return contact;
}

/// Largest violation of Signorini's and Coulomb's conditions by reactions p.
double violation(const MatX& D, const VecX& b, std::span<const CondensedContact> contacts,
                 const VecX& p) {
  const VecX g = b + D * p;
  double worst = 0.0;
  for (const CondensedContact& c : contacts) {
    const double p_N = p[c.first_row], g_N = g[c.first_row];
    worst = std::max({worst, -p_N, -g_N, std::abs(std::min(p_N, g_N))});
    if (c.rows == 1) continue;
    const VecX p_T = p.segment(c.first_row + 1, c.rows - 1);
    const VecX g_T = g.segment(c.first_row + 1, c.rows - 1);
    const double mu = c.law.balls[0].coefficient;
    worst = std::max(worst, p_T.norm() - mu * p_N);
    // The reaction is the projection of itself minus the slip: no slip inside the cone, opposite
    // to it on its edge.
    VecX projected = p_T - g_T;
    const double radius = mu * std::max(p_N, 0.0);
    if (projected.norm() > radius) projected *= radius / projected.norm();
    worst = std::max(worst, (projected - p_T).norm());
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
  const GaussSeidelResult result = solve_gauss_seidel(D, b, contacts, 1e-13, 20000, p);
  RC_ASSERT(result.change <= 1e-13);
  // Sweeps contract by less than 1 - 1e-3 here: the error is at most a thousand changes.
  RC_ASSERT(violation(D, b, contacts, p) < 1e-9);
}

TEST(GaussSeidel, shares_the_load_of_redundant_contacts) {
  // Two equal contacts carry what one would: D is singular.
  const MatX D = MatX::Ones(2, 2);
  const VecX b = VecX::Constant(2, -1.0);
  const std::vector<CondensedContact> contacts{coulomb(0, 1, 0.0), coulomb(1, 1, 0.0)};
  VecX p = VecX::Zero(2);
  solve_gauss_seidel(D, b, contacts, 1e-14, 100, p);
  EXPECT_NEAR(p.sum(), 1.0, 1e-14);
  EXPECT_GE(p.minCoeff(), 0.0);
}

TEST(GaussSeidel, leaves_separating_contacts_without_reaction) {
  const MatX D = MatX::Identity(3, 3);
  const std::vector<CondensedContact> contacts{coulomb(0, 3, 0.5)};
  VecX p = VecX::Ones(3);
  solve_gauss_seidel(D, Vec3(0.2, -1.0, 1.0), contacts, 1e-14, 100, p);
  EXPECT_EQ(p.norm(), 0.0);
}

}  // namespace
}  // namespace clatter
