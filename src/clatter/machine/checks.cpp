#include <algorithm>

#include <fmt/format.h>

#include <clatter/machine/checks.hpp>
#include <clatter/machine/name_checks.hpp>
#include <clatter/model/part_checks.hpp>

namespace clatter {
namespace {

void check_gravity(const Model& model, std::vector<Mistake>& mistakes) {
  const ObjectCheck object("the model", model.place, model.keys, mistakes);
  const auto is_planar = [](const BodySpec& body) {
    return body.kind == BodyKind::planar && !body.keys.is_doubtful("kind");
  };
  const auto bends_in_plane = [](const BeamSpec& beam) {
    return beam.planar && !beam.keys.is_doubtful("kind");
  };
  const bool all_planar = std::all_of(model.bodies.begin(), model.bodies.end(), is_planar) &&
                          std::all_of(model.beams.begin(), model.beams.end(), bends_in_plane);
  const bool none = model.bodies.empty() && model.beams.empty();
  if (all_planar && !none) {
    object.vector_in_plane("gravity", model.gravity);
  } else {
    object.vector("gravity", model.gravity);
  }
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
  for (const BodySpec& body : model.bodies) {
    tables.once(body.place, [&] { check_body(body, mistakes); });
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
  for (const LoadSpec& load : model.loads) check_load(load, bodies, mistakes);
  for (const JointSpec& joint : model.joints) check_joint(joint, bodies, mistakes);
  for (const CouplerSpec& coupler : model.couplers) {
    check_coupler(coupler, model.joints, mistakes);
  }
  for (const ContactSpec& contact : model.contacts) {
    tables.once(contact.place, [&] { check_contact(contact, bodies, mistakes); });
  }
  for (const ContactGroupSpec& group : model.contact_groups) {
    tables.once(group.contact.place, [&] { check_contact_group(group, bodies, mistakes); });
  }
  check_integrator(model.integrator, mistakes);
  check_output(model.output, mistakes);
  for (const VerifySpec& verify : model.verify) check_verify(verify, mistakes);
  return mistakes;
}

}  // namespace clatter
