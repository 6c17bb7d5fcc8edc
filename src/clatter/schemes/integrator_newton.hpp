#pragma once

// Newton's method for the subproblems of a step, and what helps it where it fails. Internal to
// integrators.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <clatter/contact/solvers/contact_solver.hpp>
#include <clatter/math/newton.hpp>
#include <clatter/schemes/integrator.hpp>

namespace clatter {

inline constexpr int max_line_search = 8;
inline constexpr int max_recoveries = 4;
/// Of the condensed problem, in the common error of contact problems; Newton's method finishes.
inline constexpr double condensed_tolerance = 1e-10;
inline constexpr int max_linearisations = 20;
/// Islands too large for Newton's method: sweeps, and the relative residual they are to reach.
inline constexpr int max_sweeps = 1'000;
inline constexpr double sweep_tolerance = 1e-4, sweep_patience = 20.0;

/// Residual of a subproblem, each part divided by what it may be: converged at one.
struct Residual {
  double momentum = 0.0;
  double rows = 0.0;
  double merit = 0.0;  // undivided, for the line search

  bool converged() const { return momentum <= 1.0 && rows <= 1.0; }
  bool is_round_off() const { return momentum <= 100.0 && rows <= 100.0; }
};

inline double ratio(double value, double allowed) {
  if (value == 0.0) return 0.0;
  return allowed > 0.0 ? value / allowed : INFINITY;
}

template <class Matrix>
void Integrator::to_increments(Matrix& columns, int a, int b) const {
  clatter::to_increments(columns, system_.nodes(), a, b, T_);
}

template <class Problem>
void Integrator::evaluate_contacts(const Problem& problem, const VecX& multipliers) {
  // Islands are solved on their own, without a derivative of the whole.
  const bool with_derivatives = !free_bodies_ || system_.contact_groups().empty();
  for (std::size_t c = 0; c < contact_work_.size(); ++c) {
    ContactWork& work = contact_work_[c];
    const Contact& contact = system_.contacts()[c];
    const RowVector la = multipliers.segment(contact.first_row, contact.rows());
    if (!work.near) {
      contact_residual_.segment(contact.first_row, contact.rows()) = -la;
      continue;
    }
    evaluate(problem.law(work), problem.may_close(work), work.ghat, la, with_derivatives,
             work.equations);
    contact_residual_.segment(contact.first_row, contact.rows()) = work.equations.residual;
  }
}

/// Newton's method from where the problem stands; where it fails, Gauss-Seidel on the condensed
/// contact problem finds the active sets and Newton finishes.
template <class Problem>
bool Integrator::solve_contacts(Problem& problem, double& eps, int& iterations, const char* what) {
  if (spec_.contact_solver) {
    publish_condensed(problem, eps);
    std::fill(hard_.begin(), hard_.end(), 1);
    return solve_from_active_sets(problem, eps, *spec_.contact_solver, iterations, what);
  }
  if (free_bodies_) {
    if (solve_free(problem, eps, iterations, what)) return true;
    if (!system_.contact_groups().empty()) return false;  // too many for one matrix
    problem.reset();
  }
  if (!free_bodies_) publish_condensed(problem, eps);
  int more = 0;
  if (solve(problem, contact_K_, eps, more, what)) {
    iterations += more;
    return true;
  }
  iterations += more;
  // The solution does not depend on the scaling; the way to it does.
  mark_hard_islands();
  problem.reset();
  scale_contacts(Scaling::delassus, 1.0);
  ++counts_.recovered;
  return solve_from_active_sets(problem, eps, ContactSolverKind::automatic, iterations, what);
}

/// Shows the contact problem of the velocities, if somebody wants to see it.
template <class Problem>
void Integrator::publish_condensed(Problem& problem, double& eps) {
  if (Problem::position_level || !on_contact_problem) return;
  Condensed condensed;
  if (condense(problem, eps, false, condensed) && !condensed.which.empty()) {
    publish({condensed.D.sparseView(), condensed.b, condensed.contacts}, condensed.which);
  }
}

/// Lets a solver of contact problems find the reactions, and Newton's method finish.
template <class Problem>
bool Integrator::solve_from_active_sets(Problem& problem, double& eps, ContactSolverKind solver,
                                        int& iterations, const char* what) {
  for (int attempt = 1; attempt <= max_recoveries; ++attempt) {
    if (!find_active_sets(problem, eps, solver)) return false;
    int more = 0;
    const bool done = solve(problem, contact_K_, eps, more, what);
    iterations += 1 + more;
    if (done) return true;
  }
  return false;
}

template <class Problem>
bool Integrator::solve_free(Problem& problem, double& eps, int& iterations, const char* what) {
  Residual r = problem.evaluate();
  const auto nodes = static_cast<int>(system_.nodes().size());
  NodalVector& motion = momentum_;  // scratch between evaluations
  const bool has_groups = !system_.contact_groups().empty();
  bool exact = true;
  double swept = 0.0;  // residual
  iterations = 0;
  for (int linearisation = 0;; ++linearisation) {
    if (!std::isfinite(r.merit)) {
      failure_ = fmt::format("the {} problem gave a value that is not a number", what);
      return false;
    }
    if (r.converged() || (linearisation >= 4 && r.is_round_off())) return true;
    // Swept islands are as good as the sweeps made them.
    const double looser = std::max(sweep_tolerance, swept) / spec_.tolerance;
    if (!exact && r.momentum <= 10.0 * looser && r.rows <= 10.0 * looser) return true;
    if (!exact && linearisation >= 3 && r.momentum <= 100.0 * looser && r.rows <= 100.0 * looser) {
      ++counts_.unfinished;
      return true;
    }
    if (linearisation == max_linearisations) {
      failure_ = fmt::format("the {} problem did not converge{}", what, problem.culprit());
      return false;
    }
    // Spheres that come far in a step are curved on the way, which only the whole matrix knows.
    if (linearisation == 1 && !has_groups) {
      int more = 0;
      const bool done = solve(problem, contact_K_, eps, more, what);
      iterations += more;
      return done;
    }
    // The motion without reactions, and what the reactions must add to it.
    reaction_.setZero();
    add_contact_reactions(reaction_);
    residual_ += reaction_;
    free_contacts_.clear(system_.nodes().size());
    of_node(motion, ground).setZero();
    for (int n = 1; n < nodes; ++n) {
      FreeContacts::Compliance& compliance = free_contacts_.compliance(n);
      compliance = problem.compliance(n);
      of_node(motion, n).head<3>() =
          -compliance.translation.cwiseProduct(of_node(residual_, n).head<3>());
      of_node(motion, n).tail<3>() = -compliance.rotation * of_node(residual_, n).tail<3>();
    }
    active_.clear();
    bool curved = false;
    for (std::size_t c = 0; c < contact_work_.size(); ++c) {
      const ContactWork& work = contact_work_[c];
      if (!work.near || !problem.may_close(work)) continue;
      const Contact& contact = system_.contacts()[c];
      active_.push_back(static_cast<int>(c));
      curved = curved || (Problem::position_level && !contact.has_face());
      ContactLaw law = problem.law(work);
      int rows = contact.rows();
      if (Problem::position_level) {  // no more than the normal and sliding
        law.ball_count = contact.block(FrictionKind::sliding) != nullptr ? 1 : 0;
        rows = law.ball_count > 0 ? 1 + law.balls[0].rows : 1;
      }
      const PairRows force = work.scale.head(rows).asDiagonal() * work.G.topRows(rows);
      PairRows change = force;
      if (Problem::position_level) change_of_increments(contact, change);
      const RowVector rates =
          work.ghat.head(rows) + change * of_pair(motion, contact.a(), contact.b());
      RowVector p = work.equations.phi.head(rows);
      if (linearisation == 0) {
        for (int i = 0; i < rows; ++i) {
          p[i] = work.scale[i] > 0.0 ? problem.last_reaction(c)[i] / work.scale[i] : 0.0;
        }
      }
      free_contacts_.add(contact.a(), contact.b(), law, change, force, rates, p);
    }
    if (!Problem::position_level && linearisation == 0 && on_contact_problem && !active_.empty()) {
      publish(free_contacts_.problem(), active_);
    }
    // A first linearisation of what is curved is not worth more digits than it has.
    const double precision =
        curved && linearisation == 0 && !has_groups ? 1e-3 : 0.01 * spec_.tolerance;
    const FreeContacts::Result result =
        free_contacts_.solve(linearisation == 0, precision,
                             {sweep_tolerance, has_groups ? max_sweeps : 0, sweep_patience});
    if (!result.solved && !has_groups) return false;
    swept = result.residual;
    counts_.regularised += result.regularised;
    counts_.recovered += result.recovered;
    counts_.sweeps = std::max(counts_.sweeps, result.sweeps);
    counts_.sweep_residual = std::max(counts_.sweep_residual, result.residual);
    iterations += std::max(1, result.updates);
    exact = result.all_exact;
    NodalVector& correction = problem.correction();
    correction += motion;
    for (int n = 1; n < nodes; ++n) of_node(correction, n) += free_contacts_.motion(n);
    VecX& multipliers = problem.contact_multipliers();
    multipliers.setZero();
    for (std::size_t k = 0; k < active_.size(); ++k) {
      const Contact& contact = system_.contacts()[static_cast<std::size_t>(active_[k])];
      const RowVector p = free_contacts_.reaction(k);
      multipliers.segment(contact.first_row, p.size()) = p;
    }
    r = problem.evaluate();
  }
}

template <class Problem>
bool Integrator::condense(Problem& problem, double& eps, bool only_hard, Condensed& condensed) {
  KktMatrix& K = contact_K_;
  const Residual r = problem.evaluate();
  if (!std::isfinite(r.merit)) return false;

  condensed = {};
  int rows = 0;
  for (std::size_t c = 0; c < contact_work_.size(); ++c) {
    const Contact& contact = system_.contacts()[c];
    const ContactWork& work = contact_work_[c];
    if (!work.near || !problem.may_close(work) || (only_hard && !is_hard(contact))) continue;
    condensed.contacts.push_back({rows, contact.rows(), problem.law(work)});
    condensed.which.push_back(static_cast<int>(c));
    rows += contact.rows();
  }
  K.set_zero();
  problem.assemble_free(K);
  if (eps > 0.0) K.regularise(eps);
  if (!K.factorise(eps > 0.0)) return false;

  // Motion without reactions, and with a unit reaction in each row.
  VecX& free = condensed.free;
  free = VecX::Zero(K.size());
  NodalVector reaction = NodalVector::Zero(system_.nodal_size());
  add_contact_reactions(reaction);
  residual_ += reaction;
  K.gather(residual_, free);
  free.head(system_.dofs()) *= -1.0;
  free.segment(K.joint_multiplier(0), joint_residual_.size()) = -joint_residual_;
  K.solve(free);
  condensed.motions.resize(K.size(), rows);
  condensed.D.resize(rows, rows);
  condensed.b.resize(rows);
  VecX column(K.size());
  NodalVector nodal = NodalVector::Zero(system_.nodal_size());
  std::vector<KktMatrix::Rows> changes;
  for (std::size_t k = 0; k < condensed.which.size(); ++k) {
    const auto c = static_cast<std::size_t>(condensed.which[k]);
    const ContactWork& work = contact_work_[c];
    const Contact& contact = system_.contacts()[c];
    const KktMatrix::Rows scaled = work.scale.asDiagonal() * work.G;
    KktMatrix::Rows change = scaled;
    if (Problem::position_level) change_of_increments(contact, change);
    changes.push_back(change);
    for (int i = 0; i < contact.rows(); ++i) {
      nodal.setZero();
      of_node(nodal, contact.a()) += scaled.row(i).head<6>().transpose();
      of_node(nodal, contact.b()) += scaled.row(i).tail<6>().transpose();
      column.setZero();
      K.gather(nodal, column);
      K.solve(column);
      condensed.motions.col(condensed.contacts[k].first_row + i) = column;
    }
  }
  const auto row_rates = [&](const VecX& x, auto&& out) {
    nodal.setZero();
    K.scatter(x, 1.0, nodal);
    for (std::size_t k = 0; k < condensed.which.size(); ++k) {
      const Contact& contact = system_.contacts()[static_cast<std::size_t>(condensed.which[k])];
      out.segment(condensed.contacts[k].first_row, contact.rows()) =
          changes[k] * of_pair(nodal, contact.a(), contact.b());
    }
  };
  row_rates(free, condensed.b);
  for (std::size_t k = 0; k < condensed.which.size(); ++k) {
    condensed.b.segment(condensed.contacts[k].first_row, condensed.contacts[k].rows) +=
        contact_work_[static_cast<std::size_t>(condensed.which[k])].ghat;
  }
  for (int i = 0; i < rows; ++i) row_rates(condensed.motions.col(i), condensed.D.col(i));
  return true;
}

/// Solves the condensed problem, by whatever solver suits it, and starts from there.
template <class Problem>
bool Integrator::find_active_sets(Problem& problem, double& eps, ContactSolverKind solver) {
  Condensed condensed;
  if (!condense(problem, eps, true, condensed)) return false;
  VecX p(condensed.b.size());
  for (std::size_t k = 0; k < condensed.which.size(); ++k) {
    p.segment(condensed.contacts[k].first_row, condensed.contacts[k].rows) =
        contact_work_[static_cast<std::size_t>(condensed.which[k])].equations.phi;
  }
  ContactSolver().solve({condensed.D.sparseView(), condensed.b, condensed.contacts},
                        {solver, condensed_tolerance}, p);

  KktMatrix& K = contact_K_;
  condensed.free.noalias() += condensed.motions * p;
  condensed.free.tail(system_.contact_rows()).setZero();
  problem.move(K, condensed.free, 1.0);
  VecX& multipliers = problem.contact_multipliers();
  multipliers.setZero();
  for (std::size_t k = 0; k < condensed.which.size(); ++k) {
    const Contact& contact = system_.contacts()[static_cast<std::size_t>(condensed.which[k])];
    multipliers.segment(contact.first_row, contact.rows()) =
        p.segment(condensed.contacts[k].first_row, contact.rows());
  }
  return true;
}

/// A subproblem of a step as solve_by_newton sees it: when it is converged, and what is done about
/// singular matrices. `eps`: the regularisation, which stays once it was needed.
template <class Problem, class Matrix>
struct Integrator::NewtonOfStep {
  Integrator& s;
  Problem& problem;
  Matrix& K;
  double& eps;
  const char* what;
  Residual r = problem.evaluate();

