#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include <clatter/schemes/contact_set.hpp>

#include "support/impact_models.hpp"

namespace clatter {
namespace contact_set_test {

/// A step that missed a contact is tried again with it. If that try fails for another reason, it is
/// no miss any more: else the same two tries would take turns.
TEST(ContactSet, has_missed_nothing_once_it_has_searched_again) {
  const Model model = testing::falling_on_ground(1e-3, 1.0, 0.5, Vec3::Zero());
  const Machine machine(model);
  ContactSet contacts(machine, model.integrator);
  State state = state_at_start(machine);
  contacts.search(state, 1e-3);
  for (std::size_t c = 0; c < contacts.count(); ++c) {
    state.contacts[c].gap = contacts.contact(c).gap(state.q);
  }
  contacts.find_near(state, 1e-3);
  ASSERT_TRUE(contacts.near().empty());
  Configuration below = state.q;
  below[1].x[2] = -0.1;
  std::string failure;
  EXPECT_FALSE(contacts.far_ones_stay_open(state, below, state.v, failure));
  EXPECT_TRUE(contacts.has_missed());
  contacts.search(state, 1e-3);
  EXPECT_FALSE(contacts.has_missed());
}

/// What is kept of contacts whose nodes stay must be what would be found anew, whatever was asked
/// for before: all rows, rows for the position correction, or those of another place.
TEST(ContactSet, frames_and_rows_are_those_of_the_configuration_asked_for) {
  const Model model = testing::falling_on_ground(1e-3, 1.0, 0.5, Vec3::Zero());
  const Machine machine(model);
  ContactSet contacts(machine, model.integrator);
  State state = state_at_start(machine);
  contacts.search(state, 1e-3);
  contacts.reach_all();
  contacts.find_near(state, 1e-3);
  ASSERT_FALSE(contacts.near().empty());
  const std::size_t c = contacts.near().front();
  const auto expect_rows_at = [&](const Configuration& q) {
    const Contact& contact = contacts.contact(c);
    const ContactFrame frame = contact.frame(q, state.contacts[c].tangent);
    PairRows rows = PairRows::Zero(contact.rows(), 12);
    contact.rates(q, frame, rows);
    EXPECT_EQ(contacts.work[c].gap, contact.gap(q));
    EXPECT_EQ(contacts.work[c].G, rows);
  };
  Configuration moved = state.q;
  moved[1].x[2] += 0.25;
  moved[1].R = exp_so3(Vec3(0.1, 0.2, 0.3)).toRotationMatrix();
  for (const Configuration* q : {&state.q, &state.q, &moved, &state.q, &moved}) {
    contacts.evaluate_rows(state, *q);
    expect_rows_at(*q);
    contacts.evaluate_position_rows(state, *q);
    EXPECT_EQ(contacts.work[c].gap, contacts.contact(c).gap(*q));
    contacts.evaluate_rows_of(c, state, q == &moved ? state.q : moved);
    contacts.evaluate_rows(state, *q);
    expect_rows_at(*q);
  }
}

/// Products that are written out against those of Eigen, for all numbers of rows.
TEST(PairProducts, are_those_of_matrices) {
  for (int rows = 1; rows <= max_contact_rows; ++rows) {
    PairRows G(rows, 12);
    for (Eigen::Index i = 0; i < G.size(); ++i) G.data()[i] = std::sin(1.0 + 3.0 * i);
    const NodalVector motion = NodalVector::LinSpaced(24, -1.0, 2.0);
    const RowVector p = VecX::LinSpaced(rows, 0.5, 1.5);
    // Sums of twelve terms of the order of one.
    constexpr double round_off = 1e-14;
    EXPECT_LT((rates_of(G, motion, 1, 3) - G * of_pair(motion, 1, 3)).norm(), round_off);
    NodalVector forces = motion, expected = motion;
    add_forces_of(G, p, 3, 1, forces);
    add_to_pair(expected, 3, 1, G.transpose() * p);
    EXPECT_LT((forces - expected).norm(), round_off);
    for (int first = 1; first <= rows; ++first) {
      const PairRows scaled = p.head(first).asDiagonal() * G.topRows(first);
      EXPECT_EQ(scaled_rows(p, G, first), scaled);
    }
  }
}

}  // namespace contact_set_test
}  // namespace clatter
