#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <clatter/contact/law/friction_law.hpp>

#include "support/finite_difference.hpp"
#include "support/random_state.hpp"

namespace clatter {
namespace friction_law_test {

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
  ContactEquations e, without;
  evaluate(law, may_close, g, la, true, e);
  // Derivatives are extra: to ask for them changes no bit of the rest.
  evaluate(law, may_close, g, la, false, without);
  EXPECT_EQ(without.status, e.status);
  EXPECT_EQ(without.block_status, e.block_status);
  EXPECT_EQ(without.phi, e.phi);
  EXPECT_EQ(without.residual, e.residual);
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

// ---- Several blocks: sliding, rolling, drilling

constexpr ContactStatus stick = ContactStatus::stick, slip = ContactStatus::slip;

struct Block {
  int rows;
  double coefficient;
  ContactStatus status;
};

struct BlocksCase {
  const char* name;
  double penalty;
  std::vector<Block> blocks;
};

ContactLaw law_of(const BlocksCase& c) {
  ContactLaw law;
  law.penalty = c.penalty;
  int row = 1;
  for (const Block& block : c.blocks) {
    law.balls[static_cast<std::size_t>(law.ball_count++)] = {row, block.rows, block.coefficient};
    row += block.rows;
  }
  return law;
}

Eigen::Index rows_of(const ContactLaw& law) {
  Eigen::Index rows = 1;
  for (const FrictionBall& ball : law.all_balls()) rows += ball.rows;
  return rows;
}

VecX direction(Eigen::Index rows, Random& random) {
  VecX v = random.numbers(rows);
  while (v.norm() < 0.1) v = random.numbers(rows);
  return v.normalized();
}

class BlocksIn : public ::testing::TestWithParam<BlocksCase> {
 protected:
  /// A gap and a multiplier at least 0.1 away from where any status changes.
  void draw(Random& random) {
    const Eigen::Index n = rows_of(law_);
    g_ = random.numbers(n, 0.2);
    VecX xi = VecX::Zero(n);
    xi[0] = random.number(1.0, 2.0);
    for (std::size_t k = 0; k < GetParam().blocks.size(); ++k) {
      const FrictionBall& ball = law_.balls[k];
      const double radius = ball.coefficient * xi[0];
      const double length = GetParam().blocks[k].status == stick ? random.number(0.2, 0.6) * radius
                                                                 : random.number(0.5, 1.5) + radius;
      xi.segment(ball.first_row, ball.rows) = length * direction(ball.rows, random);
    }
    la_ = xi + law_.penalty * g_;
  }

  void expect_status(const ContactEquations& e) const {
    for (std::size_t k = 0; k < GetParam().blocks.size(); ++k) {
      EXPECT_EQ(e.block_status[k], GetParam().blocks[k].status) << "block " << k;
    }
    EXPECT_EQ(e.status, GetParam().blocks[0].status);
  }

  const ContactLaw law_ = law_of(GetParam());
  VecX g_, la_;
};

TEST_P(BlocksIn, state_have_each_their_own_status) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Random random(seed);
    draw(random);
    const ContactEquations e = equations(law_, g_, la_);
    expect_status(e);
    for (std::size_t k = GetParam().blocks.size(); k < max_friction_blocks; ++k) {
      EXPECT_EQ(e.block_status[k], ContactStatus::open);
    }
  }
}

TEST_P(BlocksIn, state_have_exact_derivatives) {
  const Eigen::Index n = rows_of(law_);
  for (unsigned seed = 0; seed < 20; ++seed) {
    Random random(seed);
    draw(random);
    const ContactEquations e = equations(law_, g_, la_);
    const auto stacked = [&](const VecX& d) -> VecX {
      const ContactEquations moved = equations(law_, g_ + d.head(n), la_ + d.tail(n));
      expect_status(moved);
      VecX both(2 * n);
      both << moved.phi, moved.residual;
      return both;
    };
    MatX analytic(2 * n, 2 * n);
    analytic << MatX(e.dphi_dg), MatX(e.dphi_dla), MatX(e.dresidual_dg), MatX(e.dresidual_dla);
    EXPECT_TRUE(agrees(analytic, differences(stacked, 2 * n))) << "seed " << seed;
  }
}

