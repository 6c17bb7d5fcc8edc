#pragma once

#include <algorithm>
#include <cmath>

namespace clatter {

/// Residual of a problem of a step, each part divided by what it may be: converged at one. Of an
/// island, or the worst of all.
struct Residual {
  double momentum = 0.0;
  double rows = 0.0;
  double merit = 0.0;  ///< undivided, for the line search

  bool converged() const { return momentum <= 1.0 && rows <= 1.0; }
  bool is_round_off() const { return momentum <= 100.0 && rows <= 100.0; }
  void include(const Residual& other) {
    const auto worse = [](double a, double b) {
      return a >= b ? a : b;
    };  // keeps what is no number
    momentum = worse(momentum, other.momentum);
    rows = worse(rows, other.rows);
    merit = std::hypot(merit, other.merit);
  }
};

/// How much of what it may be a value is.
inline double ratio(double value, double allowed) {
  if (value == 0.0) return 0.0;
  return allowed > 0.0 ? value / allowed : INFINITY;
}

}  // namespace clatter
