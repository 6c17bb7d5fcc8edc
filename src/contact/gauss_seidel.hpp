#pragma once

#include <span>

#include "contact/friction_law.hpp"

namespace clatter {

/// The rows of one contact in a condensed problem.
struct CondensedContact {
  int first_row = 0;
  int rows = 1;
  ContactLaw law = {};
};

struct GaussSeidelResult {
  int sweeps = 0;
  double change = 0.0;  ///< of the reactions in the last sweep, relative to their size
};

/// Projected Gauss-Seidel on the Delassus operator: finds reactions p with g = b + D p such that
/// each contact obeys Signorini and Coulomb. Inverts nothing but its diagonal, so redundant
/// contacts do not trouble it; converges slowly but from anywhere. `p` is the first guess and the
/// result.
GaussSeidelResult solve_gauss_seidel(const MatX& D, const VecX& b,
                                     std::span<const CondensedContact> contacts, double tolerance,
                                     int max_sweeps, VecX& p);

}  // namespace clatter
