#pragma once

namespace clatter {

/// More than the whole way.
inline constexpr double no_meeting = 2.0;

/// When two that move, on a way from 0 to 1 on which no point goes further than `longest`, are
/// first nearer than `near`: no point can have come across the gap before.
template <class Gap>
double first_meeting(const Gap& gap_at, double longest, double near) {
  double t = 0.0;
  for (int advance = 0; advance < 200; ++advance) {
    const double gap = gap_at(t);
    if (gap <= near) return t;
    t += (gap - 0.5 * near) / longest;
    if (!(t < 1.0)) return no_meeting;
  }
  return t;
}

}  // namespace clatter
