#include <type_traits>

#include <gtest/gtest.h>

#include <clatter/schemes/moreau/moreau.hpp>
#include <clatter/schemes/nsga/nsga.hpp>
#include <clatter/schemes/nsga_coupled/nsga_coupled.hpp>

#include "support/finite_difference.hpp"
#include "support/random_cases.hpp"
#include "support/random_state.hpp"
#include "unit/schemes/random_models.hpp"

namespace clatter {

/// A random nodal vector on the unknowns of a machine.
NodalVector anything(const Machine& machine, testing::Random& random, double size) {
  NodalVector nodal = random.numbers(machine.nodal_size(), size);
  machine.keep_unknowns(nodal);
  return nodal;
}

/// A state anywhere near the start of a machine, with displacements of size `reach`.
State state_anywhere(const Machine& machine, testing::Random& random, double reach, double speed) {
  State state = state_at_start(machine);
  state.v = anything(machine, random, speed);
  retract(machine.nodes(), machine.initial_configuration(), anything(machine, random, 0.7 * reach),
          state.q);
  return state;
}

/// xi that give a contact with this law the status, away from where it or that of a block changes.
/// Blocks but the first are as they come when `mixed`.
RowVector pressed(const ContactLaw& law, int rows, ContactStatus status, testing::Random& random,
                  bool mixed) {
  RowVector xi = RowVector::Zero(rows);
  xi[0] = status == ContactStatus::open ? -1.0 : 1.0;
  ContactStatus of_block = status;
  for (const FrictionBall& ball : law.all_balls()) {
    const double radius = ball.coefficient * std::abs(xi[0]);
    const VecX direction = random.numbers(ball.rows).normalized();
    xi.segment(ball.first_row, ball.rows) =
        (of_block == ContactStatus::stick ? 0.5 * radius : 2.0 * radius + 0.3) * direction;
    if (mixed) of_block = random.number() > 0.0 ? ContactStatus::stick : ContactStatus::slip;
  }
  return xi;
}

/// As much as `pressed` has it, in scaled units.
void press_itself(const Contact& contact, ContactWork& work, double h) {
  if (!contact.is_pressed()) return;
  work.law.pressure = work.position_law.pressure = 1.0;
  work.pressing_force = work.scale[0] / h;
}

/// Contacts that are behind their faces take part as well.
void arm(State& state) {
  for (ContactState& of : state.contacts) of.armed = true;
}

/// Puts a scheme into an arbitrary state within a step and differentiates its problems.
struct NsgaProbe {
  Nsga& s;
  State state{};

  /// Everything a step holds when its Newton iterations run, at random: far from any solution, so
  /// that every term of every matrix counts. `reach` is the size of displacements.
  void be_anywhere(testing::Random& random, double h, ContactStatus status, double reach,
                   bool turning_far = false) {
    StepWork& w = s.w_;
    const Machine& machine = w.machine;
    state = state_anywhere(machine, random, reach, 1.0);
    s.start(state);
    arm(state);
    w.set_time(state, h);
    w.begin(state, h);
    if (turning_far) w.far_turns.find(state.v, 1e9);
    SmoothEnd& end = s.smooth_.end_;
    for (NodalVector* nodal : {&end.increment, &end.v, &w.vd, &s.position_.U_, &s.velocity_.V_}) {
      *nodal = anything(machine, random, 1.0);
    }
    end.increment *= reach;
    s.smooth_.turn_at_mean_velocity();
    s.position_.U_ *= 0.2 * reach;
    w.joint_forces = random.numbers(machine.joint_rows());
    s.position_.nu_ = random.numbers(machine.joint_rows());
    w.joint_impulses = random.numbers(machine.joint_rows());
    s.smooth_.evaluate();
    w.total = end.increment + s.position_.U_;
    retract(machine.nodes(), state.q, w.total, w.q);
    for (ContactWork& work : w.contacts.work) work.candidate = work.closed = true;
    s.position_.evaluate();
    press_contacts(random, s.position_, status);
    w.contacts.evaluate_rows(state, w.q);
    s.velocity_.set_moved(s.position_.has_moved());
    s.velocity_.evaluate();
    press_contacts(random, s.velocity_, status);
  }

