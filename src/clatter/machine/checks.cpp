#include <algorithm>
#include <set>
#include <string>

#include <fmt/format.h>

#include <clatter/machine/checks.hpp>
#include <clatter/machine/name_checks.hpp>
#include <clatter/machine/watched_pairs.hpp>
#include <clatter/model/immersion.hpp>
#include <clatter/model/part_checks.hpp>

namespace clatter {
namespace {

void check_gravity(const Model& model, std::vector<Mistake>& mistakes) {
  const ObjectCheck object("the model", model.place, model.keys, mistakes);
  if (is_planar(model)) {
    object.vector_in_plane("gravity", model.gravity);
  } else {
    object.vector("gravity", model.gravity);
  }
}

// Whether two bodies come from one table of a file and have the same shapes.
bool is_copy(const BodySpec& body, const BodySpec* last) {
  return last != nullptr && body.place.line > 0 && body.place.line == last->place.line;
}

bool materials_are_known(const Model& model) {
  return !model.keys.is_doubtful("material") &&
         std::none_of(model.materials.begin(), model.materials.end(),
                      [](const MaterialSpec& spec) { return spec.keys.is_doubtful("name"); });
}

void check_solids(const Model& model, BodyLookup& bodies, std::vector<Mistake>& mistakes) {
  ShapeOwner ground{"the ground"};
  ground.in_plane = is_planar(model);
  ground.is_ground = true;
  const bool are_known = materials_are_known(model);
  const auto check_material = [&](const PlacedShape& shape, const std::string& owner,
                                  std::size_t index) {
    if (!are_known) return;
    check_material_of(shape, owner, index, model.materials, mistakes);
  };
  for (std::size_t i = 0; i < model.ground.size(); ++i) {
    if (!model.keys.is_doubtful("ground")) check_shape(model.ground[i], ground, i, mistakes);
    check_material(model.ground[i], ground.what, i);
  }
  const BodySpec* last = nullptr;
  for (const BodySpec& body : model.bodies) {
    for (std::size_t i = 0; i < body.shapes.size() && !is_copy(body, last); ++i) {
      check_material(body.shapes[i], fmt::format("body '{}'", body.name), i);
    }
    last = &body;
  }
  for (const BeamSpec& beam : model.beams) {
    if (are_known) check_material_of(beam, model.materials, mistakes);
  }
  check_materials(model.materials, model.material_pairs, mistakes);
  check_material_pairs(model.material_pairs, model.materials, are_known, mistakes);
  for (const BodyPairSpec& exclusion : model.exclusions) {
    check_exclusion(exclusion, bodies, mistakes);
  }
}

/// Poisson's and the energetic law have no rebound along the face.
void check_impact_law(const ObjectCheck& object, const SurfaceLaw& law,
                      const IntegratorSpec& integrator) {
  const ImpactLaw used = law.impact_law.value_or(integrator.impact_law);
  if (law.tangential_restitution == 0.0 || used == ImpactLaw::newton) return;
  object.refuse("tangential_restitution",
                fmt::format("'tangential_restitution' is for Newton's law of impacts, not for the "
                            "law \"{}\"",
                            to_string(used)));
}

/// Solids give way or are hard, as the integrator needs them.
void check_hardness_of_solids(const Model& model, std::vector<Mistake>& mistakes) {
  const IntegratorSpec& integrator = model.integrator;
  if (integrator.keys.is_doubtful("name")) return;
  const SchemeTraits& scheme = traits_of(integrator.kind);
  const auto check = [&](const std::string& what, const auto& spec, const SurfaceLaw& law) {
    if (!spec.compliance || spec.keys.is_doubtful("compliance")) return;
    const ObjectCheck object(what, spec.place, spec.keys, mistakes);
    if (scheme.is_compliant) return check_conserving(object, scheme, *spec.compliance, law);
    object.refuse_key("compliance",
                      fmt::format("'compliance' is not for the integrator \"{}\", whose solids are "
                                  "hard, only for {}",
                                  scheme.name, schemes_that(&SchemeTraits::is_compliant)));
  };
  for (const MaterialSpec& each : model.materials) {
    check(fmt::format("material '{}'", each.name), each, each.law);
  }
  for (const MaterialPairSpec& each : model.material_pairs) {
    check(fmt::format("material pair '{}' and '{}'", each.materials[0], each.materials[1]), each,
          each.law);
  }
  if (!scheme.is_compliant) return;
  const auto is_hard = [&](const std::string& name) {
    const MaterialSpec* material = find_material(model.materials, name);
    return material != nullptr && !material->compliance &&
           !material->keys.is_doubtful("compliance");
  };
  const auto is_hard_solid = [&](const PlacedShape& shape) { return is_hard(shape.material); };
  const auto has_hard_solid = [&](const std::vector<PlacedShape>& shapes) {
    return std::any_of(shapes.begin(), shapes.end(), is_hard_solid);
  };
  const bool any = has_hard_solid(model.ground) ||
                   std::any_of(model.bodies.begin(), model.bodies.end(),
                               [&](const BodySpec& body) { return has_hard_solid(body.shapes); }) ||
                   std::any_of(model.beams.begin(), model.beams.end(),
                               [](const BeamSpec& beam) { return !beam.material.empty(); });
  if (!any) return;
  ObjectCheck("integrator", integrator.place, integrator.keys, mistakes)
      .refuse("name",
              fmt::format("solids without 'compliance' of their material, and beams with one, are "
                          "hard, which is not for \"{}\"; \"nsga\" has hard contacts",
                          to_string(integrator.kind)));
}

/// Whether all joints put planar bodies against the ground to where motors want them.
bool are_drives(const Model& model) {
  std::set<std::string> driven;
  return std::all_of(model.joints.begin(), model.joints.end(), [&](const JointSpec& joint) {
    const std::string& body = joint.a.body.empty() ? joint.b.body : joint.a.body;
    const auto found = std::find_if(model.bodies.begin(), model.bodies.end(),
                                    [&](const BodySpec& spec) { return spec.name == body; });
    const bool is_kind = joint.kind == JointKind::revolute || joint.kind == JointKind::prismatic;
    return is_kind && joint.motor && joint.a.body.empty() != joint.b.body.empty() &&
           found != model.bodies.end() && found->kind == BodyKind::planar &&
           driven.insert(body).second;
  });
}

/// Of schemes for bodies that nothing but contacts ties.
void check_ties(const Model& model, std::vector<Mistake>& mistakes) {
  const IntegratorSpec& integrator = model.integrator;
  if (!traits_of(integrator.kind).needs_free_bodies || integrator.keys.is_doubtful("name")) return;
  bool has_force_elements = false;
  const bool keeps_energy = traits_of(integrator.kind).keeps_energy;
  ForceKinds::for_each([&]<class Kind>() {
    if (is_load<Kind> && keeps_energy) return;
    has_force_elements = has_force_elements || !(model.*Kind::list).empty();
  });
  const bool has_joints = keeps_energy ? !are_drives(model) : !model.joints.empty();
  if (!has_joints && model.couplers.empty() && model.beams.empty() && !has_force_elements) return;
  ObjectCheck("integrator", integrator.place, integrator.keys, mistakes)
      .refuse(
          "name",
          fmt::format("\"{}\" is for bodies that nothing but contacts ties{}: {}joints, beams, "
                      "springs, bushings, cables and actuators need another, such as \"newmark\"",
                      to_string(integrator.kind),
                      keeps_energy ? ", or that motors drive in the plane, each by one revolute or "
                                     "prismatic joint on the ground"
                                   : "",
                      keeps_energy ? "other " : ""));
}

/// A table of a file may make many parts: what is wrong with one of them is enough.
class Tables {
 public:
  explicit Tables(const std::vector<Mistake>& mistakes) : mistakes_(&mistakes) {}

