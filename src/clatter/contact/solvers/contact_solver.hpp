#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <clatter/contact/solvers/alternating_directions.hpp>
#include <clatter/contact/solvers/contact_problem.hpp>
#include <clatter/contact/solvers/lemke_pivots.hpp>
#include <clatter/contact/solvers/newton_contacts.hpp>
#include <clatter/contact/solvers/prox_fixed_point.hpp>
#include <clatter/contact/solvers/regularised_newton.hpp>
#include <clatter/contact/solvers/sweep_solver.hpp>
#include <clatter/math/union_find.hpp>
#include <clatter/model/contact_solver_kind.hpp>

namespace clatter {

std::optional<ContactSolverKind> contact_solver_of(std::string_view name);

struct ContactSolverOptions {
  ContactSolverKind solver = ContactSolverKind::automatic;
  double tolerance = 1e-8;     ///< of the common error; 1e-4 is rough, 1e-12 near round-off
  int max_iterations = 0;      ///< of each solver on each island; 0: what suits it
  bool may_have_none = false;  ///< there may be no solution: nobody looks for it for long
};

struct ContactSolution {
  bool solved = false;                                         ///< within the tolerance
  ContactSolverKind solver = ContactSolverKind::gauss_seidel;  ///< that had the last word
  int iterations = 0;  ///< of the hardest island, all its solvers together
  int islands = 1;     ///< that were solved one by one; 1 when sweeps over all were enough
  double error = 0.0;  ///< the common one
};

/// Solves contact problems with any of the solvers, or with what is best for each. Islands of
/// contacts that do not touch are solved one by one. Keeps its memory from one problem to the next.
class ContactSolver {
 public:
  /// `r`: the result; the first guess, too, if it has the right size. Never throws for want of a
  /// solution: there may be none.
  ContactSolution solve(const ContactProblem& problem, const ContactSolverOptions& options,
                        VecX& r);

 private:
  struct Island {
    int first_contact = 0, contacts = 0;  // in order_
  };

  void find_islands(const ContactSystem& system);
  bool is_in_same_island(int c, int other) const {
    return island_of_[static_cast<std::size_t>(c)] == island_of_[static_cast<std::size_t>(other)];
  }
  void find_neighbours(const ContactSystem& system, int c);
  void append_row(const ContactSystem& system, int c, int i);
  void extract(const ContactSystem& system, const Island& island, const VecX& r);
  void put_back(const ContactSystem& system, const Island& island, VecX& r) const;
  SolverRun run_one(ContactSolverKind kind, double target, int max_iterations);
  SolverRun run_best(double target, const ContactSolverOptions& options, bool slow,
                     ContactSolverKind& solver);

  SweepSolver sweeps_;
  NewtonContacts newton_;
  LemkePivots pivots_;
  RegularisedNewton regularised_newton_;
  ProxFixedPoint fixed_point_;
  AlternatingDirections alternating_;

  UnionFind tied_;              // contacts
  std::vector<int> island_of_;  // of each contact: the smallest contact that it is tied to
  std::vector<int> order_, contact_of_row_;
  std::vector<Island> islands_;
  // The island at hand: contacts have dense blocks, and their own among them.
  std::vector<int> starts_, columns_, place_, mark_, neighbours_;
  std::vector<double> values_, b_, r_;
  std::vector<CondensedContact> contacts_;
  ContactSystem island_;
  VecX u_;
};

}  // namespace clatter
