#pragma once

#include <cmath>

namespace clatter::testing {

/// Takes `state` from time `from` to time `to` by the classical Runge-Kutta method of fourth order,
/// in equal steps of at most `largest_step`. `rate(time, state)` gives d(state)/dt.
template <class State, class Rate>
void integrate(State& state, const Rate& rate, double from, double to, double largest_step) {
  // A hair less, lest a quotient that is whole but for round-off costs a step.
  const long steps = std::lround(std::ceil((to - from) / largest_step * (1.0 - 1e-12)));
  const double h = (to - from) / static_cast<double>(steps);
  for (long n = 0; n < steps; ++n) {
    const double t = from + static_cast<double>(n) * h;
    const State k1 = rate(t, state);
    const State k2 = rate(t + 0.5 * h, State(state + 0.5 * h * k1));
    const State k3 = rate(t + 0.5 * h, State(state + 0.5 * h * k2));
    const State k4 = rate(t + h, State(state + h * k3));
    state += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
  }
}

}  // namespace clatter::testing
