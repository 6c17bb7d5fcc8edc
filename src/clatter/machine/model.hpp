#pragma once

#include <string>
#include <vector>

#include <clatter/elements/force_elements.hpp>
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
  std::vector<JointSpec> joints;
  std::vector<CouplerSpec> couplers;
  std::vector<ContactSpec> contacts;
  std::vector<ContactGroupSpec> contact_groups;
  IntegratorSpec integrator;
  OutputSpec output;
  std::vector<VerifySpec> verify;
  std::string file;  ///< where it was read from, empty when built in code
  Place place;
  KeyPlaces keys;
};

}  // namespace clatter
