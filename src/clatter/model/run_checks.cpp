#include <fmt/format.h>

#include <clatter/model/part_checks.hpp>

namespace clatter {
namespace {

// What only some schemes can do. (rho_inf and theta may stand beside any name, so that it can be
// changed from outside.)
void check_abilities(const ObjectCheck& object, const IntegratorSpec& i) {
  if (!object.knows("name") || i.kind == IntegratorKind::nsga) return;
  const auto refuse_if = [&](bool is_asked, const char* key, const char* also) {
    if (!is_asked) return;
    object.refuse_key(key, fmt::format("'{}' is not for the integrator \"{}\", only for \"nsga\"{}",
                                       key, to_string(i.kind), also));
  };
  refuse_if(i.locate_impacts, "locate_impacts", "");
  refuse_if(i.multi_impact, "multi_impact", "");
  refuse_if(!i.position_friction, "position_friction", "");
  refuse_if(i.contact_solver && i.kind != IntegratorKind::moreau, "contact_solver",
            " and \"moreau\"");
}

// Settings of what is not switched on.
void check_idle_settings(const ObjectCheck& object, const IntegratorSpec& i) {
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
  const bool step = object.number("step", i.step, ranges::positive);
  if (object.number("duration", i.duration, ranges::positive) && step && i.duration < i.step) {
    object.refuse("duration",
                  fmt::format("'duration' must be at least one 'step' of {} s, not {} s", i.step,
                              i.duration));
  }
  object.number("rho_inf", i.rho_inf, ranges::rho_inf);
  object.number("theta", i.theta, ranges::theta);
  object.number("tolerance", i.tolerance, ranges::tolerance);
  object.whole_number("max_iterations", i.max_iterations, ranges::max_iterations);
  object.whole_number("max_halvings", i.max_halvings, ranges::max_halvings);
  object.number("impact_tolerance", i.impact_tolerance, ranges::not_negative);
  object.whole_number("max_impacts", i.max_impacts, ranges::max_impacts);
  object.number("characteristic_mass", i.characteristic_mass, ranges::positive);
  object.number("penalty", i.penalty, ranges::positive);
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
