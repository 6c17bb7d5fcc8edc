#pragma once

#include <vector>

#include <clatter/contact/law/friction_law.hpp>
#include <clatter/machine/energy_ledger.hpp>
#include <clatter/machine/step_counts.hpp>

namespace clatter {

/// Powers of a state, which the ledger sums by the trapezoidal rule [W].
struct Powers {
  double load = 0.0, damper = 0.0, motor = 0.0, drag = 0.0;
};

/// The step with the largest normal impulse of a contact, of those that are recovered.
struct HardestImpact {
  double impulse = 0.0;  ///< [N s]
  double of_all = 0.0;   ///< [N s] sum of all impacts, told by when the contact closed
  double speed = 0.0;    ///< [m/s] at which the surfaces met
  double mass = 0.0;     ///< [kg] that the two bodies alone have along the normal
};

/// Impulses of a watched pair of solids that is recovered, and the hardest of its points.
struct PairImpact {
  double impulse = 0.0, percussion = 0.0;  ///< [N s] along normals, of all points; as for contacts
  HardestImpact hardest;
  /// [1/m] Half the sums of curvatures there, as RelativeCurvature has them; infinite where a
  /// surface is sharp. In the plane both are half of the sum in it.
  double A = 0.0, B = 0.0;
};

/// What the steps done so far add up to: the energy ledger since the start, impulses and counts
/// since the last output.
struct RunningSums {
  EnergyLedger ledger;
  Powers last_powers;
  std::vector<double> last_rates;  ///< that motors wanted, by joint row
  double last_step_size = 0.0;
  double interval_start = 0.0;  ///< [s] the last output, since when impulses and counts are summed
  std::vector<RowVector> impulses;       ///< of the contacts of their own
  std::vector<RowVector> percussions;    ///< their part apart from forces, where they are
  std::vector<HardestImpact> hardest;    ///< of the contacts of their own
  std::vector<double> group_impulses;    ///< normal, summed over the contacts of a group
  std::vector<Vec3> pair_impulses;       ///< on the second of two that are watched
  std::vector<PairImpact> pair_impacts;  ///< of those that are recovered, in their order
  VecX joint_impulses;                   ///< of impacts, by joint row
  StepCounts counts;
};

}  // namespace clatter
