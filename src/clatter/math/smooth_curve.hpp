#pragma once

#include <vector>

#include <clatter/math/arc.hpp>

namespace clatter {

/// The closed curve through points in the plane that is cubic between them and has continuous
/// second derivatives with respect to the lengths of the chords, as pairs of arcs that follow each
/// other without corners and are nowhere further from it than `tolerance`. Neighbouring points
/// differ; there are three or more.
ArcChain smooth_curve_through(const std::vector<Vec2>& points, double tolerance);

}  // namespace clatter
