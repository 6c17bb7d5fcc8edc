#include <gtest/gtest.h>

#include <clatter/math/vector_table.hpp>

#include "support/dice.hpp"

namespace clatter {
namespace vector_table_test {

using testing::Dice;

class VectorTables : public ::testing::TestWithParam<std::size_t> {
 protected:
  VectorTables() {
    table_.resize(GetParam());
    for (std::size_t i = 0; i < GetParam(); ++i) {
      vectors_.push_back(dice_.vector());
      table_.set(i, vectors_[i]);
    }
  }
  Dice dice_;
  std::vector<Vec3> vectors_;
  VectorTable table_;
};

constexpr double round_off = 4e-15;  // of sums of four numbers of at most 2

TEST_P(VectorTables, have_the_products_of_their_vectors) {
  const Vec3 with = dice_.vector();
  std::vector<double> products;
  table_.dot(with, products);
  ASSERT_EQ(products.size(), GetParam());
  for (std::size_t i = 0; i < GetParam(); ++i) {
    EXPECT_NEAR(products[i], vectors_[i].dot(with), round_off);
  }
}

TEST_P(VectorTables, tell_which_is_lowest) {
  const Vec3 up = dice_.vector();
  std::size_t lowest = 0;
  for (std::size_t i = 0; i < GetParam(); ++i) {
    if (vectors_[i].dot(up) < vectors_[lowest].dot(up)) lowest = i;
  }
  EXPECT_EQ(table_.lowest_along(up).index, static_cast<int>(lowest));
  EXPECT_NEAR(table_.lowest_along(up).height, vectors_[lowest].dot(up), round_off);
  // The first one of several.
  EXPECT_EQ(table_.lowest_along(Vec3::Zero()).index, 0);
}

TEST_P(VectorTables, are_placed_as_their_vectors_are) {
  const NodeState at = dice_.place(1.0);
  VectorTable placed, back;
  placed.set_placed(table_, at.R, at.x);
  back.set_before_placed(table_, at.R, at.x);
  for (std::size_t i = 0; i < GetParam(); ++i) {
    EXPECT_LT((placed[i] - at.x - at.R * vectors_[i]).norm(), round_off);
    EXPECT_LT((back[i] - at.R.transpose() * (vectors_[i] - at.x)).norm(), round_off);
  }
}

INSTANTIATE_TEST_SUITE_P(OfSizes, VectorTables, ::testing::Values(1, 3, 8, 20, 33, 100));

}  // namespace vector_table_test
}  // namespace clatter
