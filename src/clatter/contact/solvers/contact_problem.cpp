#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <clatter/contact/law/natural_map.hpp>
#include <clatter/contact/solvers/contact_problem.hpp>

namespace clatter {
namespace {

double trace_of_block(const ContactProblem& problem, const CondensedContact& contact) {
  double trace = 0.0;
  for (int i = contact.first_row; i < contact.first_row + contact.rows; ++i) {
    trace += problem.W.coeff(i, i);
  }
  return trace;
}

}  // namespace

CondensedContact coulomb_contact(int first_row, int rows, double mu) {
  CondensedContact contact{first_row, rows};
  if (rows > 1) {
    contact.law.ball_count = 1;
    contact.law.balls[0] = {1, rows - 1, mu};
  }
  return contact;
}

std::string find_fault(const ContactProblem& problem) {
  const Eigen::Index rows = problem.b.size();
  if (problem.W.rows() != rows || problem.W.cols() != rows) {
    return fmt::format("W is {} by {}, but there are {} velocities", problem.W.rows(),
                       problem.W.cols(), rows);
  }
  if (!problem.W.isCompressed()) return "W is not compressed";
  const auto is_number = [](double x) { return std::isfinite(x); };
  if (!std::all_of(problem.W.valuePtr(), problem.W.valuePtr() + problem.W.nonZeros(), is_number)) {
    return "an entry of W is not a finite number";
  }
  if (!std::all_of(problem.b.data(), problem.b.data() + rows, is_number)) {
    return "a velocity is not a finite number";
  }
  Eigen::Index row = 0;
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    const CondensedContact& contact = problem.contacts[k];
    if (contact.first_row != row) return fmt::format("contact {} begins at the wrong row", k);
    if (contact.rows < 1 || contact.rows > max_contact_rows) {
      return fmt::format("contact {} has {} rows, not 1 to {}", k, contact.rows, max_contact_rows);
    }
    if (contact.law.ball_count < 0 || contact.law.ball_count > max_friction_blocks) {
      return fmt::format("contact {} has {} friction balls, at most {} are possible", k,
                         contact.law.ball_count, max_friction_blocks);
    }
    int covered = 1;
    for (const FrictionBall& ball : contact.law.all_balls()) {
      if (ball.first_row != covered || ball.rows < 1) {
        return fmt::format("the friction balls of contact {} do not follow each other", k);
      }
      if (!(ball.coefficient >= 0.0) || !is_number(ball.coefficient)) {
        return fmt::format("contact {} has the friction coefficient {}", k, ball.coefficient);
      }
      covered += ball.rows;
    }
    if (covered != contact.rows) {
      return fmt::format("the friction balls of contact {} do not cover its rows", k);
    }
    row += contact.rows;
  }
  if (row != rows) return fmt::format("the contacts have {} rows, but there are {}", row, rows);
  return {};
}

ContactSystem view(const ContactProblem& problem) {
  return {static_cast<int>(problem.b.size()),
          problem.W.outerIndexPtr(),
          problem.W.innerIndexPtr(),
          problem.W.valuePtr(),
          problem.b.data(),
          problem.contacts};
}

void contact_velocities(const ContactSystem& system, const double* r, double* u) {
  for (int i = 0; i < system.rows; ++i) {
    double even = system.b[i], odd = 0.0;  // two sums, for additions have to wait
    int k = system.starts[i];
    const int end = system.starts[i + 1];
    for (; k + 1 < end; k += 2) {
      even += system.values[k] * r[system.columns[k]];
      odd += system.values[k + 1] * r[system.columns[k + 1]];
    }
    if (k < end) even += system.values[k] * r[system.columns[k]];
    u[i] = even + odd;
  }
}

double squared_residual(const ContactSystem& system, const double* r, const double* u) {
  double sum = 0.0;
  std::array<double, max_contact_rows> off;
  for (const CondensedContact& contact : system.contacts) {
    natural_map(contact.law, contact.rows, 1.0, r + contact.first_row, u + contact.first_row,
                off.data());
    for (int i = 0; i < contact.rows; ++i) sum += off[i] * off[i];
  }
  return sum;
}

ContactError contact_error(const ContactProblem& problem, const VecX& r) {
  VecX u = problem.b;
  u += problem.W * r;
  double common = 0.0, scaled = 0.0;
  std::array<double, max_contact_rows> off;
  for (const CondensedContact& contact : problem.contacts) {
    const double *r_c = r.data() + contact.first_row, *u_c = u.data() + contact.first_row;
    natural_map(contact.law, contact.rows, 1.0, r_c, u_c, off.data());
    for (int i = 0; i < contact.rows; ++i) common += off[i] * off[i];
    // Divided by rho, the residual is a velocity whatever the units of the reactions. A contact
    // that nothing moves has no scale; one is as good as any.
    const double trace = trace_of_block(problem, contact);
    const double rho = trace > 0.0 ? 1.0 / trace : 1.0;
    natural_map(contact.law, contact.rows, rho, r_c, u_c, off.data());
    for (int i = 0; i < contact.rows; ++i) scaled += off[i] * off[i] / (rho * rho);
  }
  // Without velocities there is nothing to compare with, and no reactions solve the problem.
  const double size = problem.b.norm() > 0.0 ? problem.b.norm() : 1.0;
  return {std::sqrt(common) / size, std::sqrt(scaled) / size};
}

}  // namespace clatter
