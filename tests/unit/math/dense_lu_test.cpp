#include <gtest/gtest.h>

#include <clatter/math/dense_lu.hpp>

#include "support/random_state.hpp"

namespace clatter {
namespace dense_lu_test {

MatX random_matrix(testing::Random& random, Eigen::Index n) {
  MatX A(n, n);
  for (Eigen::Index i = 0; i < A.size(); ++i) A(i) = random.number();
  return A;
}

TEST(DenseLu, solves_the_leading_part_of_a_larger_matrix) {
  testing::Random random(1);
  DenseLu lu;
  for (const Eigen::Index n : {1, 2, 7, 30}) {
    const MatX A = random_matrix(random, 30);
    const VecX x = random.numbers(n);
    MatX factors = A;
    VecX b = VecX::Zero(30);
    b.head(n) = A.topLeftCorner(n, n) * x;
    ASSERT_TRUE(lu.factorise(factors, n, 1e-13));
    lu.solve(factors, n, b);
    // Random matrices of this size have conditions far below 1e5.
    EXPECT_LT((b.head(n) - x).norm(), 1e-10) << n;
  }
}

TEST(DenseLu, needs_row_exchanges_and_does_them) {
  MatX A(2, 2);
  A << 0.0, 2.0, 3.0, 0.0;
  VecX b(2);
  b << 4.0, 9.0;
  DenseLu lu;
  ASSERT_TRUE(lu.factorise(A, 2, 1e-13));
  lu.solve(A, 2, b);
  EXPECT_EQ(b[0], 3.0);
  EXPECT_EQ(b[1], 2.0);
}

TEST(DenseLu, tells_a_singular_matrix) {
  MatX A = MatX::Ones(3, 3);
  DenseLu lu;
  EXPECT_FALSE(lu.factorise(A, 3, 1e-13));
  A.setZero();
  EXPECT_FALSE(lu.factorise(A, 3, 1e-13));
}

}  // namespace dense_lu_test
}  // namespace clatter
