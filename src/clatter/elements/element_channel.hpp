#pragma once

#include <functional>
#include <string>
#include <vector>

#include <clatter/elements/node.hpp>

namespace clatter {

/// A quantity of a force element that runs can record.
struct ElementChannel {
  std::string name;                     ///< "tension"
  std::vector<std::string> components;  ///< {"x", "y", "z"}; one empty name for a scalar
  std::string unit;
  /// Puts as many numbers; `reached` as in ForceKinds.
  std::function<void(const Configuration& q, const NodalVector& v, double reached, double* out)>
      put;
};

}  // namespace clatter