// Blocks share the normal row and nothing else.
TEST_P(BlocksIn, state_react_as_if_each_were_alone) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Random random(seed);
    draw(random);
    const ContactEquations together = equations(law_, g_, la_);
    for (const FrictionBall& ball : law_.all_balls()) {
      VecX g(1 + ball.rows), la(1 + ball.rows);
      g << g_[0], g_.segment(ball.first_row, ball.rows);
      la << la_[0], la_.segment(ball.first_row, ball.rows);
      const ContactEquations alone =
          equations(coulomb(ball.coefficient, law_.penalty, 1 + ball.rows), g, la);
      EXPECT_EQ(alone.phi.tail(ball.rows), together.phi.segment(ball.first_row, ball.rows));
      EXPECT_EQ(alone.residual.tail(ball.rows),
                together.residual.segment(ball.first_row, ball.rows));
      EXPECT_EQ(alone.phi[0], together.phi[0]);
      EXPECT_EQ(alone.residual[0], together.residual[0]);
    }
  }
}

TEST_P(BlocksIn, state_are_all_open_where_the_normal_row_is) {
  const VecX g = VecX::Ones(rows_of(law_)), la = VecX::Constant(rows_of(law_), 0.1);
  const ContactEquations e = equations(law_, g, la);
  EXPECT_EQ(e.status, ContactStatus::open);
  for (const ContactStatus status : e.block_status) EXPECT_EQ(status, ContactStatus::open);
  EXPECT_EQ(VecX(e.phi).norm(), 0.0);
  EXPECT_EQ(VecX(e.residual), -la);
}

INSTANTIATE_TEST_SUITE_P(
    Combinations, BlocksIn,
    ::testing::Values(
        BlocksCase{"planar_stick_stick", 1.0, {{1, 0.5, stick}, {1, 1.0, stick}}},
        BlocksCase{"planar_stick_slip", 1.0, {{1, 0.5, stick}, {1, 0.2, slip}}},
        BlocksCase{"planar_slip_stick_penalty_3", 3.0, {{1, 0.5, slip}, {1, 1.0, stick}}},
        BlocksCase{"planar_slip_slip", 1.0, {{1, 0.5, slip}, {1, 0.2, slip}}},
        BlocksCase{"all_stick", 1.0, {{2, 0.5, stick}, {2, 1.0, stick}, {1, 0.8, stick}}},
        BlocksCase{"sliding_slips", 1.0, {{2, 0.5, slip}, {2, 1.0, stick}, {1, 0.8, stick}}},
        BlocksCase{"rolling_slips", 3.0, {{2, 0.5, stick}, {2, 0.2, slip}, {1, 0.8, stick}}},
        BlocksCase{"drilling_slips", 1.0, {{2, 0.5, stick}, {2, 1.0, stick}, {1, 0.1, slip}}},
        BlocksCase{"drilling_sticks", 0.2, {{2, 0.5, slip}, {2, 0.2, slip}, {1, 0.8, stick}}},
        BlocksCase{"rolling_sticks", 1.0, {{2, 0.5, slip}, {2, 1.0, stick}, {1, 0.1, slip}}},
        BlocksCase{"sliding_sticks", 3.0, {{2, 0.5, stick}, {2, 0.2, slip}, {1, 0.1, slip}}},
        BlocksCase{"all_slip", 1.0, {{2, 0.5, slip}, {2, 0.2, slip}, {1, 0.1, slip}}},
        BlocksCase{"all_slip_penalty_02", 0.2, {{2, 0.5, slip}, {2, 0.2, slip}, {1, 0.1, slip}}},
        BlocksCase{"contensou_slips_rolling_sticks", 1.0, {{3, 0.5, slip}, {2, 1.0, stick}}},
        BlocksCase{"contensou_sticks_rolling_slips", 3.0, {{3, 0.5, stick}, {2, 0.2, slip}}},
        BlocksCase{"rolling_without_coefficient", 1.0, {{2, 0.5, stick}, {2, 0.0, slip}}},
        BlocksCase{"sliding_without_coefficient", 3.0, {{2, 0.0, slip}, {1, 0.5, stick}}}),
    [](const auto& test) { return std::string(test.param.name); });

