#include <cmath>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clatter/contact/geometry/contact_pair.hpp>
#include <clatter/machine/contact_stiffness.hpp>
#include <clatter/recovery/contact_forces.hpp>

namespace clatter {
namespace contact_forces_test {

using ::testing::ElementsAre;

ContactSpec contact_of(const ContactGeometry& geometry, double radius, double other = 0.0) {
  ContactSpec contact;
  contact.name = "touch";
  contact.geometry = geometry;
  contact.radius = radius;
  contact.face_radius = other;
  return contact;
}

TEST(CurvatureOf, IsHalfTheSumOfBothInEitherDirection) {
  struct Case {
    ContactSpec contact;
    double A, B;
  };
  for (const Case& c : {Case{contact_of(SphereOnFace::geometry, 0.1), 5.0, 5.0},
                        Case{contact_of(SphereOnSphere::geometry, 0.1, 0.05), 15.0, 15.0},
                        Case{contact_of(SphereInSphere::geometry, 0.1, 0.2), 2.5, 2.5},
                        Case{contact_of(SphereInBore::geometry, 0.1, 0.2), 2.5, 5.0},
                        Case{contact_of(SphereOnShaft::geometry, 0.1, 0.2), 5.0, 7.5}}) {
    const RelativeCurvature curvature = curvature_of(c.contact);
    EXPECT_NEAR(curvature.A, c.A, 1e-12) << c.contact.geometry.name;
    EXPECT_NEAR(curvature.B, c.B, 1e-12) << c.contact.geometry.name;
  }
}

double stiffness_of(const ContactSpec& touching, double modulus) {
  Model model;
  MaterialSpec material;
  material.name = "stuff";
  material.youngs_modulus = modulus;  // with Poisson's ratio 0.3 when nothing is said
  model.materials = {material};
  model.contacts = {touching};
  model.contacts[0].recovery.emplace().materials = {"stuff", "stuff"};
  return recoveries_of(model).at(0).settings.law.stiffness;
}

/// K of the examples of 000, C.6, which prints two digits: a ball of 0.1 m on a plane, balls of
/// 0.02 m, steel tips of 0.0085 m.
TEST(RecoveriesOf, TakeTheStiffnessFromMaterialsAndRadii) {
  EXPECT_NEAR(stiffness_of(contact_of(SphereOnFace::geometry, 0.1), 6.043e8), 1.4e8, 0.05e8);
  EXPECT_NEAR(stiffness_of(contact_of(SphereOnSphere::geometry, 0.02, 0.02), 7.5e10), 5.5e9,
              0.05e9);
  EXPECT_NEAR(stiffness_of(contact_of(SphereOnSphere::geometry, 0.0085, 0.0085), 2e11), 9.5e9,
              0.06e9);
}

TEST(RecoveriesOf, AreOfContactsThatAskAndKeepTheirRestitution) {
  Model model;
  model.contacts = {contact_of(SphereOnFace::geometry, 0.1),
                    contact_of(PointOnFace::geometry, 0.0)};
  model.contacts[1].name = "asks";
  model.contacts[1].restitution = 0.6;
  RecoverySpec& spec = model.contacts[1].recovery.emplace();
  spec.law = NormalLawKind::hu;
  spec.profile = ImpactShape::bent;
  spec.stiffness = 1e8;
  spec.alpha = 2.0;
  const std::vector<ContactRecovery> recoveries = recoveries_of(model);
  ASSERT_EQ(recoveries.size(), 1u);
  EXPECT_EQ(recoveries[0].contact, "asks");
  EXPECT_EQ(recoveries[0].settings.law.kind, NormalLawKind::hu);
  EXPECT_EQ(recoveries[0].settings.law.restitution, 0.6);
  EXPECT_EQ(recoveries[0].settings.law.exponent, 1.5);
  EXPECT_EQ(recoveries[0].settings.shape, ImpactShape::bent);
  EXPECT_EQ(recoveries[0].settings.alpha, 2.0);
  EXPECT_FALSE(recoveries[0].stress);
}

ContactRecovery elastic_recovery(double e) {
  ContactRecovery recovery;
  recovery.contact = "touch";
  recovery.settings = {{NormalLawKind::exact, 1e8, 1.5, e}, ImpactShape::law};
  return recovery;
}

/// Samples 0.1 s apart: a free impact, bodies that land and stay, and an impact on top of that. The
/// mass is 2 kg.
ContactHistory bounces_and_rests() {
  ContactHistory history;
  history.impulse = {0, 3, 0, 0, 7, 2, 2, 2, 8, 2, 2};
  history.gap = {0.05, 0.1, 0.2, 0.01, 0, 0, 0, 0, 0, 0, 0};
  history.speed = {0, 1.0, 0, 0, 2.0, 0, 0, 0, 1e-15, 0, 0};
  history.mass.assign(11, 2.0);
  for (int k = 0; k < 11; ++k) history.time.push_back(0.1 * k);
  return history;
}

double integral_of(const ContactForces& forces, const ContactRecovery& recovery) {
  double sum = std::accumulate(forces.parts.smooth.begin(), forces.parts.smooth.end(), 0.0);
  for (const ContactImpact& impact : forces.impacts) {
    const Collision c = recover(impact.known, recovery.settings);
    constexpr int parts = 2000;
    double mean = 0.0;
    for (int i = 0; i < parts; ++i) mean += c.at((i + 0.5) / parts * c.duration).force / parts;
    sum += mean * c.duration;
  }
  return sum;
}

TEST(RecoverForces, GiveEachImpactItsTimeSpeedAndImpulse) {
  const ContactForces forces = recover_forces(bounces_and_rests(), elastic_recovery(0.5));
  ASSERT_EQ(forces.impacts.size(), 3u);
  const ContactImpact &free = forces.impacts[0], &landing = forces.impacts[1],
                      &struck = forces.impacts[2];
  EXPECT_FALSE(free.on_closed);
  EXPECT_DOUBLE_EQ(free.known.impulse, 3.0);
  EXPECT_DOUBLE_EQ(free.known.speed, 1.0);
  EXPECT_DOUBLE_EQ(free.time, 0.05);  // a gap of 0.05 m at 1 m/s
  EXPECT_EQ(free.force, 0.0);
  EXPECT_NEAR(free.energy_lost, 0.5 * 2.0 * 0.75, 1e-12);  // m v^2/2 (1 - e^2)
  EXPECT_DOUBLE_EQ(landing.known.impulse, 6.0);            // 7 less the mean of 0 and 2
  EXPECT_DOUBLE_EQ(landing.known.speed, 2.0);
  EXPECT_DOUBLE_EQ(landing.time, 0.305);
  EXPECT_TRUE(struck.on_closed);
  EXPECT_DOUBLE_EQ(struck.known.impulse, 6.0);
  // Nothing approached: the speed at which 2 kg have this impulse, 6 = (1 + e) m v.
  EXPECT_DOUBLE_EQ(struck.known.speed, 2.0);
  EXPECT_DOUBLE_EQ(struck.time, 0.7);
  EXPECT_DOUBLE_EQ(struck.force, 20.0);  // 2 N s in 0.1 s
}

TEST(RecoverForces, AtSamplesAreThoseThatStayAndThePeakOfAnImpact) {
  const ContactForces forces = recover_forces(bounces_and_rests(), elastic_recovery(0.5));
  const double peak = collide({NormalLawKind::exact, 1e8, 1.5, 0.5}, 2.0, 1.0).peak;
  EXPECT_NEAR(forces.force[1] / peak, 1.0, 1e-9);
  EXPECT_EQ(forces.force[2], 0.0);
  EXPECT_NEAR(forces.force[6], 20.0, 1e-9);
  EXPECT_NEAR(forces.force[8], 20.0 + forces.impacts[2].peak, 1e-9);
}

TEST(RecoverForces, IntegrateToTheImpulseOfTheRunByEveryShape) {
  const ContactHistory history = bounces_and_rests();
  for (const ImpactShape shape : {ImpactShape::cubic, ImpactShape::bent, ImpactShape::law}) {
    for (const NormalLawKind kind : {NormalLawKind::hertz, NormalLawKind::flores}) {
      ContactRecovery recovery = elastic_recovery(0.5);
      recovery.settings.shape = shape;
      recovery.settings.law.kind = kind;
      // 2000 midpoints leave 1e-7.
      EXPECT_NEAR(integral_of(recover_forces(history, recovery), recovery), 28.0, 1e-6 * 28.0);
    }
  }
}

TEST(RecoverForces, FilterNothingWhereTheSchemeHasToldImpactsApart) {
  ContactHistory history = bounces_and_rests();
  history.percussion = {0, 3, 0, 0, 5, 0, 0, 0, 7, 0, 0};
  const ContactForces forces = recover_forces(history, elastic_recovery(0.5));
  ASSERT_EQ(forces.impacts.size(), 3u);
  EXPECT_THAT(forces.parts.free, ElementsAre(0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(forces.parts.on_closed, ElementsAre(0, 0, 0, 0, 5, 0, 0, 0, 7, 0, 0));
  EXPECT_THAT(forces.parts.smooth, ElementsAre(0, 0, 0, 0, 2, 2, 2, 2, 1, 2, 2));
}

/// Contacts that stay closed have percussions of the size of the errors of the step.
TEST(RecoverForces, CallNoImpactWhatIsLessThanAThousandthOfTheForce) {
  ContactHistory history = bounces_and_rests();
  history.percussion = {0, 3, 0, 0, 5, 1e-6, 1e-3, 0, 0, 3e-3, 0};
  const ContactForces forces = recover_forces(history, elastic_recovery(0.5));
  EXPECT_EQ(forces.impacts.size(), 3u);
  EXPECT_EQ(forces.parts.on_closed[5], 0.0);
  EXPECT_EQ(forces.parts.smooth[5], history.impulse[5]);
  EXPECT_EQ(forces.parts.smooth[6], history.impulse[6]);
  EXPECT_EQ(forces.parts.on_closed[9], 3e-3);
}

TEST(RecoverForces, AddStressesUnderTheWholeForceWhereMaterialsAreKnown) {
  ContactRecovery recovery = elastic_recovery(0.5);
  const PressedBody steel{{2e11, 0.3}, 3e8};
  recovery.stress.emplace(std::array{steel, steel}, RelativeCurvature{5.0, 5.0});
  const ContactForces forces = recover_forces(bounces_and_rests(), recovery);
  const ContactImpact& struck = forces.impacts[2];
  ASSERT_TRUE(struck.stress);
  const HertzContact contact(steel.elasticity, steel.elasticity, {5.0, 5.0});
  EXPECT_NEAR(struck.stress->pressure / contact.pressure(struck.peak + struck.force), 1.0, 1e-12);
}

TEST(RecoverForces, OfNothingAreNothing) {
  EXPECT_TRUE(recover_forces({}, elastic_recovery(0.5)).impacts.empty());
}

}  // namespace contact_forces_test
}  // namespace clatter
