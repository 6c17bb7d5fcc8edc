#pragma once

namespace clatter {

/// How much work a step, or an interval of output, took.
struct StepCounts {
  int smooth = 0, position = 0, velocity = 0;  ///< Newton updates
  int regularised = 0;                         ///< solves of singular systems
  int recovered = 0;            ///< times Newton needed active sets from Gauss-Seidel
  int lessened = 0;             ///< steps with less restitution, which would have added energy
  int plastic = 0;              ///< steps taken without restitution, for want of a solution with it
  int sweeps = 0;               ///< of Gauss-Seidel over the largest island of contacts
  double sweep_residual = 0.0;  ///< that sweeps left, relative; see FreeContacts::Result
  int unfinished = 0;           ///< contact problems that sweeps left with a larger residual
  int impacts = 0;              ///< problems in the sequence of impacts, with multi_impact
};

}  // namespace clatter
