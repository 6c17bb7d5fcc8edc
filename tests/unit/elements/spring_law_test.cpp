#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <clatter/elements/spring_law.hpp>

#include "support/finite_difference.hpp"

namespace clatter {
namespace spring_law_test {

using testing::agrees;
using testing::differences;

void expect_derivatives(const SpringLaw& law, const std::vector<double>& elongations) {
  for (const double s : elongations) {
    const auto energy = [&](const VecX& d) -> VecX {
      return VecX::Constant(1, law.energy(s + d[0]));
    };
    const auto tension = [&](const VecX& d) -> VecX {
      return VecX::Constant(1, law.tension(s + d[0]));
    };
    EXPECT_TRUE(agrees(MatX::Constant(1, 1, law.tension(s)), differences(energy, 1))) << s;
    EXPECT_TRUE(agrees(MatX::Constant(1, 1, law.slope(s)), differences(tension, 1))) << s;
  }
  EXPECT_EQ(law.energy(0.0), 0.0);
}

const std::vector<Eigen::Vector2d> points{{-1.0, 3.0}, {0.5, -1.0}, {0.75, 1.0}, {2.0, 2.0}};

TEST(SpringLaw, tension_is_the_derivative_of_energy_and_slope_that_of_tension) {
  expect_derivatives(SpringLaw(7.0), {-1.3, 0.0, 0.4});
  for (const int sign : {-1, 1}) {
    expect_derivatives(SpringLaw::Kinds(OneSidedLaw{7.0, sign}), {-1.3, -0.2, 0.4, 3.0});
  }
  expect_derivatives(SpringLaw::Kinds(TableLaw(points)), {-3.0, -0.9, 0.0, 0.6, 1.0, 5.0});
  for (const double n : {1.0, 1.2, 1.4}) {
    expect_derivatives(SpringLaw::Kinds(GasLaw{5.0, 2.0, n}), {-1.0, -0.5, 0.0, 3.0});
  }
}

TEST(SpringLaw, table_is_linear_between_its_points_and_beyond_them) {
  const TableLaw law(points);
  for (const Eigen::Vector2d& point : points) EXPECT_DOUBLE_EQ(law.tension(point.x()), point.y());
  EXPECT_DOUBLE_EQ(law.tension(0.625), 0.0);
  EXPECT_DOUBLE_EQ(law.tension(-2.5), 7.0);
  EXPECT_DOUBLE_EQ(law.tension(4.5), 4.0);
  // By hand: from 0.5 to 0.75 nothing, from 0.75 to 2 a mean of 1.5.
  EXPECT_DOUBLE_EQ(law.energy(2.0) - law.energy(0.5), 1.5 * 1.25);
}

TEST(SpringLaw, gas_pushes_with_force_times_the_ratio_of_columns_to_the_exponent) {
  const GasLaw law{5.0, 2.0, 1.4};
  EXPECT_DOUBLE_EQ(law.tension(0.0), -5.0);
  EXPECT_DOUBLE_EQ(law.tension(-1.0), -5.0 * std::pow(2.0, 1.4));
  const GasLaw slow{5.0, 2.0, 1.0};
  EXPECT_DOUBLE_EQ(slow.energy(-1.0), 10.0 * std::log(2.0));
}

TEST(SpringLaw, energy_of_a_gas_is_continuous_in_the_exponent) {
  // Its derivative by the exponent is less than force length log(2)^2.
  EXPECT_NEAR((GasLaw{5.0, 2.0, 1.0 + 1e-9}.energy(-1.0)), 10.0 * std::log(2.0), 1e-8);
}

TEST(SpringLaw, gas_that_is_used_up_goes_on_with_constant_slope) {
  const SpringLaw law = SpringLaw::Kinds(GasLaw{5.0, 2.0, 1.4});
  const double end = 2.0 * (GasLaw::shortest - 1.0);
  EXPECT_NEAR(law.slope(-5.0) / law.slope(end), 1.0, 1e-12);  // round-off over what is left
  EXPECT_NEAR(law.tension(end - 0.1) / (law.tension(end) - 0.1 * law.slope(end)), 1.0, 1e-12);
  EXPECT_TRUE(law.failure(end + 1e-6).empty());
  EXPECT_FALSE(law.failure(end - 1e-6).empty());
}

}  // namespace spring_law_test
}  // namespace clatter
