#pragma once

#include <vector>

#include <clatter/contact/solvers/contact_problem.hpp>
#include <clatter/contact/solvers/one_contact.hpp>
#include <clatter/model/impact_kinds.hpp>

namespace clatter {

/// What happens to the contacts of an impact while it lasts, after Routh: velocities change with
/// the impulses that have passed, friction resists the slip of the moment, which may stop or turn
/// round.
///
///   compression   the speeds of approach of all that are struck fall to zero in proportion
///   restitution   each pushes in proportion to its impulse of compression, until
///                   newton     it parts at e times the speed of its approach
///                   poisson    it has pushed e times the impulse of compression
///                   energetic  its normal force has given back e^2 of the work it took (Stronge)
///
/// What else touches holds, without work. With the work of the normal forces given back at most in
/// part and friction that resists, the energetic law never adds energy; the others may.
///
/// Slip that keeps its direction is followed exactly; one that turns, in increments. Unknowns are
/// as in a ContactProblem.
class ImpactFlow {
 public:
  struct Member {
    CondensedContact contact;
    ImpactLaw law = ImpactLaw::newton;
    double restitution = 0.0;
    bool is_struck = false;  ///< else it holds where it is pressed
  };

  std::vector<Member> members;  ///< in the order of their rows
  MatX W;
  VecX before;  ///< velocities

  // ---- What comes out
  VecX impulses, after;
  VecX work;  ///< of the reactions, by rows
  /// Of the kinetic energy.
  double gain() const { return 0.5 * impulses.dot(before + after); }
  /// Increments that were taken.
  int increments() const { return increments_; }

  /// Slip turns by no more in an increment [rad].
  double most_turn = 5e-3;

  /// False: it did not end.
  bool run();

 private:
  struct Progress {
    OneContact one;
    double target = 0.0;    // of the normal rate
    double push = 0.0;      // least normal impulse of the increment
    double squeezed = 0.0;  // impulse of compression
    double taken = 0.0;     // work of compression, negative
    double given = 0.0;     // work of restitution so far
    double pushed = 0.0;    // impulse of restitution so far
    bool pushes = false;
  };

  bool compress();
  bool restore();
  /// Finds step_ and next_ from `after`, for the targets and pushes as they stand. False: it does
  /// not converge.
  bool solve_increment();
  void solve_member(std::size_t k, const double* f, double* r) const;
  void push_member(std::size_t k, const double* f, double* r) const;
  /// Whether slip kept its direction.
  bool is_followed() const;
  /// What a member in restitution still has to reach, relative to what compression did.
  double left_of(std::size_t k) const;
  /// How much of the increment it needs for that; > 1: more.
  double part_to_end(std::size_t k) const;
  void take_increment(bool restores);

  std::vector<Progress> progress_;
  VecX step_, next_;    // impulses of an increment, and velocities after it
  double still_ = 0.0;  // slower is no slip
  int increments_ = 0;
};

}  // namespace clatter
