#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <clatter/analysis/modes.hpp>
#include <clatter/machine/model.hpp>
#include <clatter/simulation/channel.hpp>
#include <clatter/simulation/run_statistics.hpp>

namespace clatter {

struct ContactPoint;
struct ContactProblem;
class Machine;
struct NewtonUpdate;
struct State;

/// How a body, or a node of a beam, stands and moves; in terms of its body frame.
struct NodeMotion {
  std::string name;
  Vec3 position = Vec3::Zero();
  Quaternion orientation = Quaternion::Identity();
  double angle = 0.0;                    ///< planar ones, turns counted
  Vec3 velocity = Vec3::Zero();          ///< of the origin of the body frame, space axes
  Vec3 angular_velocity = Vec3::Zero();  ///< body axes
};

/// A machine in motion: built from a model, advanced step by step, read through channels.
class Simulation {
 public:
  /// Throws Error with all that check(model) finds, or when the machine cannot be started (initial
  /// penetration, joints that do not fit, a mechanism that cannot move as prescribed ...).
  explicit Simulation(const Model& model);
  /// The same, with nodes of these names as given at the start instead of as the model has them.
  /// What the model takes from its own start, such as rest lengths, stays.
  Simulation(const Model& model, const std::vector<NodeMotion>& motions);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;

  double time() const;
  long steps_done() const;
  long steps_total() const;  ///< duration / step
  /// Whether the duration is over, or an event has ended the run.
  bool finished() const;

  /// Advances by one nominal step. Throws Error, naming what and when, if that cannot be done even
  /// with substeps; the state stays at the last good step.
  void step();

  /// Calls `visit` with the contact problem of the velocities in each step that has contacts which
  /// may close (each part of a step, each impact of a sequence). Throws Error when the integrator
  /// has no such problem.
  void on_contact_problem(std::function<void(const ContactProblem&)> visit);
  /// Calls `visit` after each update of Newton's method, also in attempts at a step that fail.
  /// Throws Error when the integrator has none.
  void on_newton_update(std::function<void(const NewtonUpdate&)> visit);

  const Machine& machine() const;
  /// Where the machine stands: a value to keep, compare and go back to.
  const State& state() const;
  /// Goes on from a state of the same machine. Throws Error when it is of another one.
  void set_state(const State& state);
  /// Goes on with a run that had come to a state, with the figures that it had so far.
  void resume(const State& state, const RunStatistics& statistics);
  /// Lets a load of the model act with this force [N] and torque [N m], in its axes, from now on.
  /// Throws Error when there is no load of that name.
  void set_load(std::string_view name, const Vec3& force, const Vec3& torque = Vec3::Zero());

  /// One number of the present state by its path, as "bodies/ball/position/z". Throws Error, with
  /// the nearest path, when there is none.
  double value(std::string_view path) const;
  /// All components of a channel, as "bodies/ball/position".
  std::vector<double> values(std::string_view path) const;

  /// What can be recorded, in the order of the row.
  const std::vector<Channel>& channels() const;
  int row_size() const;
  /// The row at the present time. Impulses and iteration counts are those since the last call of
  /// start_interval(); everything else is the value now.
  void sample(std::span<double> row) const;
  /// Where parts touch now; the ground, bodies and beams are numbered one after the other, as
  /// part_names() has them.
  std::vector<ContactPoint> contact_points() const;
  std::vector<std::string> part_names() const;
  /// Begins a new output interval (after a sample has been stored).
  void start_interval();

  /// Whether nothing accelerates, but for a millionth of what the forces could do.
  bool is_balanced() const;
  /// Bodies, and nodes of beams; the ground first, as in nodal vectors.
  std::vector<std::string> node_names() const;
  /// The lowest modes of vibration about the present configuration, as if at rest.
  Modes modes(int count) const;
  /// The row as it would be with all nodes displaced by an increment, for pictures of modes.
  void sample_displaced(const NodalVector& increment, std::span<double> row) const;

  const RunStatistics& statistics() const;
  /// Lines to be told to the user about the start: what assembly moved, redundant joints.
  const std::vector<std::string>& notices() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace clatter
