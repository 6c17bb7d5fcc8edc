#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include <clatter/contact/solvers/least_reactions.hpp>

namespace clatter {
namespace least_reactions_test {

constexpr double round_off = 1e-12;

HeldLoad frictionless(const MatX& wrenches, const VecX& reactions) {
  HeldLoad load;
  load.wrenches = wrenches;
  load.wrench = wrenches * reactions;
  load.reactions = reactions;
  for (int c = 0; c < reactions.size(); ++c) load.contacts.push_back({c, 1, {}});
  return load;
}

TEST(LeastReactions, what_squeezes_a_body_is_let_go_of) {
  // A shaft between two opposite balls, pressed on the first with 100.
  MatX wrenches(1, 2);
  wrenches << 1.0, -1.0;
  HeldLoad load = frictionless(wrenches, VecX{{1000100.0, 1000000.0}});
  ASSERT_TRUE(relieve(load));
  EXPECT_NEAR(load.reactions[0], 100.0, 100.0 * round_off);
  EXPECT_EQ(load.reactions[1], 0.0);  // the least norm would pull here
}

TEST(LeastReactions, a_joint_takes_back_what_it_pulls_against_a_contact) {
  // A shaft in a joint that a ball presses from above: with 100 of load, that the joint holds down
  // against the ball is needless. The least norm shares the load: half on each.
  MatX wrenches(1, 2);
  wrenches << 1.0, -1.0;
  HeldLoad load;
  load.wrenches = wrenches;
  load.contacts = {{0, 1, {}}};
  load.reactions = VecX{{1000100.0, 1000000.0}};
  load.wrench = wrenches * load.reactions;
  ASSERT_TRUE(relieve(load));
  EXPECT_NEAR(load.reactions[0], 50.0, 100.0 * round_off);
  EXPECT_NEAR(load.reactions[1], -50.0, 100.0 * round_off);
  // A load that the contact cannot push against is all of the joint.
  load.reactions = VecX{{1000.0, 1100.0}};
  load.wrench = wrenches * load.reactions;
  ASSERT_TRUE(relieve(load));
  EXPECT_EQ(load.reactions[0], 0.0);
  EXPECT_NEAR(load.reactions[1], 100.0, 100.0 * round_off);
}

TEST(LeastReactions, four_legs_share_a_load_evenly) {
  // Forces up, and torques about both axes, of legs at the corners of a square.
  MatX wrenches(3, 4);
  wrenches << 1, 1, 1, 1, 1, 1, -1, -1, 1, -1, -1, 1;
  HeldLoad load = frictionless(wrenches, VecX{{40.0, 0.0, 40.0, 0.0}});
  ASSERT_TRUE(relieve(load));
  for (int c = 0; c < 4; ++c) EXPECT_NEAR(load.reactions[c], 20.0, 20.0 * round_off);
}

TEST(LeastReactions, a_wrench_that_contacts_cannot_give_is_none_of_theirs) {
  MatX wrenches(2, 2);
  wrenches << 1.0, -1.0, 0.0, 0.0;
  HeldLoad load = frictionless(wrenches, VecX{{3.0, 2.0}});
  load.wrench[1] = 1.0;
  EXPECT_FALSE(relieve(load));
  EXPECT_EQ(load.reactions, (VecX{{3.0, 2.0}}));
}

TEST(LeastReactions, friction_that_slips_keeps_its_direction_and_share) {
  // Two contacts press a body from both sides and slip upwards together with mu = 0.5; what they
  // do together is friction of 10, which takes all of both.
  MatX wrenches(2, 4);
  wrenches << 1, 0, -1, 0, 0, 1, 0, 1;
  HeldLoad load;
  load.wrenches = wrenches;
  load.reactions = VecX{{10.0, 5.0, 10.0, 5.0}};
  load.wrench = wrenches * load.reactions;
  load.contacts = {coulomb_contact(0, 2, 0.5), coulomb_contact(2, 2, 0.5)};
  ASSERT_TRUE(relieve(load));  // nothing cancels: it is as small as it can be
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(load.reactions[i], i % 2 == 0 ? 10.0 : 5.0, 1e-11);
}

TEST(LeastReactions, keeps_the_wrench_and_the_cones_with_less_of_a_norm) {
  std::mt19937 numbers(5);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> share(0.0, 1.0);
  for (int k = 0; k < 300; ++k) {
    const int contacts = 2 + k % 9, rows = 3 * contacts;
    HeldLoad load;
    load.wrenches = MatX::NullaryExpr(6, rows, [&] { return normal(numbers); });
    load.reactions.resize(rows);
    for (int c = 0; c < contacts; ++c) {
      load.contacts.push_back(coulomb_contact(3 * c, 3, 0.4));
      const double N = std::pow(10.0, 3.0 * share(numbers));
      const double angle = 6.28 * share(numbers);
      const double T = k % 3 == 0 ? 0.4 * N : 0.4 * N * share(numbers);
      load.reactions.segment<3>(3 * c) << N, T * std::cos(angle), T * std::sin(angle);
    }
    load.wrench = load.wrenches * load.reactions;
    const VecX before = load.reactions;
    ASSERT_TRUE(relieve(load));
    EXPECT_LE(load.reactions.norm(), (1.0 + 1e-9) * before.norm());
    EXPECT_LT((load.wrenches * load.reactions - load.wrench).norm(), 1e-9 * before.norm());
    for (int c = 0; c < contacts; ++c) {
      const double N = load.reactions[3 * c];
      EXPECT_GE(N, 0.0);
      EXPECT_LE(load.reactions.segment<2>(3 * c + 1).norm(), 0.4 * N + 1e-8 * before.norm());
    }
  }
}

}  // namespace least_reactions_test
}  // namespace clatter
