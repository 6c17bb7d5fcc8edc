#include <clatter/io/keys/key_tables.hpp>

namespace clatter::keys {

KeyDescription recover_key() {
  return {"recover", {},     table,
          "",        "none", "How forces and stresses of its impacts are found from impulses.",
          any,       {},     "recover"};
}

KeyDescription solid_compliance_key() {
  return {
      "compliance",
      {},
      table,
      "",
      "none: hard",
      "How solids of it give way. Of the integrators `generalized_alpha`, `newmark` and "
      "`energy_consistent`, with which all solids have it. Between two materials without a pair "
      "the softer counts.",
      any,
      {},
      "solid_compliance"};
}

KeyDescription solid_recover_key() {
  return {"recover",
          {},
          table,
          "",
          "none",
          "How forces and stresses of impacts of watched solids are found from impulses.",
          any,
          {},
          "solid_recover"};
}

KeyDescription compliance_key() {
  return {"compliance",
          {},
          table,
          "",
          "none: hard",
          "How its surfaces give way. Of the integrators `generalized_alpha`, `newmark`, "
          "`energy_consistent` and `verlet`, with "
          "which all contacts have it; others have hard contacts.",
          any,
          {},
          "compliance"};
}

// The keys of a surface law, at the end of those of a table.
TableDescription with_law(TableDescription table) {
  const SurfaceLaw c;
  const std::vector<KeyDescription> law = {
      {"friction",
       {},
       coefficient,
       "",
       literal(c.friction),
       "Coulomb's coefficient of sliding friction; as a formula in the speed of sliding, m/s, its "
       "value at 0 is that of what rests.",
       not_negative},
      {"static_friction",
       {},
       number,
       "",
       "`friction`, of a formula its value at 0",
       "The coefficient of what rests.",
       not_negative},
      {"stribeck_speed",
       {},
       number,
       "m/s",
       "none: at once",
       "With `static_friction`: the speed over which friction falls to `friction`; the difference "
       "is multiplied by `exp(-(v/stribeck_speed)^stribeck_exponent)`.",
       positive},
      {"stribeck_exponent", {}, number, "", "1", "With `stribeck_speed`.", positive},
      {"viscous_friction",
       {},
       number,
       "s/m",
       "0",
       "What the coefficient grows by with the speed of sliding.",
       not_negative},
      {"across_friction",
       {},
       number,
       "",
       "`friction`",
       "Of a `face` with `along`: the coefficient across that direction. Friction is then that of "
       "an ellipse, and sliding goes where it takes most work.",
       not_negative},
      {"rolling_friction",
       {},
       coefficient,
       "m",
       literal(c.rolling_friction),
       "Largest moment against rolling, over the normal force; a formula is in rad/s.",
       not_negative},
      {"drilling_friction",
       {},
       coefficient,
       "m",
       literal(c.drilling_friction),
       "Largest moment against turning about the normal, over the normal force; a formula is in "
       "rad/s.",
       not_negative},
      {"patch_radius",
       {},
       number,
       "m",
       literal(c.patch_radius),
       "Radius of the area of contact: `friction` then resists sliding and turning about the "
       "normal together (Coulomb–Contensou).",
       not_negative},
      {"restitution",
       {},
       coefficient,
       "",
       literal(c.restitution),
       "Speed after an impact over speed before, along the normal; a formula is in the speed of "
       "approach, m/s. See `impact_law`.",
       ranges::restitution},
      {"tangential_restitution",
       {},
       number,
       "",
       literal(c.tangential_restitution),
       "The same along the face.",
       ranges::tangential_restitution},
  };
  table.keys.push_back({"impact_law",
                        {},
                        word,
                        "",
                        "that of `[integrator]`",
                        "What `restitution` is a ratio of: `newton` speeds, `poisson` impulses of "
                        "restitution and compression, `energetic` the root of the work along the "
                        "normal in the two (Stronge).",
                        any,
                        {impact_law_names.begin(), impact_law_names.end()}});
  table.keys.insert(table.keys.end(), law.begin(), law.end());
  return table;
}

namespace {

// The keys of a law of normal forces.
std::vector<KeyDescription> force_law_keys(const char* of_materials) {
  const ForceLawSpec law;
  return {
      {"law",
       {},
       word,
       "",
       fmt::format("\"{}\"", to_string(law.law)),
       "Law of the normal force; `exact` has the damping that returns just the `restitution` of "
       "the "
       "contact.",
       any,
       {normal_law_names.begin(), normal_law_names.end()}},
      {"stiffness", {}, number, "N/m^n", "from `materials`", "`K` of `F = K depth^n`.", positive},
      {"exponent",
       {},
       number,
       "",
       "1.5",
       "`n`, with `stiffness`; it is 1 of `hooke` and `kelvin-voigt`.",
       ranges::force_exponent},
      {"materials", {}, texts, "", "none", of_materials},
      {"length",
       {},
       number,
       "m",
       "none: at a point",
       "With `materials`, of planar bodies and of spheres in a bore or on a shaft: how long the "
       "line is along which they touch as cylinders. Rollers of bearings have it already.",
       positive},
  };
}

}  // namespace

TableDescription recover() {
  const RecoverySpec r;
  TableDescription table{
      "recover", "recover of a contact", "", "recovery",
      force_law_keys("Names of two materials, that of `sphere` first: with the "
                     "radii they give the stiffness (Hertz; along a line Palmgren) and "
                     "the stresses.")};
  table.keys.push_back({"profile",
                        {},
                        word,
                        "",
                        fmt::format("\"{}\"", to_string(r.profile)),
                        "How the bodies move during an impact: `law` as the law moves them, `bent` "
                        "and `cubic` as 000 assumes it.",
                        any,
                        {impact_shape_names.begin(), impact_shape_names.end()}});
  table.keys.push_back({"alpha",
                        {},
                        number,
                        "",
                        literal(r.alpha),
                        "Of the profile `bent`: where it bends.",
                        positive});
  table.keys.push_back({"share",
                        {},
                        flag,
                        "",
                        literal(r.share),
                        "Tell also how the load is shared out among all contacts that have it, by "
                        "their stiffness: the result `shared_force`."});
  return table;
}

// Materials and shapes are those of the solids, and nothing is shared out.
TableDescription solid_recover() {
  TableDescription table = recover();
  table.name = "solid_recover";
  table.heading = "recover of a material";
  std::erase_if(table.keys, [](const KeyDescription& key) {
    return key.name == "materials" || key.name == "share";
  });
  for (KeyDescription& key : table.keys) {
    if (key.name == "stiffness") {
      key.default_text = "from moduli and curvatures";
    } else if (key.name == "length") {
      key.default_text = "none";
      key.meaning =
          "Of solids in the plane, which need it or `stiffness`: how long the line is along which "
          "they touch.";
    }
  }
  return table;
}

TableDescription compliance() {
  const ComplianceSpec c;
  TableDescription table{
      "compliance", "compliance of a contact", "", "compliance",
      force_law_keys("Names of two materials, that of `sphere` first: with the "
                     "radii they give the stiffness (Hertz; along a line Palmgren).")};
  table.keys.push_back({"slow_speed",
                        {},
                        number,
                        "m/s",
                        literal(c.slow_speed),
                        "Sliding that is slower is resisted in proportion to its speed; impacts "
                        "that are slower are damped as if they were that fast.",
                        positive});
  table.keys.push_back({"damping_ratio",
                        {},
                        number,
                        "",
                        literal(c.damping_ratio),
                        "Of `energy_consistent`: damping beside the spring, over critical damping. "
                        "It takes no energy, but stiffens the contact within a step: large is "
                        "nearly hard.",
                        not_negative});
  table.keys.push_back(
      {"tangential_stiffness",
       {},
       number,
       "N/m",
       "`stiffness`",
       "Of `energy_consistent` and `verlet`: that of the spring along the surfaces.",
       positive});
  table.keys.push_back({"tangential_damping_ratio",
                        {},
                        number,
                        "",
                        "`damping_ratio`",
                        "Of `energy_consistent`: of the damping along the surfaces.",
                        not_negative});
  return table;
}

TableDescription solid_compliance() {
  TableDescription table = compliance();
  table.name = "solid_compliance";
  table.heading = "compliance of a material";
  std::erase_if(table.keys, [](const KeyDescription& key) {
    return key.name == "materials" || key.name == "length";
  });
  for (KeyDescription& key : table.keys) {
    if (key.name == "stiffness") key.default_text = required;
  }
  return table;
}

}  // namespace clatter::keys
