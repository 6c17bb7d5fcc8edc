#include <gtest/gtest.h>

#include <clatter/contact/geometry/contact.hpp>

#include "support/finite_difference.hpp"
#include "support/random_state.hpp"

namespace clatter {
namespace joint_contact_test {

using testing::agrees;
using testing::differences;
using testing::free_node;
using testing::Random;

/// Coordinates between four nodes, two of which share node 2, and one against the ground.
class StopOfFour : public ::testing::Test {
 protected:
  StopOfFour() : q_(random_.configuration(4)) {
    JointContactSpec spec;
    spec.play = 0.4;
    spec.side = -1.0;
    spec.radius = 0.3;
    std::vector<JointContact::Term> terms{
        {PairCoordinate::angle(1, Vec3::UnitX(), Vec3::UnitY(), 2, Vec3(0.6, 0.8, 0.0)), 1.5, 0},
        {PairCoordinate::along(2, Vec3(0.1, 0.2, 0.3), Vec3::UnitZ(), 3, Vec3(0.3, 0.0, -0.2)),
         -2.0, 1},
        {PairCoordinate::distance(ground, Vec3(0.1, 0.0, 0.4), 4, Vec3(0.2, 0.1, 0.0)), 0.7, 2}};
    contact_.emplace(ContactSpec{}, JointContact::stop(spec, std::move(terms), 0.2), 1, 2, nodes_);
  }
  Configuration moved(const VecX& by) const {
    Configuration q = q_;
    for (std::size_t k = 0; k < 4; ++k) {
      NodeState& state = q[static_cast<std::size_t>(contact_->nodes()[k])];
      state.x += by.segment<3>(6 * static_cast<Eigen::Index>(k));
      state.p = state.p * exp_so3(by.segment<3>(6 * static_cast<Eigen::Index>(k) + 3));
      state.R = state.p.toRotationMatrix();
    }
    return q;
  }
  TwoPairRows rows(const Configuration& q) const {
    PairRows first(1, 12), second(1, 12);
    contact_->rates(q, contact_->frame(q, Vec3::UnitY()), first, second);
    TwoPairRows all(1, 24);
    all << first, second;
    return all;
  }

  Random random_{5};
  Configuration q_;
  const std::vector<Node> nodes_{Node{}, free_node(0), free_node(6), free_node(12), free_node(18)};
  std::optional<Contact> contact_;
};

TEST_F(StopOfFour, has_the_derivatives_of_its_gap_over_all_nodes) {
  const auto gap = [&](const VecX& by) -> VecX {
    return VecX::Constant(1, contact_->gap(moved(by)));
  };
  EXPECT_TRUE(agrees(rows(q_), differences(gap, 24)));
  Mat24 H;
  contact_->gap_hessian(q_, H);
  const auto row = [&](const VecX& by) -> VecX { return rows(moved(by)).row(0).transpose(); };
  EXPECT_TRUE(agrees(H, differences(row, 24)));
}

TEST_F(StopOfFour, has_the_derivatives_of_its_rate_and_of_its_force) {
  const ContactFrame frame = contact_->frame(q_, Vec3::UnitY());
  const ChordDerivative none{};
  const Vec24 v = random_.numbers(24);
  TwoPairRows by_position, rate;
  contact_->rates_derivative(q_, frame, none, v, by_position);
  const auto rates = [&](const VecX& by) -> VecX { return rows(moved(by)) * v; };
  EXPECT_TRUE(agrees(by_position, differences(rates, 24)));
  contact_->rows_rate(q_, frame, none, v, rate);
  const auto along = [&](const VecX& t) -> VecX { return rows(moved(t[0] * v)).transpose(); };
  EXPECT_TRUE(agrees(rate.transpose(), differences(along, 1)));
  Mat24 stiffness;
  contact_->force_derivative(q_, frame, none, RowVector::Constant(1, 0.7), stiffness);
  const auto force = [&](const VecX& by) -> VecX { return 0.7 * rows(moved(by)).transpose(); };
  EXPECT_TRUE(agrees(stiffness, differences(force, 24)));
}

TEST_F(StopOfFour, counts_turns_from_where_it_is_told) {
  const double turn = 2.0 * std::numbers::pi;
  const std::vector<double> none(3, 0.0), three{3.0 * turn, 0.0, 0.0};
  // The sum grows by 1.5 for each radian, away from the stop below.
  EXPECT_NEAR(contact_->gap(q_, three) - contact_->gap(q_, none), 0.3 * 1.5 * 3.0 * turn, 1e-12);
}

/// Friction over rates that no coordinate has: of a joint between two nodes, and of a rope.
class RowsOfJoints : public ::testing::Test {
 protected:
  RowsOfJoints() : q_(random_.configuration(3)) {
    const Vec3 z = Vec3(0.3, -0.5, 0.7).normalized();
    std::vector<JointContact::Block> blocks{
        {FrictionKind::sliding,
         1.0,
         {{{PairCoordinate::along(1, Vec3(0.1, 0.2, 0.3), z, 2, Vec3(0.3, 0.0, -0.2)), 1.0}},
          {{PairSlip::of_turn(1, 2, z), 0.3}}}},
        {FrictionKind::drilling, 0.5, {{{PairSlip::of_turn(2, 3, z, true), 1.0}}}},
        {FrictionKind::rolling, 0.2, {{{PairSlip::of_turn(ground, 3, z, true), -2.0}}}}};
    contact_.emplace(ContactSpec{},
                     JointContact(JointContact::Normal::is_given, 0.0, {}, std::move(blocks)), 1, 2,
                     nodes_);
  }
  Configuration moved(const VecX& by) const {
    Configuration q = q_;
    for (std::size_t k = 0; k < 3; ++k) {
      NodeState& state = q[static_cast<std::size_t>(contact_->nodes()[k])];
      state.x += by.segment<3>(6 * static_cast<Eigen::Index>(k));
      state.p = state.p * exp_so3(by.segment<3>(6 * static_cast<Eigen::Index>(k) + 3));
      state.R = state.p.toRotationMatrix();
    }
    return q;
  }
  TwoPairRows rows(const Configuration& q) const {
    PairRows first(5, 12), second(5, 12);
    contact_->rates(q, contact_->frame(q, Vec3::UnitY()), first, second);
    TwoPairRows all(5, 24);
    all << first, second;
    return all;
  }
  VecX of_three(const VecX& numbers) const {
    VecX all = VecX::Zero(24);
    all.head(18) = numbers;
    return all;
  }

