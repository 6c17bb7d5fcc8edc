#pragma once

#include <vector>

#include <clatter/contact/solvers/contact_solver.hpp>
#include <clatter/contact/solvers/free_contacts.hpp>
#include <clatter/schemes/contact_relief.hpp>
#include <clatter/schemes/newton.hpp>
#include <clatter/schemes/rolling_excess.hpp>
#include <clatter/schemes/step_matrix.hpp>

namespace clatter {

/// Solves the problems of a step that have contacts in them, PositionCorrection and VelocityJump.
///
/// Bodies that only contacts connect are solved island by island, without a matrix. So are many
/// contacts beside joints, springs and beams, unless these tie many bodies with contacts together:
/// a body on an axle, on a spring, in a linkage moves under contacts as these let it, which a
/// matrix without contacts tells (`condenses()`). All others are solved by Newton's method on one
/// matrix of all that are near; where that fails, a solver of contact problems finds the active
/// sets. Scratch of a scheme.
class ContactStage {
 public:
  explicit ContactStage(StepWork& work);

  /// Room for the contacts that are listed now.
  void size_contacts();

  /// Joints press their friction as they react in the solution.
  template <class Problem>
  bool solve(Problem& problem, double& eps, int& iterations, const char* what);
  /// All contacts react at once; without rebound where no motion could meet it.
  template <class Jump>
  bool jump_together(Jump& jump, double& eps);

  /// To be called before and after a step, with what it remembers.
  void begin_step(const SolverMemory& memory);
  void end_step(SolverMemory& memory) const;

  /// Of all nodes, with contacts; in a step to be prepared before it is used.
  StepMatrix<KktMatrix>& matrix() { return whole_; }
  /// Adds what the matrices have cost so far.
  void add_costs(double& time, long& factorisations, long& solves) const;

 private:
  void reserve_contacts();
  /// Whether held nodes are condensed in this step.
  bool condenses() const;
  /// A problem linearised without contact reactions and condensed on rows of contacts:
  /// motion = free + motions r, rates = b + D r.
  struct Condensed {
    std::vector<int> which;  // contacts
    std::vector<CondensedContact> contacts;
    VecX free, b;
    MatX motions, D;
  };

  template <class Problem>
  bool newton(Problem& problem, double& eps, int& iterations, const char* what) {
    whole_.prepare();
    const FindingDerivatives finding(w_.contacts, true);
    return solve_by_newton(problem, whole_.K, whole_.rhs, eps, iterations, w_, what);
  }
  /// Gives up early.
  template <class Problem>
  bool newton_for_a_while(Problem& problem, double& eps, int& iterations, const char* what);
  /// With friction of joints pressed as it is.
  template <class Problem>
  bool solve_as_pressed(Problem& problem, double& eps, int& iterations, const char* what);
  /// For bodies that only contacts connect: island by island, without a matrix of the whole;
  /// `matrix_failed`: also where that would be better.
  template <class Problem>
  bool solve_free(Problem& problem, double& eps, int& iterations, const char* what,
                  bool matrix_failed);
  /// With rolling in excess: by one matrix of all, and without friction in the positions where that
  /// has no solution. False: neither has one, and the problem is as it was.
  template <class Problem>
  bool solve_rolling(Problem& problem, double& eps, int& iterations, const char* what);
  /// By one matrix of all, where islands alone did not do.
  template <class Problem>
  bool solve_whole(Problem& problem, double& eps, int& iterations, const char* what);
  /// The motion without reactions of contacts, and how held nodes would move under them. False: the
  /// matrix is singular.
  template <class Problem>
  bool find_held_motion(Problem& problem, double& eps, NodalVector& motion);
  /// Of the nodes in touched_, from the factorised matrix.
  void find_held_compliances();
  void find_held_compliance(std::size_t node, Mat6& own);
  /// Of the islands of the step, those that are solved already may be `left` as they are.
  void choose_islands(bool left);
  bool is_done(int node) const { return done_[static_cast<std::size_t>(node)] != 0; }
  /// By node: no linearisation is worth more digits than it has, or than the finest.
  std::span<const double> find_precisions(double finest);
  /// Collects the contacts that may close into free_contacts_, with `motion` := that without
  /// reactions. `bends`: with how reactions bend. Returns whether their surfaces are curved.
  template <class Problem>
  bool collect_free(Problem& problem, bool first, bool bends, NodalVector& motion);
  template <class Problem>
  void take_free_solution(Problem& problem, const NodalVector& motion);
  template <class Problem>
  bool condense(Problem& problem, double& eps, bool only_hard, Condensed& condensed);
  /// The motion without reactions, and with a unit reaction in each row.
  void fill_condensed(bool position_level, Condensed& condensed);
  template <class Problem>
  void publish(Problem& problem, double eps);
  /// Solves the condensed problem, by whatever solver suits it, and starts from there.
  template <class Problem>
  bool find_active_sets(Problem& problem, double& eps, ContactSolverKind solver);
  template <class Problem>
  bool solve_by_linearisations(Problem& problem, double& eps, int& iterations);
  /// Lets a solver of contact problems find the reactions, and Newton's method finish.
  template <class Problem>
  bool solve_from_active_sets(Problem& problem, double& eps, ContactSolverKind solver,
                              int& iterations, const char* what);

  StepWork& w_;
  bool free_bodies_;                        // nothing but contacts connects them
  std::vector<char> held_;                  // node: joints, springs or beams hold it
  std::vector<std::vector<int>> partners_;  // node: with contacts, and tied to it
  bool can_condense_;                       // few are tied together
  StepMatrix<KktMatrix> whole_;
  KktMatrix held_K_;  // of held nodes, without contacts
  VecX held_rhs_;
  FreeContacts free_contacts_;
  std::vector<int> active_;  // contacts in a problem of free bodies
  NodalVector pushes_;       // of contacts on held nodes
  ContactRelief relief_;
  RollingExcess rolling_;
  std::vector<char> done_;  // node: its island is left as it is
  std::vector<double> precisions_;
  std::vector<char> touched_;  // scratch: nodes with contacts that matter
};

}  // namespace clatter
