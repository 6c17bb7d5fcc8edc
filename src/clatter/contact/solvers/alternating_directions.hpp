#pragma once

#include <vector>

#include <clatter/contact/solvers/contact_problem.hpp>
#include <clatter/contact/solvers/solver_run.hpp>
#include <clatter/math/block_cholesky.hpp>

namespace clatter {

/// Alternating directions: the linear equations, relaxed by a penalty, and the projection on the
/// cones in turn, tied by multipliers. One factorisation serves all iterations. Started from no
/// reactions, redundant contacts share the load evenly and stay within their cones: machines at
/// rest on many contacts take a dozen iterations. Others take hundreds, and are left to other
/// solvers.
class AlternatingDirections {
 public:
  /// Stops as soon as it foresees that `max_iterations` will not do; `r` is changed only by
  /// success.
  SolverRun solve(const ContactSystem& system, double target, int max_iterations, double* r);

 private:
  void find_pattern(const ContactSystem& system);
  bool factorise(const ContactSystem& system);
  void solve_equations(const ContactSystem& system);
  void project_reactions(const ContactSystem& system);

  BlockCholesky cholesky_;
  std::vector<int> first_rows_, begins_, neighbours_, contact_of_row_;
  std::vector<double> values_;
  VecX penalty_, shift_, x_, z_, multiplier_, u_;
};

}  // namespace clatter
