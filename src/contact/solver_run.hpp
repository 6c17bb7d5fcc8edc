#pragma once

namespace clatter {

/// What a contact solver did.
struct SolverRun {
  bool solved = false;
  int iterations = 0;
  double residual = 0.0;  ///< |r - P(r - u^)| at the end
};

}  // namespace clatter
