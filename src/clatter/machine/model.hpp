#pragma once

#include <optional>
#include <string>
#include <vector>

#include <clatter/elements/force_elements.hpp>
#include <clatter/model/drive_specs.hpp>
#include <clatter/model/specs.hpp>

namespace clatter {

/// All that a machine is built from. Springs, bushings and so on are lists as well, one for each
/// kind of force element: `springs`, `bushings`. checks.hpp says what of it all makes no sense.
struct Model : ForceKinds::Specs {
  std::string title;
  Vec3 gravity = Vec3::Zero();  ///< [m/s²]
  bool assemble = false;        ///< move bodies so that the joints fit, and say what moved
  bool equilibrium = false;     ///< start from the static equilibrium under the loads at t = 0
  std::vector<BodySpec> bodies;
  std::vector<BeamSpec> beams;
  std::vector<LoadSpec> loads;
  std::optional<FluidSpec> fluid;
  std::vector<JointSpec> joints;
  std::vector<CouplerSpec> couplers;
  std::vector<ContactSpec> contacts;
  std::vector<ContactGroupSpec> contact_groups;
  std::vector<BearingSpec> bearings;
  std::vector<PlacedShape> ground;  ///< shapes that do not move
  std::vector<MaterialSpec> materials;
  std::vector<MaterialPairSpec> material_pairs;
  std::vector<BodyPairSpec> exclusions;
  std::vector<BodyPairSpec> watches;  ///< names may hold `*` for any letters
  std::vector<EventSpec> events;
  std::vector<SensorSpec> sensors;
  std::vector<ControllerSpec> controllers;
  IntegratorSpec integrator;
  OutputSpec output;
  std::vector<VerifySpec> verify;
  std::string file;  ///< where it was read from, empty when built in code
  Place place;
  KeyPlaces keys;
};

/// Whether all bodies and beams are planar; then the ground is, too.
bool is_planar(const Model& model);

/// How two materials of a model resist each other: as their material pair says, else friction is
/// the geometric mean, restitution the smaller, tangential restitution the mean, and all else the
/// larger of the two. What needs friction is 0 without it.
SurfaceLaw law_between(const Model& model, const std::string& material, const std::string& other);
/// How they give way: as their material pair says, else as the softer of the two does.
std::optional<ComplianceSpec> compliance_between(const Model& model, const std::string& material,
                                                 const std::string& other);

}  // namespace clatter
