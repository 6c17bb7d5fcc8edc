#include <cmath>

#include <gtest/gtest.h>

#include <clatter/recovery/impact_profile.hpp>
#include <clatter/recovery/recovered_impact.hpp>

namespace clatter {
namespace recovered_impact_test {

/// The force along the curve, integrated with as many parts as its own interpolation needs.
double integral_of(const Collision& c) {
  double sum = 0.0;
  constexpr int parts = 20000;
  for (int i = 0; i < parts; ++i) sum += c.at((i + 0.5) / parts * c.duration).force;
  return sum * c.duration / parts;
}

TEST(ImpactProfile, BentPartsAtDepthZeroWithItsRestitution) {
  for (const double e : {0.05, 0.2, 0.5, 0.8, 1.0}) {
    for (const double alpha : {1.7, 2.0}) {
      const ImpactProfile profile = ImpactProfile::bent(e, alpha);
      EXPECT_NEAR(profile.depth(1.0), 0.0, 1e-14);
      EXPECT_NEAR(profile.rate(1.0), -e, 1e-14);
      EXPECT_NEAR(profile.rate(0.0), 1.0, 1e-14);
    }
  }
}

TEST(ImpactProfile, RateIsTheSlopeOfTheDepth) {
  for (const ImpactProfile& profile : {ImpactProfile::bent(0.3, 1.7), ImpactProfile::cubic(0.3)}) {
    for (const double tau : {0.1, 0.31, 0.7, 0.95}) {
      const double d = 1e-5;
      const double slope = (profile.depth(tau + d) - profile.depth(tau - d)) / (2.0 * d);
      EXPECT_NEAR(slope, profile.rate(tau), 100.0 * d * d);  // third derivatives are about 100
    }
  }
}

TEST(ImpactProfile, CubicLeavesBodiesInEachOther) {
  EXPECT_NEAR(ImpactProfile::cubic(0.6).depth(1.0), 0.5 * (1.0 - 0.6), 1e-15);
}

TEST(ImpactProfile, IntegralOfTheElasticOneIsKnown) {
  // (tau - 2 tau^3 + tau^4)^1 from 0 to 1 is 1/2 - 1/2 + 1/5.
  EXPECT_NEAR(ImpactProfile::bent(1.0, 1.7).depth_integral(1.0), 0.2, 1e-13);
  const ImpactProfile profile = ImpactProfile::bent(0.4, 1.7);
  EXPECT_NEAR(profile.depth_integral(1.5, 0.0, 0.3) + profile.depth_integral(1.5, 0.3, 1.0),
              profile.depth_integral(1.5), 1e-9);
}

/// The bouncing ball of 000 C.6 (K = 1.4e8, Flores, dropped from one metre): what the formulas of
/// the source give, computed by another program to five digits.
TEST(RecoveredImpact, OfTheBouncingBallIsThatOfTheSource) {
  struct Row {
    double e, duration, depth, peak;
  };
  const double v = std::sqrt(2.0 * 9.8);
  for (const Row& row :
       {Row{1.0, 1.3693e-3, 1.8944e-3, 11544}, Row{0.8, 1.3909e-3, 1.7716e-3, 10902},
        Row{0.6, 1.4458e-3, 1.6258e-3, 11297}, Row{0.4, 1.5806e-3, 1.4390e-3, 13070},
        Row{0.2, 1.9994e-3, 1.1565e-3, 17857}}) {
    const RecoverySettings settings{{NormalLawKind::flores, 1.4e8, 1.5, row.e}, ImpactShape::bent};
    const Collision c = recover({(1.0 + row.e) * v, v, row.e}, settings);
    EXPECT_NEAR(c.duration / row.duration, 1.0, 5e-5);
    EXPECT_NEAR(c.depth / row.depth, 1.0, 5e-5);
    EXPECT_NEAR(c.peak / row.peak, 1.0, 5e-5);
  }
}

TEST(RecoveredImpact, HasTheImpulseOfTheRunByEveryShapeAndLaw) {
  for (const ImpactShape shape : {ImpactShape::cubic, ImpactShape::bent, ImpactShape::law}) {
    for (int kind = 0; kind <= static_cast<int>(NormalLawKind::exact); ++kind) {
      for (const double e : {0.9, 0.3}) {
        const RecoverySettings settings{{static_cast<NormalLawKind>(kind), 1.4e8, 1.5, e}, shape};
        const Collision c = recover({3.0, 2.0, e}, settings);
        EXPECT_NEAR(integral_of(c) / 3.0, 1.0, 1e-7) << kind << ' ' << e;
      }
    }
  }
}

/// Whatever restitution the law returns: what it does until the bodies part is its own.
TEST(RecoveredImpact, ByTheLawItselfHasThePeakAndTheDurationOfTheLaw) {
  const double m = 0.4, v = 1.5;
  for (int kind = 0; kind <= static_cast<int>(NormalLawKind::exact); ++kind) {
    for (const double e : {1.0, 0.8, 0.6, 0.4, 0.2}) {
      const NormalLaw law{static_cast<NormalLawKind>(kind), 2e8, 1.5, e};
      const Collision truth = collide(law, m, v);
      const Collision c = recover({(1.0 + e) * m * v, v, e}, {law, ImpactShape::law});
      EXPECT_NEAR(c.peak / truth.peak, 1.0, 1e-12) << kind << ' ' << e;
      EXPECT_NEAR(c.duration / truth.duration, 1.0, 1e-12);
      EXPECT_NEAR(c.curve.back().impulse, (1.0 + e) * m * v, 1e-12);
    }
  }
}

TEST(RecoveredImpact, ByTheLawItselfIsTheCollisionWhenTheLawReturnsTheRestitutionOfTheRun) {
  const double m = 0.4, v = 1.5;
  const NormalLaw law{NormalLawKind::flores, 2e8, 1.5, 0.5};
  const Collision truth = collide(law, m, v);
  const Collision c = recover({truth.impulse, v, truth.restitution}, {law, ImpactShape::law});
  for (const double part : {0.1, 0.4, 0.7, 0.95}) {
    const double t = part * truth.duration;
    EXPECT_NEAR(c.at(t).force / truth.at(t).force, 1.0, 1e-9);
    EXPECT_NEAR(c.at(t).impulse / truth.at(t).impulse, 1.0, 1e-9);
  }
}

}  // namespace recovered_impact_test
}  // namespace clatter
