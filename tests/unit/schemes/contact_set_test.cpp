#include <string>

#include <gtest/gtest.h>

#include <clatter/schemes/contact_set.hpp>

#include "support/impact_models.hpp"

namespace clatter {
namespace {

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

}  // namespace
}  // namespace clatter
