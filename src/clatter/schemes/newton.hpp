#pragma once

#include <cmath>

#include <fmt/format.h>

#include <clatter/math/newton.hpp>
#include <clatter/schemes/step_work.hpp>

namespace clatter {

/// Residual of a problem of a step, each part divided by what it may be: converged at one.
struct Residual {
  double momentum = 0.0;
  double rows = 0.0;
  double merit = 0.0;  ///< undivided, for the line search

  bool converged() const { return momentum <= 1.0 && rows <= 1.0; }
  bool is_round_off() const { return momentum <= 100.0 && rows <= 100.0; }
};

/// How much of what it may be a value is.
inline double ratio(double value, double allowed) {
  if (value == 0.0) return 0.0;
  return allowed > 0.0 ? value / allowed : INFINITY;
}

inline constexpr int max_line_search = 8;

/// Factorises what `assemble` fills into a matrix of zeros. Redundant joints make it singular: then
/// it is regularised, and stays so from now on, which `eps` remembers.
template <class Matrix, class Assemble>
bool factorise_or_regularise(Matrix& K, double& eps, const Assemble& assemble) {
  const auto factorise = [&] {
    K.set_zero();
    assemble();
    if (eps > 0.0) K.regularise(eps);
    return K.factorise(eps > 0.0);
  };
  if (factorise()) return true;
  if (eps > 0.0) return false;
  eps = regularisation;
  return factorise();
}

/// A problem of a step as math/newton.hpp sees it: when it is converged, and what is done about
/// singular matrices. The problem has
///
///   evaluate()             the residual at its unknowns
///   assemble(K)            the derivative, into a matrix K that has been set to zero
///   fill_right_side(K, x)  x := minus the residual
///   move(K, x, factor)     unknowns += factor x
///   culprit()              where the residual is largest, in words
///   is_predicted           its first guess may be as good as round-off without being the solution
template <class Problem, class Matrix>
struct NewtonOfStep {
  Problem& problem;
  Matrix& K;
  VecX& dx;
  double& eps;  ///< how much the matrix is regularised; stays once it was needed
  StepWork& w;
  const char* what;
  Residual r = problem.evaluate();

  double merit() const { return r.merit; }
  bool accepts(double largest) const { return r.merit <= largest || r.converged(); }

  NewtonVerdict judge(int updates, const RecentMerits& recent) {
    if (!std::isfinite(r.merit)) {
      w.failure = fmt::format("the {} problem gave a value that is not a number", what);
      return NewtonVerdict::given_up;
    }
    // Large systems can stop a little above the round-off that a few operations leave. Much
    // regularisation slows it down, which must not be taken for that.
    const bool stands = updates >= 4 && r.merit > 0.5 * recent.smallest() && eps <= regularisation;
    // What may be round-off of stiff beams may as well be all of a small motion: the prediction
    // alone does not do.
    const bool guessed =
        Problem::is_predicted && updates == 0 && w.smooth_numbers > 0.0 && r.merit > 0.0;
    if ((r.converged() && !guessed) || (stands && r.is_round_off())) return NewtonVerdict::solved;
    if (updates < w.spec.max_iterations) return NewtonVerdict::go_on;
    w.failure = fmt::format("the {} problem did not converge in {} iterations{}", what, updates,
                            problem.culprit());
    return NewtonVerdict::given_up;
  }

  bool find_update() {
    const bool factorised = factorise_or_regularise(K, eps, [&] { problem.assemble(K); });
    if (eps > 0.0) ++w.counts.regularised;
    if (!factorised) {
      w.failure = fmt::format("the {} problem is singular{}", what, problem.culprit());
      return false;
    }
    problem.fill_right_side(K, dx);
    K.solve(dx);
    return true;
  }
  void move(double from, double to) {
    problem.move(K, dx, to - from);
    r = problem.evaluate();
  }
};

/// Solves a problem of a step. `dx`: scratch. False: no solution, and `w.failure` says why.
template <class Problem, class Matrix>
bool solve_by_newton(Problem& problem, Matrix& K, VecX& dx, double& eps, int& iterations,
                     StepWork& w, const char* what) {
  NewtonOfStep<Problem, Matrix> newton{problem, K, dx, eps, w, what};
  return solve_by_newton(newton, max_line_search, iterations) == NewtonEnd::solved;
}

}  // namespace clatter
