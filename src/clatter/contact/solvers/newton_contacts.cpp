#include <algorithm>
#include <cmath>

#include <clatter/contact/law/projection.hpp>
#include <clatter/contact/solvers/newton_contacts.hpp>
#include <clatter/math/newton.hpp>

namespace clatter {
namespace {

constexpr int max_halvings = 6;
constexpr double compliance = 1e-10;  // of redundant contacts, relative to the diagonal

}  // namespace

/// The penalties of the augmented Lagrangian: inverse diagonal of each contact's block.
void NewtonContacts::find_steps(const ContactSystem& system) {
  if (steps_.size() < system.contacts.size()) steps_.resize(system.contacts.size());
  const auto diagonal = [&](int row) {
    const int* begin = system.columns + system.starts[row];
    const int* end = system.columns + system.starts[row + 1];
    const int* at = std::lower_bound(begin, end, row);
    return at != end && *at == row ? system.values[at - system.columns] : 0.0;
  };
  for (std::size_t c = 0; c < system.contacts.size(); ++c) {
    const CondensedContact& contact = system.contacts[c];
    const double of_normal = diagonal(contact.first_row);
    steps_[c].normal = of_normal > 0.0 ? 1.0 / of_normal : 1.0;
    for (int b = 0; b < contact.law.ball_count; ++b) {
      const FrictionBall& ball = contact.law.balls[static_cast<std::size_t>(b)];
      double sum = 0.0;
      for (int i = 0; i < ball.rows; ++i) sum += diagonal(contact.first_row + ball.first_row + i);
      steps_[c].balls[static_cast<std::size_t>(b)] = sum > 0.0 ? ball.rows / sum : 1.0;
    }
  }
}

/// Squared residual of the equations, each in the root of an energy.
double NewtonContacts::merit(const ContactSystem& system, const VecX& r, const VecX& u) const {
  double sum = 0.0;
  for (std::size_t c = 0; c < system.contacts.size(); ++c) {
    const CondensedContact& contact = system.contacts[c];
    const double step = steps_[c].normal;
    const double *r_c = r.data() + contact.first_row, *u_c = u.data() + contact.first_row;
    const double normal = project_normal(r_c[0] - step * u_c[0]);
    sum += (r_c[0] - normal) * (r_c[0] - normal) / step;
    for (int b = 0; b < contact.law.ball_count; ++b) {
      const FrictionBall& ball = contact.law.balls[static_cast<std::size_t>(b)];
      const double of_ball = steps_[c].balls[static_cast<std::size_t>(b)];
      std::array<double, max_contact_rows> xi;
      for (int i = 0; i < ball.rows; ++i) {
        xi[i] = r_c[ball.first_row + i] - of_ball * u_c[ball.first_row + i];
      }
      project_on_ball<0>(ball.coefficient * normal, ball.rows, xi.data());
      for (int i = 0; i < ball.rows; ++i) {
        const double off = r_c[ball.first_row + i] - xi[i];
        sum += off * off / of_ball;
      }
    }
  }
  return sum;
}

/// Fills the matrix and dr_ (right side) at r_, u_.
void NewtonContacts::linearise(const ContactSystem& system) {
  double* J = matrix_.values();
  kept_.assign(static_cast<std::size_t>(system.rows), 1);
  open_.setZero(system.rows);
  for (std::size_t c = 0; c < system.contacts.size(); ++c) {
    const CondensedContact& contact = system.contacts[c];
    const int first = contact.first_row;
    const double xi_N = r_[first] - steps_[c].normal * u_[first];
    if (xi_N < 0.0) {
      for (int i = first; i < first + contact.rows; ++i) {
        kept_[static_cast<std::size_t>(i)] = 0;
        open_[i] = -r_[i];
      }
    }
  }
  for (std::size_t c = 0; c < system.contacts.size(); ++c) {
    const CondensedContact& contact = system.contacts[c];
    const int first = contact.first_row;
    if (kept_[static_cast<std::size_t>(first)] == 0) {
      dr_.segment(first, contact.rows) = open_.segment(first, contact.rows);
      continue;
    }
    // Rows of a contact have the same columns, and its own follow each other.
    const int begin = system.starts[first], length = system.starts[first + 1] - begin;
    const int own = static_cast<int>(
        std::lower_bound(system.columns + begin, system.columns + begin + length, first) -
        (system.columns + begin));
    const auto line = [&](int i) { return J + begin + static_cast<long>(i) * length; };
    const auto given = [&](int i) { return system.values + begin + static_cast<long>(i) * length; };
    const double xi_N = r_[first] - steps_[c].normal * u_[first];
    const auto velocity_row = [&](int i) {
      std::copy(given(i), given(i) + length, line(i));
      line(i)[own + i] += compliance * std::abs(given(i)[own + i]);
      dr_[first + i] = -u_[first + i];
    };
    velocity_row(0);
    for (int b = 0; b < contact.law.ball_count; ++b) {
      const FrictionBall& ball = contact.law.balls[static_cast<std::size_t>(b)];
      const double step = steps_[c].balls[static_cast<std::size_t>(b)];
      const int at = ball.first_row;
      std::array<double, max_contact_rows> tau;
      for (int i = 0; i < ball.rows; ++i) {
        tau[i] = r_[first + at + i] - step * u_[first + at + i];
      }
      const double size = std::sqrt(squared_length<0>(tau.data(), ball.rows));
      const double radius = ball.coefficient * xi_N;
      if (size < radius) {
        for (int i = 0; i < ball.rows; ++i) velocity_row(at + i);
        continue;
      }
      // (I - A) dr_B + A step W_B dr - c tau dr_N = c tau r_N - r_B,  A = radius/|xi| (I - tau
      // tau') all divided by the step; the normal row has been used to eliminate u_N.
      const double part = size > 0.0 ? radius / size : 0.0;
      slip_direction(tau.data(), ball.rows, size, tau.data());
      std::array<double, max_contact_rows> t;
      const double bound = std::max(radius, r_.segment(first + at, ball.rows).norm());
      for (int i = 0; i < ball.rows; ++i) t[i] = bound > 0.0 ? r_[first + at + i] / bound : 0.0;
      for (int i = 0; i < ball.rows; ++i) {
        double* row = line(at + i);
        std::fill(row, row + length, 0.0);
        for (int j = 0; j < ball.rows; ++j) {
          const double A = part * ((i == j ? 1.0 : 0.0) - t[i] * tau[j]);
          if (A != 0.0) {
            const double* W_j = given(at + j);
            for (int k = 0; k < length; ++k) row[k] += A * W_j[k];
          }
          row[own + at + j] += ((i == j ? 1.0 : 0.0) - A) / step;
        }
        row[own] -= ball.coefficient * tau[i] / step;
        dr_[first + at + i] = (ball.coefficient * tau[i] * r_[first] - r_[first + at + i]) / step;
      }
    }
    // What the opening contacts take away.
    for (int i = 0; i < contact.rows; ++i) {
      double sum = 0.0;
      for (int k = 0; k < length; ++k) {
        const double change = open_[system.columns[begin + k]];
        if (change != 0.0) sum += line(i)[k] * change;
      }
      dr_[first + i] -= sum;
    }
  }
}

SolverRun NewtonContacts::solve(const ContactSystem& system, double target, int max_iterations,
                                double* r) {
  prepare(system);
  return iterate(system, target, max_iterations, r);
}

/// As solve_by_newton sees it.
struct NewtonContacts::Iteration {
  NewtonContacts& s;
  const ContactSystem& system;
  double target;
  int max_iterations;
  double now = 0.0;                    // merit
  double residual = 0.0, least = 0.0;  // of the natural map: at present, and of best_

