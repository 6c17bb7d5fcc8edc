#pragma once

#include <vector>

#include <clatter/contact/solvers/contact_problem.hpp>
#include <clatter/contact/solvers/solver_run.hpp>
#include <clatter/math/fixed_point_accelerator.hpp>

namespace clatter {

/// Fixed-point iteration r <- P(r - rho u^) on all contacts at once. The length rho of the steps is
/// found on the way: each contact has the inverse of its own block times a common factor, which
/// shrinks while u^ changes faster than r allows, and grows again. Extrapolated (Anderson).
class ProxFixedPoint {
 public:
  SolverRun solve(const ContactSystem& system, double target, int max_iterations, double* r);

 private:
  void find_steps(const ContactSystem& system);
  double project_all(const ContactSystem& system);
  double project_safely(const ContactSystem& system);
  void go_on(const ContactSystem& system, double residual);

  std::vector<double> rho_;  // of the contacts, times the common factor
  double factor_ = 1.0;
  FixedPointAccelerator accelerator_;
  VecX r_, u_, next_, u_next_, best_, extrapolated_;
};

}  // namespace clatter
