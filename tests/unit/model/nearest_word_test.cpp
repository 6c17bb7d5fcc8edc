#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <clatter/model/nearest_word.hpp>

namespace clatter {
namespace nearest_word_test {

TEST(EditDistance, counts_insertions_deletions_changes_and_swaps_once_each) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("mass", "mass"), 0u);
  EXPECT_EQ(edit_distance("mas", "mass"), 1u);
  EXPECT_EQ(edit_distance("masss", "mass"), 1u);
  EXPECT_EQ(edit_distance("maps", "mass"), 1u);
  EXPECT_EQ(edit_distance("amss", "mass"), 1u);
  EXPECT_EQ(edit_distance("", "mass"), 4u);
}

TEST(EditDistance, is_symmetric) {
  EXPECT_EQ(edit_distance("density", "velocity"), edit_distance("velocity", "density"));
}

TEST(NearestWord, finds_a_slip_but_does_not_guess_from_nonsense) {
  const std::vector<std::string> words = {"stiffness", "damping", "name"};
  EXPECT_EQ(nearest_word("stifness", words), "stiffness");
  EXPECT_EQ(nearest_word("dampign", words), "damping");
  EXPECT_EQ(nearest_word("zebra", words), "");
  EXPECT_EQ(nearest_word("", words), "");
  EXPECT_EQ(nearest_word(std::string(10000, 'x'), words), "");
}

TEST(NearestWord, never_offers_a_word_that_shares_no_letter) {
  const std::vector<std::string> words = {"a", "b"};
  EXPECT_EQ(nearest_word("c", words), "");
}

TEST(InQuotes, keeps_a_message_on_one_short_line) {
  EXPECT_EQ(in_quotes("a\nb\tc"), "'a?b?c'");
  EXPECT_LT(in_quotes(std::string(10000, 'x')).size(), 80u);
  // 'é' takes two bytes, of which the cut must not leave one.
  std::string accents;
  for (int i = 0; i < 100; ++i) accents += "é";
  EXPECT_EQ(in_quotes("x" + accents).find("\xC3..."), std::string::npos);
}

}  // namespace nearest_word_test
}  // namespace clatter