  void evaluate() {
    contact_velocities(system, s.r_.data(), s.u_.data());
    now = s.merit(system, s.r_, s.u_);
  }
  double measure() const { return std::sqrt(squared_residual(system, s.r_.data(), s.u_.data())); }

  double merit() const { return now; }
  bool accepts(double largest) const { return now <= largest; }
  NewtonVerdict judge(int updates, const RecentMerits& /*recent*/) {
    if (updates > 0) residual = measure();
    if (residual < least) {
      least = residual;
      s.best_ = s.r_;
    }
    if (!(residual > target)) return NewtonVerdict::solved;
    const bool goes_on = updates < max_iterations && std::isfinite(residual);
    return goes_on ? NewtonVerdict::go_on : NewtonVerdict::given_up;
  }
  bool find_update() {
    s.linearise(system);
    if (!s.matrix_.factorise(s.kept_)) return false;
    s.matrix_.solve(s.dr_.data());
    s.start_ = s.r_;
    return s.dr_.allFinite();
  }
  void move(double /*from*/, double to) {
    s.r_ = s.start_ + to * s.dr_;
    evaluate();
  }
};

SolverRun NewtonContacts::iterate(const ContactSystem& system, double target, int max_iterations,
                                  double* r) {
  find_steps(system);
  r_ = Eigen::Map<const VecX>(r, system.rows);
  u_.resize(system.rows);
  dr_.resize(system.rows);
  best_ = r_;
  Iteration iteration{*this, system, target, max_iterations};
  iteration.evaluate();
  iteration.residual = iteration.least = iteration.measure();
  SolverRun run;
  solve_by_newton(iteration, max_halvings, run.iterations);
  std::copy(best_.data(), best_.data() + system.rows, r);
  run.residual = iteration.least;
  run.solved = run.residual <= target;
  return run;
}

}  // namespace clatter
