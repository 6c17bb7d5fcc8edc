#include <algorithm>
#include <cmath>
#include <limits>

#include <clatter/contact/solvers/sweep_solver.hpp>

namespace clatter {
namespace {

constexpr int sweeps_before_extrapolation = 6;
constexpr int sweeps_between_forecasts = 25;
constexpr double promising_sweep = 3.0;  // times the target: worth a true residual
constexpr int no_more_looks = std::numeric_limits<int>::max();

}  // namespace

/// What is learned from each sweep besides whether it was enough: how plain sweeps contract, the
/// best reactions so far, and whether there is hope.
class SweepSolver::Watch {
 public:
  Watch(double target, int max_sweeps, bool may_give_up)
      : target_(target), max_sweeps_(max_sweeps), may_give_up_(may_give_up) {}

  void contract(double visited, SolverRun& run) {
    run.contraction = last_ > 0.0 ? visited / last_ : 0.0;
    last_ = visited;
  }
  /// True when these are the best reactions so far.
  bool improves(double visited) {
    if (!(visited < least_)) return false;
    least_ = visited;
    return true;
  }
  /// As much is gained in the sweeps to come as in the last ones.
  bool is_hopeless(int sweeps) {
    if (!may_give_up_ || sweeps % sweeps_between_forecasts != 0) return false;
    const double gained = std::log(before_forecast_ / least_), missing = std::log(least_ / target_);
    before_forecast_ = least_;
    return sweeps >= 2 * sweeps_between_forecasts &&
           missing * sweeps_between_forecasts > gained * (max_sweeps_ - sweeps);
  }
  bool has_best() const { return std::isfinite(least_); }

 private:
  double target_;
  int max_sweeps_;
  bool may_give_up_;
  double last_ = 0.0, least_ = INFINITY, before_forecast_ = INFINITY;
};

SweepSolver::SweepSolver()
    : gauss_seidel_(FixedPointAccelerator::max_memory, 2.0, sweeps_before_extrapolation) {}

SolverRun SweepSolver::solve(const ContactSystem& system, double target, int max_sweeps, double* r,
                             bool may_give_up) {
  SolverRun run;
  island_.attach(system, r);
  Eigen::Map<VecX> reactions(r, system.rows);
  Watch watch(target, max_sweeps, may_give_up);
  SweepStop stop({target, max_sweeps}, promising_sweep, no_more_looks);
  const auto is_done = [&](double visited, int sweeps) {
    if (!std::isfinite(visited)) return true;
    const bool is_plain = sweeps <= sweeps_before_extrapolation;
    if (is_plain) watch.contract(visited, run);
    run.solved = stop.is_enough(island_, visited, sweeps);
    if (run.solved || is_plain) return run.solved;
    if (watch.improves(visited)) best_ = reactions;
    return watch.is_hopeless(sweeps);
  };
  if (max_sweeps > 0) run.iterations = gauss_seidel_.sweep(island_, max_sweeps, is_done);
  if (run.solved) {
    run.residual = stop.residual().size;
    return run;
  }
  if (watch.has_best()) reactions = best_;
  run.residual = island_.residual().size;
  run.solved = run.residual <= target;
  return run;
}

}  // namespace clatter
