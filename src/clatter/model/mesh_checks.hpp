#pragma once

#include <optional>
#include <string>

#include <clatter/model/specs.hpp>

namespace clatter {

/// What keeps triangles from being the surface of a solid, seen from outside, or nothing. Whether
/// they cut through each other is not looked at.
std::optional<std::string> complaint_about(const MeshShape& mesh);

}  // namespace clatter
