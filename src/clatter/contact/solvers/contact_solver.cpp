#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <clatter/contact/solvers/contact_solver.hpp>

namespace clatter {
namespace {

constexpr int first_sweeps = 10;  // over all islands
constexpr int fewest_sweeps = 100;
constexpr int many_sweeps = 60;  // foreseen by the first ones, which are the quickest
constexpr int fewest_alternating_rows = 300;
constexpr int most_points = 5000, few_points = 300;  // of the regularised Newton method
constexpr double worth_of_sweeps = 6.0;              // the time of so many factorisations

/// Bound of the round-off of W r. Reactions that grow without bound, for want of a solution, have
/// so much that velocities may vanish in it.
double round_off_of(const ContactSystem& system, const VecX& r) {
  double sum = 0.0;
  for (int i = 0; i < system.rows; ++i) {
    double row = 0.0;
    for (int k = system.starts[i]; k < system.starts[i + 1]; ++k) {
      row += std::abs(system.values[k] * r[system.columns[k]]);
    }
    sum += row * row;
  }
  return std::numeric_limits<double>::epsilon() * std::sqrt(sum);
}

int usual_limit(ContactSolverKind kind) {
  switch (kind) {
    case ContactSolverKind::newton:
      return 100;
    case ContactSolverKind::regularised_newton:
      return most_points;
    default:
      return 100000;
  }
}

}  // namespace

std::optional<ContactSolverKind> contact_solver_of(std::string_view name) {
  const auto found = std::find(contact_solver_names.begin(), contact_solver_names.end(), name);
  if (found == contact_solver_names.end()) return {};
  return static_cast<ContactSolverKind>(found - contact_solver_names.begin());
}

/// Contacts that W ties together; the smallest islands first.
void ContactSolver::find_islands(const ContactSystem& system) {
  const std::size_t count = system.contacts.size();
  contact_of_row_.resize(static_cast<std::size_t>(system.rows));
  for (std::size_t c = 0; c < count; ++c) {
    const CondensedContact& contact = system.contacts[c];
    std::fill_n(contact_of_row_.begin() + contact.first_row, contact.rows, static_cast<int>(c));
  }
  tied_.separate(count);
  for (int i = 0; i < system.rows; ++i) {
    const int own = contact_of_row_[static_cast<std::size_t>(i)];
    int last = -1;
    for (int k = system.starts[i]; k < system.starts[i + 1]; ++k) {
      const int other = contact_of_row_[static_cast<std::size_t>(system.columns[k])];
      if (other == last || system.values[k] == 0.0) continue;
      last = other;
      tied_.join(own, other);
    }
  }
  island_of_.resize(count);
  for (std::size_t c = 0; c < count; ++c) island_of_[c] = tied_.root(static_cast<int>(c));
  order_.resize(count);
  std::iota(order_.begin(), order_.end(), 0);
  std::stable_sort(order_.begin(), order_.end(), [&](int k, int l) {
    return island_of_[static_cast<std::size_t>(k)] < island_of_[static_cast<std::size_t>(l)];
  });
  islands_.clear();
  for (std::size_t i = 0; i < count; ++i) {
    const auto island = [&](std::size_t at) {
      return island_of_[static_cast<std::size_t>(order_[at])];
    };
    if (i == 0 || island(i) != island(i - 1)) islands_.push_back({static_cast<int>(i), 0});
    ++islands_.back().contacts;
  }
  std::stable_sort(islands_.begin(), islands_.end(), [](const Island& one, const Island& two) {
    return one.contacts < two.contacts;
  });
}

/// neighbours_ := the contacts that W has entries for in the rows of contact c, in ascending order.
/// Entries that are zero tie nothing, and lead out of the island.
void ContactSolver::find_neighbours(const ContactSystem& system, int c) {
  const CondensedContact& contact = system.contacts[static_cast<std::size_t>(c)];
  neighbours_.assign(1, c);
  mark_[static_cast<std::size_t>(c)] = c;
  for (int k = system.starts[contact.first_row];
       k < system.starts[contact.first_row + contact.rows]; ++k) {
    const int other = contact_of_row_[static_cast<std::size_t>(system.columns[k])];
    if (mark_[static_cast<std::size_t>(other)] == c) continue;
    mark_[static_cast<std::size_t>(other)] = c;
    if (is_in_same_island(other, c)) neighbours_.push_back(other);
  }
  std::sort(neighbours_.begin(), neighbours_.end());
}

/// Appends row i of contact c to the island's W: dense blocks of all neighbours.
void ContactSolver::append_row(const ContactSystem& system, int c, int i) {
  std::size_t at = values_.size();
  for (const int other : neighbours_) {
    const int first = place_[static_cast<std::size_t>(other)];
    for (int j = 0; j < system.contacts[static_cast<std::size_t>(other)].rows; ++j) {
      columns_.push_back(first + j);
    }
  }
  values_.resize(columns_.size(), 0.0);
  const int row = system.contacts[static_cast<std::size_t>(c)].first_row + i;
  for (int k = system.starts[row]; k < system.starts[row + 1]; ++k) {
    const int column = system.columns[k];
    const int other = contact_of_row_[static_cast<std::size_t>(column)];
    if (!is_in_same_island(other, c)) continue;
    const int local = place_[static_cast<std::size_t>(other)] + column -
                      system.contacts[static_cast<std::size_t>(other)].first_row;
    while (columns_[at] != local) ++at;
    values_[at] += system.values[k];
  }
  starts_.push_back(static_cast<int>(values_.size()));
}

void ContactSolver::extract(const ContactSystem& system, const Island& island, const VecX& r) {
  place_.resize(system.contacts.size());  // of a contact's first row in the island
  mark_.assign(system.contacts.size(), -1);
  contacts_.clear();
  int rows = 0;
  const std::span<const int> members(order_.data() + island.first_contact,
                                     static_cast<std::size_t>(island.contacts));
  for (const int c : members) {
    contacts_.push_back(system.contacts[static_cast<std::size_t>(c)]);
    place_[static_cast<std::size_t>(c)] = rows;
    contacts_.back().first_row = rows;
    rows += contacts_.back().rows;
  }
  starts_.assign(1, 0);
  columns_.clear();
  values_.clear();
  b_.resize(static_cast<std::size_t>(rows));
  r_.resize(static_cast<std::size_t>(rows));
  for (const int c : members) {
    const CondensedContact& contact = system.contacts[static_cast<std::size_t>(c)];
    find_neighbours(system, c);
    for (int i = 0; i < contact.rows; ++i) {
      append_row(system, c, i);
      const auto local_row = static_cast<std::size_t>(place_[static_cast<std::size_t>(c)] + i);
      b_[local_row] = system.b[contact.first_row + i];
      r_[local_row] = r[contact.first_row + i];
    }
  }
  island_ = {rows, starts_.data(), columns_.data(), values_.data(), b_.data(), contacts_};
}

SolverRun ContactSolver::run_one(ContactSolverKind kind, double target, int max_iterations) {
  double* r = r_.data();
  switch (kind) {
    case ContactSolverKind::newton:
      return newton_.solve(island_, target, max_iterations, r);
    case ContactSolverKind::fixed_point:
      return fixed_point_.solve(island_, target, max_iterations, r);
    case ContactSolverKind::regularised_newton:
      return regularised_newton_.solve(island_, target, max_iterations, r);
    case ContactSolverKind::alternating:
      return alternating_.solve(island_, target, max_iterations, r);
    default:
      return sweeps_.solve(island_, target, max_iterations, r);
  }
}

/// The cheapest first: sweeps as long as they promise to finish soon, then Newton's method from
/// there, then what always comes through but takes its time.
SolverRun ContactSolver::run_best(double target, const ContactSolverOptions& options, bool slow,
                                  ContactSolverKind& solver) {
  const auto limit = [&](int usual) {
    return options.max_iterations > 0 ? options.max_iterations : usual;
  };
  const double rows = island_.rows, entries = island_.entries();
  const double factorisation = std::min(rows * rows * rows / 3.0, 2.0 * entries * entries / rows);
  const double sweep = 1.5 * entries + 40.0 * rows;
  const auto sweeps = static_cast<int>(
      std::clamp(worth_of_sweeps * factorisation / sweep, double{fewest_sweeps}, 1e5));
  // For small islands Newton's method costs little more than alternating directions.
  SolverRun run;
  if (slow && island_.rows >= fewest_alternating_rows) {
    solver = ContactSolverKind::alternating;
    run = alternating_.solve(island_, target, limit(40), r_.data());
    if (run.solved) return run;
  }
  solver = ContactSolverKind::gauss_seidel;
  const int tried = run.iterations;
  run = sweeps_.solve(island_, target, limit(sweeps), r_.data(), true);
  run.iterations += tried;
  const auto go_on_with = [&](ContactSolverKind kind, int usual) {
    const int before = run.iterations;
    solver = kind;
    run = run_one(kind, target, limit(usual));
    run.iterations += before;
  };
  if (!run.solved) go_on_with(ContactSolverKind::newton, 20);
  if (!run.solved && LemkePivots::suits(island_) && pivots_.solve(island_, r_.data())) {
    go_on_with(ContactSolverKind::newton, 20);
  }
  if (!run.solved) {
    go_on_with(ContactSolverKind::regularised_newton,
               options.may_have_none ? few_points : most_points);
  }
  return run;
}

ContactSolution ContactSolver::solve(const ContactProblem& problem,
                                     const ContactSolverOptions& options, VecX& r) {
  const ContactSystem system = view(problem);
  if (r.size() != system.rows) r.setZero(system.rows);
  ContactSolution solution;
  const double size = problem.b.norm() > 0.0 ? problem.b.norm() : 1.0;
  const double target = options.tolerance * size;

  bool slow = true;
  // Most problems are small or easy: a few sweeps over all contacts need no preparation.
  if (options.solver == ContactSolverKind::automatic ||
      options.solver == ContactSolverKind::gauss_seidel) {
    const SolverRun run = sweeps_.solve(system, target, first_sweeps, r.data());
    solution.iterations = run.iterations;
    solution.solved = run.solved;
    solution.error = run.residual / size;
    if (run.solved) return solution;
    // Plain sweeps contract by the same factor each time.
    slow = run.contraction >= 1.0 ||
           std::log(target / run.residual) < many_sweeps * std::log(run.contraction);
  }

  find_islands(system);
  solution.islands = static_cast<int>(islands_.size());
  int hardest = 0;
  // What small islands do not use of the tolerance is left to the large ones, which come last.
  double left = 0.9 * target * target, rows_left = system.rows;
  for (const Island& island : islands_) {
    extract(system, island, r);
    const double share = std::sqrt(std::max(left, 0.0) * island_.rows / rows_left);
    rows_left -= island_.rows;
    u_.resize(island_.rows);
    contact_velocities(island_, r_.data(), u_.data());
    SolverRun run;
    run.residual = std::sqrt(squared_residual(island_, r_.data(), u_.data()));
    if (!(run.residual <= share)) {
      ContactSolverKind solver = options.solver;
      if (solver == ContactSolverKind::automatic) {
        run = run_best(share, options, slow, solver);
      } else {
        run = run_one(solver, share,
                      options.max_iterations > 0 ? options.max_iterations : usual_limit(solver));
      }
      if (run.iterations >= hardest) {
        hardest = run.iterations;
        solution.solver = solver;
      }
      put_back(system, island, r);
    }
    left -= run.residual * run.residual;
  }
  solution.iterations += hardest;
  u_.resize(system.rows);
  contact_velocities(system, r.data(), u_.data());
  const double residual = std::sqrt(squared_residual(system, r.data(), u_.data()));
  solution.error = residual / size;
  solution.solved = residual <= target && round_off_of(system, r) <= target;
  return solution;
}

void ContactSolver::put_back(const ContactSystem& system, const Island& island, VecX& r) const {
  for (int k = 0; k < island.contacts; ++k) {
    const auto c =
        static_cast<std::size_t>(order_[static_cast<std::size_t>(island.first_contact + k)]);
    const CondensedContact& contact = system.contacts[c];
    for (int i = 0; i < contact.rows; ++i) {
      r[contact.first_row + i] = r_[static_cast<std::size_t>(place_[c] + i)];
    }
  }
}

}  // namespace clatter
