#pragma once

#include <clatter/contact/geometry/contact.hpp>

namespace clatter {

// Surfaces that overlap touch halfway between the two: force and counterforce act at one point, so
// that friction keeps the angular momentum.

ContactFrame frame_between(const Contact& contact, const Configuration& q, const Vec3& tangent);
FrameDerivative derivative_between(const Contact& contact, const Configuration& q,
                                   const ContactFrame& between);

}  // namespace clatter
