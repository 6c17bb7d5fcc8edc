#pragma once

#include <algorithm>
#include <cmath>

#include <clatter/contact/law/friction_law.hpp>

namespace clatter {

// Projection of a reaction r on what its law admits: r_N >= 0, and for each friction ball B a part
// r_B of no more than c r_N. The normal comes first and the balls follow it, each with the radius
// that the projected normal gives it. Every solver projects with these functions; they are inline,
// and take the number of rows as a template argument where it is known (zero: it is not), for most
// of the time of sweeps is spent in them.

/// Whether a reaction with this square of its length is outside of the ball.
inline bool is_beyond(double square, double radius) { return square > radius * radius; }

/// The factor that draws such a reaction back to the ball; one for what is within.
inline double factor_into_ball(double square, double radius) {
  return is_beyond(square, radius) ? radius / std::sqrt(square) : 1.0;
}

template <int Rows>
double squared_length(const double* r, int rows) {
  double square = 0.0;
  for (int i = 0; i < (Rows > 0 ? Rows : rows); ++i) square += r[i] * r[i];
  return square;
}

/// r_B := the nearest in the ball.
template <int Rows>
void project_on_ball(double radius, int rows, double* r_B) {
  const double factor = factor_into_ball(squared_length<Rows>(r_B, rows), radius);
  for (int i = 0; i < (Rows > 0 ? Rows : rows); ++i) r_B[i] *= factor;
}

inline double project_normal(double r_N) { return std::max(0.0, r_N); }

/// r := its projection on what the law admits.
inline void project(const ContactLaw& law, double* r) {
  r[0] = project_normal(r[0]);
  for (const FrictionBall& ball : law.all_balls()) {
    project_on_ball<0>(ball.coefficient * r[0], ball.rows, r + ball.first_row);
  }
}

/// tau := r_B / |r_B|, the direction of what slips, or zero when there is none. `length`: |r_B|.
inline void slip_direction(const double* r_B, int rows, double length, double* tau) {
  for (int i = 0; i < rows; ++i) tau[i] = length > 0.0 ? r_B[i] / length : 0.0;
}

}  // namespace clatter
