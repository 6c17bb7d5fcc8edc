#pragma once

#include <optional>
#include <vector>

#include <clatter/math/types.hpp>

namespace clatter {

/// The surface of all that lies between some points.
struct ConvexHull {
  std::vector<Vec3> points;             ///< those of the given ones that are corners
  std::vector<std::vector<int>> faces;  ///< corners, counter-clockwise seen from outside
};

/// Nothing when the points, which must be finite, lie in a plane.
std::optional<ConvexHull> convex_hull(const std::vector<Vec3>& points);

}  // namespace clatter
