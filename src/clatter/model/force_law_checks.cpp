#include <fmt/format.h>

#include <clatter/model/part_checks.hpp>

namespace clatter {
namespace {

/// The checks of one of the tables of a contact that have a law.
class ForceLawCheck {
 public:
  ForceLawCheck(const ObjectCheck& object, const char* table, const ContactSpec& contact,
                const ForceLawSpec& law)
      : object_(object), table_(table), contact_(contact), law_(law) {}

  /// Whether it says all that a law needs, as far as that can be told.
  void check(const std::vector<MaterialSpec>& materials, bool materials_are_known) const {
    object_.number(key("stiffness"), law_.stiffness, ranges::positive);
    object_.number(key("exponent"), law_.exponent, ranges::force_exponent);
    object_.number(key("length"), law_.length, ranges::positive);
    object_.number(key("part"), law_.part, Range{0.0, 1.0, true});
    if (!object_.knows(key("stiffness")) || !object_.knows(key("materials")) ||
        !object_.knows(key("law"))) {
      return;
    }
    const bool of_materials = !law_.materials[0].empty() || !law_.materials[1].empty();
    if (!law_.stiffness && !of_materials) {
      object_.refuse(
          table_,
          fmt::format("'{}' needs 'stiffness', or the 'materials' that it follows from", table_));
    } else if (!law_.stiffness && is_linear(law_.law)) {
      object_.refuse(key("law"),
                     fmt::format("the law \"{}\" needs a 'stiffness' in N/m: that of materials is "
                                 "of F = K depth^1.5, along a line of F = K depth^(10/9)",
                                 to_string(law_.law)));
    }
    if (law_.exponent && is_linear(law_.law)) {
      object_.refuse_key(key("exponent"), fmt::format("'exponent' has no meaning for the law "
                                                      "\"{}\", of which it is 1",
                                                      to_string(law_.law)));
    } else if (law_.exponent && !law_.stiffness) {
      object_.refuse_key(
          key("exponent"),
          "'exponent' has no meaning without 'stiffness': that of materials is 1.5, along a "
          "line 10/9");
    }
    if (law_.length && !of_materials) {
      object_.refuse_key(key("length"), "'length' has no meaning without 'materials'");
    }
    if (of_materials && materials_are_known) check_elastic_materials(materials);
  }

 private:
  std::string key(const char* name) const { return fmt::format("{}.{}", table_, name); }

  void check_elastic_materials(const std::vector<MaterialSpec>& materials) const {
    const std::array<std::string, 2>& names = law_.materials;
    for (std::size_t k = 0; k < (names[0] == names[1] ? 1u : 2u); ++k) {
      const std::string& name = names[k];
      const MaterialSpec* material = find_material(materials, name);
      if (material == nullptr) {
        object_.refuse_entry(key("materials"), k, unknown_material(name, materials));
      } else if (!material->youngs_modulus && !material->keys.is_doubtful("youngs_modulus")) {
        object_.refuse_entry(key("materials"), k,
                             fmt::format("material '{}' has no 'youngs_modulus'", name));
      }
    }
    if (contact_.geometry.a.has_tube && !contact_.face_curvature) {
      object_.refuse(key("materials"),
                     "'materials': which side of the groove is touched, and so how it is curved, "
                     "is not known; give 'stiffness' instead, or a [[bearing]]");
    }
    if (contact_.of_joints) {
      object_.refuse(key("materials"),
                     "'materials': how the teeth of a coupler are curved is not known; give "
                     "'stiffness' instead");
    } else if (!contact_.geometry.b.has_radius) {
      object_.refuse(
          key("materials"),
          fmt::format("'materials': a {} has no radius, so that the area of contact is not "
                      "known; give 'stiffness' instead, or a sphere",
                      contact_.geometry.b.noun));
    }
  }

