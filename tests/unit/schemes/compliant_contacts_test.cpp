#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <clatter/machine/tangents.hpp>
#include <clatter/recovery/collision.hpp>
#include <clatter/schemes/step_work.hpp>
#include <clatter/simulation/simulation.hpp>

#include "support/finite_difference.hpp"
#include "support/impact_models.hpp"
#include "support/message_of.hpp"
#include "support/run.hpp"

namespace clatter {
namespace compliant_contacts_test {

using testing::ball;
using testing::order;
using testing::run;
using testing::value;
using testing::vector;

/// Two balls that meet: masses 2 and 1 kg, radii 0.3 and 0.2 m.
Model two_balls(double step, double duration, double gap, const Vec3& velocity) {
  Model model = testing::timed(step, duration);
  model.integrator.kind = IntegratorKind::generalized_alpha;
  model.bodies = {ball("a", BodyKind::rigid, 2.0, 0.3, Vec3::Zero()),
                  ball("b", BodyKind::rigid, 1.0, 0.2, Vec3(0.5 + gap, 0.0, 0.0), velocity)};
  ContactSpec contact;
  contact.name = "pair";
  contact.geometry = SphereOnSphere::geometry;
  contact.point.body = "b";
  contact.radius = 0.2;
  contact.face.body = "a";
  contact.face_radius = 0.3;
  contact.restitution = 0.7;
  contact.compliance.emplace().law = NormalLawKind::flores;
  contact.compliance->stiffness = 1e6;
  model.contacts = {contact};
  return model;
}

TEST(CompliantContacts, have_the_tangents_of_their_forces) {
  Model model = two_balls(1e-2, 1.0, -0.1, Vec3(-0.4, 0.3, 0.2));
  ContactSpec& contact = model.contacts[0];
  contact.point.point = Vec3(0.02, 0.01, -0.03);  // turning moves it
  contact.face.point = Vec3(-0.03, 0.02, 0.01);
  contact.friction = 0.4;
  contact.compliance->stiffness = 40.0;
  contact.compliance->slow_speed = 0.5;
  model.bodies[0].angular_velocity = Vec3(0.3, -0.5, 0.7);
  model.bodies[1].angular_velocity = Vec3(-0.6, 0.2, 0.4);
  const Machine machine(model);
  StepWork w(machine, model.integrator);
  State state = state_at_start(machine);
  w.begin(state, 0.01);
  KktMatrix K(machine, w.contacts.compliant_scope());
  const std::vector<Mat3> T(machine.nodes().size(), Mat3::Identity());
  const auto forces_at = [&](const NodalVector& increment, const NodalVector& v) -> VecX {
    retract(machine.nodes(), state.q, increment, w.q);
    NodalVector f = NodalVector::Zero(machine.nodal_size());
    VecX terms = VecX::Zero(static_cast<Eigen::Index>(machine.nodes().size()));
    w.compliant.add_forces(state, w.q, v, 1.0, f, terms);
    EXPECT_GT(f.norm(), 0.1);
    VecX x = VecX::Zero(K.size());
    K.gather(f, x);
    return -x;
  };
  const NodalVector still = NodalVector::Zero(machine.nodal_size());
  const auto moved = [&](const VecX& x) {
    NodalVector by = still;
    K.scatter(x, 1.0, by);
    return by;
  };
  const testing::Differences by_velocity = testing::differences(
      [&](const VecX& x) { return forces_at(still, state.v + moved(x)); }, K.size(), 1e-3);
  const testing::Differences by_place = testing::differences(
      [&](const VecX& x) { return forces_at(moved(x), state.v); }, K.size(), 1e-3);
  forces_at(still, state.v);
  K.set_zero();
  w.compliant.add_tangents(w.q, state.v, {0.0, 1.0, 0.0}, T, K);
  EXPECT_TRUE(testing::agrees(K.matrix().entries(), by_velocity));
  K.set_zero();
  w.compliant.add_tangents(w.q, state.v, {0.0, 0.0, 1.0}, T, K);
  EXPECT_TRUE(testing::agrees(K.matrix().entries(), by_place));
}

class CompliantCollision : public ::testing::TestWithParam<NormalLawKind> {};

/// Against the integration of the law alone, which knows nothing of bodies.
TEST_P(CompliantCollision, is_that_of_its_law) {
  const bool linear = is_linear(GetParam());
  const double speed = 2.0, reduced = 2.0 / 3.0;
  const NormalLaw law{GetParam(), 1e6, linear ? 1.0 : 1.5, 0.7};
  const Collision exact = collide(law, reduced, speed);
  const auto errors = [&](double parts) {
    const double step = exact.duration / parts;
    Model model = two_balls(step, 1.5 * exact.duration, 0.0, Vec3(-speed, 0.0, 0.0));
    model.integrator.kind = IntegratorKind::newmark;
    model.contacts[0].compliance->law = GetParam();
    Simulation simulation(model);
    double peak = 0.0;
    while (!simulation.finished()) {
      simulation.step();
      peak = std::max(peak, value(simulation, "contacts/pair/normal_force"));
    }
    const double impulse = value(simulation, "contacts/pair/normal_impulse");
    // The trapezoidal rule passes on what the contact gives, to the last digit.
    EXPECT_NEAR(impulse, 1.0 * (value(simulation, "bodies/b/velocity") + speed), 1e-9);
    const Vec3 momentum = vector(simulation, "system/linear_momentum");
    EXPECT_NEAR(momentum[0], -speed, 1e-12);
    const double parting =
        value(simulation, "bodies/b/velocity") - value(simulation, "bodies/a/velocity");
    EXPECT_NEAR(peak, exact.peak, 0.02 * exact.peak);
    EXPECT_NEAR(value(simulation, "energy/impact_loss"), exact.energy_lost,
                2e-2 * exact.energy_lost + 2e-3);
    EXPECT_NEAR(value(simulation, "energy/elastic"), 0.0, 1e-12);
    return std::pair(parting / speed - exact.restitution, value(simulation, "energy/scheme_loss"));
  };
  const auto coarse = errors(100), fine = errors(400);
  // Where the surfaces part the force of Hooke's law has a kink, which costs an order.
  const double least = linear ? 0.8 : 1.6;
  EXPECT_LT(std::abs(fine.first), 1e-3);
  EXPECT_GT(order(coarse.first, fine.first) / 2.0, least);
  EXPECT_LT(std::abs(fine.second), 2e-3 * 0.5 * reduced * speed * speed);
}

INSTANTIATE_TEST_SUITE_P(Laws, CompliantCollision,
                         ::testing::Values(NormalLawKind::hertz, NormalLawKind::hunt_crossley,
                                           NormalLawKind::flores, NormalLawKind::exact));

TEST(CompliantContacts, keep_momenta_while_they_slide_and_close_the_ledger) {
  const auto loss = [](double step) {
    Model model = two_balls(step, 0.02, 1e-3, Vec3(-1.0, 0.4, 0.0));
    model.contacts[0].friction = 0.3;
    model.contacts[0].compliance->slow_speed = 0.05;
    Simulation simulation(model);
    const Vec3 linear = vector(simulation, "system/linear_momentum"),
               angular = vector(simulation, "system/angular_momentum");
    run(simulation);
    EXPECT_LT((vector(simulation, "system/linear_momentum") - linear).norm(), 1e-12);
    EXPECT_LT((vector(simulation, "system/angular_momentum") - angular).norm(), 1e-6);
    EXPECT_GT(value(simulation, "energy/friction_loss"), 1e-3);
    EXPECT_GT(value(simulation, "bodies/b/velocity"), -0.4);  // they have parted
    return value(simulation, "energy/scheme_loss");
  };
  const double coarse = loss(4e-5), fine = loss(1e-5);
  EXPECT_LT(std::abs(coarse), 2e-4);
  EXPECT_GT(order(coarse, fine) / 2.0, 1.5);
}

/// Bounces off a Hertzian floor, in closed form but for the law's own collision.
TEST(CompliantContacts, bounce_with_the_period_of_flight_and_contact) {
  Model model = testing::ball_on_ground(BodyKind::rigid, 5e-5, 1.0);
  model.integrator.kind = IntegratorKind::newmark;
  const double height = 0.1, g = 9.81, speed = std::sqrt(2.0 * g * height);
  model.bodies[0].position[2] += height;
  model.contacts[0].restitution = 1.0;
  model.contacts[0].compliance.emplace().law = NormalLawKind::hertz;
  model.contacts[0].compliance->stiffness = 1e8;
  const Collision exact = collide({NormalLawKind::hertz, 1e8, 1.5, 1.0}, testing::ball_mass, speed);
  const double period = 2.0 * speed / g + exact.duration;
  model.integrator.duration = std::round(3.0 * period / 5e-5) * 5e-5;
  Simulation simulation(model);
  run(simulation);
  // After three periods it is at the top again; weight shortens the contact by 2 m g/F of it.
  const double slack = 3.0 * exact.duration * 2.0 * testing::ball_mass * g / exact.peak + 5e-5;
  EXPECT_NEAR(value(simulation, "bodies/ball/velocity", 2), 0.0, 2.0 * g * slack + 1e-3);
  EXPECT_NEAR(value(simulation, "bodies/ball/position", 2), testing::ball_radius + height, 1e-4);
  EXPECT_LT(simulation.statistics().min_gap, -0.5 * exact.depth);
}

TEST(CompliantContacts, carry_a_weight_at_the_depth_of_its_law) {
  Model model = testing::ball_on_ground(BodyKind::planar, 1e-3, 1.0);
  const double weight = testing::ball_mass * 9.81, stiffness = 1e7;
  const double depth = std::pow(weight / stiffness, 2.0 / 3.0);
  model.bodies[0].position[1] -= depth;  // pressed from the start
  model.integrator.kind = IntegratorKind::generalized_alpha;
  model.contacts[0].friction = 0.5;
  model.contacts[0].restitution = 0.5;
  model.contacts[0].compliance.emplace().stiffness = stiffness;
  Simulation simulation(model);
  run(simulation);
  EXPECT_NEAR(value(simulation, "contacts/floor/gap"), -depth, 1e-9 * depth + 1e-15);
  EXPECT_NEAR(value(simulation, "contacts/floor/normal_force"), weight, 1e-9 * weight);
  EXPECT_NEAR(value(simulation, "energy/elastic"), weight * depth / 2.5, 1e-9 * weight * depth);
}

/// 003, section 6.2: a disc in a box of stiff walls, with steps too long for them. What Newmark's
/// method then makes of it was computed by an independent program.
TEST(CompliantContacts, let_newmark_gain_and_lose_in_a_box_as_it_does) {
  struct Member {
    double gamma, beta;
    std::vector<double> speeds;
  };
  for (const Member& member :
       {Member{0.5, 0.25, {5.7561, 7.0296, 5.1758}}, Member{1.0, 0.49, {2.1538, 0.5772}}}) {
    Model model = testing::timed(2.5e-3, 2.0);
    model.integrator.kind = IntegratorKind::newmark;
    model.integrator.gamma = member.gamma;
    model.integrator.beta = member.beta;
    model.bodies = {
        ball("disc", BodyKind::planar, 1.0, 0.01, Vec3(0.25, 0.25, 0.0), Vec3(4.0, -4.0, 0.0))};
    for (const Vec3& inwards : {Vec3(1, 0, 0), Vec3(-1, 0, 0), Vec3(0, 1, 0), Vec3(0, -1, 0)}) {
      ContactSpec wall;
      wall.name = fmt::format("wall{}", model.contacts.size());
      wall.geometry = SphereOnFace::geometry;
      wall.point.body = "disc";
      wall.radius = 0.01;
      wall.face.point = inwards.sum() > 0.0 ? Vec3(Vec3::Zero()) : Vec3(1.0, 1.0, 0.0);
      wall.direction = inwards;
      wall.restitution = 1.0;
      wall.compliance.emplace().law = NormalLawKind::hooke;
      wall.compliance->stiffness = 1e6;
      model.contacts.push_back(wall);
    }
    Simulation simulation(model);
    std::vector<double> speeds{4.0};  // of the disc along y, each time it flies again
    while (!simulation.finished()) {
      simulation.step();
      const double gap = std::min(value(simulation, "contacts/wall2/gap"),
                                  value(simulation, "contacts/wall3/gap"));
      const double speed = std::abs(value(simulation, "bodies/disc/velocity", 1));
      if (gap > 0.0 && std::abs(speed - speeds.back()) > 1e-9) speeds.push_back(speed);
    }
    ASSERT_GT(speeds.size(), member.speeds.size());
    for (std::size_t i = 0; i < member.speeds.size(); ++i) {
      EXPECT_NEAR(speeds[i + 1], member.speeds[i], 1e-4);
    }
  }
}

TEST(CompliantContacts, belong_to_their_integrators_alone) {
  Model model = two_balls(1e-4, 1.0, 0.1, Vec3::Zero());
  model.integrator.kind = IntegratorKind::moreau;
  EXPECT_NE(
      testing::message_of([&] { Simulation simulation(model); }).find("whose contacts are hard"),
      std::string::npos);
  model.integrator.kind = IntegratorKind::newmark;
  model.contacts[0].compliance.reset();
  EXPECT_NE(testing::message_of([&] { Simulation simulation(model); }).find("needs 'compliance'"),
            std::string::npos);
}

}  // namespace compliant_contacts_test
}  // namespace clatter
