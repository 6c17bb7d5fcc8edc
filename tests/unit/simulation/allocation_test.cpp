// Once a run is warm, a step takes no memory from the heap, and neither does a sample. Every
// request of the process is counted, those of libraries included.

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <filesystem>

#include <gtest/gtest.h>

#include <clatter/io/model_reader.hpp>
#include <clatter/simulation/simulation.hpp>

#include "support/source_folder.hpp"

#ifdef __SANITIZE_ADDRESS__
#define CLATTER_HAS_ADDRESS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CLATTER_HAS_ADDRESS_SANITIZER
#endif
#endif

namespace {

std::atomic<long> allocations{0};

}  // namespace

#ifdef CLATTER_HAS_ADDRESS_SANITIZER

// The sanitizer has replaced the allocator already, and tells who asks. GCC does not install the
// header of this function.
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void*,
                                                                           std::size_t),
                                                         void (*on_free)(const volatile void*));

namespace {

const int hooks = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void*, std::size_t) { ++allocations; }, [](const volatile void*) {});

}  // namespace

#elif defined(__GLIBC__)

// Definitions in the program come before those of the C library, for all shared libraries as well.
// operator new calls these.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* block, std::size_t size) {
  ++allocations;
  return __libc_realloc(block, size);
}
void* memalign(std::size_t alignment, std::size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** block, std::size_t alignment, std::size_t size) {
  ++allocations;
  *block = __libc_memalign(alignment, size);
  return *block == nullptr ? ENOMEM : 0;
}
}

#endif

