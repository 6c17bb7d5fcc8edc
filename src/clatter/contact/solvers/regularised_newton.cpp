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
constexpr double inner_accuracy = 0.03;  // of a point, relative to what is to be gained

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

/// sizes_ := mean diagonal of the contacts' own blocks, for all their rows; and a system of the
/// same pattern with values and velocities of its own.
ContactSystem RegularisedNewton::prepare(const ContactSystem& system) {
  diagonal_.resize(static_cast<std::size_t>(system.rows));
  sizes_.resize(static_cast<std::size_t>(system.rows));
  for (const CondensedContact& contact : system.contacts) {
    double sum = 0.0;
    for (int i = contact.first_row; i < contact.first_row + contact.rows; ++i) {
      const int at = system.place(i, i);
      diagonal_[static_cast<std::size_t>(i)] = at;
      sum += system.values[at];
    }
    std::fill_n(sizes_.begin() + contact.first_row, contact.rows, sum / contact.rows);
  }
  values_.assign(system.values, system.values + system.entries());
  b_.resize(static_cast<std::size_t>(system.rows));
  ContactSystem regular = system;
  regular.values = values_.data();
  regular.b = b_.data();
  return regular;
}

/// W + eps D and b - eps D r, at r = start_.
void RegularisedNewton::regularise(const ContactSystem& system, double eps) {
  for (std::size_t i = 0; i < sizes_.size(); ++i) {
    const auto at = static_cast<std::size_t>(diagonal_[i]);
    values_[at] = system.values[at] + eps * sizes_[i];
    b_[i] = system.b[i] - eps * sizes_[i] * start_[static_cast<Eigen::Index>(i)];
  }
}

/// point_ := the solution of the regular system, from the guess that it is. `at_once`: Newton's
/// method found it from there.
SolverRun RegularisedNewton::find_point(const ContactSystem& regular, double accuracy,
                                        bool& at_once, int& iterations) {
  SolverRun inner = newton_.iterate(regular, accuracy, newton_iterations, point_.data());
  iterations += std::max(1, inner.iterations);
  at_once = inner.solved;
  if (inner.solved) return inner;
  point_ = start_;
  inner = sweeps_.solve(regular, accuracy, sweeps_after_failure, point_.data());
  if (inner.solved) return inner;
  inner = newton_.iterate(regular, accuracy, newton_iterations, point_.data());
  iterations += inner.iterations;
  return inner;
}

/// Size of the reactions of point_, in terms of the velocities that they make.
double RegularisedNewton::largest_answer() const {
  double largest = 0.0;
  for (std::size_t i = 0; i < sizes_.size(); ++i) {
    largest = std::max(largest, sizes_[i] * std::abs(point_[static_cast<Eigen::Index>(i)]));
  }
  return largest;
}

/// The next eps: smaller where Newton's method was quick. What failed is not tried again soon.
void RegularisedNewton::Regularity::adapt(bool at_once, int iterations) {
  if (at_once) {
    floor *= 0.9;
    const bool quick = iterations <= few_iterations;
    eps *= quick ? 0.3 : iterations <= newton_iterations / 2 ? 0.7 : 0.85;
    eps = std::max(eps, floor);
  } else {
    floor = 1.5 * eps;
    eps *= 2.0;
  }
  eps = std::clamp(eps, smallest_eps, largest_eps);
}

/// Newton's method goes round in circles. Start again, each time from somewhere else: from no
/// reactions or from the best, after more and more sweeps. Returns the residual there.
double RegularisedNewton::start_elsewhere(const ContactSystem& system, double target,
                                          int restarts) {
  start_ = best_;
  if (restarts % 2 == 1) start_.setZero();
  return sweeps_.solve(system, target, sweeps_out_of_circles * restarts, start_.data()).residual;
}

SolverRun RegularisedNewton::proximal_points(const ContactSystem& system, double target,
                                             int max_iterations, double* r) {
  SolverRun run;
  const ContactSystem regular = prepare(system);
  start_ = Eigen::Map<const VecX>(r, system.rows);
  best_ = start_;
  double now = run.residual = residual(system, start_);
  double size_b = 0.0;
  for (int i = 0; i < system.rows; ++i) size_b = std::max(size_b, std::abs(system.b[i]));
  Regularity regularity{first_eps, smallest_eps};
  double last_eps = first_eps;
  bool drifts = false;  // by change_ from the last point to start_
  int stale = 0;        // points since the last that was better
  int restarts = 0;
  while (run.residual > target && run.iterations < max_iterations) {
    const double eps = regularity.eps;
    regularise(system, eps);
    // Where contacts are redundant, points drift: load goes from one contact to another by the same
    // amount over eps each time, until a contact opens or slips. That is foreseen.
    point_ = start_;
    if (drifts) point_ += last_eps / eps * change_;
    bool at_once = false;
    const double accuracy = std::max(inner_accuracy * now, 0.3 * target);
    const SolverRun inner = find_point(regular, accuracy, at_once, run.iterations);
    const double next = residual(system, point_);
    if (!(largest_answer() <= largest_reactions * size_b)) break;
    stale = next < 0.9 * run.residual ? 0 : stale + 1;
    improve(next, point_, run);
    drifts = inner.solved && std::isfinite(next);
    if (drifts || next < now) {
      change_ = point_ - start_;
      last_eps = eps;
      start_ = point_;
      now = next;
    }
    regularity.adapt(at_once, inner.iterations);
    if (stale < stale_before_change) continue;
    stale = 0;
    now = start_elsewhere(system, target, ++restarts);
    improve(now, start_, run);
    regularity = {first_eps, smallest_eps};
    drifts = false;
  }
  std::copy(best_.data(), best_.data() + system.rows, r);
  run.solved = run.residual <= target;
  return run;
}

/// best_ := reactions with this residual, if there were none better.
void RegularisedNewton::improve(double residual, const VecX& reactions, SolverRun& run) {
  if (!(residual < run.residual)) return;
  run.residual = residual;
  best_ = reactions;
}

}  // namespace clatter
