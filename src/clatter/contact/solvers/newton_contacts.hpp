#pragma once

#include <array>
#include <vector>

#include <clatter/contact/solvers/contact_matrix.hpp>
#include <clatter/contact/solvers/contact_problem.hpp>
#include <clatter/contact/solvers/solver_run.hpp>

namespace clatter {

/// Semismooth Newton method on the active-set equations of the augmented Lagrangian
/// (friction_law.hpp), with a nonmonotone line search. Contacts that open leave the linear system.
/// Quick when the active sets are nearly known; where contacts are redundant a little compliance
/// chooses among the reactions that are possible.
class NewtonContacts {
 public:
  SolverRun solve(const ContactSystem& system, double target, int max_iterations, double* r);

  /// `solve` is `prepare` and `iterate`. What was prepared serves all systems with the same
  /// pattern.
  void prepare(const ContactSystem& system) { matrix_.attach(system); }
  SolverRun iterate(const ContactSystem& system, double target, int max_iterations, double* r);
  double cost() const { return matrix_.cost(); }

 private:
  struct Steps {
    double normal = 1.0;
    std::array<double, max_friction_blocks> balls = {};
  };

  struct Iteration;
  struct Lines;

  void find_steps(const ContactSystem& system);
  double merit(const ContactSystem& system, const VecX& r, const VecX& u) const;
  void linearise(const ContactSystem& system);
  void find_open_contacts(const ContactSystem& system);
  void hold_row(const Lines& lines, int first, int i);
  void linearise_ball(const Lines& lines, int first, const FrictionBall& ball, double step,
                      double xi_N);

  ContactMatrix matrix_;
  std::vector<Steps> steps_;
  std::vector<char> kept_;
  VecX r_, u_, dr_, start_, best_, open_;
};

}  // namespace clatter
