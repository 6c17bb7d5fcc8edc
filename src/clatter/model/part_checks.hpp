#pragma once

#include <optional>
#include <vector>

#include <clatter/model/beam_mesh.hpp>
#include <clatter/model/body_lookup.hpp>
#include <clatter/model/error.hpp>
#include <clatter/model/object_check.hpp>
#include <clatter/model/specs.hpp>

namespace clatter {

// The parts of check(model) in machine/checks.hpp, by subject. Each adds all mistakes of a spec.

void check_body(const BodySpec& body, std::vector<Mistake>& mistakes);

/// Of all beams of a model: more would fill the memory before anything could be said about them.
inline constexpr int most_beam_elements = 200'000;

/// `elements_left` for it, of all that a model may have.
void check_beam(const BeamSpec& beam, int elements_left, std::vector<Mistake>& mistakes);
/// Nothing when mistakes leave open where the nodes are.
std::optional<BeamMesh> mesh_if_possible(const BeamSpec& beam, int elements_left);

void check_coupler(const CouplerSpec& coupler, const std::vector<JointSpec>& joints,
                   std::vector<Mistake>& mistakes);
void check_load(const LoadSpec& load, BodyLookup& bodies, std::vector<Mistake>& mistakes);
void check_joint(const JointSpec& joint, BodyLookup& bodies, std::vector<Mistake>& mistakes);
void check_contact(const ContactSpec& contact, BodyLookup& bodies, std::vector<Mistake>& mistakes);
void check_contact_group(const ContactGroupSpec& group, BodyLookup& bodies,
                         std::vector<Mistake>& mistakes);

void check_integrator(const IntegratorSpec& integrator, std::vector<Mistake>& mistakes);
void check_output(const OutputSpec& output, std::vector<Mistake>& mistakes);
void check_verify(const VerifySpec& verify, std::vector<Mistake>& mistakes);

/// The body that a spec names by a key. Adds a mistake when there is none.
BodyChoice find_body(const ObjectCheck& object, std::string_view key, const std::string& name,
                     BodyLookup& bodies);
/// That a point of a body, which takes part in a planar pair or does not, is one that it has.
void check_point(const ObjectCheck& object, std::string_view key, const Vec3& point,
                 const BodyChoice& body, bool in_plane);

}  // namespace clatter
