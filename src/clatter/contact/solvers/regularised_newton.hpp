#pragma once

#include <vector>

#include <clatter/contact/solvers/interior_point.hpp>
#include <clatter/contact/solvers/newton_contacts.hpp>
#include <clatter/contact/solvers/sweep_solver.hpp>

namespace clatter {

/// Newton's method for singular systems, regularised in one of two ways. First by a barrier, which
/// is a few steps wherever it succeeds (interior_point.hpp). Then, from what that has reached, by
/// proximal points: each is the solution of the problem with W + eps D and b - eps D r, with r the
/// last one and D the size of the contacts' own blocks. That is regular, and changes nothing where
/// r stays. The smaller eps the fewer points, as long as Newton's method finds them.
class RegularisedNewton {
 public:
  /// `max_iterations`: of Newton's method, of all points together.
  SolverRun solve(const ContactSystem& system, double target, int max_iterations, double* r);

 private:
  struct Regularity {
    double eps, floor;
    void adapt(bool at_once, int iterations);
  };

  SolverRun proximal_points(const ContactSystem& system, double target, int max_iterations,
                            double* r);
  double residual(const ContactSystem& system, const VecX& r);
  ContactSystem prepare(const ContactSystem& system);
  void regularise(const ContactSystem& system, double eps);
  SolverRun find_point(const ContactSystem& regular, double accuracy, bool& at_once,
                       int& iterations);
  double largest_answer() const;
  double start_elsewhere(const ContactSystem& system, double target, int restarts);
  void improve(double residual, const VecX& reactions, SolverRun& run);

  InteriorPoint interior_point_;
  NewtonContacts newton_;
  SweepSolver sweeps_;
  std::vector<int> diagonal_;  // places of its entries
  std::vector<double> values_, b_, sizes_;
  VecX start_, point_, best_, change_, u_;
};

}  // namespace clatter
