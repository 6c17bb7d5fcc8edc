#include <algorithm>
#include <cmath>

#include <clatter/contact/law/natural_map.hpp>
#include <clatter/contact/solvers/alternating_directions.hpp>

namespace clatter {
namespace {

// Small enough for machines at rest to be solved nearly at once, large enough for contacts to find
// out that they slip or open.
constexpr double relative_penalty = 1e-2;
constexpr int first_look = 5;  // iterations after which the progress tells

}  // namespace

/// The pattern of W by contacts: all rows of a contact have the same columns.
void AlternatingDirections::find_pattern(const ContactSystem& system) {
  first_rows_.clear();
  contact_of_row_.resize(static_cast<std::size_t>(system.rows));
  for (std::size_t c = 0; c < system.contacts.size(); ++c) {
    const CondensedContact& contact = system.contacts[c];
    first_rows_.push_back(contact.first_row);
    std::fill_n(contact_of_row_.begin() + contact.first_row, contact.rows, static_cast<int>(c));
  }
  first_rows_.push_back(system.rows);
  begins_.assign(1, 0);
  neighbours_.clear();
  for (const CondensedContact& contact : system.contacts) {
    for (int k = system.starts[contact.first_row]; k < system.starts[contact.first_row + 1];) {
      const int other = contact_of_row_[static_cast<std::size_t>(system.columns[k])];
      neighbours_.push_back(other);
      k += system.contacts[static_cast<std::size_t>(other)].rows;
    }
    begins_.push_back(static_cast<int>(neighbours_.size()));
  }
}

/// Factorises W plus the penalties. False: there is a contact that nothing moves, or W is not
/// definite.
bool AlternatingDirections::factorise(const ContactSystem& system) {
  penalty_.resize(system.rows);
  values_.assign(system.values, system.values + system.entries());
  for (const CondensedContact& contact : system.contacts) {
    const int first = contact.first_row;
    double sum = 0.0;
    for (int i = first; i < first + contact.rows; ++i) sum += system.diagonal(i);
    const double penalty = relative_penalty * sum / contact.rows;
    if (!(penalty > 0.0)) return false;
    for (int i = first; i < first + contact.rows; ++i) {
      values_[static_cast<std::size_t>(system.place(i, i))] += penalty;
    }
    penalty_.segment(first, contact.rows).setConstant(penalty);
  }
  cholesky_.analyse(first_rows_, begins_, neighbours_);
  return cholesky_.factorise(system.starts, system.columns, values_.data());
}

/// The linear equations: (W + penalty) x = penalty (z - multiplier) - b - shift, with the shift mu
/// |u_T| e_N of the last velocities.
void AlternatingDirections::solve_equations(const ContactSystem& system) {
  const Eigen::Map<const VecX> b(system.b, system.rows);
  multiplier_ = z_ - multiplier_;
  x_ = penalty_.cwiseProduct(multiplier_) - b - shift_;
  cholesky_.solve(x_.data());
  u_ = penalty_.cwiseProduct(multiplier_ - x_) - shift_;
  multiplier_ = x_ - (multiplier_ - z_);
}

/// The laws: before, multiplier_ is x plus the multipliers; its projection is z, and the rest the
/// new ones.
void AlternatingDirections::project_reactions(const ContactSystem& system) {
  for (const CondensedContact& contact : system.contacts) {
    const int first = contact.first_row;
    if (contact.law.ball_count == 1) {
      shift_[first] =
          contact.law.balls[0].coefficient * u_.segment(first + 1, contact.rows - 1).norm();
    }
    constexpr std::array<double, max_contact_rows> at_rest = {};
    std::array<double, max_contact_rows> off;
    natural_map(contact.law, contact.rows, 1.0, multiplier_.data() + first, at_rest.data(),
                off.data());
    for (int i = 0; i < contact.rows; ++i) {
      z_[first + i] = multiplier_[first + i] - off[i];
      multiplier_[first + i] = off[i];
    }
  }
}

SolverRun AlternatingDirections::solve(const ContactSystem& system, double target,
                                       int max_iterations, double* r) {
  SolverRun run;
  find_pattern(system);
  if (!factorise(system)) return run;
  u_.resize(system.rows);
  z_.setZero(system.rows);
  shift_.setZero(system.rows);
  multiplier_ = -Eigen::Map<const VecX>(system.b, system.rows).cwiseQuotient(penalty_);
  double earlier = INFINITY;
  while (run.iterations < max_iterations) {
    ++run.iterations;
    solve_equations(system);
    project_reactions(system);
    contact_velocities(system, z_.data(), u_.data());
    run.residual = std::sqrt(squared_residual(system, z_.data(), u_.data()));
    if (run.residual <= target) {
      run.solved = true;
      std::copy(z_.data(), z_.data() + system.rows, r);
      return run;
    }
    if (run.iterations % first_look == 0) {
      const double gained = std::log(earlier / run.residual);
      const double missing = std::log(run.residual / target);
      if (!(missing * first_look <= gained * (max_iterations - run.iterations))) return run;
    }
    if (run.iterations % first_look == 0 || run.iterations == 2) earlier = run.residual;
  }
  return run;
}

}  // namespace clatter
