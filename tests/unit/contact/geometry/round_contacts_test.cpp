#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "support/contact_rows.hpp"

namespace clatter {
namespace round_contacts_test {

using testing::in_plane;
using testing::in_space;
using testing::Random;
using testing::rates;
using testing::rows_of;
using testing::two_spheres;

TEST(SpheresInContact, are_apart_by_the_distance_of_their_centres_less_their_radii) {
  Configuration q(3);
  q[2].x = Vec3(3.0, 0.0, 0.0);
  EXPECT_DOUBLE_EQ(Contact(two_spheres(), 1, 2, in_space).gap(q), 0.5);
  ContactSpec hollow = two_spheres();
  hollow.geometry = SphereInSphere::geometry;
  hollow.face_radius = 5.0;
  EXPECT_DOUBLE_EQ(Contact(hollow, 1, 2, in_space).gap(q), 1.0);
}

TEST(SpheresInContact, push_each_other_apart_from_outside_and_inward_in_a_hollow) {
  Configuration q(3);
  q[2].x = Vec3(3.0, 0.0, 0.0);
  const Vec12 outside = rows_of(Contact(two_spheres(), 1, 2, in_space), q).row(0);
  EXPECT_EQ(outside[6], 1.0);
  EXPECT_EQ(outside[0], -1.0);
  ContactSpec hollow = two_spheres();
  hollow.geometry = SphereInSphere::geometry;
  hollow.face_radius = 4.0;
  const Contact inside(hollow, 1, 2, in_space);
  EXPECT_EQ(inside.frame(q, Vec3::Zero()).normal, Vec3(-1.0, 0.0, 0.0));
  const Vec12 pushed = rows_of(inside, q).row(0);
  EXPECT_EQ(pushed[6], -1.0);
  EXPECT_EQ(pushed[0], 1.0);
}

TEST(SpheresInContact, do_not_slip_when_they_roll_like_gears) {
  for (const bool planar : {false, true}) {
    ContactSpec spec = two_spheres();
    spec.rolling_friction = 0.1;
    const Contact contact(spec, 1, 2, planar ? in_plane : in_space);
    Configuration q(3);
    q[2].x = Vec3(0.0, 2.5, 0.0);
    NodalVector v = NodalVector::Zero(18);
    v[6 + 5] = 2.0;    // about z, 3 m/s at the rim
    v[12 + 5] = -3.0;  // the other way round, 3 m/s as well
    const VecX rate = rates(contact, q, v);
    EXPECT_LT(rate.head(planar ? 2 : 3).norm(), 1e-15);
    EXPECT_NEAR(rate.tail(planar ? 1 : 2).norm(), 5.0, 1e-15 * 8);
    if (planar) {
      EXPECT_EQ(rate[2], -5.0);
    }
  }
}

TEST(SpheresInContact, do_not_slip_when_one_rolls_inside_a_hollow_one) {
  ContactSpec spec = two_spheres();
  spec.geometry = SphereInSphere::geometry;
  spec.face_radius = 4.0;
  for (const bool planar : {false, true}) {
    const Contact contact(spec, ground, 1, planar ? in_plane : in_space);
    Configuration q(3);
    q[1].x = Vec3(0.0, -3.0, 0.0);
    NodalVector v = NodalVector::Zero(18);
    v[6] = 2.0;       // to the right at the bottom
    v[6 + 5] = -2.0;  // clockwise, as a wheel that goes to the right
    EXPECT_LT(rates(contact, q, v).norm(), 1e-15);
  }
}

TEST(SpheresInContact, disc_on_a_floor_rolls_to_the_right_when_it_turns_clockwise) {
  ContactSpec spec;
  spec.geometry = SphereOnFace::geometry;
  spec.direction = Vec3::UnitY();
  spec.radius = 0.5;
  spec.friction = 0.3;
  spec.rolling_friction = 0.1;
  const Contact contact(spec, ground, 1, in_plane);
  Configuration q(3);
  q[1].x = Vec3(7.0, 0.75, 0.0);
  EXPECT_DOUBLE_EQ(contact.gap(q), 0.25);
  NodalVector v = NodalVector::Zero(18);
  v[6] = 1.0;
  v[6 + 5] = -2.0;
  const VecX rolls = rates(contact, q, v);
  EXPECT_EQ(rolls[1], 0.0);
  EXPECT_EQ(rolls[2], -2.0);
  v[6 + 5] = 2.0;  // backspin
  EXPECT_EQ(rates(contact, q, v)[1], 2.0);
}

TEST(SpheresInContact, are_finite_when_concentric_in_a_hollow_one) {
  ContactSpec spec = two_spheres();
  spec.geometry = SphereInSphere::geometry;
  spec.face_radius = 4.0;
  for (const auto* nodes : {&in_space, &in_plane}) {
    const Contact contact(spec, 1, 2, *nodes);
    const Configuration q(3);
    EXPECT_EQ(contact.gap(q), 3.0);
    const ContactFrame frame = contact.frame(q, Vec3::UnitX());
    EXPECT_NEAR(frame.normal.norm(), 1.0, 1e-15);
    EXPECT_NEAR(frame.normal.dot(frame.tangents[0]), 0.0, 1e-15);
    EXPECT_NEAR(frame.tangents[0].norm(), 1.0, 1e-15);
    EXPECT_TRUE(MatX(rows_of(contact, q)).allFinite());
  }
}

TEST(SpheresInContact, bring_tangents_whatever_the_former_one_was) {
  const Contact contact(two_spheres(), 1, 2, in_space);
  Configuration q(3);
  Random random(3);
  for (int i = 0; i < 20; ++i) {
    q[2].x = 2.5 * random.direction();
    const Vec3 normal = q[2].x.normalized();
    for (const Vec3& former : {Vec3(Vec3::Zero()), normal, Vec3(-normal), random.direction()}) {
      const ContactFrame f = contact.frame(q, former);
      Mat3 axes;
      axes << f.tangents[0], f.tangents[1], f.normal;
      EXPECT_LT((axes.transpose() * axes - Mat3::Identity()).norm(), 1e-14);
      EXPECT_NEAR(axes.determinant(), 1.0, 1e-14);
    }
  }
}

// A tangent that lies along the way, or across it, comes back after a full turn.
TEST(SpheresInContact, carry_their_tangents_along_without_jumps_through_a_full_turn) {
  const int steps = 360;
  const double angle = 2.0 * std::numbers::pi / steps;
  const Contact contact(two_spheres(), 1, 2, in_space);
  for (unsigned seed = 0; seed < 10; ++seed) {
    Random random(seed);
    const Mat3 plane = random.axes();  // the sphere circles in x, y of these
    for (const double lean : {0.0, 0.5, 1.0, 0.5 * std::numbers::pi}) {
      Vec3 tangent = plane * Vec3(0.0, std::cos(lean), std::sin(lean));
      const Vec3 first = tangent;
      Configuration q(3);
      for (int i = 0; i <= steps; ++i) {
        q[2].x = 2.5 * (plane * Vec3(std::cos(i * angle), std::sin(i * angle), 0.0));
        const ContactFrame f = contact.frame(q, tangent);
        ASSERT_LE((f.tangents[0] - tangent).norm(), 1.001 * angle) << "step " << i;
        ASSERT_NEAR(f.tangents[0].cross(f.tangents[1]).dot(f.normal), 1.0, 1e-14);
        tangent = f.tangents[0];
      }
      if (lean == 0.0 || lean > 1.5) {
        EXPECT_LT((tangent - first).norm(), 1e-12);
      }
    }
  }
}

TEST(SpheresInContact, turn_the_planar_tangent_with_the_normal_through_a_full_turn) {
  const Contact contact(two_spheres(), 1, 2, in_plane);
  Configuration q(3);
  for (int i = 0; i <= 360; ++i) {
    const double angle = i * std::numbers::pi / 180.0;
    q[2].x = 2.5 * Vec3(std::cos(angle), std::sin(angle), 0.0);
    const Vec3 right(std::sin(angle), -std::cos(angle), 0.0);  // of the way outward
    EXPECT_LT((contact.frame(q, Vec3::Zero()).tangents[0] - right).norm(), 1e-14);
  }
}

TEST(SphereInBore, rolls_along_and_around_without_slip) {
  ContactSpec spec;
  spec.geometry = SphereInBore::geometry;
  spec.direction = Vec3::UnitX();
  spec.radius = 1.0;
  spec.face_radius = 4.0;
  spec.friction = 0.3;
  const Contact contact(spec, ground, 1, in_space);
  Configuration q(3);
  q[1].x = Vec3(7.0, 0.0, -3.0);
  EXPECT_EQ(contact.gap(q), 0.0);
  EXPECT_EQ(contact.frame(q, Vec3::UnitX()).normal, Vec3::UnitZ());
  NodalVector v = NodalVector::Zero(18);
  v.segment<3>(6) = Vec3(2.0, 5.0, 0.0);
  v.segment<3>(9) = Vec3(-5.0, 2.0, 0.0);
  EXPECT_LT(rates(contact, q, v).norm(), 1e-15);
}

TEST(SphereOnShaft, rolls_along_and_around_without_slip) {
  ContactSpec spec;
  spec.geometry = SphereOnShaft::geometry;
  spec.direction = Vec3::UnitX();
  spec.radius = 1.0;
  spec.face_radius = 4.0;
  spec.friction = 0.3;
  const Contact contact(spec, ground, 1, in_space);
  Configuration q(3);
  q[1].x = Vec3(7.0, 0.0, 5.0);
  EXPECT_EQ(contact.gap(q), 0.0);
  EXPECT_EQ(contact.frame(q, Vec3::UnitX()).normal, Vec3::UnitZ());
  NodalVector v = NodalVector::Zero(18);
  v.segment<3>(6) = Vec3(2.0, 5.0, 0.0);
  v.segment<3>(9) = Vec3(-5.0, 2.0, 0.0);
  EXPECT_LT(rates(contact, q, v).norm(), 1e-15);
}

TEST(SphereInBore, is_finite_on_the_axis) {
  ContactSpec spec;
  spec.geometry = SphereInBore::geometry;
  spec.direction = Vec3(1.0, 2.0, 2.0);
  spec.radius = 1.0;
  spec.face_radius = 4.0;
  spec.friction = 0.3;
  const Contact contact(spec, 1, 2, in_space);
  Configuration q(3);
  EXPECT_EQ(contact.gap(q), 3.0);
  EXPECT_NEAR(contact.frame(q, Vec3::Zero()).normal.dot(spec.direction), 0.0, 1e-15 * 4);
  EXPECT_TRUE(MatX(rows_of(contact, q)).allFinite());
  Mat12 H;
  contact.gap_hessian(q, H);
  EXPECT_TRUE(H.allFinite());
}

// ---- Rows and blocks

}  // namespace round_contacts_test
}  // namespace clatter
