#include <array>

#include <gtest/gtest.h>

#include <clatter/contact/law/natural_map.hpp>
#include <clatter/contact/solvers/contact_problem.hpp>

namespace clatter {
namespace natural_map_test {

/// Without friction and without slip the cone is a line and its edge, and what opens has no
/// reaction.
TEST(NaturalMap, of_an_open_contact_without_friction_or_slip_is_zero) {
  for (const int rows : {2, 3, 4}) {
    const CondensedContact contact = coulomb_contact(0, rows, 0.0);
    const std::array<double, 4> r{}, u{0.25, 0.0, 0.0, 0.0};
    std::array<double, 4> off{1.0, 1.0, 1.0, 1.0};
    natural_map(contact.law, rows, 1.0, r.data(), u.data(), off.data());
    for (int i = 0; i < rows; ++i) EXPECT_EQ(off[static_cast<std::size_t>(i)], 0.0) << rows;
  }
}

/// One that closes lacks just its speed.
TEST(NaturalMap, of_a_closing_contact_without_friction_is_its_speed) {
  const CondensedContact contact = coulomb_contact(0, 3, 0.0);
  const std::array<double, 3> r{}, u{-0.25, 0.0, 0.0};
  std::array<double, 3> off{};
  natural_map(contact.law, 3, 1.0, r.data(), u.data(), off.data());
  EXPECT_EQ(off[0], -0.25);
}

}  // namespace natural_map_test
}  // namespace clatter
