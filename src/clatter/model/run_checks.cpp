#include <fmt/format.h>

#include <clatter/model/fields.hpp>
#include <clatter/model/integrator_fields.hpp>
#include <clatter/model/part_checks.hpp>

namespace clatter {
namespace {

// What only some schemes can do. (Settings of one may stand beside the name of another, so that it
// can be changed from outside.)
void check_abilities(const ObjectCheck& object, const IntegratorSpec& i) {
  if (!object.knows("name")) return;
  const auto refuse_if = [&](bool is_asked, const char* key, bool SchemeTraits::*can) {
    if (!is_asked || traits_of(i.kind).*can) return;
    object.refuse_key(key, fmt::format("'{}' is not for the integrator \"{}\", only for {}", key,
                                       to_string(i.kind), schemes_that(can)));
  };
  refuse_if(i.locate_impacts, "locate_impacts", &SchemeTraits::locates_impacts);
  refuse_if(i.multi_impact, "multi_impact", &SchemeTraits::passes_impacts);
  refuse_if(!i.position_friction, "position_friction", &SchemeTraits::may_drift);
  refuse_if(!i.position_rolling, "position_rolling", &SchemeTraits::may_drift);
  refuse_if(!i.islands, "islands", &SchemeTraits::asks_solvers);
  refuse_if(i.coefficients != AlphaKind::chung_hulbert, "coefficients", &SchemeTraits::weighs);
  refuse_if(i.correction_forces != 1.0, "correction_forces", &SchemeTraits::may_drift);
  refuse_if(i.contact_solver.has_value(), "contact_solver", &SchemeTraits::asks_solvers);
}

// Settings of what is not switched on.
void check_idle_settings(const ObjectCheck& object, const IntegratorSpec& i) {
  if (i.coefficients == AlphaKind::hht && i.rho_inf < 0.5 && object.knows("rho_inf")) {
    object.refuse_key("rho_inf",
                      fmt::format("'rho_inf': with coefficients = \"hht\" it is at least "
                                  "0.5, not {}",
                                  i.rho_inf));
  }
  if (!i.multi_impact && object.knows("multi_impact")) {
    const auto refuse_if = [&](bool is_given, const char* key) {
      if (!is_given) return;
      object.refuse_key(key, fmt::format("'{}' has no meaning without multi_impact = true", key));
    };
    refuse_if(i.impact_tolerance.has_value(), "impact_tolerance");
    refuse_if(i.max_impacts != IntegratorSpec{}.max_impacts, "max_impacts");
  }
  if (i.characteristic_mass && i.scaling == Scaling::delassus && object.knows("scaling")) {
    object.refuse_key("characteristic_mass",
                      "'characteristic_mass' has no meaning without scaling = "
                      "\"characteristic_mass\"");
  }
}

}  // namespace

void check_integrator(const IntegratorSpec& i, std::vector<Mistake>& mistakes) {
  const ObjectCheck object("integrator", i.place, i.keys, mistakes);
  describe_integrator(i, FieldCheck(object));
  const bool are_sound = ranges::positive.contains(i.step) && ranges::positive.contains(i.duration);
  if (are_sound && i.duration < i.step && object.knows("step") && object.knows("duration")) {
    object.refuse("duration",
                  fmt::format("'duration' must be at least one 'step' of {} s, not {} s", i.step,
                              i.duration));
  }
  check_abilities(object, i);
  check_idle_settings(object, i);
}

void check_output(const OutputSpec& output, std::vector<Mistake>& mistakes) {
  const ObjectCheck object("output", output.place, output.keys, mistakes);
  object.number("interval", output.interval, ranges::positive);
  object.number("frame_interval", output.frame_interval, ranges::positive);
}

void check_verify(const VerifySpec& v, std::vector<Mistake>& mistakes) {
  const ObjectCheck object(fmt::format("figure '{}'", v.quantity), v.place, v.keys, mistakes);
  object.number("at", v.at, ranges::not_negative);
  const bool from = object.number("from", v.from, ranges::not_negative);
  const bool to = object.number("to", v.to, ranges::not_negative);
  if (from && to && v.from && v.to && !(*v.from < *v.to)) {
    object.refuse("to", "'to' must be after 'from'");
  }
  object.number("tolerance", v.tolerance, ranges::not_negative);
  if (!object.knows("measure")) return;
  if (v.measure == "order" && v.steps.size() < 2) {
    object.refuse("steps", "'steps': an order needs at least two time steps");
  }
  for (std::size_t i = 0; i < v.steps.size(); ++i) {
    const auto wrong = complaint_about("steps", v.steps[i], ranges::positive, "numbers > 0");
    if (wrong) object.refuse_entry("steps", i, *wrong);
  }
  object.number("reference_step", v.reference_step, ranges::positive);
  if (v.quantity.empty()) {
    object.refuse("quantity", "'quantity' must not be empty");
  } else if (v.measure == "order" && v.quantity != "positions" && v.quantity != "velocities") {
    object.refuse("quantity",
                  "'quantity': for measure \"order\" it is \"positions\" or \"velocities\"");
  }
}

}  // namespace clatter
