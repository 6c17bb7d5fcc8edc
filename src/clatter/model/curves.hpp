#pragma once

#include <optional>
#include <string>

#include <clatter/math/arc.hpp>
#include <clatter/model/specs.hpp>

namespace clatter {

/// The lines and arcs of a sound profile, spline or wall, in the order of their points; none for
/// other shapes.
ArcChain chain_of(const Shape& shape);

/// What is wrong with one, and at which key, or nothing. Its numbers are finite and in the plane.
struct CurveComplaint {
  std::string key;
  std::optional<std::size_t> entry;
  std::string message;
};
std::optional<CurveComplaint> complaint_about(const ProfileShape& profile);
std::optional<CurveComplaint> complaint_about(const SplineShape& spline);
std::optional<CurveComplaint> complaint_about(const WallShape& wall);

}  // namespace clatter
