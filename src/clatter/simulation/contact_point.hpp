#pragma once

#include <vector>

#include <clatter/machine/state.hpp>

namespace clatter {

/// Where two nodes touch, or nearly do.
struct ContactPoint {
  int a, b;                      ///< nodes
  Vec3 position = Vec3::Zero();  ///< on b [m]
  Vec3 normal = Vec3::Zero();    ///< from a to b
  double gap = 0.0;              ///< [m]
  Vec3 force = Vec3::Zero();     ///< on b [N] in the last step; zero unless contact persists
  Vec3 impulse = Vec3::Zero();   ///< on b [N s] of the last step
  ContactStatus status = ContactStatus::open;
};

/// What a contact of the list of a state did in the last step.
ContactPoint contact_point(const Contact& contact, const ContactState& did, const State& state,
                           bool separates_forces = false);

/// Those that are closed, in the order of the list. `separates_forces`: as Scheme has it.
void find_contact_points(const Machine& machine, const State& state, bool separates_forces,
                         std::vector<ContactPoint>& points);

}  // namespace clatter
