#pragma once

#include <string>

#include <clatter/contact/shapes/outline.hpp>
#include <clatter/contact/shapes/piece.hpp>

namespace clatter {

/// A shape that touches others, fixed in a node.
struct Solid {
  std::string name;  ///< of its body; with a number when that has several
  int node;
  Polytope shape;  ///< in the frame of the node; empty when it is round or hollow
  Pieces pieces;   ///< the same, for where one of two is round or hollow
  Outline outline;  ///< of what is in the plane; for where one of two is curved
  bool by_pieces;   ///< it is round or hollow
  bool by_outline;  ///< it is curved, in the plane
  bool planar;
  int material;   ///< in the order of the model
  double extent;  ///< how far its points are from the node, at most; infinite for a half-space
};

}  // namespace clatter