  template <class Problem>
  void press_contacts(testing::Random& random, Problem& problem, ContactStatus status) {
    ContactSet& contacts = s.w_.contacts;
    for (std::size_t c = 0; c < contacts.count(); ++c) {
      const Contact& contact = contacts.contact(c);
      ContactWork& work = contacts.work[c];
      press_itself(contact, work, s.w_.h);
      problem.contact_multipliers().segment(contact.first_row, contact.rows()) =
          pressed(problem.law(work), contact.rows(), status, random, true) +
          work.law.penalty * work.ghat;
    }
  }

  using Statuses = std::vector<std::array<ContactStatus, max_friction_blocks>>;
  Statuses block_statuses() const {
    Statuses all;
    for (const ContactWork& work : s.w_.contacts.work) all.push_back(work.equations.block_status);
    return all;
  }

  /// The assembled matrix against differences of the residual it belongs to.
  template <class Problem>
  ::testing::AssertionResult check(Problem& problem, KktMatrix& K, ContactStatus status) {
    constexpr bool has_contacts = !std::is_same_v<Problem, SmoothMotion>;
    problem.evaluate();
    const Statuses at_centre = block_statuses();
    const auto residual = [&](const VecX& x) -> VecX {
      problem.move(K, x, 1.0);
      problem.evaluate();
      if constexpr (has_contacts) {
        for (const ContactWork& work : s.w_.contacts.work) {
          const ContactLaw& law = problem.law(work);
          const bool resists = law.ball_count > 0 && law.balls[0].coefficient > 0.0;
          const ContactStatus expected =
              !resists && status == ContactStatus::stick ? ContactStatus::slip : status;
          EXPECT_EQ(work.equations.status, expected);
        }
        EXPECT_EQ(block_statuses(), at_centre);
      }
      VecX minus_residual = VecX::Zero(K.size());
      problem.fill_right_side(K, minus_residual);
      problem.move(K, x, -1.0);
      return -minus_residual;
    };
    const testing::Differences numeric = testing::differences(residual, K.size(), 1e-3);
    problem.evaluate();
    K.set_zero();
    problem.assemble(K);
    return testing::agrees(K.matrix().entries(), numeric);
  }

  ::testing::AssertionResult check_smooth(ContactStatus status) {
    return check(s.smooth_, s.smooth_K_, status);
  }
  ::testing::AssertionResult check_position(ContactStatus status) {
    return check(s.position_, matrix(), status);
  }
  ::testing::AssertionResult check_velocity(ContactStatus status) {
    s.w_.joints.evaluate(s.w_.q);
    s.w_.contacts.evaluate_rows(state, s.w_.q);
    return check(s.velocity_, matrix(), status);
  }
  KktMatrix& matrix() {
    s.stage_.begin_step(state.solver);
    s.stage_.matrix().prepare();
    return s.stage_.matrix().K;
  }
};

/// The same for Moreau's method.
struct MoreauProbe {
  Moreau& s;
  State state{};

  void be_anywhere(testing::Random& random, double h, ContactStatus status, double reach) {
    StepWork& w = s.w_;
    const Machine& machine = w.machine;
    state = state_anywhere(machine, random, reach, reach);
    s.start(state);
    arm(state);
    w.set_time(state, h);
    w.begin(state, h);
    s.evaluate_middle();
    s.start_.v = state.v;
    s.step_.V_ = anything(machine, random, reach);
    s.step_.f_start_ = anything(machine, random, 1.0);
    w.joint_impulses = random.numbers(machine.joint_rows());
    for (ContactWork& work : w.contacts.work) work.closed = true;
    s.step_.evaluate();
    for (std::size_t c = 0; c < w.contacts.count(); ++c) {
      const Contact& contact = w.contacts.contact(c);
      ContactWork& work = w.contacts.work[c];
      press_itself(contact, work, w.h);
      s.step_.contact_multipliers().segment(contact.first_row, contact.rows()) =
          pressed(work.law, contact.rows(), status, random, false) + work.law.penalty * work.ghat;
    }
  }

