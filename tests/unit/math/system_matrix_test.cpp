#include <vector>

#include <Eigen/LU>
#include <gtest/gtest.h>

#include <clatter/math/system_matrix.hpp>

#include "support/random_state.hpp"

namespace clatter {
namespace system_matrix_test {

using testing::Random;

// Sizes up to 40 are dense, larger ones sparse.
constexpr int dense_size = 12, sparse_size = 60;

/// A matrix of overlapping blocks, as elements between neighbours make it, and the same in Eigen.
struct Chain {
  explicit Chain(int n) : size(n), matrix(n) {
    for (int i = 0; i < n; ++i) {
      dofs.push_back({i, (i + 1) % n, (i + 5) % n});
      blocks.push_back(matrix.reserve(dofs.back(), dofs.back()));
    }
    matrix.finish_pattern();
  }

  void fill(Random& random, double diagonal) {
    matrix.set_zero();
    expected = MatX::Zero(size, size);
    for (std::size_t k = 0; k < blocks.size(); ++k) {
      Mat3 entries;
      for (int i = 0; i < 9; ++i) entries(i) = random.number();
      entries.diagonal().array() += diagonal;
      matrix.add(blocks[k], entries);
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) expected(dofs[k][i], dofs[k][j]) += entries(i, j);
      }
    }
  }

  int size;
  SystemMatrix matrix;
  MatX expected;
  std::vector<std::array<int, 3>> dofs;
  std::vector<SystemMatrix::Block> blocks;
};

class SystemMatrixOfSize : public ::testing::TestWithParam<int> {};

TEST_P(SystemMatrixOfSize, sums_overlapping_blocks) {
  Random random(1);
  Chain chain(GetParam());
  chain.fill(random, 4.0);
  // Sums of a few numbers, perhaps in another order.
  EXPECT_LT((chain.matrix.entries() - chain.expected).cwiseAbs().maxCoeff(), 1e-14);
}

TEST_P(SystemMatrixOfSize, solves_what_eigen_solves) {
  Random random(2);
  Chain chain(GetParam());
  // Refilled many times: the sparse matrix keeps its pivots from the first.
  for (int trial = 0; trial < 10; ++trial) {
    chain.fill(random, 4.0);
    VecX weights = random.numbers(chain.size).array().abs() + 0.1;
    ASSERT_TRUE(chain.matrix.factorise(weights));
    const VecX b = random.numbers(chain.size);
    VecX x = b;
    chain.matrix.solve(x);
    // Diagonally dominant, so the condition number is of order ten, that of the weights ten more.
    EXPECT_LT((x - chain.expected.partialPivLu().solve(b)).norm(), 1e-13);
  }
}

TEST_P(SystemMatrixOfSize, chooses_new_pivots_when_the_old_ones_become_small) {
  Random random(3);
  const int n = GetParam();
  SystemMatrix matrix(n);
  std::vector<SystemMatrix::Block> pairs;
  for (int i = 0; i + 1 < n; i += 2)
    pairs.push_back(matrix.reserve(std::array{i, i + 1}, std::array{i, i + 1}));
  const SystemMatrix::Block last = matrix.reserve(std::array{n - 1}, std::array{n - 1});
  matrix.finish_pattern();
  const VecX weights = VecX::Ones(n);
  Eigen::Matrix2d upright, crossed;
  upright << 1.0, 0.1, 0.1, 1.0;
  crossed << 1e-14, 1.0, 1.0, 1e-14;
  for (const Eigen::Matrix2d& pair : {upright, crossed, upright}) {
    matrix.set_zero();
    for (const SystemMatrix::Block block : pairs) matrix.add(block, pair);
    if (n % 2 == 1) matrix.add(last, Eigen::Matrix<double, 1, 1>(1.0));
    ASSERT_TRUE(matrix.factorise(weights));
    const VecX b = random.numbers(n);
    VecX x = b;
    matrix.solve(x);
    // Kept pivots of 1e-14 would lose all digits.
    EXPECT_LT((matrix.entries() * x - b).norm(), 1e-14 * n);
  }
}

TEST_P(SystemMatrixOfSize, tells_that_it_is_singular_and_recovers) {
  Random random(4);
  Chain chain(GetParam());
  const VecX weights = VecX::Ones(chain.size);
  chain.fill(random, 4.0);
  ASSERT_TRUE(chain.matrix.factorise(weights));
  chain.matrix.set_zero();
  EXPECT_FALSE(chain.matrix.factorise(weights));
  // Every block annihilates (1, 1, 1), hence so does the sum.
  chain.matrix.set_zero();
  for (const SystemMatrix::Block block : chain.blocks) {
    Mat3 entries;
    entries << 2.0, -1.0, -1.0, -1.0, 2.0, -1.0, -1.0, -1.0, 2.0;
    chain.matrix.add(block, entries);
  }
  EXPECT_FALSE(chain.matrix.factorise(weights));
  chain.fill(random, 4.0);
  ASSERT_TRUE(chain.matrix.factorise(weights));
  const VecX b = random.numbers(chain.size);
  VecX x = b;
  chain.matrix.solve(x);
  EXPECT_LT((chain.expected * x - b).norm(), 1e-13);
}

TEST_P(SystemMatrixOfSize, with_a_nan_is_not_factorised) {
  Random random(5);
  Chain chain(GetParam());
  chain.fill(random, 4.0);
  Mat3 poison = Mat3::Zero();
  poison(1, 1) = std::nan("");
  chain.matrix.add(chain.blocks[3], poison);
  EXPECT_FALSE(chain.matrix.factorise(VecX::Ones(chain.size)));
}