  Random random_{7};
  Configuration q_;
  const std::vector<Node> nodes_{Node{}, free_node(0), free_node(6), free_node(12)};
  std::optional<Contact> contact_;
};

TEST_F(RowsOfJoints, tell_how_fast_bodies_slide_and_turn_over_each_other) {
  ASSERT_EQ(contact_->rows(), 5);
  EXPECT_TRUE(contact_->is_pressed());
  const Vec24 v = of_three(random_.numbers(18));
  const RowVector rates = rows(q_) * v;
  const Vec3 z = Vec3(0.3, -0.5, 0.7).normalized();
  const auto spin = [&](int k) {
    return Vec3(q_[static_cast<std::size_t>(k)].R * v.segment<3>(6 * k - 3));
  };
  EXPECT_EQ(rates[0], 0.0);
  EXPECT_NEAR(rates[2], 0.3 * (q_[1].R * z).dot(spin(2) - spin(1)), 1e-14);
  EXPECT_NEAR(rates[3], (q_[3].R * z).dot(spin(3) - spin(2)), 1e-14);
  EXPECT_NEAR(rates[4], -2.0 * (q_[3].R * z).dot(spin(3)), 1e-14);
}

TEST_F(RowsOfJoints, have_the_derivatives_of_their_rates_and_forces) {
  const ContactFrame frame = contact_->frame(q_, Vec3::UnitY());
  const ChordDerivative none{};
  const Vec24 v = of_three(random_.numbers(18));
  TwoPairRows by_position, rate;
  contact_->rates_derivative(q_, frame, none, v, by_position);
  const auto rates = [&](const VecX& by) -> VecX { return rows(moved(by)) * v; };
  EXPECT_TRUE(agrees(by_position, differences(rates, 24)));
  contact_->rows_rate(q_, frame, none, v, rate);
  for (int i = 0; i < 5; ++i) {
    const auto along = [&](const VecX& t) -> VecX {
      return rows(moved(t[0] * v)).row(i).transpose();
    };
    EXPECT_TRUE(agrees(rate.row(i).transpose(), differences(along, 1)));
  }
  RowVector p(5);
  p << 3.0, 0.7, -0.4, 1.1, 0.6;
  Mat24 stiffness;
  contact_->force_derivative(q_, frame, none, p, stiffness);
  const auto force = [&](const VecX& by) -> VecX { return rows(moved(by)).transpose() * p; };
  EXPECT_TRUE(agrees(stiffness, differences(force, 24)));
}

}  // namespace joint_contact_test
}  // namespace clatter
