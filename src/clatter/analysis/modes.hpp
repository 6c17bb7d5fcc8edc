#pragma once

#include <vector>

#include <clatter/machine/machine.hpp>

namespace clatter {

/// A small undamped vibration about a configuration at rest.
struct Mode {
  double square = 0.0;         ///< of the circular frequency [1/s²]; negative: the motion grows
  double damping_ratio = 0.0;  ///< of critical damping that dampers give it, as if uncoupled
  double round_off = 0.0;      ///< [1/s²] how far `square` may be off; see is_free()
  NodalVector shape;           ///< largest displacement or rotation one

  double frequency() const;  ///< [Hz]; 0 when `square` is not positive
  /// A motion that nothing resists, as that of a body in space: its square cannot be told from
  /// zero. `square` is a sum of terms that cancel in such a motion, and is off by the round-off of
  /// the largest of them.
  bool is_free() const;
};

struct Modes {
  std::vector<Mode> modes;  ///< lowest first
  /// How far the stiffness between two of the modes is from symmetric, relative to their squares:
  /// follower loads, or a configuration that is not in equilibrium. The modes are those of its
  /// symmetric part. One mode alone tells nothing.
  double asymmetry = 0.0;
};

/// The lowest `count` modes (fewer when the model has fewer) of K s = w^2 M s with G s = 0 at q,
/// with `joint_forces` in the rows of the joints and the loads of an instant. Small models are
/// solved densely, larger ones by Lanczos' method on the inverse of K, shifted so that free motions
/// do not disturb it: it gives those nearest to zero. Throws Error when that does not converge.
Modes find_modes(const Machine& machine, const Configuration& q, const Instant& instant,
                 const VecX& joint_forces, int count);

/// An asymmetry up to this is of no account.
constexpr double largest_symmetric = 1e-6;

/// Models up to this number of unknowns are solved densely.
constexpr int largest_dense_modes = 240;
Modes find_modes_dense(const Machine& machine, const Configuration& q, const Instant& instant,
                       const VecX& joint_forces, int count);
Modes find_modes_sparse(const Machine& machine, const Configuration& q, const Instant& instant,
                        const VecX& joint_forces, int count);

}  // namespace clatter
