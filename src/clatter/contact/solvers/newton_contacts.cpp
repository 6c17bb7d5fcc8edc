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
  for (std::size_t c = 0; c < system.contacts.size(); ++c) {
    const CondensedContact& contact = system.contacts[c];
    const double of_normal = system.diagonal(contact.first_row);
    steps_[c].normal = of_normal > 0.0 ? 1.0 / of_normal : 1.0;
    for (int b = 0; b < contact.law.ball_count; ++b) {
      const FrictionBall& ball = contact.law.balls[static_cast<std::size_t>(b)];
      double sum = 0.0;
      for (int i = 0; i < ball.rows; ++i) {
        sum += system.diagonal(contact.first_row + ball.first_row + i);
      }
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

/// The rows of one contact in W and in the matrix. They have the same columns, and the contact's
/// own columns follow each other.
struct NewtonContacts::Lines {
  const double* W;
  double* J;
  int length;
  int own;  // column of the contact's first row, counted within the line

  Lines(const ContactSystem& system, int first, double* matrix)
      : W(system.values + system.starts[first]),
        J(matrix + system.starts[first]),
        length(system.starts[first + 1] - system.starts[first]),
        own(system.place(first, first) - system.starts[first]) {}
  const double* of_W(int i) const { return W + static_cast<long>(i) * length; }
  double* of_J(int i) const { return J + static_cast<long>(i) * length; }
};

/// kept_ := rows of contacts that do not open; open_ := what the others lose.
void NewtonContacts::find_open_contacts(const ContactSystem& system) {
  kept_.assign(static_cast<std::size_t>(system.rows), 1);
  open_.setZero(system.rows);
  for (std::size_t c = 0; c < system.contacts.size(); ++c) {
    const CondensedContact& contact = system.contacts[c];
    const int first = contact.first_row;
    const double xi_N = r_[first] - steps_[c].normal * u_[first];
    if (!(xi_N < 0.0)) continue;
    for (int i = first; i < first + contact.rows; ++i) {
      kept_[static_cast<std::size_t>(i)] = 0;
      open_[i] = -r_[i];
    }
  }
}

/// W dr = -u: the row's velocity vanishes.
void NewtonContacts::hold_row(const Lines& lines, int first, int i) {
  std::copy(lines.of_W(i), lines.of_W(i) + lines.length, lines.of_J(i));
  lines.of_J(i)[lines.own + i] += compliance * std::abs(lines.of_W(i)[lines.own + i]);
  dr_[first + i] = -u_[first + i];
}

/// The rows of a ball whose contact stays closed, with xi_N its augmented normal reaction.
///
/// Where it slips, with A = radius/|xi_B| (I - t tau^T) and divided by the step,
///
///   (I - A) dr_B + A step W_B dr - c tau dr_N = c tau r_N - r_B
///
/// for the normal row has been used to eliminate u_N.
void NewtonContacts::linearise_ball(const Lines& lines, int first, const FrictionBall& ball,
                                    double step, double xi_N) {
  const int at = ball.first_row;
  std::array<double, max_contact_rows> tau, t;
  for (int i = 0; i < ball.rows; ++i) tau[i] = r_[first + at + i] - step * u_[first + at + i];
  const double size = std::sqrt(squared_length<0>(tau.data(), ball.rows));
  const double radius = ball.coefficient * xi_N;
  if (size < radius) {
    for (int i = 0; i < ball.rows; ++i) hold_row(lines, first, at + i);
    return;
  }
  const double part = size > 0.0 ? radius / size : 0.0;
  slip_direction(tau.data(), ball.rows, size, tau.data());
  const double bound = std::max(radius, r_.segment(first + at, ball.rows).norm());
  slip_direction(r_.data() + first + at, ball.rows, bound, t.data());
  for (int i = 0; i < ball.rows; ++i) {
    double* row = lines.of_J(at + i);
    std::fill(row, row + lines.length, 0.0);
    for (int j = 0; j < ball.rows; ++j) {
      const double A = part * ((i == j ? 1.0 : 0.0) - t[i] * tau[j]);
      if (A != 0.0) {
        const double* W_j = lines.of_W(at + j);
        for (int k = 0; k < lines.length; ++k) row[k] += A * W_j[k];
      }
      row[lines.own + at + j] += ((i == j ? 1.0 : 0.0) - A) / step;
    }
    row[lines.own] -= ball.coefficient * tau[i] / step;
    dr_[first + at + i] = (ball.coefficient * tau[i] * r_[first] - r_[first + at + i]) / step;
  }
}

/// Fills the matrix and dr_ (right side) at r_, u_.
void NewtonContacts::linearise(const ContactSystem& system) {
  find_open_contacts(system);
  for (std::size_t c = 0; c < system.contacts.size(); ++c) {
    const CondensedContact& contact = system.contacts[c];
    const int first = contact.first_row;
    if (kept_[static_cast<std::size_t>(first)] == 0) {
      dr_.segment(first, contact.rows) = open_.segment(first, contact.rows);
      continue;
    }
    const Lines lines(system, first, matrix_.values());
    const double xi_N = r_[first] - steps_[c].normal * u_[first];
    hold_row(lines, first, 0);
    for (int b = 0; b < contact.law.ball_count; ++b) {
      linearise_ball(lines, first, contact.law.balls[static_cast<std::size_t>(b)],
                     steps_[c].balls[static_cast<std::size_t>(b)], xi_N);
    }
    // What the opening contacts take away.
    const int* columns = system.columns + system.starts[first];
    for (int i = 0; i < contact.rows; ++i) {
      double sum = 0.0;
      for (int k = 0; k < lines.length; ++k) {
        const double change = open_[columns[k]];
        if (change != 0.0) sum += lines.of_J(i)[k] * change;
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
