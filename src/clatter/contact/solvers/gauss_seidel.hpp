#pragma once

#include <algorithm>
#include <cassert>
#include <limits>
#include <span>
#include <vector>

#include <clatter/math/fixed_point_accelerator.hpp>

namespace clatter {

// Projected Gauss-Seidel: each contact in turn is made to obey its law, the others given. Inverts
// nothing but the contacts' own blocks, so redundant contacts do not trouble it. How W is kept is
// up to an island of contacts: written out (MatrixIsland), as motions of bodies (BodyIsland) or as
// those packed for spheres (SphereIsland). An island has
//
//   std::size_t rows() const;
//   std::span<const double> reactions() const;
//   void set_reactions(std::span<const double>);  projected or not, as suits it
//   double sweep();             solves one contact after the other; returns an estimate of the size
//                               of the residual that costs nothing
//   SweepResidual residual();   of the reactions as they are; costs about a sweep

/// How far reactions r, with rates u = b + W r, are from obeying their laws.
struct SweepResidual {
  double size = 0.0;    ///< |r - P(r - u)|, with P the projection on what the laws admit
  double motion = 0.0;  ///< what it is relative to
};

struct SweepLimits {
  double tolerance;  ///< of the residual's size over its motion
  int most;          ///< sweeps
  /// More sweeps than this raise the tolerance by the square of their number: redundant contacts
  /// have modes of reactions that hardly move anything, and hardly converge.
  double patience = std::numeric_limits<double>::infinity();
};

/// When sweeps are enough: as soon as the residual is within the tolerance. It is looked at after
/// the first sweep, where the sweeps' own estimate promises success, and every so often.
class SweepStop {
 public:
  /// `promising`: times the tolerance, an estimate that is worth a look.
  SweepStop(const SweepLimits& limits, double promising, int sweeps_between_looks)
      : limits_(limits), promising_(promising), sweeps_between_looks_(sweeps_between_looks) {}

  template <class Island>
  bool is_enough(Island& island, double estimate, int sweeps) {
    const double rise = std::max(1.0, sweeps / limits_.patience);
    const double tolerance = limits_.tolerance * rise * rise;
    const bool promises = estimate <= promising_ * tolerance * residual_.motion;
    if (!promises && sweeps % sweeps_between_looks_ != 1) return false;
    residual_ = island.residual();
    return residual_.size <= tolerance * residual_.motion;
  }
  /// At the last look.
  const SweepResidual& residual() const { return residual_; }

 private:
  SweepLimits limits_;
  double promising_;
  int sweeps_between_looks_;
  SweepResidual residual_;
};

/// The loop of sweeps, extrapolated by Anderson's acceleration.
class GaussSeidel {
 public:
  /// `memory`, `most_growth`: of the acceleration, which begins after so many `plain_sweeps`.
  GaussSeidel(int memory, double most_growth, int plain_sweeps)
      : accelerator_(memory, most_growth), plain_sweeps_(plain_sweeps) {}

  void reserve(std::size_t rows) {
    accelerator_.reserve(rows);
    before_.reserve(rows);
  }

  /// Sweeps until `is_done(estimate, sweeps)`, and `most` times at most. Returns how often.
  template <class Island, class IsDone>
  int sweep(Island& island, int most, const IsDone& is_done) {
    assert(most > 0);
    const auto remember = [&] {
      before_.assign(island.reactions().begin(), island.reactions().end());
    };
    for (int sweeps = 1;; ++sweeps) {
      if (sweeps == plain_sweeps_ + 1) {
        accelerator_.restart(island.rows());
        remember();
      }
      const double estimate = island.sweep();
      if (is_done(estimate, sweeps) || sweeps >= most) return sweeps;
      if (sweeps > plain_sweeps_ && accelerator_.extrapolate(before_, island.reactions())) {
        island.set_reactions(before_);
        remember();
      }
    }
  }

 private:
  FixedPointAccelerator accelerator_;
  int plain_sweeps_;
  std::vector<double> before_;  // the reactions that a sweep started from
};

}  // namespace clatter
