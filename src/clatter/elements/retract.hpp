#pragma once

#include <clatter/elements/node.hpp>

namespace clatter {

/// One node moved by an increment, as retract() of node.hpp moves all.
void retract(const Node& node, const NodeState& start, const Vec6& increment, NodeState& q);

}  // namespace clatter
