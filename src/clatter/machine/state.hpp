#pragma once

#include <memory>
#include <vector>

#include <clatter/machine/contact_list.hpp>
#include <clatter/machine/contact_state.hpp>
#include <clatter/machine/running_sums.hpp>
#include <clatter/machine/sleep.hpp>
#include <clatter/math/system_matrix.hpp>

namespace clatter {

/// What solvers remember from one step to the next: it decides which of two roundings a solution
/// has, so that equal states have equal futures to the last bit only if it is part of them.
struct SolverMemory {
  /// How much the matrix of a problem is regularised: not at all until it was singular.
  double smooth = 0.0, position = 0.0, velocity = 0.0, coupled = 0.0;
  /// Of the matrix without contacts, of that with them, and of that of the nodes that joints,
  /// springs or beams hold.
  std::shared_ptr<const Pivots> smooth_pivots, contact_pivots, held_pivots;
  std::vector<int> in_matrix;  ///< contacts that the matrix with contacts has; ascending
};

/// A load whose value is given from outside, until it is given anew.
struct GivenLoad {
  std::size_t load;
  Vec3 force, torque;
};

/// Where a machine stands: all that its future depends on. A value; copies are independent.
struct State {
  double time = 0.0;  ///< [s]
  long steps = 0;     ///< nominal ones, done
  Configuration q;
  NodalVector v;
  NodalVector acceleration;              ///< dv/dt of the smooth motion
  NodalVector algorithmic_acceleration;  ///< a of generalized-alpha, 001 (4)
  VecX joint_forces;                     ///< smooth, one for each joint row [N], [N m]
  VecX joint_impulses;                   ///< of the last step [N s], [N m s]
  std::vector<char> struck;              ///< node: a contact struck its island in the last step
  std::vector<ContactState> contacts;    ///< in the order of the list that the search gives
  ContactSearch search;
  Sleep sleep;
  std::vector<double> turns;           ///< see Machine::turns_at_start()
  std::vector<double> signals;         ///< what drives remember, see SignalTable
  std::vector<GivenLoad> given_loads;  ///< that act instead of what the model says
  SolverMemory solver;
  RunningSums sums;
};

/// A state with the bodies as the model has them, at rest or not, and nothing decided yet.
State state_at_start(const Machine& machine);

/// Rates of the rows of contact c now, also when it is far open.
RowVector rate_of(const Contact& contact, const ContactState& contact_state, const State& state);

/// Joint j belongs to bodies that a contact struck in the last step: its impulse is that of an
/// impact.
bool is_struck(const Machine& machine, const State& state, std::size_t joint);

}  // namespace clatter
