#pragma once

#include <string>

#include <clatter/contact/shapes/outline.hpp>
#include <clatter/contact/shapes/piece.hpp>
#include <clatter/contact/shapes/polytope_pair.hpp>

namespace clatter {

/// A shape that touches others, fixed in a node; or an element of a beam, around the chord between
/// two.
struct Solid {
  std::string name;  ///< of its body; with a number when that has several
  int node;
  Polytope shape;   ///< in the frame of the node; empty when it is round or hollow
  Pieces pieces;    ///< the same, for where one of two is round or hollow
  Outline outline;  ///< of what is in the plane; for where one of two is curved
  bool by_pieces;   ///< it is round or hollow
  bool by_outline;  ///< it is curved, in the plane
  bool planar;
  int material;   ///< in the order of the model
  double extent;  ///< how far its points are from the node, at most; infinite for a half-space
  double size;    ///< what nearness is measured with: the extent, of a beam or ring its radius

  // Of an element: shapes are in the frame of the chord, as long as that is at the start.
  int second = ground;            ///< the other node
  double begin = 0.0, end = 0.0;  ///< along the beam [m]
  bool touches_itself = false;    ///< what it belongs to
  bool is_element() const { return second != ground; }
  /// The node whose ball a feature is; negative: it is the line between the balls.
  int node_of(const Feature& feature) const {
    const bool is_end =
        feature.kind == Feature::Kind::corner || feature.kind == Feature::Kind::piece;
    if (!is_end || feature.index > 1) return -1;
    return feature.index == 0 ? node : second;
  }
};

}  // namespace clatter
