#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include <clatter/contact/solvers/lemke_pivots.hpp>

namespace clatter {
namespace lemke_pivots_test {

ContactProblem planar_problem(const MatX& W, const VecX& b, double mu) {
  ContactProblem problem{W.sparseView(), b, {}};
  problem.W.makeCompressed();
  for (int row = 0; row < b.size(); row += 2) {
    problem.contacts.push_back(coulomb_contact(row, 2, mu));
  }
  return problem;
}

/// A rod of a gram between a crank of 0.5 kg and a rocker of 20 kg that stands on a third journal,
/// in play and with friction. Of all choices of open, stick and slip one alone obeys the law: both
/// ends of the rod stick, and the third journal is off.
TEST(LemkePivots, finds_what_holds_a_light_rod_between_heavy_links) {
  MatX W(6, 6);
  W << 1.027670e3, -2.771811e2, -9.822405e2, -2.605431e2, 0, 0,                      //
      -2.771811e2, 3.776587e3, -2.079560e2, 1.979865e3, 0, 0,                        //
      -9.822405e2, -2.079560e2, 1.010655e3, -1.834982e2, 3.488528e-2, -6.161855e-2,  //
      -2.605431e2, 1.979865e3, -1.834982e2, 4.196716e3, -3.644945e-2, -7.598329e-2,  //
      0, 0, 3.488528e-2, -3.644945e-2, 5.037035e-2, 7.071457e-3,                     //
      0, 0, -6.161855e-2, -7.598329e-2, 7.071457e-3, 1.850232e-1;
  const VecX b{
      {-6.406386e-3, -4.942200e-1, -8.114129e-4, -5.378048e-5, -1.062774e-2, -2.414298e-1}};
  const ContactProblem problem = planar_problem(W, b, 0.1);
  ASSERT_TRUE(LemkePivots::suits(view(problem)));
  VecX r = VecX::Zero(6);
  ASSERT_TRUE(LemkePivots().solve(view(problem), r.data()));
  VecX held(4);  // the rows that stick
  held = W.topLeftCorner(4, 4).fullPivLu().solve(-b.head(4));
  // Shifts of 1e-11 of b, times the condition 1e4 of W.
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(r[i], held[i], 1e-6 * held.norm()) << i;
  EXPECT_EQ(r[4], 0.0);
  EXPECT_NEAR(r[5], 0.0, 1e-9 * held.norm());  // friction may be its part of the shift
  EXPECT_LT(std::abs(r[1]), 0.1 * r[0]);
  EXPECT_LT(std::abs(r[3]), 0.1 * r[2]);
}

/// Whatever the masses, also where contacts are redundant.
TEST(LemkePivots, solves_contacts_of_bodies_from_a_gram_to_a_ton) {
  std::mt19937 numbers(3);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> share(0.0, 1.0);
  for (int k = 0; k < 300; ++k) {
    const int contacts = 1 + k % 8, bodies = 1 + k % 5, rows = 2 * contacts;
    const MatX G = MatX::NullaryExpr(rows, 3 * bodies, [&] { return normal(numbers); });
    VecX inverse_masses(3 * bodies);
    for (double& each : inverse_masses) each = std::pow(10.0, 3.0 - 6.0 * share(numbers));
    const VecX v = VecX::NullaryExpr(3 * bodies, [&] { return normal(numbers); });
    const MatX W = G * inverse_masses.asDiagonal() * G.transpose();
    const VecX b = G * v;
    const ContactProblem problem = planar_problem(W, b, 0.3);
    VecX r = VecX::Zero(rows);
    if (!LemkePivots().solve(view(problem), r.data())) {
      EXPECT_GT(rows, 3 * bodies) << k;  // none can be told to exist
      continue;
    }
    const VecX u = W * r + b;
    for (int c = 0; c < contacts; ++c) {
      const double N = r[2 * c], T = r[2 * c + 1], n = u[2 * c], t = u[2 * c + 1];
      // Rates are known to the shift of b, and to round-off of what they are sums of.
      const double little = 1e-9 * (b.norm() + (W.cwiseAbs() * r.cwiseAbs()).maxCoeff());
      // Reactions to what the shift of b, in units of each row, does to them.
      const double least_own = 1.0 / std::sqrt(W.diagonal().minCoeff());
      const double small = 1e-9 * (b.norm() * least_own * least_own + r.norm());
      EXPECT_GE(N, 0.0) << k;
      EXPECT_GE(n, -little) << k;
      EXPECT_LE(std::abs(T), 0.3 * N + small) << k;
      if (N > small) {
        EXPECT_LE(n, little) << k;
      }
      if (std::abs(t) > little) {
        EXPECT_NEAR(T, -std::copysign(0.3 * N, t), small) << k;
      }
    }
  }
}

TEST(LemkePivots, is_not_for_friction_in_two_directions) {
  ContactProblem problem{
      MatX(MatX::Identity(3, 3)).sparseView(), VecX::Zero(3), {coulomb_contact(0, 3, 0.5)}};
  problem.W.makeCompressed();
  EXPECT_FALSE(LemkePivots::suits(view(problem)));
  problem.contacts = {coulomb_contact(0, 3, 0.0)};
  EXPECT_TRUE(LemkePivots::suits(view(problem)));
}

}  // namespace lemke_pivots_test
}  // namespace clatter
