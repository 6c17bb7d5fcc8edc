#pragma once

#include <vector>

#include <clatter/machine/energy_ledger.hpp>
#include <clatter/schemes/integrator.hpp>

namespace clatter {

struct Powers {
  double load = 0.0, damper = 0.0, motor = 0.0;
};

/// What the steps done so far leave for the channels; a failed step must give it back.
struct Books {
  EnergyLedger ledger;
  Powers last_powers;
  std::vector<double> last_rates;
  double last_step_size = 0.0;
  std::vector<RowVector> interval_percussions;  ///< their part apart from forces, where they are
  std::vector<RowVector> interval_impulses;
  std::vector<double> interval_group_impulses;  // normal, summed over the contacts of a group
  VecX interval_joint_impulse;
  StepCounts interval_counts;
};

}  // namespace clatter
