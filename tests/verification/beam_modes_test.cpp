#include <numbers>

#include <Eigen/LU>
#include <gtest/gtest.h>
#include <unsupported/Eigen/MatrixFunctions>

#include <clatter/analysis/modes.hpp>

#include "support/beam.hpp"

namespace clatter {
namespace beam_modes_test {

using std::numbers::pi;
using testing::order_of;

// A steel bar of 1 m, 40 mm along y and 60 mm along z: short enough for shear and rotary inertia to
// lower the third bending frequency by several per cent, so that Euler and Bernoulli would not do.
constexpr double E = 210e9, G = 80e9, rho = 7850.0, L = 1.0;
const BeamSection section = section_of(RectangleSection{0.04, 0.06});

enum class End { clamped, pinned, free };

Model bar(int elements, End first, End last, bool lumped = false) {
  Model model;
  BeamSpec beam = testing::straight_beam("bar", Vec3::Zero(), Vec3(L, 0, 0), elements, section);
  beam.y_axis = Vec3::UnitY();
  beam.youngs_modulus = E;
  beam.shear_modulus = G;
  beam.density = rho;
  beam.lumped_mass = lumped;
  model.beams = {beam};
  const Configuration q = Machine(model).initial_configuration();
  const auto hold = [&](std::size_t node, End end) {
    if (end == End::free) return;
    const auto kind = end == End::clamped ? JointKind::fixed : JointKind::ball;
    model.joints.push_back(
        testing::hold("bar." + std::to_string(node - 1), kind, q[node], Vec3::UnitZ()));
  };
  hold(1, first);
  hold(q.size() - 1, last);
  return model;
}

Modes modes_of(const Model& model, int count) {
  const Machine machine(model);
  return find_modes(machine, machine.initial_configuration(), machine.instant_at_start(),
                    VecX::Zero(machine.joint_rows()), count);
}

/// The part of a shape that is along one of the six motions of the nodes.
double share(const Mode& mode, int motion) {
  double part = 0.0, all = 0.0;
  for (Eigen::Index i = 6; i < mode.shape.size(); ++i) {
    const double square = mode.shape[i] * mode.shape[i];
    all += square;
    if (i % 6 == motion) part += square;
  }
  return part / all;
}

/// Angular frequencies of the vibrations that displace along x, y or z or twist, lowest first. A
/// bending shape has rotations as well, but displacements of one direction only.
std::vector<double> frequencies(const Modes& modes, int motion) {
  std::vector<double> found;
  for (const Mode& mode : modes.modes) {
    if (mode.square < 1.0) continue;  // rigid
    const double others = motion == 3 ? share(mode, 0) + share(mode, 1) + share(mode, 2)
                                      : 1e-12 + share(mode, 0) + share(mode, 1) + share(mode, 2) -
                                            2.0 * share(mode, motion);
    if (motion == 3 ? share(mode, 3) > 0.5 && others < 0.1 : others < 0.0)
      found.push_back(std::sqrt(mode.square));
  }
  return found;
}

/// Timoshenko's beam: with w' = ph + V/(k G A), ph' = M/(E I), M' = -V - rho I om^2 ph and
/// V' = -rho A om^2 w the conditions at both ends hold at the zeros of a determinant.
class Timoshenko {
 public:
  Timoshenko(double I, double shear, End first, End last)
      : bend_(E * I),
        shear_(G * shear * section.area),
        mass_(rho * section.area),
        turn_(rho * I),
        unknown_(rows_that(first, true)),
        zero_(rows_that(last, false)) {}

