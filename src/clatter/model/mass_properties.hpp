#pragma once

#include <optional>
#include <vector>

#include <clatter/model/specs.hpp>

namespace clatter {

struct MassProperties {
  double mass = 0.0;            ///< [kg]
  Vec3 centre = Vec3::Zero();   ///< of mass
  Mat3 inertia = Mat3::Zero();  ///< about the centre of mass
};

/// [m²] Of its section with the plane, as a shape of a planar body.
double area_of(const Shape& shape);

/// From the axes of a shape, in which that of a capsule is z and a half space is below z = 0, to
/// those of its body. `in_plane`: of a planar body or of the ground of a planar model.
Mat3 axes_of(const PlacedShape& shape, bool in_plane);

/// Of a body that has these shapes, in its frame, without rounding. Where they overlap both count.
/// `density` is that of shapes without their own.
MassProperties properties_of_density(const std::vector<PlacedShape>& shapes, bool in_plane,
                                     double density);
/// The same for a body of known mass and of one density.
MassProperties properties_of_mass(const std::vector<PlacedShape>& shapes, bool in_plane,
                                  double mass);

/// Gives a body the mass, centre of mass and inertia of its shapes.
void take_properties(const MassProperties& properties, BodySpec& body);

}  // namespace clatter
