#include <algorithm>
#include <cmath>

#include <clatter/recovery/impact_stress.hpp>

namespace clatter {

StressOfForce::StressOfForce(const std::array<PressedBody, 2>& bodies,
                             const RelativeCurvature& curvature)
    : contact_(bodies[0].elasticity, bodies[1].elasticity, curvature) {
  ImpactStress& s = of_unit_;
  s.major_axis = contact_.major_axis(1.0);
  s.minor_axis = contact_.minor_axis(1.0);
  for (const PressedBody& body : bodies) {
    const ContactStress in_body = contact_.stress(1.0, body.elasticity.poisson);
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
  const double factor = std::cbrt(force);
  for (double* value : {&s.major_axis, &s.minor_axis, &s.pressure, &s.shear, &s.shear_depth,
                        &s.von_mises, &s.von_mises_depth}) {
    *value *= factor;
  }
  if (s.of_strength) *s.of_strength *= factor;
  return s;
}

}  // namespace clatter
