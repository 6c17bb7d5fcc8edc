#include <numbers>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <clatter/math/so3.hpp>

#include "support/beam.hpp"
#include "support/random_state.hpp"

namespace clatter {
namespace beam_statics_test {

using std::numbers::pi;
using testing::equilibrium_of;
using testing::example;
using testing::largest_strain;
using testing::order_of;

// ---- Mesh refinement
// ------------------------------------------------------------------------------

/// A rod clamped at one end with a dead force at the other, as the equations say it (Reissner,
/// Simo), independent of elements: along the arc length s
///   x' = R (e_1 + N/(EA, GA, GA)),  R' = R skew(k0 + M/(GJ, EI, EI)),  m' = -x' x n,
/// with N = R^T n and M = R^T m, the force n constant. Runge-Kutta of fourth order from the clamp,
/// whose moment is such that it vanishes at the tip.
class Rod {
 public:
  double length;
  Mat3 axes;  ///< of the section at the clamp
  Vec3 curvature = Vec3::Zero();
  Vec3 stretch, bend;  ///< EA, GA, GA; GJ, EI, EI

  Vec3 tip(const Vec3& force) const {
    constexpr int load_steps = 20;
    Vec3 clamp = Vec3::Zero();
    for (int step = 1; step <= load_steps; ++step) {
      const Vec3 n = double(step) / load_steps * force;
      for (int update = 0; update < 8; ++update) {
        const Vec3 off = march(clamp, n).m;
        Mat3 slope;
        const double spacing = 1e-5 * bend.maxCoeff() / length;
        for (int i = 0; i < 3; ++i) {
          const Vec3 change = spacing * Vec3::Unit(i);
          slope.col(i) = (march(clamp + change, n).m - march(clamp - change, n).m) / (2 * spacing);
        }
        clamp -= slope.inverse() * off;
      }
    }
    const State end = march(clamp, force);
    EXPECT_LT(end.m.norm(), 1e-9 * bend.maxCoeff() / length);
    return end.x;
  }

 private:
  struct State {
    Vec3 x, m;
    Mat3 R;
  };
  State slope(const State& s, const Vec3& n) const {
    const Vec3 along = s.R * (Vec3::UnitX() + (s.R.transpose() * n).cwiseQuotient(stretch));
    const Vec3 k = curvature + (s.R.transpose() * s.m).cwiseQuotient(bend);
    return {along, -along.cross(n), s.R * skew(k)};
  }
  static State moved(const State& s, double by, const State& d) {
    return {s.x + by * d.x, s.m + by * d.m, s.R + by * d.R};
  }
  State march(const Vec3& clamp, const Vec3& n) const {
    constexpr int steps = 200;
    const double h = length / steps;
    State s{Vec3::Zero(), clamp, axes};
    for (int i = 0; i < steps; ++i) {
      const State a = slope(s, n), b = slope(moved(s, h / 2, a), n),
                  c = slope(moved(s, h / 2, b), n), d = slope(moved(s, h, c), n);
      s = moved(moved(moved(moved(s, h / 6, a), h / 3, b), h / 3, c), h / 6, d);
    }
    return s;
  }
};

TEST(BeamStatics, bend_of_45_degrees_converges_with_the_square_of_the_mesh) {
  Mat3 axes;  // x along y of space, y along -x
  axes << 0, -1, 0, 1, 0, 0, 0, 0, 1;
  const Rod rod{25 * pi, axes, {0, 0, -0.01}, {1e7, 5e6, 5e6}, {5e6 / 6, 1e7 / 12, 1e7 / 12}};
  const Vec3 reference = rod.tip({0, 0, 600});
  // Eight digits of the same with 400 steps, which stand in the example as its oracle.
  EXPECT_LT((reference - Vec3(15.68480053, 47.15043857, 53.47485879)).norm(), 1e-6);
  const std::vector<int> elements{8, 16, 32, 64, 256};
  std::vector<double> errors;
  for (const int n : elements) {
    const Model model = example("beams/bend-45.toml", {fmt::format("beam.bend.elements={}", n)});
    errors.push_back((equilibrium_of(model).back().x - reference).norm());
  }
  // Constant strain in each element: the error is a series in h^2, and its second term at
  // eight elements, which turn by 0.1 to 0.3 rad each, is a few hundredths of the first.
  EXPECT_NEAR(order_of(elements, errors), 2.0, 0.03);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_NEAR(errors[i - 1] / errors[i], 4.0, 0.15);
  EXPECT_LT(errors.back(), 1.1 * errors.front() / (32 * 32));
}

/// The elastica of P L^2/(E I) = load for a cantilever of length 1: sag and reach of the tip. With
/// th the angle below the horizontal and th_0 that of the tip,
///   (dth/ds)^2 = 2 load (sin th_0 - sin th).
/// The substitution sin th = 2 k^2 sin^2 ph - 1, k^2 = (1 + sin th_0)/2, leaves smooth integrands
/// on [ph_1, pi/2], sin ph_1 = 1/(k sqrt 2):
///   sqrt(load) = int dph/sqrt(1 - k^2 sin^2 ph),  sag = int (2 k^2 sin^2 ph - 1)/...
///   dph/sqrt(load)
struct Elastica {
  double angle, sag, reach;
  explicit Elastica(double load) {
    double low = 0.0, high = pi / 2 - 1e-12;
    for (int i = 0; i < 100; ++i) {
      angle = 0.5 * (low + high);
      (integral(angle, false) < std::sqrt(load) ? low : high) = angle;
    }
    sag = integral(angle, true) / std::sqrt(load);
    reach = std::sqrt(2.0 * std::sin(angle) / load);
  }

