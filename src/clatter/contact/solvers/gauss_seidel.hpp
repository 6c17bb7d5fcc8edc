#pragma once

#include <span>
#include <vector>

#include <clatter/contact/solvers/contact_problem.hpp>
#include <clatter/contact/solvers/one_contact.hpp>
#include <clatter/contact/solvers/solver_run.hpp>
#include <clatter/math/fixed_point_accelerator.hpp>

namespace clatter {

/// Projected Gauss-Seidel: each contact in turn is made to obey its law, the others given. Inverts
/// nothing but the contacts' own blocks, so redundant contacts do not trouble it. Sweeps that
/// converge slowly are extrapolated (Anderson).
class GaussSeidel {
 public:
  /// Sweeps until the residual is at most `target`. `r`: first guess and result. `may_give_up`:
  /// stops as soon as it foresees that `max_sweeps` will not do.
  SolverRun solve(const ContactSystem& system, double target, int max_sweeps, double* r,
                  bool may_give_up = false);

 private:
  void prepare_blocks(const ContactSystem& system);
  template <int Rows>
  double visit(const ContactSystem& system, const CondensedContact& contact, const OneContact& one,
               double* r);

  std::vector<OneContact> blocks_;
  std::vector<double> u_;
  FixedPointAccelerator accelerator_;
  VecX before_, after_, best_;
};

}  // namespace clatter