namespace clatter {
namespace {

struct Counts {
  long by_steps = 0, by_samples = 0;
};

/// Allocations after `warm` steps, until the end of the run.
Counts count_allocations(const Model& model, long warm) {
  Simulation simulation(model);
  std::vector<double> row(static_cast<std::size_t>(simulation.row_size()));
  for (long k = 0; k < warm; ++k) simulation.step();
  simulation.sample(row);
  Counts counts;
  while (!simulation.finished()) {
    const long before = allocations;
    simulation.step();
    const long stepped = allocations;
    simulation.sample(row);
    simulation.start_interval();
    counts.by_steps += stepped - before;
    counts.by_samples += allocations - stepped;
  }
  EXPECT_GT(simulation.steps_total(), 2 * warm) << "hardly anything was counted";
  return counts;
}

void expect_none(const Counts& counts) {
  EXPECT_EQ(counts.by_steps, 0);
  EXPECT_EQ(counts.by_samples, 0);
}

Model example(const char* file) { return read_model(source_folder() / "examples" / file); }

/// Adds a body whose points touch the plane z = 0.
void put_on_floor(Model& model, const BodySpec& body, const std::vector<Vec3>& points,
                  double friction, double restitution) {
  for (const Vec3& point : points) {
    ContactSpec contact;
    contact.name = "contact" + std::to_string(model.contacts.size());
    contact.point = {body.name, point};
    contact.friction = friction;
    contact.restitution = restitution;
    model.contacts.push_back(contact);
  }
  model.gravity = {0.0, 0.0, -9.81};
  model.bodies.push_back(body);
}

class Allocation : public ::testing::Test {
 protected:
  void SetUp() override {
#if defined(CLATTER_HAS_ADDRESS_SANITIZER) || defined(__GLIBC__)
    const long before = allocations;
    ::operator delete(::operator new(1));  // unlike a new-expression, not optimised away
    ASSERT_GT(allocations, before) << "the count does not work";
#else
    GTEST_SKIP() << "allocations cannot be counted here";
#endif
  }
};

TEST_F(Allocation, none_in_the_bounces_of_a_ball) {
  BodySpec ball;
  ball.name = "ball";
  ball.kind = BodyKind::point;
  ball.mass = 1.0;
  ball.position = {0.0, 0.0, 0.1};
  Model model;
  put_on_floor(model, ball, {Vec3::Zero()}, 0.3, 0.8);
  model.integrator.duration = 2.0;  // it bounces some twenty times and comes to rest
  expect_none(count_allocations(model, 10));
}

TEST_F(Allocation, none_by_any_integrator) {
  for (const IntegratorKind kind :
       {IntegratorKind::nsga, IntegratorKind::nsga_coupled, IntegratorKind::moreau}) {
    for (const char* file : {"002/tippe-top.toml", "002/ball-in-cylinder.toml",
                             "nonholonomic/sleigh-against-wall.toml", "stacks/wedge.toml",
                             "elements/cable-tackle.toml"}) {
      SCOPED_TRACE(file);
      Model model = example(file);
      model.integrator.kind = kind;
      model.integrator.duration = std::min(model.integrator.duration, 1.0);
      expect_none(count_allocations(model, 10));
    }
  }
}

TEST_F(Allocation, none_in_conserving_contacts) {
  expect_none(count_allocations(example("003/concave-pendulum.toml"), 200));
  expect_none(count_allocations(example("003/carom.toml"), 100));
}

TEST_F(Allocation, none_in_a_rocking_rod) {
  expect_none(count_allocations(example("001/rocking-rod-1.toml"), 10));
}

TEST_F(Allocation, none_in_a_spatial_mechanism) {
  expect_none(count_allocations(example("smooth/slider-crank-3d.toml"), 10));
}

TEST_F(Allocation, none_in_joints_that_hold_velocities) {
  expect_none(count_allocations(example("nonholonomic/coin-on-circle.toml"), 10));
  expect_none(count_allocations(example("nonholonomic/sleigh-against-wall.toml"), 10));
}

TEST_F(Allocation, none_in_a_long_chain) {
  Model model = example("smooth/chain.toml");  // large enough for sparse matrices
  model.integrator.duration = 0.1;
  expect_none(count_allocations(model, 10));
}

TEST_F(Allocation, none_in_beams) {
  BeamSpec rod;
  rod.points = {Vec3::Zero(), Vec3(1, 0, 0)};
  rod.elements = 4;
  rod.section = section_of(CircleSection{0.1});
  rod.youngs_modulus = rod.shear_modulus = 1e6;
  rod.density = 1000.0;
  rod.unstressed_curvature = Vec3(0, 0, 0.3);
  rod.stiffness_damping = 1e-3;
  Model model;
  for (const bool planar : {false, true}) {
    rod.name = planar ? "flat" : "rod";
    rod.planar = planar;
    model.beams.push_back(rod);
  }
  model.integrator.duration = 0.1;
  expect_none(count_allocations(model, 10));
}

/// Boxes that slide to rest on their four corners each: reactions are not unique.
Model sliding_boxes(int count) {
  const Vec3 size(0.2, 0.3, 0.1);
  Model model;
  for (int k = 0; k < count; ++k) {
    BodySpec box;
    box.name = "box" + std::to_string(k);
    box.mass = 2.0;
    box.inertia = inertia_of(BoxShape{size}, box.mass);
    box.position = {0.0, 1.0 * k, 0.5 * size.z()};
    box.velocity = {0.2 * (k + 1), 0.0, 0.0};
    put_on_floor(
        model, box,
        {0.5 * Vec3(size.x(), size.y(), -size.z()), 0.5 * Vec3(-size.x(), size.y(), -size.z()),
         0.5 * Vec3(-size.x(), -size.y(), -size.z()), 0.5 * Vec3(size.x(), -size.y(), -size.z())},
        0.5, 0.0);
  }
  model.integrator.duration = 0.4;
  return model;
}

TEST_F(Allocation, none_in_a_box_with_redundant_contacts) {
  expect_none(count_allocations(sliding_boxes(1), 10));
}

TEST_F(Allocation, none_in_many_boxes_at_rest_on_redundant_contacts) {
  // Sparse, and with redundant rows it can take new pivots when a box comes to rest, which needs
  // memory. The fastest, at 0.8 m/s, does so after 0.8/(0.5 g) = 0.163 s.
  expect_none(count_allocations(sliding_boxes(4), 170));
}

TEST_F(Allocation, none_in_masses_that_stick_and_slip) {
  expect_none(count_allocations(example("001/spring-chain.toml"), 10));
}

}  // namespace
}  // namespace clatter
