#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <clatter/machine/state.hpp>

namespace clatter {

// What a run must not start with. The checks throw Error with the places of all that is wrong.

/// Joints fit and are not torn apart. `duration` [s] of the run says how slow still counts as rest.
void check_joints(const Machine& machine, const Instant& instant, const Configuration& q,
                  const NodalVector& v, double duration);
/// No joint whose axes point in opposite directions: it fulfils its conditions, but is not meant.
void check_axes(const Machine& machine, const Configuration& q);
/// No point or sphere starts inside what it may touch. `settled`: it is the static equilibrium,
/// which knows no contacts.
void check_penetration(const Machine& machine, std::span<const Contact> contacts,
                       const State& state, bool settled);
/// More than so much, relative to the size of the model, is inside.
inline constexpr double penetration_tolerance = 1e-10;
/// How far a contact is closed at most [m]; zero if none is.
double deepest_contact(const Machine& machine, std::span<const Contact> contacts,
                       const State& state);
/// No solids that overlap, or are one in the other.
void check_overlap(const Machine& machine, const Configuration& q);

/// Lines to be told to the user: what assembly moved from where the model has it, and by how much.
std::vector<std::string> moves_of_assembly(const Machine& machine, const Configuration& q,
                                           const NodalVector& v, double duration);
/// The line that tells of joint conditions that depend on others, if there are any.
std::optional<std::string> redundancy_of_joints(const Machine& machine, const Configuration& q);
/// That a scheme holds nothing in positions, should the machine have journals or balls in surfaces
/// around them, which then drift out.
std::optional<std::string> drift_of_what_is_inside(const Machine& machine,
                                                   const IntegratorSpec& spec);

}  // namespace clatter
