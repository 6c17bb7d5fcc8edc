#pragma once

#include <vector>

#include <clatter/machine/machine.hpp>

namespace clatter {

/// Three numbers for each of the contacts that a model lists.
struct ContactPlaces {
  explicit ContactPlaces(std::size_t contacts)
      : positions(3 * contacts), normals(3 * contacts), tangents(3 * contacts) {}

  std::vector<double> positions, normals;
  std::vector<double> tangents;  ///< along which the first component of friction is counted
};

/// Finds them when the movers (the bodies, then the nodes of beams) have these places and turns
/// (w, x, y, z). Tangents follow those that are given, of the frame before.
void find_contacts(const Machine& machine, const std::vector<double>& places,
                   const std::vector<double>& turns, ContactPlaces& found);

}  // namespace clatter
