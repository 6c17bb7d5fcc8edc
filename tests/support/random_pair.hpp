#pragma once

#include <algorithm>
#include <optional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "support/dice.hpp"
#include "support/random_cases.hpp"
#include "support/solid_pair.hpp"

namespace clatter::testing {

/// Two solids at random places near each other, and what the library says of them.
template <class Kinds>
class RandomPair : public ::testing::TestWithParam<Kinds> {
 protected:
  explicit RandomPair(unsigned seed) : dice_{std::mt19937(seed)} {}

  /// Two solids of random sizes, in `pair_`.
  virtual void make() = 0;
  /// Where they touch or nearly do.
  virtual void place() = 0;

  /// Looks at as many random cases, with other solids for every hundred, until one fails.
  template <class Look>
  void look_at_cases(int cases, const Look& look) {
    for (int i = 0; i < cases; ++i) {
      if (i % 100 == 0) make();
      if (!this->HasFailure()) look();
      if (this->HasFailure()) {
        ADD_FAILURE() << "case " << i;
        return;
      }
    }
  }

  /// At random places: all that `look` expects of the contacts there, and of one of them, whose
  /// turn is chosen at random, the derivatives of its rows. Hardly any are where differences are no
  /// good.
  template <class Look>
  void look_at_touches(int cases, const Look& look) {
    int rough = 0;
    look_at_cases(cases, [&] {
      place();
      if (this->HasFailure()) return;
      const std::vector<Contact> contacts = pair_->contacts();
      look(contacts);
      if (this->HasFailure() || contacts.empty()) return;
      const Contact& contact = contacts[dice_.generator() % contacts.size()];
      EXPECT_TRUE(pair_->has_derivatives(contact, dice_, rough));
    });
    EXPECT_LE(rough, std::max(1, cases / 20));
  }

  Dice dice_;
  std::optional<SolidPair> pair_;
};

}  // namespace clatter::testing
