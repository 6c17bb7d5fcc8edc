#pragma once

#include <string>

#include <clatter/contact/shapes/polytope.hpp>

namespace clatter {

/// A shape that touches others, fixed in a node.
struct Solid {
  std::string name;  ///< of its body; with a number when that has several
  int node;
  Polytope shape;  ///< in the frame of the node
  int material;    ///< in the order of the model
  double extent;   ///< how far its points are from the node, at most; infinite for a half-space
};

}  // namespace clatter
