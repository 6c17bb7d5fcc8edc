#include <fmt/format.h>

#include <clatter/model/part_checks.hpp>

namespace clatter {
namespace {

bool has_materials(const RecoverySpec& recovery) {
  return !recovery.materials[0].empty() || !recovery.materials[1].empty();
}

void check_elastic_materials(const ObjectCheck& object, const ContactSpec& contact,
                             const std::vector<MaterialSpec>& materials) {
  const std::array<std::string, 2>& names = contact.recovery->materials;
  for (std::size_t k = 0; k < (names[0] == names[1] ? 1u : 2u); ++k) {
    const std::string& name = names[k];
    const MaterialSpec* material = find_material(materials, name);
    if (material == nullptr) {
      object.refuse_entry("recover.materials", k, unknown_material(name, materials));
    } else if (!material->youngs_modulus && !material->keys.is_doubtful("youngs_modulus")) {
      object.refuse_entry("recover.materials", k,
                          fmt::format("material '{}' has no 'youngs_modulus'", name));
    }
  }
  if (!contact.geometry.b.has_radius) {
    object.refuse("recover.materials",
                  fmt::format("'materials': a {} has no radius, so that the area of contact is not "
                              "known; give 'stiffness' instead, or a sphere",
                              contact.geometry.b.noun));
  }
}

}  // namespace

void check_recovery(const ContactSpec& contact, const std::vector<MaterialSpec>& materials,
                    bool materials_are_known, std::vector<Mistake>& mistakes) {
  if (!contact.recovery) return;
  const RecoverySpec& recovery = *contact.recovery;
  const ObjectCheck object(fmt::format("contact '{}'", contact.name), contact.place, contact.keys,
                           mistakes);
  object.number("recover.stiffness", recovery.stiffness, ranges::positive);
  object.number("recover.exponent", recovery.exponent, ranges::force_exponent);
  object.number("recover.alpha", recovery.alpha, ranges::positive);
  if (!object.knows("recover.stiffness") || !object.knows("recover.materials") ||
      !object.knows("recover.law")) {
    return;
  }
  const bool of_materials = has_materials(recovery);
  if (!recovery.stiffness && !of_materials) {
    object.refuse("recover",
                  "'recover' needs 'stiffness', or the 'materials' that it follows from");
  } else if (!recovery.stiffness && is_linear(recovery.law)) {
    object.refuse("recover.law",
                  fmt::format("the law \"{}\" needs a 'stiffness' in N/m: that of materials is of "
                              "F = K depth^1.5",
                              to_string(recovery.law)));
  }
  if (recovery.exponent && is_linear(recovery.law)) {
    object.refuse_key("recover.exponent", fmt::format("'exponent' has no meaning for the law "
                                                      "\"{}\", of which it is 1",
                                                      to_string(recovery.law)));
  } else if (recovery.exponent && !recovery.stiffness) {
    object.refuse_key("recover.exponent",
                      "'exponent' has no meaning without 'stiffness': that of materials is 1.5");
  }
  if (of_materials && materials_are_known) check_elastic_materials(object, contact, materials);
}

}  // namespace clatter