  double determinant(double omega) const {
    // In units in which all entries are of one size: w in L, M in E I/L, V in E I/L^2.
    const double square = omega * omega;
    Eigen::Matrix4d A = Eigen::Matrix4d::Zero();
    A(0, 1) = 1.0;
    A(0, 3) = bend_ / (shear_ * L * L);
    A(1, 2) = 1.0;
    A(2, 1) = -turn_ * square * L * L / bend_;
    A(2, 3) = -1.0;
    A(3, 0) = -mass_ * square * L * L * L * L / bend_;
    const Eigen::Matrix4d T = A.exp();
    return T(zero_[0], unknown_[0]) * T(zero_[1], unknown_[1]) -
           T(zero_[0], unknown_[1]) * T(zero_[1], unknown_[0]);
  }

  /// The zero nearest below or above, by bisection from a sign change around a guess.
  double near(double guess) const {
    for (double width = 1e-3; width < 0.2; width *= 1.3) {
      double low = guess * (1.0 - width), high = guess * (1.0 + width);
      if (determinant(low) * determinant(high) > 0.0) continue;
      for (int i = 0; i < 60; ++i) {
        const double middle = 0.5 * (low + high);
        (determinant(low) * determinant(middle) <= 0.0 ? high : low) = middle;
      }
      return 0.5 * (low + high);
    }
    ADD_FAILURE() << "no frequency near " << guess;
    return guess;
  }

