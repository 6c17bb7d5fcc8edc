#pragma once

#include <map>
#include <string>
#include <vector>

#include <clatter/elements/node.hpp>

namespace clatter {

/// Where elements are built: the nodes by name, and how they lie at the start.
struct Site {
  const std::vector<Node>& nodes;
  const std::map<std::string, int, std::less<>>& node_by_name;
  const std::vector<Vec3>& centres;  ///< of mass, in the frames of the bodies
  const Configuration& q0;
  double length;  ///< extent of the model [m]

  int node_of(const Attachment& attachment) const;
  /// Relative to the node, which is at the centre of mass.
  Vec3 point_of(const Attachment& attachment) const {
    return attachment.point - centres[static_cast<std::size_t>(node_of(attachment))];
  }
  Vec3 in_space(const Attachment& attachment) const {
    const NodeState& state = q0[static_cast<std::size_t>(node_of(attachment))];
    return state.x + state.R * point_of(attachment);
  }
};

}  // namespace clatter
