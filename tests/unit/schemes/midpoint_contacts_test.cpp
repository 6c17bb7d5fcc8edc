#include <cmath>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include <clatter/schemes/energy_consistent/midpoint_contacts.hpp>

namespace clatter {
namespace midpoint_contacts_test {

Vec6 along(double x, double y = 0.0, double about_z = 0.0) {
  Vec6 v = Vec6::Zero();
  v[0] = x;
  v[1] = y;
  v[5] = about_z;
  return v;
}

/// Bodies of given masses, contacts of one row each.
struct Problem {
  MidpointContacts contacts;
  std::vector<int> nodes, all;

  Problem(ConservingKind kind, double h, const std::vector<double>& masses) : contacts(kind) {
    contacts.h = h;
    contacts.bodies.resize(masses.size() + 1);
    for (std::size_t i = 0; i < masses.size(); ++i) {
      contacts.bodies[i + 1].inverse_mass =
          along(1.0 / masses[i], 1.0 / masses[i], 2.0 / masses[i]);
      contacts.bodies[i + 1].compliance = contacts.bodies[i + 1].inverse_mass;
    }
    nodes.resize(masses.size());
    std::iota(nodes.begin(), nodes.end(), 1);
  }
  MidpointContacts::Body& body(int n) { return contacts.bodies[static_cast<std::size_t>(n)]; }
  MidpointContacts::Row& row(int c) { return contacts.rows[static_cast<std::size_t>(c)]; }

