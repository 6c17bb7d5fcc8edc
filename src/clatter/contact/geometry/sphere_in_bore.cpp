#include <fmt/format.h>

#include <clatter/contact/geometry/sphere_in_bore.hpp>
#include <clatter/model/object_check.hpp>

namespace clatter {

void SphereInBore::check(const ObjectCheck& object, const ContactSpec& contact) {
  if (!object.knows("radius") || contact.radius < contact.face_radius) return;
  object.refuse("face", fmt::format("a sphere of radius {} m does not fit into a bore of {} m",
                                    contact.radius, contact.face_radius));
}

}  // namespace clatter