  const ObjectCheck& object_;
  const char* table_;
  const ContactSpec& contact_;
  const ForceLawSpec& law_;
};

void check_numbers(const ObjectCheck& object, const ComplianceSpec& c, const SurfaceLaw& law) {
  object.number("compliance.slow_speed", c.slow_speed, ranges::positive);
  object.number("compliance.damping_ratio", c.damping_ratio, ranges::not_negative);
  object.number("compliance.tangential_stiffness", c.tangential_stiffness, ranges::positive);
  object.number("compliance.tangential_damping_ratio", c.tangential_damping_ratio,
                ranges::not_negative);
  const auto refuse_if = [&](double value, const char* key) {
    if (value == 0.0) return;
    object.refuse_key(key, fmt::format("'{}' is not for contacts with 'compliance', which resist "
                                       "sliding alone",
                                       key));
  };
  refuse_if(law.rolling_friction, "rolling_friction");
  refuse_if(law.drilling_friction, "drilling_friction");
  refuse_if(law.patch_radius, "patch_radius");
  refuse_if(law.tangential_restitution, "tangential_restitution");
}

}  // namespace

void check_compliance(const ObjectCheck& object, const std::optional<ComplianceSpec>& compliance,
                      const SurfaceLaw& law) {
  if (!compliance) return;
  check_numbers(object, *compliance, law);
  object.number("compliance.stiffness", compliance->stiffness, ranges::positive);
  object.number("compliance.exponent", compliance->exponent, ranges::force_exponent);
  if (!compliance->stiffness && object.knows("compliance.stiffness")) {
    object.refuse("compliance", "'compliance' of solids needs a 'stiffness'");
  }
  if (compliance->exponent && is_linear(compliance->law) && object.knows("compliance.law")) {
    object.refuse_key("compliance.exponent", "'exponent' of this law is 1");
  }
}

void check_force_laws(const ContactSpec& contact, const std::vector<MaterialSpec>& materials,
                      bool materials_are_known, std::vector<Mistake>& mistakes) {
  const ObjectCheck object(fmt::format("contact '{}'", contact.name), contact.place, contact.keys,
                           mistakes);
  if (contact.recovery) {
    ForceLawCheck(object, "recover", contact, *contact.recovery)
        .check(materials, materials_are_known);
    object.number("recover.alpha", contact.recovery->alpha, ranges::positive);
  }
  if (contact.compliance) {
    ForceLawCheck(object, "compliance", contact, *contact.compliance)
        .check(materials, materials_are_known);
    check_numbers(object, *contact.compliance, contact);
  }
}

void check_conserving(const ObjectCheck& object, const SchemeTraits& scheme,
                      const ComplianceSpec& compliance, const SurfaceLaw& law) {
  if (!scheme.needs_free_bodies) return;
  const bool is_known =
      compliance.law == NormalLawKind::hooke || (!scheme.keeps_energy && is_linear(compliance.law));
  if (!is_known && object.knows("compliance.law")) {
    object.refuse("compliance.law",
                  fmt::format("the integrator \"{}\" takes the law \"hooke\" {}, not \"{}\"",
                              scheme.name, scheme.keeps_energy ? "alone" : "or \"kelvin-voigt\"",
                              to_string(compliance.law)));
  }
  if (scheme.keeps_energy && law.restitution != 0.0 && law.restitution != 1.0) {
    object.refuse_key("restitution",
                      fmt::format("'restitution' is not for the integrator \"{}\", which keeps the "
                                  "energy of impacts, as 1 does",
                                  scheme.name));
  }
}

void check_hardness(const ContactSpec& contact, const IntegratorSpec& integrator,
                    std::vector<Mistake>& mistakes) {
  if (integrator.keys.is_doubtful("name") || contact.keys.is_doubtful("compliance")) return;
  const ObjectCheck object(fmt::format("contact '{}'", contact.name), contact.place, contact.keys,
                           mistakes);
  const SchemeTraits& scheme = traits_of(integrator.kind);
  if (contact.of_joints) {
    const JointContactSpec::Kind kind = contact.of_joints->kind;
    const bool is_friction = kind == JointContactSpec::Kind::friction ||
                             kind == JointContactSpec::Kind::clutch ||
                             contact.of_joints->drum.has_value();
    if (integrator.multi_impact && is_friction) {
      object.refuse_object(
          "friction of joints, clutches and ropes acts in all impacts of a step at once, which is "
          "not for 'multi_impact': leave that out");
    }
    if (!scheme.is_compliant) return;
    const std::string what = contact.of_joints->kind == JointContactSpec::Kind::backlash
                                 ? "'backlash' of a coupler"
                                 : fmt::format("'{}'", contact.name);
    object.refuse_object(fmt::format(
        "{} is hard, which is not for the integrator \"{}\": take \"nsga\"", what, scheme.name));
    return;
  }
  if (contact.compliance) check_conserving(object, scheme, *contact.compliance, contact);
  if (contact.compliance && !scheme.is_compliant) {
    object.refuse_key("compliance",
                      fmt::format("'compliance' is not for the integrator \"{}\", whose contacts "
                                  "are hard, only for {}",
                                  scheme.name, schemes_that(&SchemeTraits::is_compliant)));
  } else if (!contact.compliance && scheme.is_compliant) {
    object.refuse_object(
        fmt::format("a contact needs 'compliance' with the integrator \"{}\"; "
                    "\"nsga\" has hard contacts",
                    scheme.name));
  }
}

}  // namespace clatter
