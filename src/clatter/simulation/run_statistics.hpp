#pragma once

#include <optional>
#include <string>
#include <vector>

namespace clatter {

/// That an event of the model happened, and what it was to record.
struct Happening {
  int event = 0;      ///< of Model::events
  double time = 0.0;  ///< [s]
  std::vector<double> values;
};

/// How much work one subproblem took: Newton updates, over the run.
struct IterationStatistics {
  long total = 0;
  int max = 0;
};

/// How the static equilibrium that a run starts from was found.
struct Settling {
  int load_steps = 0, iterations = 0;
  double displacement = 0.0, rotation = 0.0;           ///< [m], [rad] the largest
  std::string displaced_node = {}, rotated_node = {};  ///< and where
};
/// In one line.
std::string to_string(const Settling& settling);

/// Figures of a run so far, for summary.json and the closing table.
struct RunStatistics {
  long steps = 0;        ///< nominal steps
  long substeps = 0;     ///< parts of steps that were retried, or cut at impacts
  long regularised = 0;  ///< solves of singular systems (redundant joints or contacts)
  long recovered = 0;    ///< contact problems whose active sets Gauss-Seidel had to find
  long lessened = 0;     ///< steps with less restitution, which would have added energy
  long plastic = 0;      ///< steps taken without restitution, for want of a solution with it
  long stood_in = 0;     ///< steps that `nsga` took where `nsga_coupled` found no solution
  long cut = 0;          ///< steps and parts of them that would have added energy, and were cut
  int asleep = 0;        ///< bodies that sleep now, see Sleepers
  long unfinished = 0;   ///< contact problems that sweeps left with a larger residual
  double max_sweep_residual = 0.0;  ///< that sweeps left, relative
  int max_sweeps = 0;               ///< of Gauss-Seidel over a large island of contacts
  int max_impacts = 0;              ///< the longest sequence of impacts in a step
  IterationStatistics smooth, position, velocity;
  /// [m] over all contacts and steps; +inf without contacts. Of a face with an outline only points
  /// and spheres over it count: what passes beside its edge may go below its plane.
  double min_gap = 0.0;
  double max_joint_error = 0.0;           ///< relative to `length`, or [rad]
  double max_joint_velocity_error = 0.0;  ///< [1/s] relative to `length`, or [rad/s]
  double length = 0.0;                    ///< [m] size of the model, to scale the above with
  /// Wall time [s] of the parts of a step; `linear_algebra` is contained in the first three.
  double smooth_time = 0.0, position_time = 0.0, velocity_time = 0.0, linear_algebra_time = 0.0;
  long factorisations = 0, solves = 0;
  std::vector<Happening> happenings;  ///< in their order
  bool is_stopped = false;            ///< the last of them ended the run
  std::optional<Settling> settling;   ///< when it starts from the static equilibrium
};

}  // namespace clatter