  template <class Check>
  void once(const Place& place, const Check& check) {
    if (place.line > 0 && place.line == bad_line_) return;
    const std::size_t before = mistakes_->size();
    check();
    if (mistakes_->size() > before) bad_line_ = place.line;
  }

 private:
  const std::vector<Mistake>* mistakes_;
  int bad_line_ = 0;
};

}  // namespace

std::vector<Mistake> check(const Model& model) {
  std::vector<Mistake> mistakes;
  Tables tables(mistakes);
  const bool lists_are_known = !model.keys.is_doubtful("body") && !model.keys.is_doubtful("beam");
  if (model.bodies.empty() && model.beams.empty() && lists_are_known) {
    mistakes.push_back({model.place, "a model needs a body or a beam"});
  }
  check_names(model, mistakes);
  check_gravity(model, mistakes);
  const BodySpec* last = nullptr;
  bool shapes_are_sound = true, all_shapes_are_sound = true;
  for (const BodySpec& body : model.bodies) {
    tables.once(body.place, [&] {
      if (!is_copy(body, last)) shapes_are_sound = check_shapes(body, mistakes);
      all_shapes_are_sound = all_shapes_are_sound && shapes_are_sound;
      check_body(body, shapes_are_sound, mistakes);
    });
    last = &body;
  }
  int elements_left = most_beam_elements;
  for (const BeamSpec& beam : model.beams) {
    check_beam(beam, elements_left, mistakes);
    if (ranges::elements.contains(beam.elements) && beam.elements <= elements_left) {
      elements_left -= beam.elements;
    }
  }
  BodyLookup bodies(model.bodies, model.beams, !lists_are_known);
  ForceKinds::for_each([&]<class Kind>() {
    for (const auto& spec : model.*Kind::list) {
      const ObjectCheck object(fmt::format("{} '{}'", Kind::word, spec.name), spec.place, spec.keys,
                               mistakes);
      Kind::check(spec, object, bodies);
    }
  });
  for (const SensorSpec& each : model.sensors) check_sensor(each, model.integrator, mistakes);
  for (const ControllerSpec& each : model.controllers) {
    check_controller(each, model.integrator, mistakes);
  }
  for (const LoadSpec& load : model.loads) check_load(load, bodies, mistakes);
  if (model.fluid && lists_are_known && all_shapes_are_sound) {
    check_fluid(*model.fluid, model.bodies, !model.beams.empty(), bodies, mistakes);
  }
  for (const JointSpec& joint : model.joints) check_joint(joint, bodies, mistakes);
  for (const CouplerSpec& coupler : model.couplers) {
    check_coupler(coupler, model.joints, mistakes);
  }
  const bool knows_materials = materials_are_known(model);
  for (const ContactSpec& contact : model.contacts) {
    tables.once(contact.place, [&] {
      if (contact.of_joints) {
        check_joint_contact(contact, bodies, model.joints, mistakes);
      } else {
        check_contact(contact, bodies, mistakes);
      }
      check_force_laws(contact, model.materials, knows_materials, mistakes);
      check_hardness(contact, model.integrator, mistakes);
      check_impact_law(
          {fmt::format("contact '{}'", contact.name), contact.place, contact.keys, mistakes},
          contact, model.integrator);
    });
  }
  for (const ContactGroupSpec& group : model.contact_groups) {
    tables.once(group.contact.place, [&] {
      check_contact_group(group, bodies, mistakes);
      check_force_laws(group.contact, model.materials, knows_materials, mistakes);
      check_hardness(group.contact, model.integrator, mistakes);
      check_impact_law({fmt::format("contact '{}'", group.contact.name), group.contact.place,
                        group.contact.keys, mistakes},
                       group.contact, model.integrator);
    });
  }
  check_solids(model, bodies, mistakes);
  check_hardness_of_solids(model, mistakes);
  for (const MaterialSpec& material : model.materials) {
    check_impact_law(
        {fmt::format("material '{}'", material.name), material.place, material.keys, mistakes},
        material.law, model.integrator);
  }
  for (const MaterialPairSpec& pair : model.material_pairs) {
    check_impact_law({"material pair", pair.place, pair.keys, mistakes}, pair.law,
                     model.integrator);
  }
  check_ties(model, mistakes);
  check_integrator(model.integrator, mistakes);
  check_output(model.output, mistakes);
  check_watches(model, mistakes);
  for (const EventSpec& event : model.events) {
    ObjectCheck(fmt::format("event '{}'", event.name), event.place, event.keys, mistakes)
        .number("value", event.value);
  }
  for (const VerifySpec& verify : model.verify) check_verify(verify, mistakes);
  return mistakes;
}

}  // namespace clatter
