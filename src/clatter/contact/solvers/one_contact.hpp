#pragma once

#include <clatter/contact/solvers/contact_problem.hpp>

namespace clatter {

// The reaction of one contact when what the others do is given: u = f + W r, with W the contact's
// own block, stored by rows. `r` is the first guess and the result. Sliding friction in two and in
// three dimensions is solved exactly; anything else is improved by a few steps of projection.

/// One contact's block of W, prepared.
struct OneContact {
  std::array<double, max_contact_rows* max_contact_rows> W = {};
  std::array<double, 9> inverse = {};  ///< of W, for two and three rows
  /// Lengths of steps that projections converge with; only where there is no exact solution.
  double normal_step = 0.0;
  std::array<double, max_friction_blocks> ball_steps = {};
  bool is_regular = false;    ///< the inverse exists
  bool is_movable = false;    ///< the normal row answers to its own reaction
  bool same_columns = false;  ///< the rows of W have entries in the same columns
};

/// Prepares steps and inverse from W.
void prepare(const CondensedContact& contact, OneContact& one);

void solve_one_contact(const CondensedContact& contact, const OneContact& one, const double* f,
                       double* r);

}  // namespace clatter