  ::testing::AssertionResult check() {
    s.stage_.matrix().prepare();
    KktMatrix& K = s.stage_.matrix().K;
    const auto residual = [&](const VecX& x) -> VecX {
      s.step_.move(K, x, 1.0);
      s.step_.evaluate();
      VecX minus_residual = VecX::Zero(K.size());
      s.step_.fill_right_side(K, minus_residual);
      s.step_.move(K, x, -1.0);
      return -minus_residual;
    };
    const testing::Differences numeric = testing::differences(residual, K.size(), 1e-3);
    s.step_.evaluate();
    K.set_zero();
    s.step_.assemble(K);
    return testing::agrees(K.matrix().entries(), numeric);
  }
};

/// The same for the coupled scheme, whose step is one problem.
struct NsgaCoupledProbe {
  NsgaCoupled& s;
  State state{};

  void be_anywhere(testing::Random& random, double h, ContactStatus status, double reach) {
    StepWork& w = s.w_;
    CoupledStep& step = s.step_;
    const Machine& machine = w.machine;
    state = state_anywhere(machine, random, reach, 1.0);
    s.Scheme::start(state);
    arm(state);
    w.set_time(state, h);
    w.begin(state, h);
    step.guess();
    for (NodalVector* nodal : {&step.ha_, &w.v, &step.y_}) {
      *nodal = anything(machine, random, 1.0);
    }
    step.y_ *= reach;
    for (VecX& multipliers : step.joint_multipliers_) {
      multipliers = random.numbers(multipliers.size());
    }
    for (ContactWork& work : w.contacts.work) work.candidate = true;
    step.evaluate();
    for (std::size_t c = 0; c < w.contacts.count(); ++c) {
      // Tangents are carried along from where they are.
      Vec3& tangent = state.contacts[c].tangent;
      tangent = w.contacts.contact(c).frame(w.q, tangent).tangents[0];
    }
    step.evaluate();
    press_contacts(random, status);
  }

  /// Multipliers that give every contact the status at each level, away from where it changes.
  void press_contacts(testing::Random& random, ContactStatus status) {
    StepWork& w = s.w_;
    for (std::size_t c = 0; c < w.contacts.count(); ++c) {
      const Contact& contact = w.contacts.contact(c);
      CoupledContact& work = s.step_.contacts_[c];
      press_itself(contact, w.contacts.work[c], w.h);
      const ContactWork& base = w.contacts.work[c];
      const double push = status == ContactStatus::open ? -1.0 : 1.0;
      work.push = push + base.scale[0] * contact.gap(w.q) / w.h;
      const auto press = [&](const RowVector& g) {
        return RowVector(pressed(base.law, contact.rows(), status, random, false) +
                         base.law.penalty * g);
      };
      RowVector xi = base.scale.cwiseProduct(w.contacts.rates(c, w.v));
      for (int i = 0; i < contact.rows(); ++i) {
        const auto rebound = s.step_.rebound_of_row(c, i);
        xi[i] += rebound.coefficient * base.scale[i] * rebound.rate;
      }
      work.impulse = press(xi);
      work.force = press(work.acceleration);
    }
  }

  /// Which law each contact is under, at each level.
  std::vector<ContactStatus> statuses() const {
    std::vector<ContactStatus> all;
    for (const CoupledContact& work : s.step_.contacts_) {
      all.push_back(work.position.status);
      for (const ContactEquations* e : {&work.velocity, &work.forces}) {
        all.push_back(e->status);
        all.insert(all.end(), e->block_status.begin(), e->block_status.end());
      }
    }
    return all;
  }