// What every block may do in a solution is independent of the others.
RC_GTEST_PROP(FrictionLaw, zero_residual_means_signorini_and_coulomb_in_each_block, ()) {
  Random random(*rc::gen::arbitrary<unsigned>());
  ContactLaw law;
  law.penalty = random.number(0.2, 5.0);
  int rows = 1;
  const int blocks = *rc::gen::inRange(1, max_friction_blocks + 1);
  for (int k = 0; k < blocks; ++k) {
    const int own = *rc::gen::inRange(1, blocks < 3 ? 4 : 3);
    const double coefficient = *rc::gen::inRange(0, 5) == 0 ? 0.0 : random.number(0.1, 1.0);
    law.balls[static_cast<std::size_t>(law.ball_count++)] = {rows, own, coefficient};
    rows += own;
  }
  if (rows > max_contact_rows) return;
  VecX g = VecX::Zero(rows), la = VecX::Zero(rows);
  std::array<ContactStatus, max_friction_blocks> expected = {};
  la[0] = random.number(0.1, 1.0);
  for (std::size_t k = 0; k < static_cast<std::size_t>(blocks); ++k) {
    const FrictionBall& ball = law.balls[k];
    const VecX along = direction(ball.rows, random);
    const double radius = ball.coefficient * la[0];
    expected[k] = slip;
    if (radius > 0.0 && *rc::gen::arbitrary<bool>()) {
      expected[k] = stick;
      la.segment(ball.first_row, ball.rows) = 0.9 * radius * along;
    } else {
      la.segment(ball.first_row, ball.rows) = -radius * along;
      g.segment(ball.first_row, ball.rows) = random.number(0.1, 1.0) * along;
    }
  }
  const ContactEquations e = equations(law, g, la);
  RC_ASSERT(e.block_status == expected);
  RC_ASSERT(e.status == expected[0]);
  RC_ASSERT(e.residual.norm() < 1e-14);
  RC_ASSERT((VecX(e.phi) - la).norm() < 1e-14);

  // And it is not zero when a block that slips is pushed along instead of held back.
  for (const FrictionBall& ball : law.all_balls()) {
    const VecX held = la.segment(ball.first_row, ball.rows);
    if (g.segment(ball.first_row, ball.rows).isZero(0.0) || held.isZero(0.0)) continue;
    la.segment(ball.first_row, ball.rows) = -held;
    RC_ASSERT(equations(law, g, la).residual.norm() > 1e-3);
    la.segment(ball.first_row, ball.rows) = held;
  }
}

TEST(FrictionLaw, block_without_coefficient_has_no_reaction_and_is_finite_without_motion) {
  const ContactLaw law = law_of({"", 1.0, {{2, 0.5, stick}, {2, 0.0, slip}, {1, 0.0, slip}}});
  VecX la = VecX::Zero(6);
  la[0] = 1.0;
  const ContactEquations e = equations(law, VecX::Zero(6), la);
  EXPECT_EQ(e.block_status[0], stick);
  EXPECT_EQ(e.block_status[1], slip);
  EXPECT_EQ(VecX(e.residual).norm(), 0.0);
  EXPECT_EQ(VecX(e.phi), la);
  for (const RowMatrix* m : {&e.dphi_dg, &e.dphi_dla, &e.dresidual_dg, &e.dresidual_dla}) {
    EXPECT_TRUE(m->allFinite());
  }
  // Newton's matrix needs a pivot for the multiplier that is to vanish.
  EXPECT_EQ(e.dresidual_dla(3, 3), -1.0);
  EXPECT_EQ(e.dresidual_dla(5, 5), -1.0);
}

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

/// Bodies that lie still on redundant contacts have rolling reactions at the edge of their balls,
/// and rates of no more than round-off, which have any direction.
TEST(FrictionLaw, forces_of_what_hardly_slips_have_the_direction_of_its_impulse) {
  const ContactLaw law = coulomb(0.3, 1.0, 3);
  const Vec3 along(0.0, 0.6, 0.8);
  const RowVector impulse = 2.0 * Vec3::UnitX() + 0.3 * 2.0 * along;
  const RowVector force = 5.0 * Vec3::UnitX() + 0.3 * 5.0 * along;
  for (const double angle : {0.0, 1.0, 2.5, 4.0}) {
    const Vec3 noise = 1e-13 * Vec3(0.0, std::cos(angle), std::sin(angle));
    ContactEquations jump = equations(law, noise, impulse), forces;
    jump.block_status[0] = ContactStatus::slip;  // which round-off decides
    RowMatrix by_xi;
    evaluate_forces(law, jump, RowVector::Zero(3), force, true, forces, by_xi);
    EXPECT_LT(forces.residual.norm(), 1e-12) << angle;
    EXPECT_LT(by_xi.norm(), 10.0) << angle;  // c la_N/(r |xi_F|) times a projector: 2.5
  }
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

}  // namespace friction_law_test
}  // namespace clatter
