// What a run tells of contacts whose forces are to be recovered.

#include <cmath>

#include <gtest/gtest.h>

#include <clatter/contact/geometry/contact_pair.hpp>

#include "support/run.hpp"

namespace clatter {
namespace recovered_contacts_test {

using namespace testing;

ContactSpec recovered(std::string name, const ContactGeometry& geometry, std::string of,
                      std::string with = "") {
  ContactSpec contact;
  contact.name = std::move(name);
  contact.geometry = geometry;
  contact.point.body = std::move(of);
  contact.face.body = std::move(with);
  contact.radius = contact.face_radius = 0.1;
  contact.restitution = 0.5;
  contact.recovery.emplace().stiffness = 1e8;
  return contact;
}

struct Told {
  double impulse, speed, mass;
};

Told told(const Simulation& simulation, const std::string& contact) {
  const std::string path = "contacts/" + contact;
  return {value(simulation, path + "/normal_impulse"), value(simulation, path + "/approach_speed"),
          value(simulation, path + "/effective_mass")};
}

/// A box flies onto the floor at 3 m/s, with one corner of it a contact.
Model box_on_its_corner(IntegratorKind kind) {
  Model model = timed(1e-3, 0.05);
  model.integrator.kind = kind;
  model.bodies = {box("box", BodyKind::rigid, 2.0, {0.4, 0.2, 0.3}, {0, 0, 0.21})};
  model.bodies[0].velocity = {1, 0, -3};
  model.contacts = {recovered("corner", PointOnFace::geometry, "box")};
  model.contacts[0].point.point = {0.2, 0.1, -0.15};
  return model;
}

class RecoveredContact : public ::testing::TestWithParam<IntegratorKind> {};

TEST_P(RecoveredContact, TellsSpeedAndMassOfItsImpact) {
  const Model model = box_on_its_corner(GetParam());
  const Mat3& inertia = model.bodies[0].inertia;
  Simulation simulation(model);
  run(simulation);
  const Told corner = told(simulation, "corner");
  // r x n for the arm r to the corner: (0.1, -0.2, 0).
  const double inverse_mass = 1.0 / 2.0 + 0.01 / inertia(0, 0) + 0.04 / inertia(1, 1);
  EXPECT_NEAR(corner.speed, 3.0, 1e-9);  // nothing accelerates it
  // The box turns while the step of the impact goes on, by h times some ten radians a second.
  EXPECT_NEAR(corner.mass * inverse_mass, 1.0, 0.05);
  EXPECT_NEAR(corner.impulse, 1.5 * 3.0 * corner.mass, 0.05 * corner.impulse);
}

INSTANTIATE_TEST_SUITE_P(Schemes, RecoveredContact,
                         ::testing::Values(IntegratorKind::nsga, IntegratorKind::nsga_coupled,
                                           IntegratorKind::moreau));

/// The middle of three balls in a row is at rest and touches the last.
Model three_balls(bool in_sequence) {
  Model model = timed(1e-3, 0.1);
  model.integrator.multi_impact = in_sequence;
  for (int i = 0; i < 3; ++i) {
    model.bodies.push_back(point("ball" + std::to_string(i), 1.0, {0.2 * i, 0, 0}));
  }
  model.bodies[0].position = {-0.05, 0, 0};
  model.bodies[0].velocity = {1, 0, 0};
  model.contacts = {recovered("first", SphereOnSphere::geometry, "ball0", "ball1"),
                    recovered("second", SphereOnSphere::geometry, "ball1", "ball2")};
  return model;
}

TEST(RecoveredContacts, TellsTheSpeedOfAnImpactThatIsPassedOn) {
  Simulation simulation(three_balls(true));
  run(simulation);
  EXPECT_NEAR(told(simulation, "first").speed, 1.0, 1e-12);
  EXPECT_NEAR(told(simulation, "first").mass, 0.5, 1e-12);
  // The first leaves the second with (1 + e)/2 of its speed.
  EXPECT_NEAR(told(simulation, "second").speed, 0.75, 1e-9);
}

TEST(RecoveredContacts, ThatIsStruckAtOnceWithOthersTellsNoSpeed) {
  Simulation simulation(three_balls(false));
  run(simulation);
  EXPECT_GT(told(simulation, "second").impulse, 0.1);
  EXPECT_NEAR(told(simulation, "second").speed, 0.0, 1e-12);
}

TEST(RecoveredContacts, TellsOnlyOfTheOutputInterval) {
  Simulation simulation(box_on_its_corner(IntegratorKind::nsga));
  run(simulation);
  simulation.start_interval();
  EXPECT_EQ(told(simulation, "corner").speed, 0.0);
  EXPECT_EQ(told(simulation, "corner").mass, 0.0);
}

TEST(RecoveredContacts, HasChannelsThatOthersDoNotHave) {
  Model model = box_on_its_corner(IntegratorKind::nsga);
  model.contacts[0].recovery.reset();
  const Simulation simulation(model);
  EXPECT_THROW(value(simulation, "contacts/corner/approach_speed"), std::invalid_argument);
}

}  // namespace recovered_contacts_test
}  // namespace clatter
