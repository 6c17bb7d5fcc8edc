#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

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

/// Semismooth Newton method with a nonmonotone line search. The problem has
///
///   evaluate()             the residual at its unknowns
///   assemble(K)            the derivative, into a matrix K that has been set to zero
///   fill_right_side(K, x)  x := minus the residual
///   move(K, x, factor)     unknowns += factor x
///   culprit()              where the residual is largest, in words
///   is_predicted           its first guess may be as good as round-off without being the solution
///
/// `eps`: how much the matrix is regularised; raised when it turns out to be singular. False: no
/// solution, and `w.failure` says why.
template <class Problem, class Matrix>
bool solve_by_newton(Problem& problem, Matrix& K, VecX& dx, double& eps, int& iterations,
                     StepWork& w, const char* what) {
  Residual r = problem.evaluate();
  std::array<double, 3> recent;
  recent.fill(r.merit);
  for (iterations = 0;; ++iterations) {
    if (!std::isfinite(r.merit)) {
      w.failure = fmt::format("the {} problem gave a value that is not a number", what);
      return false;
    }
    // Large systems can stop a little above the round-off that a few operations leave.
    const double best = *std::min_element(recent.begin(), recent.end());
    // Much regularisation slows it down, which must not be taken for that.
    const bool stands = iterations >= 4 && r.merit > 0.5 * best && eps <= regularisation;
    // What may be round-off of stiff beams may as well be all of a small motion: the prediction
    // alone does not do.
    const bool guessed =
        Problem::is_predicted && iterations == 0 && w.smooth_numbers > 0.0 && r.merit > 0.0;
    if ((r.converged() && !guessed) || (stands && r.is_round_off())) return true;
    if (iterations == w.spec.max_iterations) {
      w.failure = fmt::format("the {} problem did not converge in {} iterations{}", what,
                              iterations, problem.culprit());
      return false;
    }
    const auto factorise = [&] {
      K.set_zero();
      problem.assemble(K);
      if (eps > 0.0) K.regularise(eps);
      return K.factorise(eps > 0.0);
    };
    bool factorised = factorise();
    if (!factorised && eps == 0.0) {
      eps = regularisation;
      factorised = factorise();
    }
    if (eps > 0.0) ++w.counts.regularised;
    if (!factorised) {
      w.failure = fmt::format("the {} problem is singular{}", what, problem.culprit());
      return false;
    }
    problem.fill_right_side(K, dx);
    K.solve(dx);
    problem.move(K, dx, 1.0);
    Residual next = problem.evaluate();
    // Nonmonotone line search: the kinks of the contact laws may raise the residual for a while.
    const double bound = *std::max_element(recent.begin(), recent.end());
    double length = 1.0;
    for (int k = 0; k < max_line_search && !(next.merit <= bound) && !next.converged(); ++k) {
      length *= 0.5;
      problem.move(K, dx, -length);
      next = problem.evaluate();
    }
    if (!(next.merit <= bound) && !next.converged()) {
      problem.move(K, dx, 1.0 - length);
      next = problem.evaluate();
    }
    r = next;
    recent[static_cast<std::size_t>(iterations) % recent.size()] = r.merit;
  }
}

}  // namespace clatter