  ::testing::AssertionResult check() {
    s.matrix_.prepare();
    CoupledMatrix& K = s.matrix_.K;
    CoupledStep& step = s.step_;
    step.evaluate();
    const std::vector<ContactStatus> at_centre = statuses();
    const auto residual = [&](const VecX& x) -> VecX {
      step.move(K, x, 1.0);
      step.evaluate();
      EXPECT_EQ(statuses(), at_centre);
      VecX minus_residual = VecX::Zero(K.size());
      step.fill_right_side(K, minus_residual);
      step.move(K, x, -1.0);
      return -minus_residual;
    };
    testing::Differences numeric = testing::differences(residual, K.size(), 1e-3);
    step.evaluate();
    K.set_zero();
    step.assemble(K);
    MatX entries = K.matrix().entries();
    // What positions do to the bending of paths, v . (d rows/dt), is left out of the matrix: it is
    // of second order in the step.
    const int dofs = s.w_.machine.dofs();
    const auto leave_out = [&](int first_row, int rows) {
      for (MatX* matrix : {&entries, &numeric.derivative}) {
        matrix->block(first_row, 2 * dofs, rows, dofs).setZero();
      }
    };
    leave_out(K.joint_multiplier(Level::acceleration), s.w_.machine.joint_rows());
    for (std::size_t c = 0; c < s.w_.contacts.count(); ++c) {
      leave_out(K.contact_multiplier(Level::acceleration, c), s.w_.contacts.contact(c).rows());
    }
    return testing::agrees(entries, numeric);
  }
};

namespace nsga_tangents_test {

using testing::Random;

struct Case {
  const char* name;
  Model (*model)(Random&);
  ContactStatus status;
  double penalty;
  double reach = 1.0;  // elements of beams have no meaning when bent by half a turn
};

/// Every element's force, rows and tangents, through the three Newton matrices.
class NewtonMatrix : public ::testing::TestWithParam<Case> {
 protected:
  template <class Check>
  void at_random_states(const Check& check, bool turning_far = false) {
    for (unsigned seed = 1; seed <= testing::random_cases; ++seed) {
      Random random(seed);
      const Model model = GetParam().model(random);
      const Machine machine(model);
      IntegratorSpec spec;
      spec.penalty = GetParam().penalty;
      Nsga nsga(machine, spec);
      NsgaProbe probe{nsga};
      // A step so long that velocities, stiffness and mass have equal weight.
      probe.be_anywhere(random, 0.6, GetParam().status, GetParam().reach, turning_far);
      EXPECT_TRUE(check(probe)) << "seed " << seed;
    }
  }
};

TEST_P(NewtonMatrix, of_the_smooth_motion_is_the_derivative_of_its_residual) {
  at_random_states([](NsgaProbe& probe) { return probe.check_smooth(GetParam().status); });
}

TEST_P(NewtonMatrix, of_the_position_correction_is_the_derivative_of_its_residual) {
  at_random_states([](NsgaProbe& probe) { return probe.check_position(GetParam().status); });
}

TEST_P(NewtonMatrix, of_the_velocity_jump_is_the_derivative_of_its_residual) {
  at_random_states([](NsgaProbe& probe) { return probe.check_velocity(GetParam().status); });
}

TEST_P(NewtonMatrix, of_bodies_that_turn_far_is_the_derivative_too) {
  at_random_states([](NsgaProbe& probe) { return probe.check_smooth(GetParam().status); }, true);
  at_random_states([](NsgaProbe& probe) { return probe.check_velocity(GetParam().status); }, true);
}

TEST_P(NewtonMatrix, of_moreaus_step_is_the_derivative_of_its_residual) {
  for (unsigned seed = 1; seed <= testing::random_cases; ++seed) {
    Random random(seed);
    const Model model = GetParam().model(random);
    const Machine machine(model);
    IntegratorSpec spec;
    spec.penalty = GetParam().penalty;
    spec.theta = 0.7;
    Moreau moreau(machine, spec);
    MoreauProbe probe{moreau};
    probe.be_anywhere(random, 0.6, GetParam().status, GetParam().reach);
    EXPECT_TRUE(probe.check()) << "seed " << seed;
  }
}

TEST_P(NewtonMatrix, of_the_coupled_step_is_the_derivative_of_its_residual) {
  for (unsigned seed = 1; seed <= testing::random_cases; ++seed) {
    Random random(seed);
    const Model model = GetParam().model(random);
    const Machine machine(model);
    IntegratorSpec spec;
    spec.penalty = GetParam().penalty;
    NsgaCoupled coupled(machine, spec);
    NsgaCoupledProbe probe{coupled};
    probe.be_anywhere(random, 0.6, GetParam().status, GetParam().reach);
    EXPECT_TRUE(probe.check()) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Systems, NewtonMatrix,
    ::testing::Values(
        Case{"space_open", testing::everything_in_space, ContactStatus::open, 1.0},
        Case{"space_stick", testing::everything_in_space, ContactStatus::stick, 1.0},
        Case{"space_slip", testing::everything_in_space, ContactStatus::slip, 1.0},
        Case{"space_slip_penalty_3", testing::everything_in_space, ContactStatus::slip, 3.0},
        Case{"plane_stick", testing::everything_in_the_plane, ContactStatus::stick, 1.0},
        Case{"plane_slip_penalty_3", testing::everything_in_the_plane, ContactStatus::slip, 3.0},
        Case{"spheres_open", testing::spheres_in_space, ContactStatus::open, 1.0},
        Case{"spheres_stick", testing::spheres_in_space, ContactStatus::stick, 1.0},
        Case{"spheres_slip", testing::spheres_in_space, ContactStatus::slip, 1.0},
        Case{"spheres_slip_penalty_3", testing::spheres_in_space, ContactStatus::slip, 3.0},
        Case{"spheres_with_patches_stick", testing::spheres_with_patches, ContactStatus::stick,
             1.0},
        Case{"spheres_with_patches_slip", testing::spheres_with_patches, ContactStatus::slip, 1.0},
        Case{"discs_stick", testing::discs_in_the_plane, ContactStatus::stick, 1.0},
        Case{"discs_slip_penalty_3", testing::discs_in_the_plane, ContactStatus::slip, 3.0},
        Case{"rolling_in_space_open", testing::rolling_in_space, ContactStatus::open, 1.0, 0.5},
        Case{"rolling_in_space_stick", testing::rolling_in_space, ContactStatus::stick, 1.0, 0.5},
        Case{"rolling_in_the_plane_slip", testing::rolling_in_the_plane, ContactStatus::slip, 3.0},
        Case{"geared_in_space_open", testing::geared_in_space, ContactStatus::open, 1.0},
        Case{"geared_in_space_stick", testing::geared_in_space, ContactStatus::stick, 1.0},
        Case{"geared_in_the_plane_slip", testing::geared_in_the_plane, ContactStatus::slip, 1.0},
        Case{"resisting_joints_stick", testing::resisting_joints, ContactStatus::stick, 1.0},
        Case{"resisting_joints_slip", testing::resisting_joints, ContactStatus::slip, 3.0},
        Case{"beams_in_space_slip", testing::beams_in_space, ContactStatus::slip, 1.0, 0.3},
        Case{"beams_in_space_stick", testing::beams_in_space, ContactStatus::stick, 1.0, 0.3},
        Case{"beams_in_the_plane_slip", testing::beams_in_the_plane, ContactStatus::slip, 1.0,
             0.3}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(GeneralizedAlpha, coefficients_match_the_table_of_the_source) {
  const auto expect = [](double rho, double am, double af, double gamma, double beta) {
    const GeneralizedAlpha c(rho);
    EXPECT_NEAR(c.am, am, 1e-15);
    EXPECT_NEAR(c.af, af, 1e-15);
    EXPECT_NEAR(c.gamma, gamma, 1e-15);
    EXPECT_NEAR(c.beta, beta, 1e-15);
  };
  expect(0.0, -1.0, 0.0, 1.5, 1.0);
  expect(0.5, 0.0, 1.0 / 3.0, 5.0 / 6.0, 4.0 / 9.0);
  expect(0.8, 1.0 / 3.0, 4.0 / 9.0, 11.0 / 18.0, 25.0 / 81.0);
  expect(1.0, 0.5, 0.5, 0.5, 0.25);
}

}  // namespace nsga_tangents_test
}  // namespace clatter
