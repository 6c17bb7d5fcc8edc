#pragma once

#include <cstddef>
#include <vector>

#include <clatter/contact/law/normal_law.hpp>

namespace clatter {

struct CollisionPoint {
  double time = 0.0;     ///< since the bodies met [s]
  double depth = 0.0;    ///< delta [m]
  double rate = 0.0;     ///< ddelta [m/s]
  double force = 0.0;    ///< [N]
  double impulse = 0.0;  ///< of the force so far [N s]
};

/// One impact of two bodies, from when they meet until the force ends.
struct Collision {
  std::vector<CollisionPoint> curve;  ///< from the first point to the last
  double duration = 0.0;              ///< [s]
  double peak = 0.0;                  ///< largest force [N]
  double depth = 0.0;                 ///< largest [m]
  double restitution = 0.0;           ///< -rate at the end over the one at the start
  double impulse = 0.0;               ///< [N s]
  double energy_lost = 0.0;           ///< [J]

  /// Between the points of the curve; the force as the slope of a cubic for the impulse, so that it
  /// keeps its integral.
  CollisionPoint at(double time) const;
};

/// Of the reduced mass m_1 m_2/(m_1 + m_2) [kg] that meets at the given speed [m/s], both positive:
/// m d2delta/dt2 = -F. The scaled problem is integrated with a relative error of 1e-11 a step.
Collision collide(const NormalLaw& law, double mass, double speed);

/// The largest value on a curve: the summit of the parabola through its largest point and the two
/// beside it.
template <class Value>
double summit(const std::vector<CollisionPoint>& curve, Value value) {
  std::size_t top = 0;
  for (std::size_t i = 1; i < curve.size(); ++i) {
    if (value(curve[i]) > value(curve[top])) top = i;
  }
  if (top == 0 || top + 1 == curve.size()) return value(curve[top]);
  const double left = curve[top].time - curve[top - 1].time,
               right = curve[top + 1].time - curve[top].time;
  const double y = value(curve[top]);
  const double rise = (y - value(curve[top - 1])) / left,
               fall = (value(curve[top + 1]) - y) / right;
  const double bend = (fall - rise) / (left + right);
  const double slope = (rise * right + fall * left) / (left + right);
  return bend < 0.0 ? y - slope * slope / (4.0 * bend) : y;
}

}  // namespace clatter
