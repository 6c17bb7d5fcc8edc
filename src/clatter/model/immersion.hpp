#pragma once

#include <vector>

#include <clatter/model/mass_properties.hpp>
#include <clatter/model/object_check.hpp>
#include <clatter/model/specs.hpp>

namespace clatter {

class BodyLookup;

/// Whether a body is in the fluid.
bool is_in(const FluidSpec& fluid, const BodySpec& body);

/// The fluid that bodies of these shapes displace: as if they were full of it.
MassProperties displaced_by(const std::vector<PlacedShape>& shapes, bool in_plane, double density);

/// Radius of the sphere that Stokes' law is taken of: the body's own, where it is one; that of the
/// same volume, in the plane that of the circle of the same area.
double stokes_radius(const std::vector<PlacedShape>& shapes, bool in_plane);

/// One sphere is all there is.
bool is_sphere(const std::vector<PlacedShape>& shapes);

void check_fluid(const FluidSpec& fluid, const std::vector<BodySpec>& bodies, bool has_beams,
                 BodyLookup& lookup, std::vector<Mistake>& mistakes);

}  // namespace clatter
