#pragma once

#include <span>

namespace clatter {

/// What forces by formula depend on besides positions and velocities.
struct DriveInput {
  double time = 0.0;
  std::span<const double> joint_turns;  ///< by joint, as `reached` in ForceKinds
  std::span<const double> signals;      ///< State::signals
  double factor = 1.0;                  ///< on all of them, for statics
};

}  // namespace clatter
