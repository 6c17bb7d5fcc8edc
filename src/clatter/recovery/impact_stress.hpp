#pragma once

#include <array>
#include <optional>

#include <clatter/contact/law/hertz.hpp>

namespace clatter {

/// The largest stresses that a force leaves in either of two bodies, and where.
struct ImpactStress {
  double major_axis = 0.0, minor_axis = 0.0;  ///< half ones, of the area of contact [m]
  double pressure = 0.0;                      ///< in its middle [Pa]
  double shear = 0.0, shear_depth = 0.0;      ///< [Pa], [m] below the surface
  double von_mises = 0.0, von_mises_depth = 0.0;
  /// The larger of von Mises' stress over the strength of the body, of those whose strength is
  /// known: a body yields beyond 1.
  std::optional<double> of_strength;
};

/// A body that is pressed.
struct PressedBody {
  Elasticity elasticity;
  std::optional<double> strength;  ///< [Pa]
};

/// Two bodies under any force. Stresses and depths grow with its cube root, of bodies that touch
/// along a line with its square root, so that they are searched for once.
class StressOfForce {
 public:
  StressOfForce(const std::array<PressedBody, 2>& bodies, const RelativeCurvature& curvature);
  StressOfForce(const std::array<PressedBody, 2>& bodies, const LineContact& line);

  ImpactStress operator()(double force) const;

 private:
  template <class Touch>
  void search(const std::array<PressedBody, 2>& bodies, const Touch& touch);

  ImpactStress of_unit_;          // of 1 N
  std::optional<double> length_;  // of a line
};

}  // namespace clatter
