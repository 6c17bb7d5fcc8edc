#pragma once

#include <vector>

#include <clatter/machine/machine.hpp>

namespace clatter {

/// Where the contacts that the model lists are, and their normals, when the movers (the bodies,
/// then the nodes of beams) have these places and turns (w, x, y, z). Three numbers each.
void find_contacts(const Machine& machine, const std::vector<double>& places,
                   const std::vector<double>& turns, std::vector<double>& positions,
                   std::vector<double>& normals);

}  // namespace clatter
