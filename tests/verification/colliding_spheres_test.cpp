#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "support/random_state.hpp"
#include "support/run.hpp"

// Free spheres collide: whatever their sizes, masses, spins and friction, momenta are kept to
// round-off, no sphere sinks into another, and energy does not grow.

namespace clatter {
namespace colliding_spheres_test {

using testing::Random;

constexpr double step = 1e-3;

/// What round-off, and the tolerance of the solver, may leave of the sums below.
constexpr double round_off = 1e-12;

std::string name_of(int sphere) { return "sphere" + std::to_string(sphere); }

BodySpec sphere(int number, Random& random, double& radius) {
  BodySpec body;
  body.name = name_of(number);
  body.mass = std::exp(random.number(-2.0, 2.0));
  radius = std::exp(random.number(-1.0, 1.0));
  // Between a heavy core and a shell. The scheme integrates free rotation with an error of its own
  // unless all axes are principal, and the momenta shall be exact here.
  body.inertia = random.number(0.05, 0.66) * body.mass * radius * radius * Mat3::Identity();
  body.orientation = random.rotation();
  body.angular_velocity = random.vector(3.0);
  return body;
}

ContactSpec touch(int a, double radius_a, int b, double radius_b, double friction,
                  double restitution) {
  ContactSpec contact;
  contact.name = "touch" + std::to_string(a) + std::to_string(b);
  contact.geometry = SphereOnSphere::geometry;
  contact.point.body = name_of(b);
  contact.radius = radius_b;
  contact.face.body = name_of(a);
  contact.face_radius = radius_a;
  contact.friction = friction;
  contact.restitution = restitution;
  return contact;
}

double isotropic(const BodySpec& body) { return body.inertia(0, 0); }

/// Where a sphere is and how it moves.
struct Motion {
  Vec3 x, v;
  Quaternion turn;  // from body to space
  Vec3 omega;       // along the body axes
};

std::vector<Motion> motions(const Simulation& simulation, const Model& model) {
  std::vector<Motion> all;
  for (const BodySpec& body : model.bodies) {
    const std::string path = "bodies/" + body.name + "/";
    const auto p = [&](int i) { return testing::value(simulation, path + "orientation", i); };
    all.push_back({testing::vector(simulation, path + "position"),
                   testing::vector(simulation, path + "velocity"),
                   Quaternion(p(0), p(1), p(2), p(3)),
                   testing::vector(simulation, path + "angular_velocity")});
  }
  return all;
}

double smallest_gap(const Simulation& simulation, const Model& model) {
  double gap = 0.0;
  for (const ContactSpec& contact : model.contacts) {
    gap = std::min(gap, testing::value(simulation, "contacts/" + contact.name + "/gap") /
                            std::min(contact.radius, contact.face_radius));
  }
  return gap;
}

/// Runs and checks every step. Angular momentum is that of the impulses, about the origin: an
/// impact is seen at the end of its step, where the spheres are first moved and turned to where
/// they touch, and that alone changes the moment of their momenta, by as much as the impact is
/// late.
void keeps_the_laws(const Model& model, bool energy) {
  Simulation simulation(model);
  std::vector<Motion> before = motions(simulation, model);
  double momentum_size = 0.0, moment_size = 0.0, energy_size = 0.0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const double p = model.bodies[i].mass * before[i].v.norm();
    const double l = isotropic(model.bodies[i]) * before[i].omega.norm();
    momentum_size += p;
    moment_size += p * (1.0 + before[i].x.norm()) + l;
    energy_size += 0.5 * (p * before[i].v.norm() + l * before[i].omega.norm());
  }
  double lowest = testing::value(simulation, "energy/total");
  while (!simulation.finished()) {
    simulation.step();
    const std::vector<Motion> now = motions(simulation, model);
    Vec3 momentum = Vec3::Zero(), moment = Vec3::Zero();
    for (std::size_t i = 0; i < now.size(); ++i) {
      const Vec3 jump = model.bodies[i].mass * (now[i].v - before[i].v);
      momentum += jump;
      const Vec3 spin = isotropic(model.bodies[i]) * (now[i].omega - before[i].omega);
      moment += now[i].x.cross(jump) + now[i].turn * spin;
    }
    RC_ASSERT(momentum.norm() <= round_off * momentum_size);
    RC_ASSERT(moment.norm() <= round_off * moment_size);
    RC_ASSERT(smallest_gap(simulation, model) >= -round_off);
    const double total = testing::value(simulation, "energy/total");
    if (energy) RC_ASSERT(total <= lowest + round_off * energy_size);
    lowest = std::min(lowest, total);
    before = now;
  }
}

bool has_collided(const Model& model) {
  Simulation simulation(model);
  testing::run(simulation);
  const std::vector<Motion> end = motions(simulation, model);
  return (end[0].v - model.bodies[0].velocity).norm() > 1e-9;
}

double any_restitution(Random& random) {
  const double e = random.number(-0.2, 1.2);
  return std::clamp(e, 0.0, 1.0);  // often 0 or 1
}

/// Sphere 1 flies towards sphere 0 and meets it in the middle of the run.
Model collision(unsigned seed) {
  Random random(seed);
  Model model;
  std::array<double, 2> radius{};
  for (int i = 0; i < 2; ++i) {
    model.bodies.push_back(sphere(i, random, radius[static_cast<std::size_t>(i)]));
  }
  BodySpec &a = model.bodies[0], &b = model.bodies[1];
  a.velocity = random.vector();
  const Vec3 normal = random.direction();
  Vec3 approach = random.direction();
  if (approach.dot(normal) > 0.0) approach = -approach;
  approach = (approach - 0.2 * normal).normalized();  // not quite grazing
  b.velocity = a.velocity + random.number(0.1, 5.0) * approach;
  const double time = random.number(3.0, 7.0) * step;  // of the impact
  a.position = random.vector();
  b.position = a.position + (radius[0] + radius[1]) * normal - time * (b.velocity - a.velocity);
  model.contacts = {touch(0, radius[0], 1, radius[1],
                          random.number() < 0.0 ? 0.0 : random.number(0.0, 1.5),
                          any_restitution(random))};
  model.integrator.step = step;
  model.integrator.duration = 10 * step;
  return model;
}

RC_GTEST_PROP(CollidingSpheres, keep_momenta_and_create_no_energy, ()) {
  for (unsigned i = 0; i < 10; ++i) {  // a hundred times: 1000 collisions
    Model model = collision(*rc::gen::arbitrary<unsigned>());
    model.integrator.multi_impact = *rc::gen::arbitrary<bool>();
    keeps_the_laws(model, true);
    RC_ASSERT(has_collided(model));
  }
}

/// Spheres 1 and 2 touch; sphere 0 hits one of them, or both.
Model triple(unsigned seed, bool rough) {
  Random random(seed);
  Model model;
  std::array<double, 3> radius{};
  for (int i = 0; i < 3; ++i) {
    model.bodies.push_back(sphere(i, random, radius[static_cast<std::size_t>(i)]));
  }
  BodySpec &a = model.bodies[0], &b = model.bodies[1], &c = model.bodies[2];
  const Vec3 axis = random.direction();
  c.position = b.position + (radius[1] + radius[2]) * axis;
  Vec3 side = random.direction();
  side = (side - std::max(0.0, side.dot(axis)) * 2.0 * axis).normalized();
  const double time = random.number(3.0, 7.0) * step;
  Vec3 approach = random.direction();
  if (approach.dot(side) > 0.0) approach = -approach;
  a.velocity = random.number(0.1, 5.0) * (approach - 0.2 * side).normalized();
  a.position = b.position + (radius[0] + radius[1]) * side - time * a.velocity;
  const double e = any_restitution(random), friction = rough ? random.number(0.0, 1.0) : 0.0;
  for (const auto& [i, j] : {std::pair(0, 1), std::pair(0, 2), std::pair(1, 2)}) {
    model.contacts.push_back(touch(i, radius[static_cast<std::size_t>(i)], j,
                                   radius[static_cast<std::size_t>(j)], friction, e));
  }
  model.integrator.step = step;
  model.integrator.duration = 10 * step;
  model.integrator.multi_impact = true;
  model.integrator.max_impacts = 10000;  // a light sphere between heavy ones takes many
  return model;
}

/// The third sphere may be in the way from the start: such models are not collisions.
bool starts_apart(const Model& model) {
  const double distance = (model.bodies[0].position - model.bodies[2].position).norm();
  return distance > model.contacts[1].radius + model.contacts[1].face_radius;
}

RC_GTEST_PROP(CollidingSpheres, pass_impacts_on_without_creating_energy, ()) {
  for (unsigned i = 0; i < 10; ++i) {
    const Model model = triple(*rc::gen::arbitrary<unsigned>(), false);
    if (starts_apart(model)) keeps_the_laws(model, true);
  }
}

// Newton's law with friction in several contacts at once need not lose energy.
RC_GTEST_PROP(CollidingSpheres, pass_impacts_on_with_friction_and_keep_momenta, ()) {
  for (unsigned i = 0; i < 10; ++i) {
    const Model model = triple(*rc::gen::arbitrary<unsigned>(), true);
    if (starts_apart(model)) keeps_the_laws(model, false);
  }
}

}  // namespace colliding_spheres_test
}  // namespace clatter
