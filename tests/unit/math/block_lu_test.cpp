#include <array>

#include <Eigen/LU>
#include <rapidcheck/gtest.h>

#include <clatter/math/block_lu.hpp>

namespace clatter {
namespace block_lu_test {

/// Fills both with I + F B C of random contacts, as bodies that touch have it: F and C differ as
/// friction makes them.
void fill(int count, const std::vector<BlockLu::Pair>& pairs, BlockLu& sparse, MatX& dense) {
  sparse.set_pattern(count, pairs);
  sparse.set_zero();
  dense.setIdentity(6 * count, 6 * count);
  for (int i = 0; i < count; ++i) sparse.block(i, i).setIdentity();
  for (const auto& [i, k] : pairs) {
    using Rows = Eigen::Matrix<double, 3, 12>;
    const Rows C = Rows::Random(), F = C + 0.1 * Rows::Random();
    const Eigen::Matrix<double, 12, 12> all = 1e3 * F.transpose() * C;
    const std::array<int, 2> at{i, k};
    for (const int a : {0, 1}) {
      for (const int b : {0, 1}) {
        const Mat6 part = all.block<6, 6>(6 * a, 6 * b);
        sparse.block(at[a], at[b]) += part;
        dense.block<6, 6>(6 * at[a], 6 * at[b]) += part;
      }
    }
  }
}

RC_GTEST_PROP(BlockLu, solves_what_a_dense_factorisation_solves, ()) {
  BlockLu sparse;  // its memory is that of another pattern the second time
  for (int round = 0; round < 2; ++round) {
    const int count = *rc::gen::inRange(1, 40);  // more than three are sparse
    const auto node = rc::gen::inRange(0, count);
    std::vector<BlockLu::Pair> pairs =
        *rc::gen::container<std::vector<BlockLu::Pair>>(rc::gen::pair(node, node));
    std::erase_if(pairs, [](const BlockLu::Pair& pair) { return pair.first == pair.second; });
    MatX dense;
    fill(count, pairs, sparse, dense);
    const VecX right = VecX::Random(6 * count);
    VecX x = right;
    RC_ASSERT(sparse.factorise());
    sparse.solve(x);
    // Round-off of a backward stable solution, with room for the growth without free pivots.
    RC_ASSERT((dense * x - right).norm() <= 1e-10 * dense.norm() * x.norm());
    RC_ASSERT((x - dense.partialPivLu().solve(right)).norm() <=
              1e-10 * dense.norm() * dense.inverse().norm() * x.norm());
  }
}

TEST(BlockLu, tells_of_a_block_that_is_singular) {
  BlockLu sparse;
  sparse.set_pattern(2, std::vector<BlockLu::Pair>{});
  sparse.set_zero();
  sparse.block(0, 0).setIdentity();
  EXPECT_FALSE(sparse.factorise());
}

}  // namespace block_lu_test
}  // namespace clatter