 private:
  /// Of (w, ph, M, V): those that an end leaves open, or those that it makes zero.
  static std::array<int, 2> rows_that(End end, bool open) {
    switch (end) {
      case End::clamped:
        return open ? std::array{2, 3} : std::array{0, 1};
      case End::pinned:
        return open ? std::array{1, 3} : std::array{0, 2};
      default:
        return open ? std::array{0, 1} : std::array{2, 3};
    }
  }
  double bend_, shear_, mass_, turn_;
  std::array<int, 2> unknown_, zero_;
};

struct Support {
  const char* name;
  End first, last;
  std::array<double, 3> euler;  ///< k L of Euler and Bernoulli
};
const std::array supports{
    Support{"cantilever", End::clamped, End::free, {1.87510407, 4.69409113, 7.85475744}},
    Support{"pinned", End::pinned, End::pinned, {pi, 2 * pi, 3 * pi}},
    Support{"free", End::free, End::free, {4.73004074, 7.85320462, 10.9956078}}};

class Bending : public ::testing::TestWithParam<Support> {};

TEST_P(Bending, frequencies_converge_to_those_of_timoshenko_with_the_square_of_the_mesh) {
  const auto& [name, first, last, euler] = GetParam();
  const std::vector<int> elements{8, 16, 32, 64};
  struct Plane {
    int motion;
    double I, shear;
  };
  for (const Plane plane : {Plane{1, section.I_z, section.shear_y},  //
                            Plane{2, section.I_y, section.shear_z}}) {
    const Timoshenko beam(plane.I, plane.shear, first, last);
    std::array<std::vector<double>, 3> errors;
    for (const int n : elements) {
      const std::vector<double> found =
          frequencies(modes_of(bar(n, first, last), 24), plane.motion);
      ASSERT_GE(found.size(), 3U);
      for (std::size_t i = 0; i < 3; ++i) {
        const double slender =
            euler[i] * euler[i] * std::sqrt(E * plane.I / (rho * section.area)) / (L * L);
        // Shear and rotary inertia take up to (k r)^2 (1 + E/(k G))/2 = 0.15 of the third.
        const double exact = beam.near(found[i]);
        EXPECT_LT(exact, slender);
        EXPECT_GT(exact, 0.8 * slender);
        errors[i].push_back(found[i] / exact - 1.0);
      }
    }
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(order_of(elements, errors[i]), 2.0, 0.1)
          << name << ", motion " << plane.motion << ", mode " << i + 1;
      // (k h)^2/12 and the like: the error of the finest mesh in bending waves
      const double kh = euler[i] / elements.back();
      EXPECT_LT(std::abs(errors[i].back()), 0.5 * kh * kh);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Beams, Bending, ::testing::ValuesIn(supports),
                         [](const auto& parameter) { return parameter.param.name; });

class Waves : public ::testing::TestWithParam<bool> {};

TEST_P(Waves, axial_and_torsional_frequencies_are_those_of_the_discrete_bar) {
  // Linear elements of a bar fixed at one end have the exact frequencies, with a = k h and
  // k = (2 i - 1) pi/(2 L):  consistent mass om^2 = 6 (c/h)^2 (1 - cos a)/(2 + cos a), lumped
  // mass om = 2 c/h sin(a/2); both converge to c k with the square of h, from above and below.
  const bool lumped = GetParam();
  const double polar = section.I_y + section.I_z;
  for (const int n : {8, 32}) {
    const Modes modes = modes_of(bar(n, End::clamped, End::free, lumped), 6 * n);
    for (const auto& [motion, c] : {std::pair(0, std::sqrt(E / rho)),
                                    std::pair(3, std::sqrt(G * section.J / (rho * polar)))}) {
      const std::vector<double> found = frequencies(modes, motion);
      ASSERT_GE(found.size(), 3U);
      for (std::size_t i = 0; i < 3; ++i) {
        const double a = (double(i) + 0.5) * pi / n, h = L / n;
        const double expected =
            lumped ? 2.0 * c / h * std::sin(a / 2)
                   : c / h * std::sqrt(6.0 * (1 - std::cos(a)) / (2 + std::cos(a)));
        EXPECT_NEAR(found[i], expected, 1e-8 * expected) << "motion " << motion << ", n " << n;
        EXPECT_NEAR(found[i], c * a / h, a * a / 20.0 * expected);
        EXPECT_EQ(found[i] < c * a / h, lumped);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Beams, Waves, ::testing::Bool(), [](const auto& parameter) {
  return parameter.param ? "lumped" : "consistent";
});

TEST(BeamModes, free_bar_has_six_rigid_motions_and_a_pinned_one_spins) {
  const auto rigid = [](const Modes& modes) {
    // Round-off of the stiffness, 1e-16 of the highest square frequency (c n/L)^2 12.
    const double zero = 1e-13 * 12.0 * E / rho * 16 * 16 / (L * L);
    return std::count_if(modes.modes.begin(), modes.modes.end(),
                         [&](const Mode& mode) { return std::abs(mode.square) < zero; });
  };
  EXPECT_EQ(rigid(modes_of(bar(16, End::free, End::free), 12)), 6);
  EXPECT_EQ(rigid(modes_of(bar(16, End::pinned, End::pinned), 12)), 1);  // about its axis
  EXPECT_EQ(rigid(modes_of(bar(16, End::clamped, End::free), 12)), 0);
}

TEST(BeamModes, sparse_and_dense_methods_agree) {
  for (const int n : {12, 64}) {
    for (const auto& [first, last] :
         {std::pair(End::free, End::free), std::pair(End::pinned, End::free),
          std::pair(End::clamped, End::free), std::pair(End::clamped, End::clamped)}) {
      const Machine machine(bar(n, first, last));
      const Configuration& q = machine.initial_configuration();
      const VecX forces = VecX::Zero(machine.joint_rows());
      const Modes dense = find_modes_dense(machine, q, machine.instant_at_start(), forces, 20);
      const Modes sparse = find_modes_sparse(machine, q, machine.instant_at_start(), forces, 20);
      ASSERT_EQ(dense.modes.size(), sparse.modes.size());
      // Round-off of both methods, of the highest square frequency; the sparse one ends when
      // squares change by 1e-12 in an iteration, of which it would need some hundred more at worst.
      const double highest = 12.0 * E / rho * n * n / (L * L);
      for (std::size_t i = 0; i < dense.modes.size(); ++i) {
        const double expected = dense.modes[i].square;
        EXPECT_NEAR(sparse.modes[i].square, expected, 1e-13 * highest + 1e-9 * expected)
            << n << " elements, mode " << i + 1;
      }
    }
  }
}

}  // namespace beam_modes_test
}  // namespace clatter
