#pragma once

namespace clatter {

/// What a contact solver did.
struct SolverRun {
  bool solved = false;
  int iterations = 0;
  double residual = 0.0;     ///< |r - P(r - u^)| at the end
  double contraction = 0.0;  ///< of the residual in a plain sweep, if it is known
};

/// In terms of |b|/|W|: reactions beyond this are without bound, for there is no solution, and soon
/// none could be told from round-off.
inline constexpr double largest_reactions = 1e9;

}  // namespace clatter
