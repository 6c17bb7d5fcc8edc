#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <clatter/model/beam_mesh.hpp>
#include <clatter/model/body_lookup.hpp>
#include <clatter/model/drive_specs.hpp>
#include <clatter/model/error.hpp>
#include <clatter/model/object_check.hpp>
#include <clatter/model/scheme_kinds.hpp>
#include <clatter/model/specs.hpp>

namespace clatter {

// The parts of check(model) in machine/checks.hpp, by subject. Each adds all mistakes of a spec.

/// Of a body whose shapes are sound or not; its inertia may come from them.
void check_body(const BodySpec& body, bool shapes_are_sound, std::vector<Mistake>& mistakes);

/// What has a shape.
struct ShapeOwner {
  std::string what;       ///< "body 'ball'" or "the ground"
  bool in_plane = false;  ///< a planar body, or the ground of a planar model
  bool is_point = false;  ///< a point body
  bool is_ground = false;
};
/// Whether shape number `index` of its owner is sound; but for its material, which others know.
bool check_shape(const PlacedShape& placed, const ShapeOwner& owner, std::size_t index,
                 std::vector<Mistake>& mistakes);
/// Whether all shapes of a body are, as far as its kind is known.
bool check_shapes(const BodySpec& body, std::vector<Mistake>& mistakes);
/// That the material of a shape, if it has one, exists.
void check_material_of(const PlacedShape& placed, const std::string& owner, std::size_t index,
                       const std::vector<MaterialSpec>& materials, std::vector<Mistake>& mistakes);
/// The same of a beam.
void check_material_of(const BeamSpec& beam, const std::vector<MaterialSpec>& materials,
                       std::vector<Mistake>& mistakes);

/// Of all beams of a model: more would fill the memory before anything could be said about them.
inline constexpr int most_beam_elements = 200'000;

/// `elements_left` for it, of all that a model may have.
void check_beam(const BeamSpec& beam, int elements_left, std::vector<Mistake>& mistakes);
/// Nothing when mistakes leave open where the nodes are.
std::optional<BeamMesh> mesh_if_possible(const BeamSpec& beam, int elements_left);

/// `fewest`: joints that it needs.
void check_coupler(const CouplerSpec& coupler, const std::vector<JointSpec>& joints,
                   std::vector<Mistake>& mistakes, std::size_t fewest = 2);
/// Of contacts of joints, couplers and ropes.
void check_joint_contact(const ContactSpec& contact, BodyLookup& bodies,
                         const std::vector<JointSpec>& joints, std::vector<Mistake>& mistakes);
void check_load(const LoadSpec& load, BodyLookup& bodies, std::vector<Mistake>& mistakes);
void check_joint(const JointSpec& joint, BodyLookup& bodies, std::vector<Mistake>& mistakes);
void check_contact(const ContactSpec& contact, BodyLookup& bodies, std::vector<Mistake>& mistakes);
void check_contact_group(const ContactGroupSpec& group, BodyLookup& bodies,
                         std::vector<Mistake>& mistakes);

/// That the laws of its forces, should a contact have such, are laws.
void check_force_laws(const ContactSpec& contact, const std::vector<MaterialSpec>& materials,
                      bool materials_are_known, std::vector<Mistake>& mistakes);
/// That a contact is hard or gives way, as its integrator needs it.
void check_hardness(const ContactSpec& contact, const IntegratorSpec& integrator,
                    std::vector<Mistake>& mistakes);

/// How solids of a material or pair give way, if they do.
void check_compliance(const ObjectCheck& object, const std::optional<ComplianceSpec>& compliance,
                      const SurfaceLaw& law);
/// That a contact which gives way does it as its integrator can.
void check_conserving(const ObjectCheck& object, const SchemeTraits& scheme,
                      const ComplianceSpec& compliance, const SurfaceLaw& law);

/// Null when there is none.
const MaterialSpec* find_material(const std::vector<MaterialSpec>& materials,
                                  const std::string& name);
/// What to say of a name that is none of them.
std::string unknown_material(const std::string& name, const std::vector<MaterialSpec>& materials);
/// Numbers of a contact or of a material.
void check_surface_law(const ObjectCheck& object, const SurfaceLaw& law);
void check_materials(const std::vector<MaterialSpec>& materials,
                     const std::vector<MaterialPairSpec>& pairs, std::vector<Mistake>& mistakes);
void check_material_pairs(const std::vector<MaterialPairSpec>& pairs,
                          const std::vector<MaterialSpec>& materials, bool materials_are_known,
                          std::vector<Mistake>& mistakes);
void check_exclusion(const BodyPairSpec& exclusion, BodyLookup& bodies,
                     std::vector<Mistake>& mistakes);

void check_integrator(const IntegratorSpec& integrator, std::vector<Mistake>& mistakes);
/// Their times are whole numbers of steps.
void check_sensor(const SensorSpec& sensor, const IntegratorSpec& integrator,
                  std::vector<Mistake>& mistakes);
void check_controller(const ControllerSpec& controller, const IntegratorSpec& integrator,
                      std::vector<Mistake>& mistakes);
void check_output(const OutputSpec& output, std::vector<Mistake>& mistakes);
void check_verify(const VerifySpec& verify, std::vector<Mistake>& mistakes);

/// The body that a spec names by a key. Adds a mistake when there is none.
BodyChoice find_body(const ObjectCheck& object, std::string_view key, const std::string& name,
                     BodyLookup& bodies);
/// That a point of a body, which takes part in a planar pair or does not, is one that it has.
void check_point(const ObjectCheck& object, std::string_view key, const Vec3& point,
                 const BodyChoice& body, bool in_plane);

}  // namespace clatter
