#pragma once

#include <vector>

#include <clatter/elements/bushing.hpp>
#include <clatter/io/toml_table.hpp>
#include <clatter/model/body_keys.hpp>
#include <clatter/model/specs.hpp>

namespace clatter {

/// Joints with clearance are contacts, whose bodies do not touch elsewhere unless they say so.
struct JointReading {
  std::vector<JointSpec> joints;
  std::vector<ContactSpec> contacts;
  std::vector<BodyPairSpec> exclusions;
  std::vector<BushingSpec> dampers;  ///< their viscous friction
};

/// `assemble`: bodies may be moved so that the joints fit, so a joint need not fit at the start.
JointReading read_joints(const std::vector<TomlTable>& tables, const NamedBodies& bodies,
                         bool assemble);

/// Right-handed orthonormal frame, as columns, whose z is the unit vector given. Its x is taken
/// from the coordinate axis that is most nearly perpendicular to z, the z axis before x before y:
/// so a z in the x-y plane gives an x of exactly [0, 0, 1], and [0, 0, 1] gives the identity.
Mat3 frame_along(const Vec3& z);

}  // namespace clatter
