#include <algorithm>
#include <cmath>

#include <clatter/recovery/impact_stress.hpp>

namespace clatter {

StressOfForce::StressOfForce(const std::array<PressedBody, 2>& bodies,
                             const RelativeCurvature& curvature) {
  const HertzContact contact(bodies[0].elasticity, bodies[1].elasticity, curvature);
  of_unit_.major_axis = contact.major_axis(1.0);
  of_unit_.minor_axis = contact.minor_axis(1.0);
  search(bodies, contact);
}

StressOfForce::StressOfForce(const std::array<PressedBody, 2>& bodies, const LineContact& line)
    : length_(line.length) {
  of_unit_.minor_axis = line.half_width(1.0);
  search(bodies, line);
}

template <class Touch>
void StressOfForce::search(const std::array<PressedBody, 2>& bodies, const Touch& touch) {
  ImpactStress& s = of_unit_;
  for (const PressedBody& body : bodies) {
    const ContactStress in_body = touch.stress(1.0, body.elasticity.poisson);
    const double shear = in_body.shear.shear(), von_mises = in_body.von_mises.von_mises();
    s.pressure = in_body.pressure;
    if (shear > s.shear) s.shear = shear, s.shear_depth = in_body.shear.depth;
    if (von_mises > s.von_mises)
      s.von_mises = von_mises, s.von_mises_depth = in_body.von_mises.depth;
    if (body.strength) {
      s.of_strength = std::max(s.of_strength.value_or(0.0), von_mises / *body.strength);
    }
  }
}

ImpactStress StressOfForce::operator()(double force) const {
  ImpactStress s = of_unit_;
  const double factor = length_ ? std::sqrt(force) : std::cbrt(force);
  for (double* value : {&s.major_axis, &s.minor_axis, &s.pressure, &s.shear, &s.shear_depth,
                        &s.von_mises, &s.von_mises_depth}) {
    *value *= factor;
  }
  if (s.of_strength) *s.of_strength *= factor;
  if (length_ && force > 0.0) s.major_axis = 0.5 * *length_;
  return s;
}

}  // namespace clatter
