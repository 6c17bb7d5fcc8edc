#include <algorithm>
#include <cmath>
#include <numbers>

#include <clatter/model/specs.hpp>

namespace clatter {
namespace {

using std::numbers::pi;

double cubed(double x) { return x * x * x; }

// Saint-Venant: the series of Prandtl's stress function, with the part that does not depend on the
// sides summed in closed form (31/32 zeta(5) is the sum of 1/n^5 over odd n), so that the rest dies
// off as exp(-n pi).
double rectangle_torsion(double width, double height) {
  const double a = std::max(width, height), b = std::min(width, height);
  double sum = 31.0 / 32.0 * 1.0369277551433699;
  for (int n = 1; n <= 11; n += 2) {
    sum -= 2.0 / (std::pow(n, 5) * (std::exp(n * pi * a / b) + 1.0));
  }
  return a * cubed(b) * (1.0 / 3.0 - 64.0 / std::pow(pi, 5) * (b / a) * sum);
}

// Cowper (1966), "The shear coefficient in Timoshenko's beam theory", with Poisson's ratio 0.

BeamSection constants(const TubeSection& s) {
  const double inside = s.radius - s.thickness;
  BeamSection section;
  section.area = pi * s.thickness * (s.radius + inside);
  section.I_y = section.I_z = 0.25 * section.area * (s.radius * s.radius + inside * inside);
  section.J = 2.0 * section.I_y;
  const double m = inside / s.radius;
  const double square = (1.0 + m * m) * (1.0 + m * m);
  section.shear_y = section.shear_z = 6.0 * square / (7.0 * square + 20.0 * m * m);
  return section;
}

BeamSection constants(const CircleSection& s) { return constants(TubeSection{s.radius, s.radius}); }

BeamSection constants(const RectangleSection& s) {
  BeamSection section;
  section.area = s.width * s.height;
  section.I_y = s.width * cubed(s.height) / 12.0;
  section.I_z = s.height * cubed(s.width) / 12.0;
  section.J = rectangle_torsion(s.width, s.height);
  section.shear_y = section.shear_z = 5.0 / 6.0;
  return section;
}

BeamSection constants(const ISection& s) {
  const double flanges = 2.0 * s.width * s.flange;  // area
  const double clear = s.height - 2.0 * s.flange;   // height of the web between the flanges
  const double h = s.height - s.flange;             // between the centre lines of the flanges
  BeamSection section;
  section.area = flanges + clear * s.web;
  section.I_y = flanges * (s.flange * s.flange / 12.0 + 0.25 * h * h) + s.web * cubed(clear) / 12.0;
  section.I_z = (2.0 * s.flange * cubed(s.width) + clear * cubed(s.web)) / 12.0;
  // Open and thin-walled: b t^3 / 3 of each wall, all along centre lines.
  section.J = (2.0 * s.width * cubed(s.flange) + h * cubed(s.web)) / 3.0;
  const double m = flanges / (h * s.web), n = s.width / h;
  section.shear_z =
      10.0 * (1.0 + 3.0 * m) * (1.0 + 3.0 * m) /
      (12.0 + 72.0 * m + 150.0 * m * m + 90.0 * cubed(m) + 30.0 * n * n * (m + m * m));
  section.shear_y = 5.0 / 6.0 * flanges / section.area;  // two rectangles; the web bears nothing
  return section;
}

}  // namespace

BeamSection section_of(const SectionShape& shape) {
  BeamSection section = std::visit([](const auto& s) { return constants(s); }, shape);
  section.shape = shape;
  return section;
}

std::optional<double> contact_radius_of(const BeamSpec& beam) {
  if (beam.contact_radius || !beam.section.shape) return beam.contact_radius;
  const SectionShape& shape = *beam.section.shape;
  if (const auto* circle = std::get_if<CircleSection>(&shape)) return circle->radius;
  if (const auto* tube = std::get_if<TubeSection>(&shape)) return tube->radius;
  const auto* rectangle = std::get_if<RectangleSection>(&shape);
  if (rectangle != nullptr && beam.planar) return 0.5 * rectangle->width;
  return std::nullopt;
}

}  // namespace clatter
