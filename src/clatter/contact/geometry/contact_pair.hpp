#pragma once

#include <span>
#include <variant>

#include <clatter/contact/geometry/chord_pair.hpp>
#include <clatter/contact/geometry/joint_contact.hpp>
#include <clatter/contact/geometry/patch_pair.hpp>
#include <clatter/contact/geometry/point_on_face.hpp>
#include <clatter/contact/geometry/sphere_in_bore.hpp>
#include <clatter/contact/geometry/sphere_in_groove.hpp>
#include <clatter/contact/geometry/sphere_in_sphere.hpp>
#include <clatter/contact/geometry/sphere_on_face.hpp>
#include <clatter/contact/geometry/sphere_on_shaft.hpp>
#include <clatter/contact/geometry/sphere_on_sphere.hpp>

namespace clatter {

/// All surfaces that can touch, pair by pair; see ContactSurfaces for what a pair is.
using ContactPair =
    std::variant<PointOnFace, SphereOnFace, SphereOnSphere, SphereInSphere, SphereOnShaft,
                 SphereInBore, SphereInGroove, PatchPair, ChordPair, JointContact>;

/// Those that models can name, in the order in which messages do.
using NamedContactPair = std::variant<PointOnFace, SphereOnFace, SphereOnSphere, SphereInSphere,
                                      SphereOnShaft, SphereInBore, SphereInGroove>;

/// The pair that `spec.geometry` names; its points are already relative to the nodes.
ContactPair make_contact_pair(const ContactSpec& spec, int a, int b, bool planar);

/// What all pairs that models can name say of themselves.
std::span<const ContactGeometry> contact_geometries();

/// What is to be seen of the surface that is touched, in the frame of its body.
Mesh picture_of(const ContactSpec& spec, double size);

}  // namespace clatter
