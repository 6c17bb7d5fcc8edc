#pragma once

#include <array>
#include <vector>

#include <clatter/contact/solvers/contact_problem.hpp>

namespace clatter {

/// Contacts that hold bodies more often than it takes: a part of their reactions cancels in each
/// body and can be anything. A shaft between two balls without clearance is squeezed by them as
/// much or as little as the way of the solver had it. Rows after those of the contacts are of
/// joints, which may pull as well.
struct HeldLoad {
  MatX wrenches;  ///< column: what a unit reaction in a row does to all bodies, one below the other
  VecX wrench;    ///< what the reactions must do together
  std::vector<CondensedContact> contacts;  ///< that are closed, in the order of their rows
  VecX reactions;
  /// By contacts and balls: whether it slips, so that friction at its limit must stay there. Of
  /// contacts that are not in the list all that is at its limit does.
  std::vector<std::array<bool, max_friction_blocks>> slips;
};

/// Lets go of what cancels: the norm of the reactions is made smaller with their wrench as it is,
/// none pulls, friction stays in its cones, and what slips goes on slipping the same way. The least
/// norm is reached where no contact comes to pull on the way to it; contacts that would are let go
/// of, one by one. False: the wrench is none of these contacts.
bool relieve(HeldLoad& load);

}  // namespace clatter
