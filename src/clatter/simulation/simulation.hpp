#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <clatter/analysis/modes.hpp>
#include <clatter/model/model.hpp>
#include <clatter/simulation/channel.hpp>

namespace clatter {

struct ContactProblem;

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
  long plastic = 0;      ///< steps taken without restitution, for want of a solution with it
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
  std::optional<Settling> settling;  ///< when it starts from the static equilibrium
};

/// A machine in motion: built from a model, advanced step by step, read through channels.
class Simulation {
 public:
  /// Throws Error with all that check(model) finds, or when the machine cannot be started (initial
  /// penetration, joints that do not fit, a mechanism that cannot move as prescribed ...).
  explicit Simulation(const Model& model);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;

  double time() const;
  long steps_done() const;
  long steps_total() const;  ///< duration / step
  bool finished() const { return steps_done() >= steps_total(); }

  /// Advances by one nominal step. Throws Error, naming what and when, if that cannot be done even
  /// with substeps; the state stays at the last good step.
  void step();

  /// Calls `visit` with the contact problem of the velocities in each step that has contacts which
  /// may close (each part of a step, each impact of a sequence). Throws Error when the integrator
  /// has no such problem.
  void on_contact_problem(std::function<void(const ContactProblem&)> visit);

  /// What can be recorded, in the order of the row.
  const std::vector<Channel>& channels() const;
  int row_size() const;
  /// The row at the present time. Impulses and iteration counts are those since the last call of
  /// start_interval(); everything else is the value now.
  void sample(std::span<double> row) const;
  /// Begins a new output interval (after a sample has been stored).
  void start_interval();

  /// Whether nothing accelerates, but for a millionth of what the forces could do.
  bool is_balanced() const;
  /// Bodies, and nodes of beams; the ground first, as in nodal vectors.
  std::vector<std::string> node_names() const;
  /// The lowest modes of vibration about the present configuration, as if at rest.
  Modes modes(int count) const;
  /// The row as it would be with all nodes displaced by an increment, for pictures of modes.
  void sample_displaced(const NodalVector& increment, std::span<double> row);

  const RunStatistics& statistics() const;
  /// Lines to be told to the user about the start: what assembly moved, redundant joints.
  const std::vector<std::string>& notices() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace clatter
