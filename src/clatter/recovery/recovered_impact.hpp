#pragma once

#include <clatter/recovery/collision.hpp>

namespace clatter {

struct RecoverySettings {
  NormalLaw law;
  ImpactShape shape = ImpactShape::law;
  double alpha = 1.7;  ///< of the bent shape, (C.30); 2 in (C.45)
};

/// What a run knows of an impact.
struct ImpactOfRun {
  double impulse = 0.0;      ///< [N s]
  double speed = 0.0;        ///< at which the bodies met [m/s]
  double restitution = 0.0;  ///< with which they part
};

/// The force over time, which integrates to the impulse. By the profiles of 000 it is F = K delta^n
/// + D delta^n ddelta, with a duration that makes it so. By the law itself peak and duration are
/// those of the law for the mass that the impulse tells; while bodies part, the force is lessened
/// or raised until they part as the run has it, should the law want another restitution. All of the
/// impact is positive.
Collision recover(const ImpactOfRun& impact, const RecoverySettings& settings);

}  // namespace clatter
