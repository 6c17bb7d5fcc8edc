#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <clatter/recovery/collision.hpp>

namespace clatter {
namespace collision_test {

using enum NormalLawKind;

// Each step of the scaled impact is wrong by 1e-11 at most, and there are hundreds of them.
constexpr double round_off = 1e-8;

TEST(Collision, OfHertzLastsAndPressesAsInClosedForm) {
  const double m = 0.3, v = 2.0, K = 5e8;
  const Collision c = collide({hertz, K, 1.5}, m, v);
  const double deepest = std::pow(5.0 * m * v * v / (4.0 * K), 0.4);
  // T = 2 deepest/v times the integral of dx/sqrt(1 - x^2.5).
  const double integral = std::sqrt(std::numbers::pi) * std::tgamma(1.4) / std::tgamma(0.9);
  EXPECT_NEAR(c.depth / deepest, 1.0, round_off);
  EXPECT_NEAR(c.duration * v / (2.0 * deepest * integral), 1.0, 1e-6);  // ends as t^2.5
  // The summit of a parabola through points that are 0.02 apart in a time of about three.
  EXPECT_NEAR(c.peak / (K * std::pow(deepest, 1.5)), 1.0, std::pow(0.02, 4));
  EXPECT_NEAR(c.restitution, 1.0, round_off);
  EXPECT_NEAR(c.impulse, 2.0 * m * v, round_off);
}

TEST(Collision, OfHookeIsHalfASine) {
  const double m = 0.3, v = 2.0, K = 5e8, omega = std::sqrt(K / m);
  const Collision c = collide({hooke, K}, m, v);
  EXPECT_NEAR(c.duration * omega / std::numbers::pi, 1.0, round_off);
  EXPECT_NEAR(c.peak / (v * std::sqrt(K * m)), 1.0, round_off);
  for (const double share : {0.1, 0.33, 0.9}) {
    const CollisionPoint p = c.at(share * c.duration);
    const double phase = share * std::numbers::pi;
    // A cubic between points that are 0.02 apart in phase: 0.02^4/384.
    EXPECT_NEAR(p.depth * omega / v, std::sin(phase), 1e-9);
    EXPECT_NEAR(p.rate / v, std::cos(phase), 1e-7);
    EXPECT_NEAR(p.force / c.peak, std::sin(phase), 1e-7);
  }
}

TEST(Collision, OfSpringAndDashpotEndsWhenItWouldPull) {
  const double m = 0.7, v = 3.0, K = 1e6, e = 0.6;
  const Collision c = collide({kelvin_voigt, K, 1.0, e}, m, v);
  EXPECT_NEAR(c.restitution, e, round_off);
  EXPECT_GT(c.curve.back().depth, 0.0);  // the spring comes after
  // Overdamped, too.
  EXPECT_NEAR(collide({kelvin_voigt, K, 1.0, 0.06}, m, v).restitution, 0.06, round_off);
}

TEST(Collision, DeepestPlaceAndRestitutionOfDampedLawsAreThoseOfTheirFirstIntegral) {
  // v dv/ddelta = -K/m delta^n (1 + chi v/v_i) gives
  // delta_max^(n+1) = (n + 1) m v^2/K (chi - ln(1 + chi))/chi^2.
  const double m = 1.0, v = 4.4, K = 1.4e8;
  for (const NormalLawKind kind : {hunt_crossley, lankarani_nikravesh, hu, flores, zhang, exact}) {
    for (const double e : {0.9, 0.5, 0.2, 0.05}) {
      for (const double n : {1.0, 1.5, 2.2}) {
        const double chi = damping_factor(kind, e);
        const Collision c = collide({kind, K, n, e}, m, v);
        const double deepest = std::pow(
            (n + 1.0) * m * v * v / K * (chi - std::log1p(chi)) / (chi * chi), 1.0 / (n + 1.0));
        EXPECT_NEAR(c.depth / deepest, 1.0, 1e-6) << to_string(kind) << ' ' << e << ' ' << n;
        EXPECT_NEAR(c.restitution, returned_restitution(chi), round_off);
      }
    }
  }
}

TEST(Collision, ForceBetweenPointsIntegratesToTheImpulse) {
  const Collision c = collide({flores, 1.4e8, 1.5, 0.2}, 1.0, 4.4);
  double sum = 0.0;
  constexpr int parts = 100000;
  for (int i = 0; i < parts; ++i) sum += c.at((i + 0.5) / parts * c.duration).force;
  // The rule of midpoints: one part of 1e5, squared.
  EXPECT_NEAR(sum * c.duration / parts / c.impulse, 1.0, 1e-9);
  EXPECT_NEAR(c.curve.back().impulse, c.impulse, 1e-12 * c.impulse);
}

}  // namespace collision_test
}  // namespace clatter
