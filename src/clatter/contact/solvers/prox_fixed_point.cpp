#include <algorithm>
#include <cmath>

#include <clatter/contact/law/natural_map.hpp>
#include <clatter/contact/solvers/prox_fixed_point.hpp>

namespace clatter {
namespace {

// The step is right when u^ changes by this share of what the change of r would allow.
constexpr double largest_share = 0.9, smallest_share = 0.3;
constexpr double shrinking = 2.0 / 3.0;
constexpr int max_shrinkings = 40;
constexpr int shares_before_growth = 10;  // iterations of small shares before the step grows

}  // namespace

void ProxFixedPoint::find_steps(const ContactSystem& system) {
  rho_.assign(system.contacts.size(), 1.0);
  for (std::size_t c = 0; c < system.contacts.size(); ++c) {
    const CondensedContact& contact = system.contacts[c];
    double trace = 0.0;
    for (int i = contact.first_row; i < contact.first_row + contact.rows; ++i) {
      trace += system.diagonal(i);
    }
    if (trace > 0.0) rho_[c] = 1.0 / trace;
  }
}

/// next_ := P(r - rho u^) with its velocities. Returns by which share of what that change of r
/// allows u changes.
double ProxFixedPoint::project_all(const ContactSystem& system) {
  double change = 0.0, answer = 0.0;
  std::array<double, max_contact_rows> off;
  for (std::size_t c = 0; c < system.contacts.size(); ++c) {
    const CondensedContact& contact = system.contacts[c];
    const int first = contact.first_row;
    natural_map(contact.law, contact.rows, factor_ * rho_[c], r_.data() + first, u_.data() + first,
                off.data());
    for (int i = 0; i < contact.rows; ++i) {
      next_[first + i] = r_[first + i] - off[i];
      change += off[i] * off[i] / rho_[c];
    }
  }
  contact_velocities(system, next_.data(), u_next_.data());
  for (std::size_t c = 0; c < system.contacts.size(); ++c) {
    const CondensedContact& contact = system.contacts[c];
    const int first = contact.first_row;
    const double square =
        (u_next_.segment(first, contact.rows) - u_.segment(first, contact.rows)).squaredNorm();
    answer += square * rho_[c];
  }
  return change > 0.0 ? factor_ * std::sqrt(answer / change) : 0.0;
}

/// Projects with shorter and shorter steps until they are short enough. Returns the share.
double ProxFixedPoint::project_safely(const ContactSystem& system) {
  double share = 0.0;
  for (int k = 0; k < max_shrinkings; ++k) {
    share = project_all(system);
    if (share <= largest_share) break;
    factor_ *= shrinking * std::min(1.0, 1.0 / share);
    accelerator_.restart(static_cast<std::size_t>(system.rows));
  }
  return share;
}

/// r_ := next_, or an extrapolation if its residual is no worse than that.
void ProxFixedPoint::go_on(const ContactSystem& system, double residual) {
  extrapolated_ = r_;
  const auto size = static_cast<std::size_t>(system.rows);
  if (accelerator_.extrapolate({extrapolated_.data(), size}, {next_.data(), size})) {
    contact_velocities(system, extrapolated_.data(), u_.data());
    const double far = std::sqrt(squared_residual(system, extrapolated_.data(), u_.data()));
    if (far <= residual) {
      r_ = extrapolated_;
      return;
    }
  }
  r_ = next_;
  u_ = u_next_;
}

SolverRun ProxFixedPoint::solve(const ContactSystem& system, double target, int max_iterations,
                                double* r) {
  SolverRun run;
  find_steps(system);
  r_ = Eigen::Map<const VecX>(r, system.rows);
  for (VecX* list : {&u_, &next_, &u_next_}) list->resize(system.rows);
  contact_velocities(system, r_.data(), u_.data());
  run.residual = std::sqrt(squared_residual(system, r_.data(), u_.data()));
  best_ = r_;
  accelerator_.restart(static_cast<std::size_t>(system.rows));
  factor_ = 1.0;
  int small_shares = 0;
  while (run.residual > target && run.iterations < max_iterations) {
    const double share = project_safely(system);
    ++run.iterations;
    const double residual = std::sqrt(squared_residual(system, next_.data(), u_next_.data()));
    if (!std::isfinite(residual)) break;
    if (residual < run.residual) {
      run.residual = residual;
      best_ = next_;
    }
    small_shares = share < smallest_share ? small_shares + 1 : 0;
    if (small_shares == shares_before_growth) {
      factor_ /= shrinking;
      small_shares = 0;
      accelerator_.restart(static_cast<std::size_t>(system.rows));
    }
    go_on(system, residual);
  }
  std::copy(best_.data(), best_.data() + system.rows, r);
  run.solved = run.residual <= target;
  return run;
}

}  // namespace clatter
