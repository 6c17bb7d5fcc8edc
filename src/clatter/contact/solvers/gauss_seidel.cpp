#include <algorithm>
#include <cmath>

#include <clatter/contact/law/natural_map.hpp>
#include <clatter/contact/solvers/gauss_seidel.hpp>

namespace clatter {
namespace {

constexpr int sweeps_before_extrapolation = 6;
constexpr int sweeps_between_looks = 25;

}  // namespace

void GaussSeidel::prepare_blocks(const ContactSystem& system) {
  if (blocks_.size() < system.contacts.size()) blocks_.resize(system.contacts.size());
  for (std::size_t c = 0; c < system.contacts.size(); ++c) {
    const CondensedContact& contact = system.contacts[c];
    const int rows = contact.rows, first = contact.first_row;
    OneContact& one = blocks_[c];
    one.same_columns = true;
    const int length = system.starts[first + 1] - system.starts[first];
    for (int i = 0; i < rows; ++i) {
      const int begin = system.starts[first + i], end = system.starts[first + i + 1];
      double* line = one.W.data() + i * rows;
      std::fill(line, line + rows, 0.0);
      const int* columns = system.columns;
      int k = begin;
      if (end - begin > 16) {
        k = static_cast<int>(std::lower_bound(columns + begin, columns + end, first) - columns);
      }
      for (; k < end && columns[k] < first + rows; ++k) {
        if (columns[k] >= first) line[columns[k] - first] = system.values[k];
      }
      if (i > 0) {
        one.same_columns =
            one.same_columns && end - begin == length &&
            std::equal(columns + begin, columns + end, columns + system.starts[first]);
      }
    }
    prepare(contact, one);
  }
}

/// Solves one contact; returns the square of the residual that it had.
template <int Rows>
double GaussSeidel::visit(const ContactSystem& system, const CondensedContact& contact,
                          const OneContact& one, double* r) {
  const int rows = Rows > 0 ? Rows : contact.rows;
  const int first = contact.first_row;
  double* own = r + first;
  std::array<double, max_contact_rows> u, f, off;
  for (int i = 0; i < rows; ++i) u[i] = system.b[first + i];
  if (Rows > 0 && one.same_columns) {
    const int begin = system.starts[first], length = system.starts[first + 1] - begin;
    const int* columns = system.columns + begin;
    const double* values = system.values + begin;
    // Two sums for each row, for additions have to wait for each other.
    double even[Rows > 0 ? Rows : 1] = {}, odd[Rows > 0 ? Rows : 1] = {};
    int k = 0;
    for (; k + 1 < length; k += 2) {
      const double x = r[columns[k]], y = r[columns[k + 1]];
      for (int i = 0; i < Rows; ++i) {
        even[i] += values[i * length + k] * x;
        odd[i] += values[i * length + k + 1] * y;
      }
    }
    for (int i = 0; i < Rows; ++i) u[i] += even[i] + odd[i];
    if (k < length) {
      for (int i = 0; i < Rows; ++i) u[i] += values[i * length + k] * r[columns[k]];
    }
  } else {
    for (int i = 0; i < rows; ++i) {
      for (int k = system.starts[first + i]; k < system.starts[first + i + 1]; ++k) {
        u[i] += system.values[k] * r[system.columns[k]];
      }
    }
  }
  natural_map(contact.law, contact.rows, 1.0, own, u.data(), off.data());
  double square = 0.0;
  for (int i = 0; i < rows; ++i) {
    square += off[i] * off[i];
    f[i] = u[i];
    for (int j = 0; j < rows; ++j) {
      f[i] -= one.W[static_cast<std::size_t>(i * rows + j)] * own[j];
    }
  }
  solve_one_contact(contact, one, f.data(), own);
  return square;
}

SolverRun GaussSeidel::solve(const ContactSystem& system, double target, int max_sweeps, double* r,
                             bool may_give_up) {
  SolverRun run;
  prepare_blocks(system);
  if (u_.size() < static_cast<std::size_t>(system.rows)) {
    u_.resize(static_cast<std::size_t>(system.rows));
  }
  const auto residual = [&] {
    contact_velocities(system, r, u_.data());
    return std::sqrt(squared_residual(system, r, u_.data()));
  };
  Eigen::Map<VecX> reactions(r, system.rows);
  const auto size = static_cast<std::size_t>(system.rows);
  double least = INFINITY, before_look = INFINITY, last = 0.0;
  while (run.iterations < max_sweeps) {
    const bool extrapolates = run.iterations >= sweeps_before_extrapolation;
    if (run.iterations == sweeps_before_extrapolation) accelerator_.restart(size);
    if (extrapolates) before_ = reactions;
    double square = 0.0;
    for (std::size_t c = 0; c < system.contacts.size(); ++c) {
      const CondensedContact& contact = system.contacts[c];
      if (contact.rows == 3) {
        square += visit<3>(system, contact, blocks_[c], r);
      } else if (contact.rows == 2) {
        square += visit<2>(system, contact, blocks_[c], r);
      } else {
        square += visit<0>(system, contact, blocks_[c], r);
      }
    }
    ++run.iterations;
    // What the contacts had when they were visited tells when a true residual is worth its cost.
    const double visited = std::sqrt(square);
    if (!std::isfinite(visited)) break;
    if (!extrapolates) {
      run.contraction = last > 0.0 ? visited / last : 0.0;
      last = visited;
    }
    if (run.iterations == 1 || visited <= 3.0 * target) {
      run.residual = residual();
      if (run.residual <= target) {
        run.solved = true;
        return run;
      }
    }
    if (!extrapolates) continue;
    after_ = reactions;
    if (visited < least) {
      least = visited;
      best_ = after_;
    }
    if (may_give_up && run.iterations % sweeps_between_looks == 0) {
      // As much is gained in the sweeps to come as in the last ones.
      const double gained = std::log(before_look / least), missing = std::log(least / target);
      if (run.iterations >= 2 * sweeps_between_looks &&
          missing * sweeps_between_looks > gained * (max_sweeps - run.iterations)) {
        break;
      }
      before_look = least;
    }
    if (accelerator_.extrapolate({before_.data(), size}, {after_.data(), size})) {
      reactions = before_;
    }
  }
  if (std::isfinite(least)) reactions = best_;
  run.residual = residual();
  run.solved = run.residual <= target;
  return run;
}

}  // namespace clatter
