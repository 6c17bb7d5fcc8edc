#pragma once

#include <clatter/model/range.hpp>
#include <clatter/model/specs.hpp>

namespace clatter {

/// The plain keys of [integrator]: read, checked and written by what is given as `fields`, see
/// fields.hpp.
template <class Spec, class Fields>
void describe_integrator(Spec& i, const Fields& fields) {
  fields.number("step", i.step, ranges::positive);
  fields.number("duration", i.duration, ranges::positive);
  fields.number("tolerance", i.tolerance, ranges::tolerance);
  fields.whole_number("max_iterations", i.max_iterations, ranges::max_iterations);
  fields.whole_number("max_halvings", i.max_halvings, ranges::max_halvings);
  fields.flag("locate_impacts", i.locate_impacts);
  fields.flag("multi_impact", i.multi_impact);
  fields.whole_number("max_impacts", i.max_impacts, ranges::max_impacts);
  fields.flag("position_friction", i.position_friction);
  fields.flag("position_rolling", i.position_rolling);
  fields.flag("islands", i.islands);
  fields.flag("sleep", i.sleep);
  fields.number("penalty", i.penalty, ranges::positive);
  fields.number("theta", i.theta, ranges::theta);
  fields.number("gamma", i.gamma, ranges::newmark_gamma);
  fields.number("beta", i.beta, ranges::newmark_beta);
  fields.number("closing_factor", i.closing_factor, ranges::positive);
  fields.number("largest_depth", i.largest_depth, ranges::positive);
  fields.whole_number("substeps", i.substeps, ranges::substeps);
  fields.whole_number("threads", i.threads, ranges::threads);
  fields.number("correction_forces", i.correction_forces, ranges::positive);
  fields.number("rho_inf", i.rho_inf, ranges::rho_inf);
  fields.number("impact_tolerance", i.impact_tolerance, ranges::not_negative);
  fields.number("characteristic_mass", i.characteristic_mass, ranges::positive);
}

}  // namespace clatter
