#pragma once

#include <string>

#include <clatter/machine/state.hpp>

namespace clatter {

/// Moves positions and velocities by the least (mass-weighted) change onto the joints, with the
/// motors as they are at the state's time. Returns why that cannot be done, or nothing.
std::string assemble(const Machine& machine, const IntegratorSpec& spec, State& state);
/// Moves positions likewise so that the listed contacts are not closed, with the joints kept. The
/// contacts of the state are not those of its new positions.
std::string part(const Machine& machine, const IntegratorSpec& spec, State& state);

}  // namespace clatter