  void add(int a, int b, const Vec3& normal, double K, double xi, double gap, double mass,
           double closing_factor = 4.0) {
    MidpointContacts::Row row;
    row.a = a;
    row.b = b;
    row.Ga << -normal, Vec3::Zero();
    row.Gb << normal, Vec3::Zero();
    row.stiffness = K;
    row.gap = gap;
    row.closing = closing_factor * xi / (contacts.h * std::sqrt(K / mass));
    MidpointContacts::Contact contact;
    contact.first_row = static_cast<int>(contacts.rows.size());
    contacts.rows.push_back(row);
    all.push_back(static_cast<int>(contacts.contacts.size()));
    contacts.contacts.push_back(contact);
  }
  bool solve() {
    contacts.begin(nodes);
    contacts.apply(all);
    return contacts.solve(all);
  }
  double kinetic(bool at_end) const {
    double sum = 0.0;
    for (const int n : nodes) {
      const auto& body = contacts.bodies[static_cast<std::size_t>(n)];
      const Vec6 v = at_end ? Vec6(body.v + body.change()) : body.v;
      for (int i = 0; i < 6; ++i) {
        if (body.inverse_mass[i] > 0.0) sum += 0.5 * v[i] * v[i] / body.inverse_mass[i];
      }
    }
    return sum;
  }
};

TEST(Quotient, is_the_difference_quotient_of_the_energy_of_the_spring) {
  const double K = 3.0;
  const auto energy = [&](double g) { return g < 0.0 ? 0.5 * K * g * g : 0.0; };
  for (const double g0 : {-0.7, -0.1, 0.0, 0.4}) {
    for (const double g1 : {-0.6, -0.2, 0.3, 1e-9}) {
      MidpointContacts::Row row;
      row.stiffness = K;
      row.gap = g0;
      const auto of = MidpointContacts::quotient(row, g1);
      EXPECT_NEAR(of.value * (g1 - g0), energy(g1) - energy(g0), 1e-15);
      const double d = 1e-6;
      const double slope = (MidpointContacts::quotient(row, g1 + d).value -
                            MidpointContacts::quotient(row, g1 - d).value) /
                           (2.0 * d);
      EXPECT_NEAR(of.slope, slope, std::abs(g1) > d ? 1e-8 : K);
    }
  }
}

/// A mass that meets a wall with v0 = 1 m/s: 003 figures 4.14 and 4.15. The root of (4.17) and
/// (4.26) is a quadratic: v is reversed, and psi follows in closed form.
class Signorini : public ::testing::TestWithParam<double> {};

TEST_P(Signorini, reverses_the_velocity_with_the_psi_of_the_closed_form) {
  const double xi = GetParam(), K = 1e6, h = 2e-3, m = 1.0, v0 = 1.0, theta = h * std::sqrt(K / m);
  for (const double gap : {0.0, -3e-5, 1e-3}) {
    Problem p(ConservingKind::acem, h, {m});
    p.body(1).v = along(0.0, -v0);
    p.add(0, 1, Vec3::UnitY(), K, xi, gap, m);
    ASSERT_TRUE(p.solve());
    const double S = 4.0 * xi / theta, under = 16.0 / (theta * theta);
    const double psi =
        gap <= 0.0
            ? 0.5 * ((1.0 + S) - std::sqrt((1.0 + S) * (1.0 + S) + under + 8.0 * gap / (h * v0)))
            : 0.5 * (S - std::sqrt(S * S + under));
    const MidpointContacts::Row& row = p.row(0);
    if (gap + h * v0 * psi < 0.0 || gap <= 0.0) {
      if (gap > 0.0) continue;  // begins open and ends closed: no such closed form
      EXPECT_NEAR(row.psi, psi, 4e-15 * (1.0 + S + 4.0 / theta));
    } else {
      EXPECT_NEAR(row.psi, psi, 4e-15 * (1.0 + S + 4.0 / theta));
    }
    EXPECT_NEAR(row.impulse, 2.0 * m * v0, 1e-15 * 4.0);
    EXPECT_NEAR(p.contacts.displacement(row), h * v0 * psi, 1e-15);
    const Exchange e = p.contacts.energy(row);
    EXPECT_NEAR(e.spring + e.dashpot, e.momentum, 1e-15);
    EXPECT_EQ(p.contacts.limits(), 0);
    // And (4.26) itself: both forces by psi_1 and psi_2.
    const double g1 = gap + h * v0 * psi;
    const double force =
        -MidpointContacts::quotient(row, g1).value - 0.5 * (S - row.psi) * K * (g1 - gap);
    EXPECT_NEAR(force, 2.0 * m * v0 / h, 4e-15 * (1.0 + S) * K * h * v0);
  }
}

INSTANTIATE_TEST_SUITE_P(DampingRatios, Signorini,
                         ::testing::Values(0.0, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 50.0, 100.0, 200.0));

TEST(Signorini, has_the_figures_of_the_sweep) {
  // xi, psi_2, f, f', dE_f, dE_f', dE_p of the closed form with g = 0, as 003 plots them.
  const double table[][7] = {
      {0, -0.61803399, 618.0340, 381.9660, -0.7639320, -0.4721360, -1.236068},
      {1, -0.30277564, 302.7756, 697.2244, -0.1833462, -0.4222051, -0.6055513},
      {10, -0.04751155, 47.5116, 952.4884, -4.514696e-3, -9.050841e-2, -9.502311e-2},
      {200, -0.00249375, 2.4938, 997.5062, -1.243758e-5, -4.975063e-3, -4.987500e-3}};
  for (const auto& line : table) {
    Problem p(ConservingKind::acem, 2e-3, {1.0});
    p.body(1).v = along(0.0, -1.0);
    p.add(0, 1, Vec3::UnitY(), 1e6, line[0], 0.0, 1.0);
    ASSERT_TRUE(p.solve());
    const MidpointContacts::Row& row = p.row(0);
    const double s = p.contacts.displacement(row);
    const Exchange e = p.contacts.energy(row);
    EXPECT_NEAR(row.psi, line[1], 1e-8);
    EXPECT_NEAR(e.spring / s, line[2], 1e-4);
    EXPECT_NEAR(e.dashpot / s, line[3], 1e-4);
    EXPECT_NEAR(e.spring, line[4], 1e-6 * std::abs(line[4]));
    EXPECT_NEAR(e.dashpot, line[5], 1e-6 * std::abs(line[5]));
    EXPECT_NEAR(e.momentum, line[6], 1e-6 * std::abs(line[6]));
  }
}

/// 003 table 6.3 (i), three equal balls in a row, both contacts at once. The figures are the
/// roots of the equations that a prototype of them found by Newton's method.
TEST(Cradle, has_the_velocities_of_the_equations) {
  const double table[][5] = {
      {1e7, 100, -0.333276, 0.674234, 0.659042}, {1e7, 200, -0.333319, 0.670456, 0.662863},
      {1e7, 50, -0.333102, 0.681748, 0.651354},  {1e7, 10, -0.327681, 0.738860, 0.588821},
      {1e6, 200, -0.333188, 0.678642, 0.654546}, {1e8, 200, -0.333332, 0.667863, 0.665469}};
  for (const auto& line : table) {
    Problem p(ConservingKind::acem, 2.5e-4, {1.0, 1.0, 1.0});
    p.body(1).v = along(1.0);
    p.add(1, 2, Vec3::UnitX(), line[0], line[1], 0.0, 1.0);
    p.add(2, 3, Vec3::UnitX(), line[0], line[1], 0.0, 1.0);
    ASSERT_TRUE(p.solve());
    EXPECT_EQ(p.contacts.limits(), 0);
    double momentum = 0.0;
    for (int n = 1; n <= 3; ++n) {
      const double v = p.body(n).v[0] + p.body(n).change()[0];
      EXPECT_NEAR(v, line[n + 1], 6e-7) << "K " << line[0] << " xi " << line[1] << " ball " << n;
      momentum += v;
    }
    EXPECT_NEAR(momentum, 1.0, 2e-15);
    EXPECT_NEAR(p.kinetic(true), 0.5, 4e-15);
  }
}

/// Corners, chains and mass ratios; loads; soft and stiff; with and without the dashpot.
TEST(MidpointContacts, keep_momentum_and_energy_of_any_bodies) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  for (int trial = 0; trial < 300; ++trial) {
    const double h = std::pow(10.0, -3.0 + unit(random));
    const std::size_t count = 2 + trial % 5;
    std::vector<double> masses(count);
    for (double& m : masses) m = std::pow(10.0, unit(random));
    Problem p(ConservingKind::acem, h, masses);
    for (const int n : p.nodes) p.body(n).v = along(unit(random), unit(random));
    for (const int n : p.nodes) {
      if (n == 1) continue;
      const int a = trial % 2 == 0 ? n - 1 : 1;
      const Vec3 normal = Vec3(unit(random), unit(random), 0.0).normalized();
      p.add(a, n, normal, std::pow(10.0, 5.0 + unit(random)),
            trial % 3 == 0 ? 0.0 : 100.0 * (1.0 + unit(random)), 1e-4 * unit(random),
            std::max(masses[static_cast<std::size_t>(a - 1)],
                     masses[static_cast<std::size_t>(n - 1)]));
    }
    ASSERT_TRUE(p.solve()) << trial;
    Vec6 momentum = Vec6::Zero();
    double size = 0.0;
    for (const int n : p.nodes) {
      momentum += p.body(n).change() * masses[static_cast<std::size_t>(n - 1)];
      size += masses[static_cast<std::size_t>(n - 1)];
    }
    EXPECT_LE(momentum.norm(), 1e-14 * size) << trial;
    // Of the iteration, that stops where impulses change by 1e-15 of the largest.
    EXPECT_NEAR(p.kinetic(true) / p.kinetic(false), 1.0, 1e-13) << trial;
    for (const int c : p.all) {
      const Exchange e = p.contacts.energy(p.row(c));
      EXPECT_NEAR(e.spring + e.dashpot, e.momentum, 1e-13 * p.kinetic(false)) << trial;
      EXPECT_GE(p.row(c).impulse, 0.0);
    }
  }
}

TEST(MidpointContacts, with_springs_keep_their_energy_and_that_of_the_bodies) {
  Problem p(ConservingKind::simo_tarnow, 1e-3, {1.0, 2.0});
  const double K = 1e5;
  p.body(1).v = along(1.0);
  p.add(1, 2, Vec3::UnitX(), K, 0.0, 0.0, 2.0);
  const double before = p.kinetic(false);
  double gap = 0.0;
  for (int step = 0; step < 100; ++step) {
    p.row(0).gap = gap;
    p.row(0).impulse = 0.0;
    ASSERT_TRUE(p.solve());
    gap += p.contacts.displacement(p.row(0));
    for (const int n : p.nodes) p.body(n).v += p.body(n).change();
    const double spring = gap < 0.0 ? 0.5 * K * gap * gap : 0.0;
    ASSERT_NEAR(p.kinetic(false) + spring, before, 2e-14) << step;
  }
  EXPECT_GT(gap, 0.0);
  EXPECT_NEAR(p.body(2).v[0], 2.0 / 3.0, 1e-13);
}

TEST(LaursenChawla, loses_energy_as_its_closed_form) {
  for (const double theta : {0.1, 0.5, 2.0, 20.0}) {
    const double h = 1e-3, K = theta * theta / (h * h);
    Problem p(ConservingKind::laursen_chawla, h, {1.0});
    p.body(1).v = along(-1.0);
    p.add(0, 1, Vec3::UnitX(), K, 0.0, 0.0, 1.0);
    ASSERT_TRUE(p.solve());
    const double half = 0.5 * theta * theta;
    EXPECT_NEAR(p.body(1).v[0] + p.body(1).change()[0], -(1.0 - half) / (1.0 + half), 1e-14);
  }
}

TEST(LaursenLove, ends_on_the_surface_with_the_velocity_reversed) {
  for (const double gap : {0.0, 4e-4}) {
    Problem p(ConservingKind::laursen_love, 1e-3, {1.0});
    p.body(1).v = along(-1.0);
    p.add(0, 1, Vec3::UnitX(), 1e6, 0.0, gap, 1.0);
    ASSERT_TRUE(p.solve());
    EXPECT_NEAR(p.contacts.displacement(p.row(0)), -gap, 1e-18);
    EXPECT_NEAR(p.body(1).v[0] + p.body(1).change()[0], 1.0, 1e-15);
  }
}

}  // namespace midpoint_contacts_test
}  // namespace clatter