TEST_P(SystemMatrixOfSize, drops_entries_without_an_unknown) {
  const int n = GetParam();
  SystemMatrix matrix(n);
  std::vector<SystemMatrix::Block> blocks;
  for (int i = 0; i < n; ++i)
    blocks.push_back(matrix.reserve(std::array{i, -1}, std::array{-1, i}));
  matrix.finish_pattern();
  matrix.set_zero();
  for (int i = 0; i < n; ++i) {
    Eigen::Matrix2d entries;
    entries << 100.0, i + 1.0, 200.0, 300.0;
    matrix.add(blocks[static_cast<std::size_t>(i)], entries);
  }
  const VecX expected = VecX::LinSpaced(n, 1.0, n);
  EXPECT_EQ((matrix.entries() - MatX(expected.asDiagonal())).norm(), 0.0);
}

TEST_P(SystemMatrixOfSize, judges_singularity_by_the_scaled_pivots) {
  // Unknowns of very different units: the bare pivots differ by 1e16, the weighted ones are one.
  const int n = GetParam();
  SystemMatrix matrix(n);
  std::vector<SystemMatrix::Block> blocks;
  for (int i = 0; i < n; ++i) blocks.push_back(matrix.reserve(std::array{i}, std::array{i}));
  matrix.finish_pattern();
  matrix.set_zero();
  VecX weights(n), x(n);
  for (int i = 0; i < n; ++i) {
    const double mass = i % 2 == 0 ? 1e-8 : 1e8;
    matrix.add(blocks[static_cast<std::size_t>(i)], Eigen::Matrix<double, 1, 1>(mass));
    weights[i] = 1.0 / std::sqrt(mass);
    x[i] = 3.0 * mass;
  }
  ASSERT_TRUE(matrix.factorise(weights));
  matrix.solve(x);
  EXPECT_LT((x.array() - 3.0).abs().maxCoeff(), 1e-14);
}

INSTANTIATE_TEST_SUITE_P(DenseAndSparse, SystemMatrixOfSize,
                         ::testing::Values(dense_size, 40, 41, sparse_size));

TEST(SystemMatrix, counts_factorisations_and_solves) {
  Random random(6);
  Chain chain(dense_size);
  chain.fill(random, 4.0);
  chain.matrix.factorise(VecX::Ones(dense_size));
  VecX x = random.numbers(dense_size);
  chain.matrix.solve(x);
  chain.matrix.solve(x);
  EXPECT_EQ(chain.matrix.factorisations, 1);
  EXPECT_EQ(chain.matrix.solves, 2);
}

TEST(SystemMatrix, without_unknowns_is_solved_at_once) {
  SystemMatrix matrix(0);
  matrix.finish_pattern();
  matrix.set_zero();
  EXPECT_TRUE(matrix.factorise(VecX(0)));
  VecX x(0);
  matrix.solve(x);
}

// ---- Multipliers: [A G^T; G 0] where they hold, [A 0; 0 -1] where they stand alone

/// A ring of unknowns, each coupled to its neighbours, and a multiplier on each pair of neighbours
/// but one: all of them would be redundant.
struct HeldRing {
  explicit HeldRing(int n, bool at_times) : size(2 * n - 1), matrix(size) {
    for (int i = 0; i < n; ++i) {
      const std::array<int, 2> pair{i, (i + 1) % n};
      pairs.push_back(matrix.reserve(pair, pair));
    }
    for (int i = 0; i + 1 < n; ++i) {
      const std::array<int, 3> all{i, i + 1, n + i};
      multipliers.push_back(matrix.reserve(all, all));
      matrix.set_multiplier(n + i, std::array{i, i + 1}, at_times);
    }
    matrix.finish_pattern();
  }

  void fill(const std::vector<bool>& holds) {
    const Eigen::Matrix2d pair{{2.0, -1.0}, {-1.0, 2.0}};
    matrix.set_zero();
    for (const SystemMatrix::Block block : pairs) matrix.add(block, pair);
    for (std::size_t i = 0; i < multipliers.size(); ++i) {
      const double g = holds[i] ? 1.0 : 0.0;
      matrix.add(multipliers[i], Mat3{{0.0, 0.0, -g}, {0.0, 0.0, g}, {-g, g, g - 1.0}});
    }
  }

  void expect_solved(Random& random) {
    ASSERT_TRUE(matrix.factorise(VecX::Ones(size)));
    const VecX b = random.numbers(size);
    VecX x = b;
    matrix.solve(x);
    // The condition grows with the square of the number of unknowns in a row, some 10^3.
    EXPECT_LT((matrix.entries() * x - b).norm(), 1e-12 * x.norm());
  }

  int size;
  SystemMatrix matrix;
  std::vector<SystemMatrix::Block> pairs, multipliers;
};

TEST(SystemMatrix, keeps_its_pivots_when_multipliers_take_and_lose_hold) {
  Random random(6);
  HeldRing ring(40, true);
  std::vector<bool> holds(ring.multipliers.size());
  for (int trial = 0; trial < 50; ++trial) {
    for (std::size_t i = 0; i < holds.size(); ++i) holds[i] = random.number() > 0.0;
    ring.fill(holds);
    ring.expect_solved(random);
  }
  EXPECT_EQ(ring.matrix.pivot_searches, 1);
}

TEST(SystemMatrix, solves_with_multipliers_that_hold_for_ever) {
  Random random(7);
  HeldRing ring(40, false);
  ring.fill(std::vector<bool>(ring.multipliers.size(), true));
  ring.expect_solved(random);
  ring.expect_solved(random);
  EXPECT_EQ(ring.matrix.pivot_searches, 1);
}

}  // namespace system_matrix_test
}  // namespace clatter
