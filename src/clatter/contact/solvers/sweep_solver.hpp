#pragma once

#include <clatter/contact/solvers/contact_problem.hpp>
#include <clatter/contact/solvers/gauss_seidel.hpp>
#include <clatter/contact/solvers/matrix_island.hpp>
#include <clatter/contact/solvers/solver_run.hpp>

namespace clatter {

/// Gauss-Seidel sweeps as a solver of contact problems with W written out.
class SweepSolver {
 public:
  SweepSolver();

  /// Sweeps until the residual is at most `target`. `r`: first guess and result, which without
  /// success is the best that was seen. `may_give_up`: stops as soon as it foresees that
  /// `max_sweeps` will not do.
  SolverRun solve(const ContactSystem& system, double target, int max_sweeps, double* r,
                  bool may_give_up = false);

 private:
  class Watch;

  GaussSeidel gauss_seidel_;
  MatrixIsland island_;
  VecX best_;
};

}  // namespace clatter
