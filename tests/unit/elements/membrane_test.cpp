#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <clatter/elements/membrane.hpp>
#include <clatter/io/model_reader.hpp>
#include <clatter/simulation/simulation.hpp>

#include "support/finite_difference.hpp"
#include "support/random_state.hpp"
#include "support/run.hpp"

namespace clatter {
namespace membrane_test {

using testing::agrees;
using testing::differences;
using testing::Random;
using testing::value;

Vec3 in_plane(Random& random) { return {random.number(), random.number(), 0.0}; }

/// Bodies in the plane, turned.
Configuration planar(Random& random, int bodies) {
  Configuration q(static_cast<std::size_t>(bodies) + 1);
  for (std::size_t n = 1; n < q.size(); ++n) {
    q[n].x = in_plane(random);
    q[n].angle = random.number(-3.0, 3.0);
    q[n].R = exp_so3(Vec3(0.0, 0.0, q[n].angle)).toRotationMatrix();
  }
  return q;
}

/// x, y and angle of both.
Configuration moved(Configuration q, const VecX& d) {
  for (std::size_t k = 0; k < 2; ++k) {
    const auto first = 3 * static_cast<Eigen::Index>(k);
    q[k + 1].x += Vec3(d[first], d[first + 1], 0.0);
    q[k + 1].R = exp_so3(Vec3(0.0, 0.0, d[first + 2])).toRotationMatrix() * q[k + 1].R;
  }
  return q;
}

VecX kept(const Vec12& f) {
  VecX few(6);
  few << f[XA], f[XA + 1], f[TA + 2], f[XB], f[XB + 1], f[TB + 2];
  return few;
}

VecX force(const Membrane& membrane, const Configuration& q) {
  Vec12 f;
  membrane.generalised_force(q, NodalVector::Zero(18), 0.0, f);
  return kept(f);
}

TEST(Membrane, tangent_is_minus_the_derivative_of_the_force) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Random random(seed);
    const Configuration q = planar(random, 2);
    const Membrane membrane("skin", 1, in_plane(random), 2, in_plane(random), 3.0);
    Mat12 K, C;
    membrane.tangent(q, NodalVector::Zero(18), 0.0, K, C);
    MatX few(6, 6);
    const std::array<int, 6> columns{XA, XA + 1, TA + 2, XB, XB + 1, TB + 2};
    for (int i = 0; i < 6; ++i) few.col(i) = kept(K.col(columns[static_cast<std::size_t>(i)]));
    EXPECT_TRUE(agrees(
        few, differences([&](const VecX& d) { return VecX(-force(membrane, moved(q, d))); }, 6)));
    EXPECT_TRUE(C.isZero(0.0));
  }
}

/// Dossier 4, 34: a closed one has no net force and no couple, and does the work of its pressure on
/// its area.
TEST(Membrane, closed_one_is_a_pressure_on_its_area) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Random random(seed);
    const Configuration q = planar(random, 5);
    const NodalVector rest = NodalVector::Zero(36);
    const double pressure = 7.0;
    Vec3 sum = Vec3::Zero();
    double couple = 0.0, power = 0.0, growth = 0.0;
    NodalVector v = NodalVector::Zero(36);
    for (int n = 1; n <= 5; ++n) of_node(v, n).head<3>() = in_plane(random);
    for (int n = 1; n <= 5; ++n) {
      const int next = n % 5 + 1;
      const Membrane piece("skin", n, Vec3::Zero(), next, Vec3::Zero(), pressure);
      Vec12 f;
      piece.generalised_force(q, rest, 0.0, f);
      const Vec3 x_a = q[static_cast<std::size_t>(n)].x, x_b = q[static_cast<std::size_t>(next)].x;
      sum += f.segment<3>(XA) + f.segment<3>(XB);
      couple += (x_a.cross(f.segment<3>(XA)) + x_b.cross(f.segment<3>(XB))).z();
      power += piece.power(q, v);
      const Vec3 v_a = of_node(v, n).head<3>(), v_b = of_node(v, next).head<3>();
      growth += 0.5 * (v_a.cross(x_b) + x_a.cross(v_b)).z();  // of the area, from the left
    }
    EXPECT_LT(sum.norm(), 1e-13);
    EXPECT_LT(std::abs(couple), 1e-13);
    EXPECT_NEAR(power, pressure * growth, 1e-12);
  }
}

/// A ring of discs around nothing, pressed from outside: by turns of the whole, each disc bears
/// p L cos/2 of its two pieces towards the middle. Energy of the fall inwards is that of p times
/// the area that is lost.
TEST(Membrane, work_is_pressure_times_area_in_every_scheme) {
  std::string text =
      "[[membrane]]\nbodies = [\"d0\", \"d1\", \"d2\", \"d3\"]\npressure = -50\n"
      "closed = true\n[integrator]\nstep = 1e-3\nduration = 0.02\n";
  const std::array<std::array<int, 2>, 4> corners{{{1, 0}, {0, 1}, {-1, 0}, {0, -1}}};
  for (std::size_t i = 0; i < 4; ++i) {
    text += fmt::format(
        "[[body]]\nname = \"d{}\"\nkind = \"planar\"\nmass = 1\ninertia = 0.1\n"
        "position = [{}, {}]\n",
        i, corners[i][0], corners[i][1]);
  }
  for (const char* scheme : {"nsga", "newmark", "energy_consistent", "moreau"}) {
    const std::string name = fmt::format("integrator.name={}", scheme);
    Simulation simulation(parse_model(text, "ring.toml", std::vector{name}, ModelUse::run));
    testing::run(simulation);
    const double r = value(simulation, "bodies/d0/position", 0);
    // m r'' = -p r, from r = 1: half of the two pieces of length sqrt(2) r at 45 degrees.
    EXPECT_NEAR(r, std::cos(std::sqrt(50.0) * 0.02), 1e-5) << scheme;
    EXPECT_NEAR(value(simulation, "energy/load_work"), 50.0 * 2.0 * (1.0 - r * r), 2e-3) << scheme;
    const double exact = std::string(scheme) == "energy_consistent" ? 1e-14 : 2e-3;
    EXPECT_NEAR(value(simulation, "energy/scheme_loss"), 0.0, exact) << scheme;
  }
}

}  // namespace membrane_test
}  // namespace clatter
