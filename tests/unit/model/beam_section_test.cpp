#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <clatter/model/specs.hpp>

namespace clatter {
namespace beam_section_test {

using std::numbers::pi;

// Round-off of a handful of operations, relative.
constexpr double round_off = 1e-14;

// Area and second moments of what lies inside a closed curve, by Green's theorem: the integrals of
// y dz, y^3/3 dz and -z^3/3 dy around it.
struct Moments {
  double area = 0.0, I_y = 0.0, I_z = 0.0;
};

// Along a straight side the integrands are cubic, and Simpson's rule exact.
Moments moments_of_polygon(const std::vector<std::pair<double, double>>& corners) {
  Moments m;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const auto [y0, z0] = corners[i];
    const auto [y1, z1] = corners[(i + 1) % corners.size()];
    const double y = 0.5 * (y0 + y1), z = 0.5 * (z0 + z1);
    m.area += y * (z1 - z0);
    m.I_z += (y0 * y0 * y0 + 4.0 * y * y * y + y1 * y1 * y1) / 18.0 * (z1 - z0);
    m.I_y -= (z0 * z0 * z0 + 4.0 * z * z * z + z1 * z1 * z1) / 18.0 * (y1 - y0);
  }
  return m;
}

// The trapezoidal rule is exact for trigonometric polynomials.
Moments moments_of_circle(double radius) {
  constexpr int points = 32;
  Moments m;
  for (int i = 0; i < points; ++i) {
    const double phi = 2.0 * pi * i / points, part = 2.0 * pi / points;
    const double y = radius * std::cos(phi), z = radius * std::sin(phi);
    m.area += part * y * y;
    m.I_z += part * y * y * y * y / 3.0;
    m.I_y += part * z * z * z * z / 3.0;
  }
  return m;
}

void expect_moments(const BeamSection& section, const Moments& m) {
  EXPECT_NEAR(section.area, m.area, round_off * m.area);
  EXPECT_NEAR(section.I_y, m.I_y, round_off * m.I_y);
  EXPECT_NEAR(section.I_z, m.I_z, round_off * m.I_z);
}

TEST(SectionOf, circle_has_the_moments_of_its_outline_and_cowpers_six_sevenths) {
  const BeamSection section = section_of(CircleSection{0.3});
  expect_moments(section, moments_of_circle(0.3));
  EXPECT_NEAR(section.J, 0.5 * pi * std::pow(0.3, 4), round_off * section.J);
  EXPECT_NEAR(section.shear_y, 6.0 / 7.0, round_off);
  EXPECT_NEAR(section.shear_z, 6.0 / 7.0, round_off);
  EXPECT_EQ(std::get<CircleSection>(*section.shape).radius, 0.3);
}

TEST(SectionOf, tube_is_a_circle_less_a_circle) {
  const BeamSection section = section_of(TubeSection{0.5, 0.2});
  const Moments outside = moments_of_circle(0.5), inside = moments_of_circle(0.3);
  expect_moments(section,
                 {outside.area - inside.area, outside.I_y - inside.I_y, outside.I_z - inside.I_z});
  // Saint-Venant's torsion does not warp it: J is the polar moment.
  EXPECT_NEAR(section.J, section.I_y + section.I_z, round_off);
}

TEST(SectionOf, thin_tube_carries_shear_with_half_its_area_and_keeps_its_digits) {
  const double thickness = 1e-9;
  const BeamSection section = section_of(TubeSection{1.0, thickness});
  // Shear flow of a thin ring goes with the sine: mean of its square 1/2. Off by thickness squared.
  EXPECT_NEAR(section.shear_y, 0.5, 1e-12);
  // The thickness itself is known to round-off of the inner radius, 1e-16 of 1e-9.
  EXPECT_NEAR(section.area, 2.0 * pi * thickness, 1e-6 * section.area);
  EXPECT_NEAR(section.J, 2.0 * pi * thickness, 1e-6 * section.J);
}

TEST(SectionOf, rectangle_has_the_moments_of_its_outline) {
  const BeamSection section = section_of(RectangleSection{0.2, 0.7});
  expect_moments(section,
                 moments_of_polygon({{-0.1, -0.35}, {0.1, -0.35}, {0.1, 0.35}, {-0.1, 0.35}}));
  EXPECT_NEAR(section.shear_y, 5.0 / 6.0, round_off);
  EXPECT_NEAR(section.shear_z, 5.0 / 6.0, round_off);
}

TEST(SectionOf, rectangle_resists_torsion_as_in_timoshenkos_table) {
  // Timoshenko and Goodier, Theory of Elasticity: J / (a b^3) with sides a >= b, three digits.
  const std::vector<std::pair<double, double>> table = {{1.0, 0.1406}, {1.2, 0.166}, {1.5, 0.196},
                                                        {2.0, 0.229},  {2.5, 0.249}, {3.0, 0.263},
                                                        {4.0, 0.281},  {5.0, 0.291}, {10.0, 0.312}};
  const double b = 0.01;
  for (const auto& [ratio, factor] : table) {
    const double scale = ratio * b * b * b * b;
    EXPECT_NEAR(section_of(RectangleSection{ratio * b, b}).J / scale, factor, 6e-4) << ratio;
    EXPECT_NEAR(section_of(RectangleSection{b, ratio * b}).J / scale, factor, 6e-4) << ratio;
  }
  EXPECT_NEAR(section_of(RectangleSection{1.0, 1e-6}).J / 1e-18, 1.0 / 3.0, 1e-6);
}

TEST(SectionOf, rectangle_resists_torsion_as_the_double_sine_series_says) {
  // Stress function of Prandtl in sines along both sides. What is cut off falls with the cube of
  // the number of terms: 1e-8 of the sum.
  for (const double a : {1.0, 1.7, 4.0}) {
    double sum = 0.0;
    for (int m = 1; m < 1600; m += 2) {
      for (int n = 1; n < 1600; n += 2) {
        const double square_m = m * m, square_n = n * n;
        sum += 1.0 / (square_m * square_n * (square_m / (a * a) + square_n));
      }
    }
    const double J = 256.0 * a / std::pow(pi, 6) * sum;
    EXPECT_NEAR(section_of(RectangleSection{a, 1.0}).J, J, 1e-7 * J) << a;
  }
}

TEST(SectionOf, i_has_the_moments_of_its_outline) {
  // IPE 200 without its fillets.
  const double b = 0.1, h = 0.2, f = 0.0085, w = 0.0056;
  const BeamSection section = section_of(ISection{b, h, f, w});
  expect_moments(section, moments_of_polygon({{-b / 2, -h / 2},
                                              {b / 2, -h / 2},
                                              {b / 2, -h / 2 + f},
                                              {w / 2, -h / 2 + f},
                                              {w / 2, h / 2 - f},
                                              {b / 2, h / 2 - f},
                                              {b / 2, h / 2},
                                              {-b / 2, h / 2},
                                              {-b / 2, h / 2 - f},
                                              {-w / 2, h / 2 - f},
                                              {-w / 2, -h / 2 + f},
                                              {-b / 2, -h / 2 + f}}));
}

TEST(SectionOf, i_resists_torsion_as_in_the_handbook_of_steel) {
  // W610x125: 1480e3 mm^4 (Canadian Institute of Steel Construction, torsional properties).
  const BeamSection section = section_of(ISection{0.229, 0.612, 0.0196, 0.0119});
  EXPECT_NEAR(section.J, 1480e-9, 5e-9);
}

// Part of the area that carries shear along the web, from the energy of the shear flow V S / I in
// thin walls: I^2 / (A integral of S^2 / t), which is Cowper's coefficient without contraction.
double shear_by_flow(double width, double h, double flange, double web) {
  constexpr int steps = 2000;
  const auto integral = [](double from, double to, const std::function<double(double)>& f) {
    double sum = 0.0;  // Simpson's rule: exact to the cubic, here off by steps^-4
    for (int i = 0; i < steps; ++i) {
      const double a = from + (to - from) * i / steps, b = from + (to - from) * (i + 1) / steps;
      sum += (b - a) / 6.0 * (f(a) + 4.0 * f(0.5 * (a + b)) + f(b));
    }
    return sum;
  };
  const double area = 2.0 * width * flange + h * web;
  const double I = width * flange * h * h / 2.0 + web * h * h * h / 12.0;
  const auto in_flange = [&](double s) { return flange * s * h / 2.0; };
  const auto in_web = [&](double z) {
    return width * flange * h / 2.0 + web * (h * h / 4.0 - z * z) / 2.0;
  };
  const double squares =
      4.0 * integral(0.0, width / 2.0, [&](double s) { return in_flange(s) * in_flange(s); }) /
          flange +
      integral(-h / 2.0, h / 2.0, [&](double z) { return in_web(z) * in_web(z); }) / web;
  return I * I / (area * squares);
}

TEST(SectionOf, i_carries_shear_along_its_web_as_the_shear_flow_says) {
  for (const double flange : {0.002, 0.01, 0.03}) {
    const double width = 0.1, height = 0.25, web = 0.006;
    const BeamSection section = section_of(ISection{width, height, flange, web});
    EXPECT_NEAR(section.shear_z, shear_by_flow(width, height - flange, flange, web), 1e-10);
    EXPECT_NEAR(section.shear_y, 5.0 / 6.0 * 2.0 * width * flange / section.area, round_off);
  }
}

TEST(SectionOf, i_without_flanges_is_a_rectangle_in_shear) {
  EXPECT_NEAR(section_of(ISection{0.01, 1.0, 1e-12, 0.01}).shear_z, 5.0 / 6.0, 1e-10);
}

}  // namespace beam_section_test
}  // namespace clatter
