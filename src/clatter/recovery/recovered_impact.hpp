#pragma once

#include <optional>
#include <string_view>

#include <clatter/recovery/collision.hpp>

namespace clatter {

/// How bodies are taken to move while an impact lasts, of which a run knows the impulse alone.
enum class ImpactShape {
  cubic,  ///< 000 (3.33)-(3.41): the first of the source
  bent,   ///< 000 (C.28)-(C.39): the second
  law,    ///< as the law itself moves them
};
std::string_view to_string(ImpactShape shape);
std::optional<ImpactShape> impact_shape_of(std::string_view name);

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

/// The force F = K delta^n + D delta^n ddelta over time, of which the duration is chosen so that it
/// integrates to the impulse. All of the impact is positive.
Collision recover(const ImpactOfRun& impact, const RecoverySettings& settings);

}  // namespace clatter
