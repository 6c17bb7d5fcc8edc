#include <cmath>

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
    ForceLawSpec completed = law;
    complete(completed, elasticities_of(model, law), contact);
    return *completed.stiffness;
  };
  EXPECT_NEAR(stiffness(6.043e8, 0.1), 1.4e8, 0.005e8);  // as many digits as are printed
  contact.geometry = SphereOnSphere::geometry;
  EXPECT_NEAR(stiffness(7.5e10, 0.02), 5.5e9, 0.05e9);
  EXPECT_NEAR(stiffness(2e11, 0.0085), 9.5e9, 0.1e9);  // the modulus is a reading: steel
  law.stiffness = 3.0;
  EXPECT_EQ(stiffness(1.0, 1.0), 3.0);
}

TEST(ContactStiffness, of_a_line_is_palmgrens_and_its_curvature_that_of_both) {
  const std::array<Elasticity, 2> steel{Elasticity{2.06e11, 0.3}, Elasticity{2.06e11, 0.3}};
  ContactSpec contact;
  contact.geometry = SphereInSphere::geometry;
  contact.radius = 0.005;
  contact.face_radius = 0.02;
  ForceLawSpec law;
  law.length = 0.01;
  complete(law, steel, contact);
  EXPECT_DOUBLE_EQ(*law.exponent, 10.0 / 9.0);
  // 3.84e-5 mm (F/N)^0.9/(L/mm)^0.8, to its three digits.
  const double delta = 3.84e-8 * std::pow(1000.0, 0.9) / std::pow(10.0, 0.8);
  EXPECT_NEAR(std::pow(1000.0 / *law.stiffness, 0.9) / delta, 1.0, 5e-3);
  EXPECT_NEAR(line_of(0.01, steel, contact).curvature, 200.0 - 50.0, 1e-9);
  contact.geometry = SphereOnSphere::geometry;
  EXPECT_NEAR(line_of(0.01, steel, contact).curvature, 200.0 + 50.0, 1e-9);
  contact.geometry = SphereOnFace::geometry;
  EXPECT_NEAR(line_of(0.01, steel, contact).curvature, 200.0, 1e-9);
  contact.face_curvature = {-40.0, 0.0};
  EXPECT_NEAR(line_of(0.01, steel, contact).curvature, 160.0, 1e-9);
}

}  // namespace contact_stiffness_test
}  // namespace clatter