 private:
  /// Gauss' rule of five points on 2000 parts.
  static double integral(double angle, bool sag) {
    const double k2 = 0.5 * (1.0 + std::sin(angle));
    const double first = std::asin(1.0 / std::sqrt(2.0 * k2));
    const int parts = 2000;
    const double h = (pi / 2 - first) / parts;
    constexpr std::array<double, 5> x{-0.906179845938664, -0.538469310105683, 0.0,
                                      0.538469310105683, 0.906179845938664};
    constexpr std::array<double, 5> w{0.236926885056189, 0.478628670499366, 0.568888888888889,
                                      0.478628670499366, 0.236926885056189};
    double sum = 0.0;
    for (int i = 0; i < parts; ++i) {
      for (std::size_t g = 0; g < x.size(); ++g) {
        const double ph = first + (i + 0.5 * (1.0 + x[g])) * h;
        const double s2 = k2 * std::sin(ph) * std::sin(ph);
        sum += 0.5 * h * w[g] * (sag ? 2.0 * s2 - 1.0 : 1.0) / std::sqrt(1.0 - s2);
      }
    }
    return sum;
  }
};

TEST(BeamStatics, cantilever_under_a_dead_load_follows_the_elastica) {
  const Elastica printed(10.0);  // five digits of Mattiasson
  EXPECT_NEAR(printed.angle, 1.43029, 1e-5);
  EXPECT_NEAR(printed.sag, 0.81061, 1e-5);
  EXPECT_NEAR(1.0 - printed.reach, 0.55500, 1e-5);
  const std::vector<int> elements{8, 16, 32, 64};
  for (const double load : {1.0, 10.0}) {
    const Elastica exact(load);
    std::vector<double> errors;
    VecX tips(2 * static_cast<Eigen::Index>(elements.size()));
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const Model model =
          example("beams/elastica.toml", {fmt::format("beam.blade.elements={}", elements[i]),
                                          fmt::format("load.tip.force=[0, 0, {}]", -load)});
      const Vec3 x = equilibrium_of(model).back().x;
      tips.segment<2>(2 * static_cast<Eigen::Index>(i)) << x[0], x[2];
      errors.push_back(std::hypot(x[0] - exact.reach, x[2] + exact.sag));
    }
    EXPECT_NEAR(order_of(elements, errors), 2.0, 0.05) << "load " << load;
    // Without the leading term: what is left is of order four, (kappa_max h)^4/1000 or so, and the
    // axial and shear strains of 1e-8 load.
    const VecX extrapolated = (4.0 * tips.tail<2>() - tips.segment<2>(4)) / 3.0;
    EXPECT_NEAR(extrapolated[0], exact.reach, 1e-6) << "load " << load;
    EXPECT_NEAR(extrapolated[1], -exact.sag, 1e-6) << "load " << load;
  }
}

// ---- Constant strain
// ------------------------------------------------------------------------------

TEST(BeamStatics, end_moment_of_any_direction_winds_a_beam_of_equal_stiffnesses_to_a_helix) {
  // With E I_y = E I_z = G J = 1 the moment, constant in space, makes the curvature k constant in
  // space and then in the sections, too: R(s) = exp(s k). Three turns with twelve elements each
  // of a quarter turn; exact, so that only the tolerance of 1e-10 counts.
  const Vec3 k = 6 * pi * Vec3(2, -1, 2) / 3.0;
  BeamSection section;
  section.area = 10.0;
  section.I_y = section.I_z = 1.0;
  section.J = 2.0;
  Model model;
  model.beams = {testing::straight_beam("rod", Vec3::Zero(), Vec3::UnitX(), 12, section)};
  model.beams[0].youngs_modulus = 1.0;
  model.beams[0].shear_modulus = 0.5;
  model.beams[0].density = 1.0;
  model.joints = {testing::hold("rod.0", JointKind::fixed, {})};
  LoadSpec load;
  load.at.body = "rod.12";
  for (std::size_t i = 0; i < 3; ++i) {
    load.torque[i] = Expression(k[static_cast<Eigen::Index>(i)]);
  }
  model.loads = {load};
  const Configuration q = equilibrium_of(model);
  const Vec3 e = k.normalized(), along = e * e.x();
  for (std::size_t n = 1; n < q.size(); ++n) {
    const double s = double(n - 1) / 12.0, a = k.norm() * s;
    const Vec3 x = along * s + std::sin(a) / k.norm() * (Vec3::UnitX() - along) +
                   (1.0 - std::cos(a)) / k.norm() * e.cross(Vec3::UnitX());
    EXPECT_LT((q[n].x - x).norm(), 1e-10) << "node " << n - 1;
    EXPECT_LT((q[n].R - exp_so3(s * k).toRotationMatrix()).norm(), 1e-9) << "node " << n - 1;
  }
}

// ---- No memory, no trace of rigid motions
// ---------------------------------------------------------

TEST(BeamStatics, strains_vanish_after_a_closed_cycle_of_loads) {
  // Two moments and a force that do not commute, each enough to turn the tip by more than a right
  // angle, are put on and taken off one after the other, each equilibrium from the last one.
  const double M = 2.0, F = 4.0;  // E I = 1, L = 1
  const std::vector<std::array<double, 3>> corners{{M, 0, 0}, {M, M, 0}, {M, M, F}, {0, M, F},
                                                   {0, 0, F}, {M, 0, F}, {M, 0, 0}, {0, 0, 0}};
  Model model;
  BeamSection section;
  section.area = 1e3;
  section.I_y = section.I_z = 1.0;
  section.J = 1.6;
  model.beams = {testing::straight_beam("rod", Vec3::Zero(), Vec3::UnitX(), 10, section)};
  model.beams[0].youngs_modulus = 1.0;
  model.beams[0].shear_modulus = 0.4;
  model.beams[0].density = 1.0;
  model.joints = {testing::hold("rod.0", JointKind::fixed, {})};
  LoadSpec load;
  load.at.body = "rod.10";
  model.loads = {load};
  const Configuration straight = Machine(model).initial_configuration();
  Configuration q = straight;
  double largest = 0.0, turned = 0.0;
  for (const auto& [first, second, force] : corners) {
    model.loads[0].torque = {Expression(0.0), Expression(first), Expression(second)};
    model.loads[0].force = {Expression(0.0), Expression(0.3 * force), Expression(force)};
    Machine machine(model);
    q = find_equilibrium(machine, machine.instant_at_start(), q).q;
    largest = std::max(largest, largest_strain(machine, q, 1.0));
    turned = std::max(turned, log_so3(q.back().p).norm());
  }
  EXPECT_GT(turned, pi / 2);
  EXPECT_GT(largest, 1.0);
  // Solved to 1e-10 of forces that are zero at the end: round-off of numbers of size one, over
  // elements of a tenth of the length.
  EXPECT_LT(largest_strain(Machine(model), q, 1.0), 1e-12);
  for (std::size_t n = 1; n < q.size(); ++n) {
    EXPECT_LT((q[n].x - straight[n].x).norm(), 1e-12);
    EXPECT_LT((q[n].R - straight[n].R).norm(), 1e-12);
  }
}

class RigidTurns : public ::testing::TestWithParam<bool> {};

TEST_P(RigidTurns, a_thousand_turns_leave_strains_at_round_off) {
  // A helix (in the plane an arc) of ten elements, turned as a whole by increments such as time
  // steps make, about an axis that is skew to it and does not pass through it.
  const bool planar = GetParam();
  BeamSection section;
  section.area = section.I_y = section.I_z = section.J = 1.0;
  Model model;
  model.beams = {testing::straight_beam("rod", Vec3(0.3, 0.2, planar ? 0.0 : 0.5),
                                        Vec3(1.0, 0.9, planar ? 0.0 : 0.4), 10, section)};
  model.beams[0].curvature = planar ? Vec3(0.0, 0.0, 2.0) : Vec3(1.0, -1.5, 2.0);
  model.beams[0].unstressed_curvature = model.beams[0].curvature;
  model.beams[0].planar = planar;
  model.beams[0].youngs_modulus = model.beams[0].shear_modulus = model.beams[0].density = 1.0;
  const Machine machine(model);
  const Configuration start = machine.initial_configuration();
  ASSERT_LT(largest_strain(machine, start, 1.0), 1e-13);

  constexpr int turns = 1000, increments_per_turn = 50;
  const Vec3 axis = planar ? Vec3::UnitZ() : Vec3(Vec3(1.0, 2.0, -2.0) / 3.0);
  const Vec3 psi = 2 * pi / increments_per_turn * axis;
  const Mat3 turn = exp_so3(psi).toRotationMatrix();
  Configuration q = start;
  NodalVector increment = NodalVector::Zero(machine.nodal_size());
  for (int i = 0; i < turns * increments_per_turn; ++i) {
    for (std::size_t n = 1; n < q.size(); ++n) {
      const auto at = 6 * static_cast<Eigen::Index>(n);
      increment.segment<3>(at) = turn * q[n].x - q[n].x;
      increment.segment<3>(at + 3) = q[n].R.transpose() * psi;
    }
    const Configuration from = q;
    retract(machine.nodes(), from, increment, q);
  }
  if (planar) {
    EXPECT_NEAR(q[1].angle - start[1].angle, 2 * pi * turns, 1e-7);
  }
  // Each increment rounds a position of size one by 1e-16, at random: 50 000 of them 3e-14, ten
  // times that over elements of a tenth; the angle of a planar node, up to 6300 rad, by 1e-12.
  EXPECT_LT(largest_strain(machine, q, 1.0), planar ? 1e-10 : 5e-12);
  for (std::size_t n = 1; n < q.size(); ++n) EXPECT_LT((q[n].x - start[n].x).norm(), 1e-10);
}

INSTANTIATE_TEST_SUITE_P(Beams, RigidTurns, ::testing::Bool(), [](const auto& parameter) {
  return parameter.param ? "planar" : "spatial";
});

}  // namespace beam_statics_test
}  // namespace clatter
