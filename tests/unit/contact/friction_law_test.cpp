#include "contact/friction_law.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "support/finite_difference.hpp"
#include "support/random_state.hpp"

namespace clatter {
namespace {

using testing::agrees;
using testing::differences;
using testing::Random;

/// Coulomb friction in the given number of rows, the normal one among them.
ContactLaw coulomb(double mu, double penalty, Eigen::Index rows) {
  ContactLaw law;
  law.penalty = penalty;
  if (rows == 1) return law;
  law.ball_count = 1;
  law.balls[0] = {1, static_cast<int>(rows) - 1, mu};
  return law;
}

ContactEquations equations(const ContactLaw& law, const VecX& g, const VecX& la,
                           bool may_close = true) {
  ContactEquations e;
  evaluate(law, may_close, g, la, true, e);
  return e;
}

struct Case {
  const char* name;
  int rows;
  ContactStatus status;
  double mu, penalty;
};

/// A gap and a multiplier at least 0.1 away from where the status changes.
void state_of(const Case& c, Random& random, VecX& g, VecX& la) {
  g = random.numbers(c.rows, 0.2);
  VecX xi = VecX::Zero(c.rows);
  xi[0] = c.status == ContactStatus::open ? random.number(-2.0, -0.2) : random.number(1.0, 2.0);
  if (c.rows > 1) {
    const double radius = c.mu * std::abs(xi[0]);
    VecX tangential = random.numbers(c.rows - 1);
    while (tangential.norm() < 0.1) tangential = random.numbers(c.rows - 1);
    const double length = c.status == ContactStatus::stick ? random.number(0.3, 0.8) * radius
                                                           : random.number(0.5, 1.5) + radius;
    xi.tail(c.rows - 1) = length * tangential.normalized();
  }
  la = xi + c.penalty * g;
}

class ContactIn : public ::testing::TestWithParam<Case> {};

TEST_P(ContactIn, state_has_the_expected_status) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Random random(seed);
    VecX g, la;
    state_of(GetParam(), random, g, la);
    EXPECT_EQ(equations(coulomb(GetParam().mu, GetParam().penalty, GetParam().rows), g, la).status,
              GetParam().status);
  }
}

TEST_P(ContactIn, state_has_exact_derivatives) {
  const Eigen::Index n = GetParam().rows;
  const ContactLaw law = coulomb(GetParam().mu, GetParam().penalty, n);
  for (unsigned seed = 0; seed < 20; ++seed) {
    Random random(seed);
    VecX g, la;
    state_of(GetParam(), random, g, la);
    const ContactEquations e = equations(law, g, la);
    const auto stacked = [&](const VecX& d) -> VecX {
      const ContactEquations moved = equations(law, g + d.head(n), la + d.tail(n));
      EXPECT_EQ(moved.status, GetParam().status);
      VecX both(2 * n);
      both << moved.phi, moved.residual;
      return both;
    };
    MatX analytic(2 * n, 2 * n);
    analytic << MatX(e.dphi_dg), MatX(e.dphi_dla), MatX(e.dresidual_dg), MatX(e.dresidual_dla);
    EXPECT_TRUE(agrees(analytic, differences(stacked, 2 * n))) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(
    States, ContactIn,
    ::testing::Values(Case{"frictionless_open", 1, ContactStatus::open, 0.0, 1.0},
                      Case{"frictionless_closed", 1, ContactStatus::slip, 0.0, 1.0},
                      Case{"frictionless_closed_penalty_3", 1, ContactStatus::slip, 0.0, 3.0},
                      Case{"planar_open", 2, ContactStatus::open, 0.5, 1.0},
                      Case{"planar_stick", 2, ContactStatus::stick, 0.5, 1.0},
                      Case{"planar_slip", 2, ContactStatus::slip, 0.5, 1.0},
                      Case{"planar_slip_penalty_3", 2, ContactStatus::slip, 0.5, 3.0},
                      Case{"spatial_open_penalty_3", 3, ContactStatus::open, 0.5, 3.0},
                      Case{"spatial_stick", 3, ContactStatus::stick, 0.5, 1.0},
                      Case{"spatial_stick_penalty_02", 3, ContactStatus::stick, 0.5, 0.2},
                      Case{"spatial_slip", 3, ContactStatus::slip, 0.5, 1.0},
                      Case{"spatial_slip_penalty_3", 3, ContactStatus::slip, 0.5, 3.0},
                      Case{"spatial_slip_penalty_02", 3, ContactStatus::slip, 0.5, 0.2},
                      Case{"spatial_without_friction", 3, ContactStatus::slip, 0.0, 1.0}),
    [](const auto& test) { return std::string(test.param.name); });

// Solutions of the equations are solutions of Signorini's and Coulomb's conditions, whatever r.
RC_GTEST_PROP(FrictionLaw, zero_residual_means_signorini_and_coulomb, ()) {
  Random random(*rc::gen::arbitrary<unsigned>());
  const double mu = random.number(0.1, 1.0);
  const ContactLaw law = coulomb(mu, random.number(0.2, 5.0), 3);
  const VecX direction = random.direction().head<2>().normalized();
  VecX g = VecX::Zero(3), la = VecX::Zero(3);
  ContactStatus expected = ContactStatus::open;
  switch (*rc::gen::inRange(0, 3)) {
    case 0:  // open: any gap and slip, no reaction
      g << random.number(0.1, 1.0), random.number(), random.number();
      break;
    case 1:  // stick: reaction inside the cone
      expected = ContactStatus::stick;
      la[0] = random.number(0.1, 1.0);
      la.tail(2) = 0.9 * mu * la[0] * direction;
      break;
    default:  // slip: reaction on the cone, against the slip
      expected = ContactStatus::slip;
      la[0] = random.number(0.1, 1.0);
      la.tail(2) = -mu * la[0] * direction;
      g.tail(2) = random.number(0.1, 1.0) * direction;
  }
  const ContactEquations e = equations(law, g, la);
  RC_ASSERT(e.status == expected);
  // Differences of numbers below five.
  RC_ASSERT(e.residual.norm() < 1e-14);
  RC_ASSERT((VecX(e.phi) - la).norm() < 1e-14);
}

TEST(FrictionLaw, closed_only_when_it_may) {
  const VecX g = VecX::Constant(3, -0.1), la = VecX::Ones(3);
  const ContactEquations e = equations(coulomb(0.5, 1.0, 3), g, la, false);
  EXPECT_EQ(e.status, ContactStatus::open);
  EXPECT_EQ(VecX(e.phi).norm(), 0.0);
  EXPECT_EQ((VecX(e.residual) + la).norm(), 0.0);
}

TEST(FrictionLaw, touching_without_slip_or_reaction_is_finite) {
  const VecX zero = VecX::Zero(3);
  const ContactEquations e = equations(coulomb(0.5, 1.0, 3), zero, zero);
  EXPECT_EQ(e.status, ContactStatus::slip);  // |xi_T| = mu xi_N = 0
  EXPECT_EQ(VecX(e.residual).norm(), 0.0);
  EXPECT_TRUE(MatX(e.dphi_dla).allFinite());
  EXPECT_TRUE(MatX(e.dresidual_dg).allFinite());
  EXPECT_TRUE(MatX(e.dresidual_dla).allFinite());
}

TEST(FrictionLaw, pressing_without_slip_sticks) {
  const VecX zero = VecX::Zero(2);
  VecX la = VecX::Zero(2);
  la[0] = 1.0;
  EXPECT_EQ(equations(coulomb(0.5, 1.0, 2), zero, la).status, ContactStatus::stick);
}

}  // namespace
}  // namespace clatter
