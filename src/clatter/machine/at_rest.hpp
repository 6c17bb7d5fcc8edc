#pragma once

#include <clatter/machine/model.hpp>

namespace clatter {

/// The machine as if it stood still at `time` [s]: no velocities, and loads and motors that keep
/// the values they have then. Throws Error, with the place, when one of these is not a number.
Model at_rest(Model model, double time);

/// Whether bodies or beams have velocities at the start.
bool starts_moving(const Model& model);

}  // namespace clatter
