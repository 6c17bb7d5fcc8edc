#pragma once

#include <vector>

#include <clatter/machine/model.hpp>
#include <clatter/model/error.hpp>

namespace clatter {

/// All that is wrong with a model, whether it was read from a file or built in code: numbers out of
/// range, names of nothing, parts that do not fit their bodies. Each mistake has the place of what
/// is to blame, or names the object when there is no file. What only shows when the machine is put
/// together (joints that do not fit, penetration) is found by Simulation.
std::vector<Mistake> check(const Model& model);

}  // namespace clatter
