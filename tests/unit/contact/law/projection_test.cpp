#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <clatter/contact/law/natural_map.hpp>
#include <clatter/contact/law/projection.hpp>

#include "support/random_state.hpp"

namespace clatter {
namespace projection_test {

using testing::Random;

/// Sliding in two rows and drilling in one.
ContactLaw two_balls(double mu, double gamma) {
  ContactLaw law;
  law.ball_count = 2;
  law.balls[0] = {1, 2, mu};
  law.balls[1] = {3, 1, gamma};
  return law;
}

TEST(Projection, leaves_what_the_law_admits) {
  std::array<double, 4> r{2.0, 0.6, -0.8, 0.2};  // on the edge of the first ball, within the second
  const auto before = r;
  project(two_balls(0.5, 0.3), r.data());
  EXPECT_EQ(r, before);
}

TEST(Projection, draws_each_ball_back_to_its_own_radius) {
  std::array<double, 4> r{2.0, 3.0, -4.0, 5.0};
  project(two_balls(0.5, 0.25), r.data());
  EXPECT_EQ(r[0], 2.0);
  EXPECT_DOUBLE_EQ(r[1], 0.6);  // radius 1 along (3, -4)/5
  EXPECT_DOUBLE_EQ(r[2], -0.8);
  EXPECT_DOUBLE_EQ(r[3], 0.5);
}

TEST(Projection, takes_all_from_a_contact_that_pulls) {
  std::array<double, 4> r{-1.0, 3.0, -4.0, 5.0};
  project(two_balls(0.5, 0.3), r.data());
  for (const double each : r) EXPECT_EQ(each, 0.0);
}

RC_GTEST_PROP(Projection, is_the_same_with_and_without_a_known_number_of_rows, ()) {
  Random random(*rc::gen::arbitrary<unsigned>());
  std::array<double, 2> one{random.number(), random.number()}, two = one;
  const double radius = random.number(0.0, 1.0);
  project_on_ball<2>(radius, 2, one.data());
  project_on_ball<0>(radius, 2, two.data());
  RC_ASSERT(one == two);
  RC_ASSERT(std::hypot(one[0], one[1]) <=
            radius * (1.0 + 1e-15) + std::hypot(two[0], two[1]) * 1e-15);
}

RC_GTEST_PROP(NaturalMap, of_several_balls_is_the_distance_from_the_projection, ()) {
  Random random(*rc::gen::arbitrary<unsigned>());
  const ContactLaw law = two_balls(random.number(0.0, 1.0), random.number(0.0, 1.0));
  const VecX r = random.numbers(4), u = random.numbers(4);
  const double rho = random.number(0.1, 2.0);
  std::array<double, 4> out{};
  natural_map(law, 4, rho, r.data(), u.data(), out.data());
  VecX projected = r - rho * u;
  project(law, projected.data());
  for (int i = 0; i < 4; ++i) {
    RC_ASSERT(std::abs(out[static_cast<std::size_t>(i)] - (r[i] - projected[i])) <
              1e-14);  // round-off
  }
}

}  // namespace projection_test
}  // namespace clatter
