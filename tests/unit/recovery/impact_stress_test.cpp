#include <gtest/gtest.h>

#include <clatter/recovery/impact_stress.hpp>

namespace clatter {
namespace impact_stress_test {

const RelativeCurvature curvature{4.0, 31.0};

TEST(StressOfForce, IsWhatHertzsTheoryHasAtEveryForce) {
  const PressedBody steel{{2e11, 0.3}, std::nullopt};
  const StressOfForce stress({steel, steel}, curvature);
  const HertzContact contact(steel.elasticity, steel.elasticity, curvature);
  for (const double force : {1e-3, 1.0, 5e4}) {
    const ContactStress expected = contact.stress(force, 0.3);
    const ImpactStress s = stress(force);
    // Depths are those of a flat summit, found to the root of round-off.
    EXPECT_NEAR(s.pressure / expected.pressure, 1.0, 1e-12);
    EXPECT_NEAR(s.shear / expected.shear.shear(), 1.0, 1e-9);
    EXPECT_NEAR(s.shear_depth / expected.shear.depth, 1.0, 1e-6);
    EXPECT_NEAR(s.von_mises / expected.von_mises.von_mises(), 1.0, 1e-9);
    EXPECT_NEAR(s.von_mises_depth / expected.von_mises.depth, 1.0, 1e-6);
    EXPECT_NEAR(s.minor_axis / contact.minor_axis(force), 1.0, 1e-12);
    EXPECT_NEAR(s.major_axis / contact.major_axis(force), 1.0, 1e-12);
    EXPECT_FALSE(s.of_strength);
  }
}

TEST(StressOfForce, TellsOfTheBodyThatIsNearerToYielding) {
  const PressedBody hard{{2e11, 0.3}, 1e9}, soft{{2e11, 0.3}, 2e8}, unknown{{2e11, 0.3}, {}};
  const double of_hard = *StressOfForce({hard, unknown}, curvature)(100.0).of_strength;
  EXPECT_NEAR(*StressOfForce({hard, soft}, curvature)(100.0).of_strength, 5.0 * of_hard, 1e-9);
  EXPECT_NEAR(*StressOfForce({soft, hard}, curvature)(100.0).of_strength, 5.0 * of_hard, 1e-9);
  const ImpactStress s = StressOfForce({hard, hard}, curvature)(100.0);
  EXPECT_NEAR(*s.of_strength, s.von_mises / 1e9, 1e-12);
}

TEST(StressOfForce, AlongALineIsWhatTheStripHasAtEveryForce) {
  const PressedBody steel{{2e11, 0.3}, 1e9};
  const LineContact line{2.0 * steel.elasticity.softness(), 150.0, 0.02};
  const StressOfForce stress({steel, steel}, line);
  for (const double force : {1e-3, 1.0, 5e4}) {
    const ContactStress expected = line.stress(force, 0.3);
    const ImpactStress s = stress(force);
    EXPECT_NEAR(s.pressure / expected.pressure, 1.0, 1e-12);
    EXPECT_NEAR(s.shear / expected.shear.shear(), 1.0, 1e-9);
    EXPECT_NEAR(s.shear_depth / expected.shear.depth, 1.0, 1e-6);
    EXPECT_NEAR(s.von_mises / expected.von_mises.von_mises(), 1.0, 1e-9);
    EXPECT_NEAR(s.minor_axis / line.half_width(force), 1.0, 1e-12);
    EXPECT_EQ(s.major_axis, 0.01);
    EXPECT_NEAR(*s.of_strength, s.von_mises / 1e9, 1e-12);
  }
}

}  // namespace impact_stress_test
}  // namespace clatter
