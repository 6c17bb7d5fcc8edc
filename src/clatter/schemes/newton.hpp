#pragma once

#include <cmath>

#include <fmt/format.h>

#include <clatter/machine/coupled_matrix.hpp>
#include <clatter/math/newton.hpp>
#include <clatter/schemes/step_work.hpp>

namespace clatter {

inline constexpr int max_line_search = 8;

/// dx := zero on the unknowns of the islands that stay.
void hold_islands(const KktMatrix& K, const StepWork& w, VecX& dx);
void hold_islands(const CoupledMatrix& K, const StepWork& w, VecX& dx);

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
/// singular matrices. One matrix has all islands, but each is judged on its own: it ends when it
/// has converged, and has a line search of its own. The problem has
///
///   evaluate()             the residual at its unknowns, and those of the islands
///   assemble(K)            the derivative, into a matrix K that has been set to zero
///   fill_right_side(K, x)  x := minus the residual
///   move(K, x, factor)     unknowns += factor x
///   culprit()              where the residual is largest, in words
///   is_predicted           its first guess may be as good as round-off without being the solution
///   patience               if it has one: after so many updates that did not halve the merit it is
///                          given up, for there is another way to go on
template <class Problem, class Matrix>
struct NewtonOfStep {
  Problem& problem;
  Matrix& K;
  VecX& dx;
  double& eps;  ///< how much the matrix is regularised; stays once it was needed
  StepWork& w;
  const char* what;
  Residual r = problem.evaluate();
  double best = INFINITY;  ///< merit that was halved last
  int best_update = 0;     ///< and when
  int halvings = 0;        ///< of the present update

  double merit() const { return r.merit; }
  bool accepts(double largest) const {
    if (is_one()) return r.merit <= largest || r.converged();
    for (std::size_t i = 0; i < islands(); ++i) {
      if (!accepts_island(i)) return false;
    }
    return true;
  }

  NewtonVerdict judge(int updates, const RecentMerits& recent) {
    if (w.on_update) w.on_update({w.instant.time, what, false, updates, halvings, r});
    if (!std::isfinite(r.merit)) {
      w.failure = fmt::format("the {} problem gave a value that is not a number", what);
      return NewtonVerdict::given_up;
    }
    if (is_one() ? is_solved(r, updates, recent, w.smooth_numbers) : are_solved(updates)) {
      return NewtonVerdict::solved;
    }
    if (updates < w.spec.max_iterations && !lost_patience(updates)) return NewtonVerdict::go_on;
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

  /// Islands that are solved stay where they are, and so do, after the first move of an update,
  /// those that accept it.
  void move(double from, double to) {
    halvings = to < 1.0 ? halvings + 1 : 0;
    if (!is_one()) {
      for (std::size_t i = 0; i < islands(); ++i) {
        w.progress[i].stays = from == 0.0 ? w.progress[i].is_solved : accepts_island(i);
      }
      hold_islands(K, w, dx);
    }
    problem.move(K, dx, to - from);
    r = problem.evaluate();
  }

 private:
  bool lost_patience(int updates) {
    if constexpr (requires { Problem::patience; }) {
      if (r.merit < 0.5 * best) best = r.merit, best_update = updates;
      return updates - best_update >= Problem::patience;
    }
    return false;
  }

  bool is_one() const { return w.islands.count() == 1; }
  std::size_t islands() const { return static_cast<std::size_t>(w.islands.count()); }

  bool is_solved(const Residual& own, int updates, const RecentMerits& recent,
                 double numbers) const {
    // Large systems can stop a little above the round-off that a few operations leave. Much
    // regularisation slows it down, which must not be taken for that.
    const bool stands =
        updates >= 4 && own.merit > 0.5 * recent.smallest() && eps <= regularisation;
    // What may be round-off of stiff beams may as well be all of a small motion: the prediction
    // alone does not do.
    const bool guessed = Problem::is_predicted && updates == 0 && numbers > 0.0 && own.merit > 0.0;
    return (own.converged() && !guessed) || (stands && own.is_round_off());
  }

  bool are_solved(int updates) {
    bool all = true;
    for (std::size_t i = 0; i < islands(); ++i) {
      IslandProgress& island = w.progress[i];
      const Residual& own = w.residuals[i];
      if (updates == 0) island = {RecentMerits(own.merit)};
      if (updates > 0) island.recent.remember(updates - 1, own.merit);
      const double numbers = w.numbers_of(static_cast<int>(i), w.smooth_numbers);
      island.is_solved = island.is_solved || is_solved(own, updates, island.recent, numbers);
      all = all && island.is_solved;
    }
    return all;
  }

  bool accepts_island(std::size_t i) const {
    const IslandProgress& island = w.progress[i];
    return island.is_solved || w.residuals[i].converged() ||
           w.residuals[i].merit <= island.recent.largest();
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
