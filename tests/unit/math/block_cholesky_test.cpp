#include <algorithm>
#include <random>

#include <Eigen/SparseCore>
#include <gtest/gtest.h>

#include <clatter/math/block_cholesky.hpp>

namespace clatter {
namespace block_cholesky_test {

struct Pattern {
  std::vector<int> first_rows = {0}, begins = {0}, neighbours;
};

/// A random positive definite matrix of groups with 1 to 4 unknowns, and its pattern.
Eigen::SparseMatrix<double, Eigen::RowMajor, int> random_matrix(unsigned seed, int groups,
                                                                int links, Pattern& pattern) {
  std::mt19937 random(seed);
  for (int k = 0; k < groups; ++k) {
    pattern.first_rows.push_back(pattern.first_rows.back() + 1 + static_cast<int>(random() % 4));
  }
  std::vector<std::vector<int>> near(static_cast<std::size_t>(groups));
  for (int k = 0; k < groups; ++k) near[static_cast<std::size_t>(k)].push_back(k);
  for (int l = 0; l < links; ++l) {
    const auto i = random() % static_cast<unsigned>(groups);
    const auto j = random() % static_cast<unsigned>(groups);
    if (std::find(near[i].begin(), near[i].end(), static_cast<int>(j)) != near[i].end()) continue;
    near[i].push_back(static_cast<int>(j));
    near[j].push_back(static_cast<int>(i));
  }
  const int rows = pattern.first_rows.back();
  MatX A = MatX::Zero(rows, rows);
  for (int k = 0; k < groups; ++k) {
    std::vector<int>& list = near[static_cast<std::size_t>(k)];
    std::sort(list.begin(), list.end());
    pattern.neighbours.insert(pattern.neighbours.end(), list.begin(), list.end());
    pattern.begins.push_back(static_cast<int>(pattern.neighbours.size()));
    for (const int other : list) {
      for (int i = pattern.first_rows[static_cast<std::size_t>(k)];
           i < pattern.first_rows[static_cast<std::size_t>(k) + 1]; ++i) {
        for (int j = pattern.first_rows[static_cast<std::size_t>(other)];
             j < pattern.first_rows[static_cast<std::size_t>(other) + 1]; ++j) {
          A(i, j) = A(j, i) = static_cast<double>(random()) / 4294967296.0 - 0.5;
        }
      }
    }
  }
  // Diagonally dominant, hence positive definite.
  for (int i = 0; i < rows; ++i) A(i, i) = 1.0 + A.row(i).cwiseAbs().sum();
  return A.sparseView();
}

TEST(BlockCholesky, solves_random_systems) {
  for (const auto& [groups, links] : {std::pair(1, 0), std::pair(2, 1), std::pair(30, 0),
                                      std::pair(40, 60), std::pair(60, 400), std::pair(300, 900)}) {
    Pattern pattern;
    const auto A = random_matrix(static_cast<unsigned>(groups + links), groups, links, pattern);
    BlockCholesky cholesky;
    cholesky.analyse(pattern.first_rows, pattern.begins, pattern.neighbours);
    ASSERT_TRUE(cholesky.factorise(A.outerIndexPtr(), A.innerIndexPtr(), A.valuePtr()));
    VecX b(A.rows());
    for (Eigen::Index i = 0; i < b.size(); ++i) b[i] = std::sin(1.0 + static_cast<double>(i));
    VecX x = b;
    cholesky.solve(x.data());
    EXPECT_LE((A * x - b).norm(), 1e-12 * b.norm()) << groups << " groups, " << links << " links";
  }
}

TEST(BlockCholesky, matrix_that_is_not_positive_definite_is_refused) {
  Pattern pattern;
  Eigen::SparseMatrix<double, Eigen::RowMajor, int> A = random_matrix(1, 20, 40, pattern);
  A.coeffRef(7, 7) = -1.0;
  BlockCholesky cholesky;
  cholesky.analyse(pattern.first_rows, pattern.begins, pattern.neighbours);
  EXPECT_FALSE(cholesky.factorise(A.outerIndexPtr(), A.innerIndexPtr(), A.valuePtr()));
}

}  // namespace block_cholesky_test
}  // namespace clatter
