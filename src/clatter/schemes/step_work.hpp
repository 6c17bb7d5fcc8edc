#pragma once

#include <functional>
#include <string>
#include <vector>

#include <clatter/math/newton.hpp>
#include <clatter/schemes/compliant_contacts.hpp>
#include <clatter/schemes/contact_set.hpp>
#include <clatter/schemes/far_turns.hpp>
#include <clatter/schemes/islands.hpp>
#include <clatter/schemes/joint_set.hpp>
#include <clatter/schemes/newton_update.hpp>

namespace clatter {

/// How Newton's method gets on in one island.
struct IslandProgress {
  RecentMerits recent{0.0};
  bool is_solved = false;
  bool stays = false;  ///< where it is, whatever the others do
};

/// Reactions of joints and the friction that they press are found in turns: the error shrinks by
/// the factor of friction and lever with each.
inline constexpr int most_pressings = 60;

/// What the problems of a step work on and hand on to each other. Scratch of a scheme: a step fills
/// all of it from the state that it starts from.
struct StepWork {
  StepWork(const Machine& machine, const IntegratorSpec& spec);

  const Machine& machine;
  const IntegratorSpec spec;
  Instant instant;
  JointSet joints;
  ContactSet contacts;
  CompliantContacts compliant;
  Islands islands;
  FarTurns far_turns;  ///< of the schemes that look for them

  /// The state that the step starts from; its positions and velocities stay until the step is done.
  State* state = nullptr;
  double h = 0.0;       ///< size of the step [s]
  double span = 0.0;    ///< how far from the origin anything is [m]; gaps are differences of it
  Configuration q;      ///< as the motion stands
  NodalVector total;    ///< increment that leads there
  NodalVector v;        ///< velocities at the end of the step
  NodalVector vd;       ///< accelerations at the end of the smooth motion
  VecX joint_forces;    ///< smooth, la
  VecX joint_impulses;  ///< of the step, scaled
  std::vector<Mat3> T;  ///< node: tangent of the exponential at the increment
  double smooth_numbers = 0.0;   ///< ForceSizes::numbers of the smooth motion
  double contact_numbers = 0.0;  ///< the part of contacts in those of the last forces

  NodalVector f, reaction, residual, momentum;  ///< of the problem at hand
  VecX joint_total;                             ///< what acts in the rows of the joints
  NodalVector passed_on;  ///< momentum from contacts in what came before the jump at hand

  std::vector<Residual> residuals;       ///< by island, of the problem at hand
  std::vector<IslandProgress> progress;  ///< by island

  std::vector<double> preloads;      ///< of pressed friction: mean of the step
  std::size_t changed_friction = 0;  ///< that was pressed otherwise last

  StepCounts counts;
  bool is_repeat = false;  ///< of a step that missed contacts, whose pushes are a good guess
  std::string failure;     ///< why the step failed
  std::function<void(const NewtonUpdate&)> on_update;  ///< called after each, if set

  /// Begins a step of size h: scales, rows and rates as they are at the start.
  void begin(State& from, double step_size);
  /// Friction of joints is pressed by the mean of what they do, given as `impulses` over the step.
  /// True: that is other than it was.
  bool press_joints(const VecX& impulses, bool position_level);
  /// Likewise at the end of the step, by `forces`.
  bool press_joints_at_end(const VecX& forces);
  /// That the two do not come to an end, in words.
  std::string pressing_failure() const;
  /// Evaluates loads and motors; also in substeps differences in time need a width.
  void set_time(const State& of, double t);
  /// T at an increment.
  void find_tangents(const NodalVector& increment);
  /// f := all forces but those of joints and hard contacts.
  ForceSizes forces(const NodalVector& velocities, NodalVector& force);
  /// mass M + damping C + stiffness K of all bodies, beams, springs, loads and compliant contacts.
  void add_tangents(KktMatrix& K, const NodalVector& velocities,
                    const TangentFactors& factors) const;
  /// Motor acceleration that a row wants now.
  double target_acceleration(const Joint& joint, const JointRow& row) const {
    return joint.target_acceleration(row, instant.time, instant.spacing);
  }
  /// Residuals of the islands := what `measure` tells of each. Returns the worst of them.
  template <class Measure>
  Residual judge_islands(const Measure& measure) {
    Residual all;
    for (int i = 0; i < islands.count(); ++i) {
      Residual& own = residuals[static_cast<std::size_t>(i)];
      own = measure(i);
      if (i == 0) {
        all = own;
      } else {
        all.include(own);
      }
    }
    return all;
  }
  /// ForceSizes of one island.
  ForceSizes sizes_of(int island, const ForceSizes& all) const {
    if (islands.count() == 1) return all;
    return {islands.sum_of_nodes(island, instant.terms), numbers_of(island, all.numbers)};
  }
  double numbers_of(int island, double numbers) const {
    return islands.has_beam(island) ? numbers : contact_numbers;
  }
  /// By factor times what joints do.
  double joint_pressure(const JointFriction& friction, double factor, const VecX& joints_do,
                        const Configuration& at) const;
  /// Friction is pressed by its preload, and by joints as in the step before.
  void begin_pressing();
  bool change_pressing(std::size_t friction, double& force, double to);
  /// Where the largest residual is, in words.
  std::string culprit() const;
};

}  // namespace clatter
