#pragma once

namespace clatter {

/// What a contact solver did.
struct SolverRun {
  bool solved = false;
  int iterations = 0;
  double residual = 0.0;     ///< |r - P(r - u^)| at the end
  double contraction = 0.0;  ///< of the residual in a plain sweep, if it is known
};

}  // namespace clatter