  double merit() const { return r.merit; }
  bool accepts(double largest) const { return r.merit <= largest || r.converged(); }

  NewtonVerdict judge(int updates, const RecentMerits& recent) {
    if (!std::isfinite(r.merit)) {
      s.failure_ = fmt::format("the {} problem gave a value that is not a number", what);
      return NewtonVerdict::given_up;
    }
    // Large systems can stop a little above the round-off that a few operations leave. Much
    // regularisation slows it down, which must not be taken for that.
    const bool stands = updates >= 4 && r.merit > 0.5 * recent.smallest() && eps <= regularisation;
    // What may be round-off of stiff beams may as well be all of a small motion: the prediction
    // alone does not do.
    const bool guessed =
        Problem::is_predicted && updates == 0 && s.smooth_numbers_ > 0.0 && r.merit > 0.0;
    if ((r.converged() && !guessed) || (stands && r.is_round_off())) return NewtonVerdict::solved;
    if (updates < s.spec_.max_iterations) return NewtonVerdict::go_on;
    s.failure_ = fmt::format("the {} problem did not converge in {} iterations{}", what, updates,
                             problem.culprit());
    return NewtonVerdict::given_up;
  }

  bool factorise() {
    K.set_zero();
    problem.assemble(K);
    if (eps > 0.0) K.regularise(eps);
    return K.factorise(eps > 0.0);
  }
  bool find_update() {
    bool factorised = factorise();
    if (!factorised && eps == 0.0) {
      eps = regularisation;
      factorised = factorise();
    }
    if (eps > 0.0) ++s.counts_.regularised;
    if (!factorised) {
      s.failure_ = fmt::format("the {} problem is singular{}", what, problem.culprit());
      return false;
    }
    problem.fill_right_side(K, problem.rhs);
    K.solve(problem.rhs);
    return true;
  }
  void move(double from, double to) {
    problem.move(K, problem.rhs, to - from);
    r = problem.evaluate();
  }
};

template <class Problem, class Matrix>
bool Integrator::solve(Problem& problem, Matrix& K, double& eps, int& iterations,
                       const char* what) {
  NewtonOfStep<Problem, Matrix> newton{*this, problem, K, eps, what};
  return solve_by_newton(newton, max_line_search, iterations) == NewtonEnd::solved;
}

template <class Jump>
bool Integrator::jump_together(Jump& jump) {
  // Contacts that jam each other can demand rebounds that no motion of the bodies gives: Newton's
  // law has no solution then. Without rebound it always has one.
  for (int attempt = 0;; ++attempt) {
    int updates = 0;
    const bool solved = solve_contacts(jump, eps_velocity_, updates, "velocity");
    counts_.velocity += updates;
    if (solved) break;
    if (attempt == 2) return false;
    forbid_rebound(attempt == 1);
    jump.reset();
    counts_.plastic = 1;
  }
  jump.add_impulses();
  return true;
}

}  // namespace clatter
