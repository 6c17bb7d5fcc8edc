#include <algorithm>
#include <cmath>

#include <clatter/contact/solvers/regularised_newton.hpp>

namespace clatter {
namespace {

constexpr int barrier_iterations = 60;
constexpr int last_iterations = 8;  // without any regularisation, from where the barrier led
// Proximal points.
constexpr double first_eps = 1e-2, largest_eps = 1.0, smallest_eps = 1e-9;
constexpr int newton_iterations = 20, few_iterations = 3;
constexpr int sweeps_after_failure = 200;
constexpr int stale_before_change = 30, sweeps_out_of_circles = 100;
constexpr double inner_accuracy = 0.03;    // of a point, relative to what is to be gained
constexpr double largest_reactions = 1e9;  // in terms of |b|/|W|

}  // namespace

double RegularisedNewton::residual(const ContactSystem& system, const VecX& r) {
  u_.resize(system.rows);
  contact_velocities(system, r.data(), u_.data());
  return std::sqrt(squared_residual(system, r.data(), u_.data()));
}

SolverRun RegularisedNewton::solve(const ContactSystem& system, double target, int max_iterations,
                                   double* r) {
  Eigen::Map<VecX> reactions(r, system.rows);
  start_ = reactions;
  const double at_start = residual(system, start_);
  SolverRun run =
      interior_point_.solve(system, target, std::min(max_iterations, barrier_iterations), r);
  const auto go_on = [&](SolverRun more) {
    more.iterations += run.iterations;
    run = more;
  };
  if (run.solved) return run;
  if (!(run.residual < at_start)) reactions = start_;
  newton_.prepare(system);
  go_on(newton_.iterate(system, target, std::min(last_iterations, max_iterations - run.iterations),
                        r));
  if (run.solved) return run;
  go_on(proximal_points(system, target, max_iterations - run.iterations, r));
  return run;
}

SolverRun RegularisedNewton::proximal_points(const ContactSystem& system, double target,
                                             int max_iterations, double* r) {
  SolverRun run;
  diagonal_.resize(static_cast<std::size_t>(system.rows));
  sizes_.resize(static_cast<std::size_t>(system.rows));
  for (const CondensedContact& contact : system.contacts) {
    double sum = 0.0;
    for (int i = contact.first_row; i < contact.first_row + contact.rows; ++i) {
      const int* begin = system.columns + system.starts[i];
      const int* at = std::lower_bound(begin, system.columns + system.starts[i + 1], i);
      diagonal_[static_cast<std::size_t>(i)] = static_cast<int>(at - system.columns);
      sum += system.values[at - system.columns];
    }
    std::fill_n(sizes_.begin() + contact.first_row, contact.rows, sum / contact.rows);
  }
  values_.assign(system.values, system.values + system.entries());
  b_.resize(static_cast<std::size_t>(system.rows));
  ContactSystem regular = system;
  regular.values = values_.data();
  regular.b = b_.data();

  start_ = Eigen::Map<const VecX>(r, system.rows);
  best_ = start_;
  double now = run.residual = residual(system, start_);
  double size_b = 0.0;
  for (int i = 0; i < system.rows; ++i) size_b = std::max(size_b, std::abs(system.b[i]));
  double eps = first_eps, last_eps = eps, floor = smallest_eps;
  bool drifts = false;  // by change_ from the last point to start_
  int stale = 0;        // points since the last that was better
  int restarts = 0;
  while (run.residual > target && run.iterations < max_iterations) {
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      const auto at = static_cast<std::size_t>(diagonal_[i]);
      values_[at] = system.values[at] + eps * sizes_[i];
      b_[i] = system.b[i] - eps * sizes_[i] * start_[static_cast<Eigen::Index>(i)];
    }
    const double accuracy = std::max(inner_accuracy * now, 0.3 * target);
    // Where contacts are redundant, points drift: load goes from one contact to another by the same
    // amount over eps each time, until a contact opens or slips. That is foreseen.
    point_ = start_;
    if (drifts) point_ += last_eps / eps * change_;
    SolverRun inner = newton_.iterate(regular, accuracy, newton_iterations, point_.data());
    run.iterations += std::max(1, inner.iterations);
    const bool at_once = inner.solved;
    if (!inner.solved) {
      point_ = start_;
      inner = sweeps_.solve(regular, accuracy, sweeps_after_failure, point_.data());
      if (!inner.solved) {
        inner = newton_.iterate(regular, accuracy, newton_iterations, point_.data());
        run.iterations += inner.iterations;
      }
    }
    const double next = residual(system, point_);
    // Reactions without bound: there is no solution, and soon none could be told from round-off.
    double largest = 0.0;
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      largest = std::max(largest, sizes_[i] * std::abs(point_[static_cast<Eigen::Index>(i)]));
    }
    if (!(largest <= largest_reactions * size_b)) break;
    ++stale;
    if (next < run.residual) {
      if (next < 0.9 * run.residual) stale = 0;
      run.residual = next;
      best_ = point_;
    }
    drifts = inner.solved && std::isfinite(next);
    if (drifts || next < now) {
      change_ = point_ - start_;
      last_eps = eps;
      start_ = point_;
      now = next;
    }
    // What failed is not tried again soon.
    if (at_once) {
      floor *= 0.9;
      const bool quick = inner.iterations <= few_iterations;
      eps *= quick ? 0.3 : inner.iterations <= newton_iterations / 2 ? 0.7 : 0.85;
      eps = std::max(eps, floor);
    } else {
      floor = 1.5 * eps;
      eps *= 2.0;
    }
    eps = std::clamp(eps, smallest_eps, largest_eps);
    if (stale >= stale_before_change) {
      // Newton's method goes round in circles. Start again, each time from somewhere else: from no
      // reactions or from the best, after more and more sweeps.
      stale = 0;
      ++restarts;
      start_ = best_;
      if (restarts % 2 == 1) start_.setZero();
      const SolverRun sweeps =
          sweeps_.solve(system, target, sweeps_out_of_circles * restarts, start_.data());
      now = sweeps.residual;
      if (now < run.residual) {
        run.residual = now;
        best_ = start_;
      }
      eps = first_eps;
      floor = smallest_eps;
      drifts = false;
    }
  }
  std::copy(best_.data(), best_.data() + system.rows, r);
  run.solved = run.residual <= target;
  return run;
}

}  // namespace clatter
