#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <clatter/analysis/modes.hpp>
#include <clatter/analysis/statics.hpp>
#include <clatter/simulation/simulation.hpp>

#include "support/beams.hpp"
#include "support/run.hpp"

namespace clatter {
namespace modes_test {

using testing::clamped_rod;
using testing::fixed_to_ground;
using testing::force_on;
using testing::point;
using testing::rod;

using Method = Modes (*)(const Machine&, const Configuration&, const Instant&, const VecX&, int);

Modes modes_of(const Model& model, int count, Method method) {
  Machine machine(model);
  const Instant instant = machine.instant_at_start();
  const Equilibrium found = find_equilibrium(machine, instant, machine.initial_configuration());
  return method(machine, found.q, instant, found.joint_forces, count);
}

/// Both methods find the same squares, to the round-off that they admit; 1e-9 is for the end of
/// Lanczos' iteration.
void expect_same(const Modes& a, const Modes& b) {
  ASSERT_EQ(a.modes.size(), b.modes.size());
  for (std::size_t i = 0; i < a.modes.size(); ++i) {
    const Mode &x = a.modes[i], &y = b.modes[i];
    EXPECT_NEAR(x.square, y.square, x.round_off + y.round_off + 1e-9 * std::abs(x.square)) << i;
  }
}

TEST(modes, of_sixty_elements_are_the_same_dense_and_sparse) {
  Model model = clamped_rod(60);
  model.gravity = {0, 0, -9.81};
  model.loads = {force_on("rod.60", {0, 30, -20})};
  const Modes dense = modes_of(model, 8, find_modes_dense);
  expect_same(dense, modes_of(model, 8, find_modes_sparse));
  for (const Mode& mode : dense.modes) EXPECT_LT(mode.round_off, 1e-3 * mode.square);
  EXPECT_LT(dense.asymmetry, largest_symmetric);
}

TEST(modes, with_redundant_joints_are_those_without) {
  Model model = clamped_rod(60);
  const Modes once = modes_of(model, 6, find_modes_dense);
  model.joints.push_back(fixed_to_ground("again", "rod.0", Vec3::Zero()));
  expect_same(once, modes_of(model, 6, find_modes_dense));
  expect_same(once, modes_of(model, 6, find_modes_sparse));
}

class FreeBeam : public ::testing::TestWithParam<Method> {};

TEST_P(FreeBeam, has_six_free_motions_and_then_bends) {
  Model model;
  model.beams = {rod(60)};
  Machine machine(model);
  const Modes found = GetParam()(machine, machine.initial_configuration(),
                                 machine.instant_at_start(), VecX::Zero(machine.joint_rows()), 8);
  ASSERT_EQ(found.modes.size(), 8u);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(found.modes[i].is_free(), i < 6) << i;
  const BeamSpec& beam = model.beams.front();
  for (const auto& [i, I] : {std::pair(6, beam.section.I_y), std::pair(7, beam.section.I_z)}) {
    // Euler-Bernoulli; shear and rotary inertia take (pi r/L)^2 ~ 1e-3, the elements
    // (4.73/60)^2/12.
    const double w = 4.730040745 * 4.730040745 *
                     std::sqrt(beam.youngs_modulus * I / (beam.density * beam.section.area));
    EXPECT_NEAR(std::sqrt(found.modes[static_cast<std::size_t>(i)].square), w, 4e-3 * w);
  }
}

INSTANTIATE_TEST_SUITE_P(modes, FreeBeam, ::testing::Values(find_modes_dense, find_modes_sparse),
                         [](const auto& method) { return method.index == 0 ? "dense" : "sparse"; });

TEST(modes, pendulum_swings_with_root_of_g_over_l) {
  Model model;
  model.gravity = {0, 0, -9.81};
  model.bodies = {point("bob", 3.0, {0, 0, -2})};
  JointSpec rope;
  rope.name = "rope";
  rope.kind = JointKind::distance;
  rope.b.body = "bob";
  model.joints = {rope};
  model.equilibrium = true;
  const Simulation simulation(model);
  EXPECT_TRUE(simulation.is_balanced());
  const Modes found = simulation.modes(10);
  ASSERT_EQ(found.modes.size(), 2u);
  for (const Mode& mode : found.modes) {
    EXPECT_NEAR(mode.square, 9.81 / 2, 1e-12 * 9.81);
    EXPECT_NEAR(mode.frequency(), std::sqrt(9.81 / 2) / (2 * std::numbers::pi), 1e-12);
    EXPECT_FALSE(mode.is_free());
  }
}

TEST(modes, pendulum_upside_down_is_unstable) {
  Model model;
  model.gravity = {0, 0, -9.81};
  model.bodies = {point("bob", 3.0, {0, 0, 2})};
  JointSpec rod;
  rod.name = "rod";
  rod.kind = JointKind::distance;
  rod.b.body = "bob";
  model.joints = {rod};
  const Modes found = Simulation(model).modes(1);
  ASSERT_EQ(found.modes.size(), 1u);
  EXPECT_NEAR(found.modes[0].square, -9.81 / 2, 1e-12 * 9.81);
  EXPECT_EQ(found.modes[0].frequency(), 0.0);
  EXPECT_FALSE(found.modes[0].is_free());
}

TEST(modes, of_two_masses_on_springs_are_the_golden_ones) {
  // ground --k-- m --k-- m: squares k/m (3 -+ sqrt(5))/2; springs along x leave y and z free.
  Model model;
  model.bodies = {point("one", 2.0, {1, 0, 0}), point("two", 2.0, {2, 0, 0})};
  SpringSpec spring;
  spring.kind = SpringKind::linear;
  spring.stiffness = 50.0;
  spring.damping = 0.5;
  spring.name = "first";
  spring.b.body = "one";
  model.springs.push_back(spring);
  spring.name = "second";
  spring.a.body = "one";
  spring.b.body = "two";
  model.springs.push_back(spring);
  const Modes found = Simulation(model).modes(10);
  ASSERT_EQ(found.modes.size(), 6u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_TRUE(found.modes[i].is_free());
  for (const auto& [i, sign] : {std::pair(4, -1.0), std::pair(5, 1.0)}) {
    const Mode& mode = found.modes[static_cast<std::size_t>(i)];
    const double square = 25.0 * (3.0 + sign * std::sqrt(5.0)) / 2.0;
    EXPECT_NEAR(mode.square, square, 1e-12 * square);
    EXPECT_NEAR(mode.damping_ratio, 0.5 * 0.01 * std::sqrt(square), 1e-12);  // C = 0.01 K
  }
  // Displacements of the lowest: 1 and the golden section.
  const NodalVector& shape = found.modes[4].shape;
  EXPECT_NEAR(shape[6] / shape[12], std::numbers::phi - 1.0, 1e-12);
}

TEST(modes, damping_ratio_of_rayleigh_is_the_textbook_one) {
  Model model = clamped_rod(12);
  const double alpha = model.beams[0].mass_damping = 0.7;
  const double beta = model.beams[0].stiffness_damping = 2e-5;
  for (const Mode& mode : modes_of(model, 6, find_modes_dense).modes) {
    const double w = std::sqrt(mode.square);
    // w itself is known to round_off / square / 2.
    EXPECT_NEAR(mode.damping_ratio, 0.5 * (alpha / w + beta * w),
                (1e-9 + mode.round_off / mode.square) * mode.damping_ratio);
  }
}

TEST(modes, column_is_stable_below_eulers_load_and_unstable_above) {
  Model model = clamped_rod(40);
  const BeamSpec& beam = model.beams[0];
  const double critical = std::pow(std::numbers::pi / 2, 2) * beam.youngs_modulus *
                          std::min(beam.section.I_y, beam.section.I_z);
  for (const Method method : {find_modes_dense, find_modes_sparse}) {
    model.loads = {force_on("rod.40", {-0.98 * critical, 0, 0})};
    EXPECT_GT(modes_of(model, 4, method).modes[0].square, 0.0);
    model.loads = {force_on("rod.40", {-1.02 * critical, 0, 0})};
    const Mode unstable = modes_of(model, 4, method).modes[0];
    EXPECT_LT(unstable.square, 0.0);
    EXPECT_FALSE(unstable.is_free());
  }
}

TEST(modes, start_that_is_no_equilibrium_is_told) {
  Model model = clamped_rod(4);
  EXPECT_TRUE(Simulation(model).is_balanced());
  model.gravity = {0, 0, -9.81};
  EXPECT_FALSE(Simulation(model).is_balanced());
  model.equilibrium = true;
  EXPECT_TRUE(Simulation(model).is_balanced());
}

TEST(modes, follower_load_makes_the_stiffness_asymmetric) {
  Model model = clamped_rod(10);
  model.loads = {force_on("rod.10", {-100, 20, 0})};
  for (const Method method : {find_modes_dense, find_modes_sparse}) {
    model.loads[0].axes = LoadAxes::space;
    EXPECT_LT(modes_of(model, 4, method).asymmetry, largest_symmetric);
    model.loads[0].axes = LoadAxes::body;
    EXPECT_GT(modes_of(model, 4, method).asymmetry, 1e-3);
  }
}

// Heavy beside the beam, so that the one motion that nothing resists is found among stiffnesses
// that are many powers of ten larger.
TEST(modes, weight_that_hangs_on_a_beam_spins_freely) {
  Model model;
  model.gravity = {0, 0, -9.81};
  model.beams = {rod(40, 2.0)};
  model.beams[0].section = section_of(RectangleSection{0.02, 0.05});
  model.bodies = {testing::box("weight", BodyKind::rigid, 10.0, Vec3::Ones(), {1, 0, -0.5})};
  JointSpec hook;
  hook.name = "hook";
  hook.kind = JointKind::ball;
  hook.a.body = "rod.20";
  hook.b = {"weight", {0, 0, 0.5}};
  model.joints = {fixed_to_ground("clamp", "rod.0", Vec3::Zero()),
                  fixed_to_ground("other clamp", "rod.40", {2, 0, 0}), hook};
  const Modes dense = modes_of(model, 8, find_modes_dense);
  const Modes sparse = modes_of(model, 8, find_modes_sparse);
  expect_same(dense, sparse);
  for (const Modes* found : {&dense, &sparse}) {
    EXPECT_TRUE(found->modes[0].is_free());
    EXPECT_FALSE(found->modes[1].is_free());
    EXPECT_GT(found->modes[1].square, 0.0);
  }
}

// The least square is 1e-16 of the largest: (r/L)^4. Ten elements are 0.2 % stiffer than the wire.
TEST(modes, of_a_thin_wire_are_not_taken_for_free) {
  Model model = clamped_rod(10);
  const double radius = 1e-4;
  model.beams[0].section = section_of(CircleSection{radius});
  const double w = 1.8751 * 1.8751 * std::sqrt(2.1e11 / 7850) * radius / 2;
  for (const Method method : {find_modes_dense, find_modes_sparse}) {
    const Modes found = modes_of(model, 4, method);
    ASSERT_EQ(found.modes.size(), 4u);
    for (const Mode& mode : found.modes) EXPECT_FALSE(mode.is_free());
    EXPECT_NEAR(std::sqrt(found.modes[0].square), w, 5e-3 * w);
    EXPECT_NEAR(std::sqrt(found.modes[1].square), w, 5e-3 * w);
  }
}

TEST(modes, machine_without_freedom_has_none) {
  Model model;
  model.bodies = {testing::box("block", BodyKind::rigid, 1.0, Vec3::Ones(), Vec3::Zero())};
  model.joints = {fixed_to_ground("clamp", "block", Vec3::Zero())};
  EXPECT_TRUE(Simulation(model).modes(5).modes.empty());
}

}  // namespace modes_test
}  // namespace clatter
