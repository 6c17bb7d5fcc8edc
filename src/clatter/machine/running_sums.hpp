#pragma once

#include <vector>

#include <clatter/contact/law/friction_law.hpp>
#include <clatter/machine/energy_ledger.hpp>
#include <clatter/machine/step_counts.hpp>

namespace clatter {

/// Powers of a state, which the ledger sums by the trapezoidal rule [W].
struct Powers {
  double load = 0.0, damper = 0.0, motor = 0.0;
};

/// The step with the largest normal impulse of a contact, of those that are recovered.
struct HardestImpact {
  double impulse = 0.0;  ///< [N s]
  double speed = 0.0;    ///< [m/s] at which the surfaces met
  double mass = 0.0;     ///< [kg] that the two bodies alone have along the normal
};

/// What the steps done so far add up to: the energy ledger since the start, impulses and counts
/// since the last output.
struct RunningSums {
  EnergyLedger ledger;
  Powers last_powers;
  std::vector<double> last_rates;  ///< that motors wanted, by joint row
  double last_step_size = 0.0;
  std::vector<RowVector> impulses;     ///< of the contacts of their own
  std::vector<RowVector> percussions;  ///< their part apart from forces, where they are
  std::vector<HardestImpact> hardest;  ///< of the contacts of their own
  std::vector<double> group_impulses;  ///< normal, summed over the contacts of a group
  std::vector<Vec3> pair_impulses;     ///< on the second of two that are watched
  VecX joint_impulses;                 ///< of impacts, by joint row
  StepCounts counts;
};

}  // namespace clatter
