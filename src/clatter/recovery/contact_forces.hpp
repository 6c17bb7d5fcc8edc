#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include <clatter/machine/model.hpp>
#include <clatter/recovery/impact_stress.hpp>
#include <clatter/recovery/impulse_filter.hpp>
#include <clatter/recovery/recovered_impact.hpp>

namespace clatter {

/// Two solids that find each other, whose stiffness follows from where they touch.
struct TouchingSolids {
  std::array<PressedBody, 2> bodies;
  std::optional<double> length;  ///< [m] of the line along which they touch, in the plane
};

/// How forces of a contact are recovered.
struct ContactRecovery {
  std::string contact;  ///< or two solids that are watched, as "ball/ground"
  RecoverySettings settings;
  std::optional<StressOfForce> stress;   ///< when the materials are known
  bool is_pair = false;                  ///< of solids
  std::optional<TouchingSolids> solids;  ///< when the stiffness is to be found

  bool has_stress() const { return stress || solids; }
  /// Of its channels: "contacts/floor", "pairs/ball/ground".
  std::string path() const { return (is_pair ? "pairs/" : "contacts/") + contact; }
};

/// Of all contacts of a model that ask for it, in their order, and then of watched pairs.
std::vector<ContactRecovery> recoveries_of(const Model& model);

/// The stress under any force where two surfaces touch, which is searched for anew where solids
/// touch otherwise than before.
class StressAtTouch {
 public:
  /// Nothing but NaN where solids touch with an edge or a flat face. `at`: of solids, as PairImpact
  /// has it.
  ImpactStress under(double force, const ContactRecovery& recovery, const RelativeCurvature& at);

 private:
  RelativeCurvature at_ = {};
  std::optional<StressOfForce> stress_;
};

/// What a run tells of a contact, sample by sample; impulses are those since the sample before.
struct ContactHistory {
  std::vector<double> time;     ///< [s]
  std::vector<double> gap;      ///< [m]
  std::vector<double> impulse;  ///< normal, of forces and impacts [N s]
  /// That of impacts, where the scheme has told them apart; else empty.
  std::vector<double> percussion;
  std::vector<double> speed;  ///< at which the surfaces met for the hardest impact [m/s]
  std::vector<double> mass;   ///< of the two bodies alone, along the normal [kg]
  /// What it carries of a load that is shared out, where it is; else empty [N].
  std::vector<double> shared;
  /// Of solids: half the sums of curvatures where they touched, as PairImpact has them [1/m].
  std::vector<double> A, B;
};

/// The channels of a contact that make its history.
struct HistoryChannel {
  const char* name;
  std::vector<double> ContactHistory::*values;
  bool is_optional = false;
};
inline constexpr std::array history_channels{
    HistoryChannel{"gap", &ContactHistory::gap},
    HistoryChannel{"normal_impulse", &ContactHistory::impulse},
    HistoryChannel{"normal_percussion", &ContactHistory::percussion, true},
    HistoryChannel{"approach_speed", &ContactHistory::speed},
    HistoryChannel{"effective_mass", &ContactHistory::mass},
    HistoryChannel{"shared_force", &ContactHistory::shared, true},
    HistoryChannel{"least_curvature", &ContactHistory::A, true},
    HistoryChannel{"largest_curvature", &ContactHistory::B, true},
};

struct ContactImpact {
  double time = 0.0;       ///< when the surfaces met [s]
  bool on_closed = false;  ///< on top of a force, or together with what becomes one
  double force = 0.0;      ///< that acts besides [N]
  ImpactOfRun known;
  /// How its force is found; none where solids met with an edge or a flat face, of which Hertz's
  /// theory knows no stiffness. Then force, duration and depth are not numbers.
  std::optional<RecoverySettings> settings;
  double duration = 0.0;               ///< [s]
  double peak = 0.0;                   ///< largest force of the impact alone [N]
  double depth = 0.0;                  ///< largest [m]
  double energy_lost = 0.0;            ///< [J]
  std::optional<ImpactStress> stress;  ///< under the peak and the force besides
};

/// One number of an impact, as tables have it; NaN where it is not known.
struct ImpactFigure {
  const char *name, *unit;
  double (*value)(const ContactImpact&);
};
/// All columns of a table of impacts, the time first.
const std::vector<ImpactFigure>& impact_figures();

/// One of the stresses under a force, as results have it for each sample.
struct StressFigure {
  const char *name, *unit;
  double ImpactStress::*value;
};
inline constexpr std::array stress_figures{
    StressFigure{"recovered_minor_axis", "m", &ImpactStress::minor_axis},
    StressFigure{"recovered_pressure", "Pa", &ImpactStress::pressure},
    StressFigure{"recovered_shear", "Pa", &ImpactStress::shear},
    StressFigure{"recovered_von_mises", "Pa", &ImpactStress::von_mises},
};

/// Forces of a contact in the course of a run.
struct ContactForces {
  std::vector<ContactImpact> impacts;
  FilteredImpulses parts;  ///< their sum is the impulse of the run, sample by sample
  /// At each sample: that of bodies that stay together, and the peak of the impact since the sample
  /// before [N].
  std::vector<double> force;
  std::vector<ImpactStress> stress;  ///< under it; none where materials are not known
};

/// Of all samples.
std::vector<double> stress_history(const StressFigure& figure, const ContactForces& forces);

/// What is known of the time between two samples.
struct ContactInterval {
  double impact = 0.0;  ///< impulse of impacts [N s]
  double speed = 0.0;   ///< as in ContactHistory
  double mass = 0.0;
  double force = 0.0;                ///< of bodies that stay together [N]
  RelativeCurvature curvature = {};  ///< of solids
};

/// The impact of an interval that has one; its time is not set.
ContactImpact recover_impact(const ContactInterval& interval, const ContactRecovery& recovery);

ContactForces recover_forces(const ContactHistory& history, const ContactRecovery& recovery);

}  // namespace clatter
