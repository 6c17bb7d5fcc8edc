#pragma once

#include <vector>

#include <clatter/machine/model.hpp>
#include <clatter/model/error.hpp>

namespace clatter {

/// Names of all parts: that they can stand in paths of results and tell the parts apart.
void check_names(const Model& model, std::vector<Mistake>& mistakes);

}  // namespace clatter
