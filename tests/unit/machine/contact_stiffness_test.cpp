#include <gtest/gtest.h>

#include <clatter/contact/geometry/contact_pair.hpp>
#include <clatter/machine/contact_stiffness.hpp>

namespace clatter {
namespace contact_stiffness_test {

/// 000, section C.6: moduli and radii of the examples, and the stiffness that is printed.
TEST(ContactStiffness, is_the_printed_one_of_balls_on_a_floor_and_on_each_other) {
  Model model;
  MaterialSpec material;
  material.name = "m";
  ContactSpec contact;
  contact.geometry = SphereOnFace::geometry;
  ForceLawSpec law;
  law.materials = {"m", "m"};
  const auto stiffness = [&](double modulus, double radius) {
    material.youngs_modulus = modulus;
    model.materials = {material};
    contact.radius = contact.face_radius = radius;
    return stiffness_of(law, elasticities_of(model, law), contact);
  };
  EXPECT_NEAR(stiffness(6.043e8, 0.1), 1.4e8, 0.005e8);  // as many digits as are printed
  contact.geometry = SphereOnSphere::geometry;
  EXPECT_NEAR(stiffness(7.5e10, 0.02), 5.5e9, 0.05e9);
  EXPECT_NEAR(stiffness(2e11, 0.0085), 9.5e9, 0.1e9);  // the modulus is a reading: steel
  law.stiffness = 3.0;
  EXPECT_EQ(stiffness(1.0, 1.0), 3.0);
}

}  // namespace contact_stiffness_test
}  // namespace clatter
