#pragma once

#include <string>

#include <clatter/machine/machine.hpp>

namespace clatter {

/// A configuration at rest in which all forces balance.
struct Equilibrium {
  Configuration q;
  VecX joint_forces;          ///< one for each row of the joints
  std::vector<double> turns;  ///< as in Machine::turns_at_start()
  int load_steps = 0, iterations = 0;
};

struct StaticsSettings {
  double tolerance = 1e-12;  ///< of the residual, relative to the sizes of the forces
  int max_iterations = 40;   ///< Newton updates in one load step
  int max_load_steps = 10000;
};

/// Follows the equilibrium from `start`, where gravity and loads are off, to where they act in
/// full. Forces that do not balance at the start without loads (springs under tension, beams bent
/// against their nature) are let loose along with it. Load steps are as large as Newton's method
/// and a limit on the rotations of nodes allow.
///
/// Loads and motors are those of the instant; contacts are left out. Throws
/// Error when there is no equilibrium to be found.
Equilibrium find_equilibrium(const Machine& machine, const Instant& instant,
                             const Configuration& start, const StaticsSettings& settings = {});

}  // namespace clatter
