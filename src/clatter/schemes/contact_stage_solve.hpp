#pragma once

// The templates of ContactStage, for sources that solve with it.

#include <clatter/schemes/contact_stage.hpp>

namespace clatter {

inline constexpr int max_recoveries = 4;
inline constexpr std::size_t always_ready = 16;  // a matrix of so many contacts
/// Of the condensed problem, in the common error of contact problems; Newton's method finishes.
inline constexpr double condensed_tolerance = 1e-10;
inline constexpr int max_linearisations = 20, patient_linearisations = 6,
                     hurried_linearisations = 3;
inline constexpr double least_gain = 0.5, slow_gain = 0.01;  // by each of them
/// Islands too large for Newton's method: sweeps, and the relative residual they are to reach.
inline constexpr int max_sweeps = 1'000;
inline constexpr double sweep_tolerance = 1e-4, sweep_patience = 20.0;

/// So few contacts are better pivoted than iterated for long.
inline constexpr std::size_t few_to_pivot = 12;

/// A problem that Newton's method gives up after some updates that did not halve the merit, for
/// there is another way to go on.
template <class Problem>
struct Impatient {
  static constexpr int patience = 8;
  static constexpr bool is_predicted = Problem::is_predicted;
  Problem& problem;

  Residual evaluate() { return problem.evaluate(); }
  void assemble(KktMatrix& K) { problem.assemble(K); }
  void fill_right_side(const KktMatrix& K, VecX& x) const { problem.fill_right_side(K, x); }
  void move(const KktMatrix& K, const VecX& x, double factor) { problem.move(K, x, factor); }
  std::string culprit() const { return problem.culprit(); }
};

template <class Problem>
bool ContactStage::newton_for_a_while(Problem& problem, double& eps, int& iterations,
                                      const char* what) {
  Impatient<Problem> impatient{problem};
  return newton(impatient, eps, iterations, what);
}

template <class Problem>
bool ContactStage::solve(Problem& problem, double& eps, int& iterations, const char* what) {
  if (!solve_as_pressed(problem, eps, iterations, what)) return false;
  if (!w_.machine.has_pressing_joints()) return true;
  for (int k = 0; k < most_pressings; ++k) {
    problem.find_joint_reactions(w_.joint_total);
    if (!w_.press_joints(w_.joint_total, Problem::position_level)) return true;
    int more = 0;
    if (!solve_as_pressed(problem, eps, more, what)) return false;
    iterations += more;
  }
  w_.failure = w_.pressing_failure();
  return false;
}

template <class Problem>
bool ContactStage::solve_as_pressed(Problem& problem, double& eps, int& iterations,
                                    const char* what) {
  const bool has_groups = !w_.machine.contact_groups().empty();
  // Where it is small it is made beforehand, so that no step has to wait for memory.
  if (!has_groups && w_.contacts.count() <= always_ready) whole_.prepare();
  if (Problem::position_level && !w_.spec.contact_solver && rolling_.exists() &&
      solve_rolling(problem, eps, iterations, what)) {
    return true;
  }
  if (!w_.spec.contact_solver && w_.spec.islands && (free_bodies_ || condenses())) {
    const bool had_guess = problem.has_guess();
    if (solve_free(problem, eps, iterations, what, false)) return true;
    if (had_guess) {
      problem.reset();
      if (solve_free(problem, eps, iterations, what, false)) return true;
    }
    if (free_bodies_ && (has_groups || w_.contacts.near().size() > FreeContacts::few_contacts)) {
      return false;
    }
    problem.reset();
  }
  if (solve_whole(problem, eps, iterations, what)) return true;
  if (!free_bodies_ || w_.spec.contact_solver) return false;
  problem.reset();
  return solve_free(problem, eps, iterations, what, true);
}

template <class Problem>
bool ContactStage::solve_rolling(Problem& problem, double& eps, int& iterations, const char* what) {
  int updates = 0, more = 0;
  bool done = newton_for_a_while(problem, eps, updates, what);
  if (!done) {
    problem.reset();
    w_.contacts.let_positions_slide();
    done = newton(problem, eps, more, what);
  }
  if (done) {
    iterations = updates + more;
    return true;
  }
  problem.reset();
  w_.contacts.scale_rows(w_.spec.scaling, w_.spec.penalty);
  return false;
}

/// Newton's method from where the problem stands; where it fails, Gauss-Seidel on the condensed
/// contact problem finds the active sets and Newton finishes.
template <class Problem>
bool ContactStage::solve_whole(Problem& problem, double& eps, int& iterations, const char* what) {
  const bool wanted = !Problem::position_level && w_.contacts.on_problem != nullptr;
  if (wanted && (w_.spec.contact_solver || !(free_bodies_ || condenses()))) publish(problem, eps);
  if (w_.spec.contact_solver) {
    w_.contacts.mark_all_hard();
    return solve_from_active_sets(problem, eps, *w_.spec.contact_solver, iterations, what);
  }
  int more = 0;
  const bool done = w_.contacts.near().size() <= few_to_pivot
                        ? newton_for_a_while(problem, eps, more, what)
                        : newton(problem, eps, more, what);
  iterations += more;
  if (done) return true;
  // The solution does not depend on the scaling; the way to it does.
  w_.contacts.mark_hard_islands();
  problem.reset();
  w_.contacts.scale_rows(Scaling::delassus, 1.0);
  ++w_.counts.recovered;
  if (solve_by_linearisations(problem, eps, iterations)) return true;
  problem.reset();
  w_.contacts.mark_hard_islands();
  return solve_from_active_sets(problem, eps, ContactSolverKind::automatic, iterations, what);
}

/// Each linearisation solved exactly as a contact problem, with how the reactions found so far
/// bend: where a light body is squeezed in a small play, that is more than its mass. The active
/// sets come out of each as a whole, so that they do not change to and fro.
template <class Problem>
bool ContactStage::solve_by_linearisations(Problem& problem, double& eps, int& iterations) {
  double best = INFINITY;
  int since_best = 0;
  w_.contacts.mark_all_hard();
  if constexpr (Problem::position_level) problem.guess_reactions();
  for (int k = 0; since_best < patient_linearisations && k < max_linearisations; ++k) {
    if (!find_active_sets(problem, eps, ContactSolverKind::automatic)) return false;
    const Residual r = problem.evaluate();
    ++iterations;
    if (!std::isfinite(r.merit)) return false;
    if (r.converged() || (k >= 4 && r.is_round_off())) return true;
    ++since_best;
    if (r.merit < least_gain * best) best = r.merit, since_best = 0;
  }
  return false;
}

template <class Problem>
bool ContactStage::solve_from_active_sets(Problem& problem, double& eps, ContactSolverKind solver,
                                          int& iterations, const char* what) {
  for (int attempt = 1; attempt <= max_recoveries; ++attempt) {
    if (!find_active_sets(problem, eps, solver)) return false;
    int more = 0;
    const bool done = newton(problem, eps, more, what);
    iterations += 1 + more;
    if (done) return true;
  }
  return false;
}

template <class Jump>
bool ContactStage::solve_jump(Jump& jump, double& eps, const NodalVector& before) {
  for (int renewals = 0;; jump.reset()) {
    int updates = 0;
    const bool solved = solve(jump, eps, updates, "velocity");
    w_.counts.velocity += updates;
    if (!solved) return false;
    if (w_.contacts.renew_friction(w_.v)) {
      if (++renewals < ContactSet::most_renewals) continue;
      w_.failure = "friction that depends on the speed did not settle; take a shorter step";
      return false;
    }
    // Where contacts that share bodies rebound, or with friction, restitution may give more energy
    // than there was.
    if (!w_.contacts.lessen_rebound(before, w_.v)) return true;
    w_.counts.lessened = 1;
  }
}

template <class Jump>
bool ContactStage::jump_together(Jump& jump, double& eps) {
  // Contacts that jam each other can demand rebounds that no motion of the bodies gives: Newton's
  // law has no solution then. Without rebound it always has one.
  for (int attempt = 0; !solve_jump(jump, eps, w_.state->v); ++attempt) {
    if (attempt == 2) return false;
    w_.contacts.forbid_rebound(attempt == 1);
    jump.reset();
    w_.counts.plastic = 1;
  }
  relief_.take_back(jump);
  jump.add_impulses();
  return true;
}

// ---- Bodies that only contacts connect, or that are held one by one

template <class Problem>
bool ContactStage::solve_free(Problem& problem, double& eps, int& iterations, const char* what,
                              bool matrix_failed) {
  const FindingDerivatives finding(w_.contacts, false);  // islands find their own
  Residual r = problem.evaluate();
  NodalVector& motion = w_.momentum;  // scratch between evaluations
  const bool has_groups = !w_.machine.contact_groups().empty();
  bool exact = true, redundant = false;
  bool has_guess = problem.has_guess();
  bool by_matrix = !matrix_failed && !has_groups && !condenses() &&
                   w_.contacts.near().size() <= FreeContacts::few_contacts;
  double swept = 0.0, last_merit = INFINITY;  // residuals
  iterations = 0;
  for (int linearisation = 0;; ++linearisation) {
    if (w_.on_update) w_.on_update({w_.instant.time, what, true, linearisation, 0, r});
    if (!std::isfinite(r.merit)) {
      w_.failure = fmt::format("the {} problem gave a value that is not a number", what);
      return false;
    }
    if (r.converged() || (linearisation >= 4 && r.is_round_off())) return true;
    // Islands that were not solved exactly are as good as they were made.
    const double least = has_groups ? sweep_tolerance : RedundantNewton::fair;
    const double looser = std::max(least, swept) / w_.spec.tolerance;
    if (!exact && r.momentum <= 10.0 * looser && r.rows <= 10.0 * looser) return true;
    const int patience = has_groups ? hurried_linearisations : patient_linearisations;
    if (!exact && linearisation >= patience && r.momentum <= 100.0 * looser &&
        r.rows <= 100.0 * looser) {
      ++w_.counts.unfinished;
      return true;
    }
    if (linearisation == max_linearisations) {
      w_.failure = fmt::format("the {} problem did not converge{}", what, problem.culprit());
      return false;
    }
    // Spheres that come far in a step are curved on the way, which only the whole matrix knows.
    // Where contacts are redundant it is the last resort.
    const bool in_islands = redundant || !by_matrix;
    const bool gets_there = in_islands && r.merit < least_gain * last_merit;
    const bool is_slow = in_islands && r.merit > slow_gain * last_merit;
    last_merit = r.merit;
    if (linearisation >= (redundant ? patient_linearisations : 1) && !gets_there && by_matrix) {
      int more = 0;
      const bool done = newton(problem, eps, more, what);
      iterations += more;
      if (done) return true;
      problem.reset();  // once more, without it
      r = problem.evaluate();
      by_matrix = redundant = has_guess = false;
      matrix_failed = exact = true;
      last_merit = INFINITY;
      linearisation = -1;
      continue;
    }
    w_.reaction.setZero();
    w_.contacts.add_reactions(w_.reaction);
    w_.residual += w_.reaction;
    if (condenses() && !find_held_motion(problem, eps, motion)) return false;
    choose_islands(has_guess || redundant);
    const bool is_first = linearisation == 0 && !has_guess;
    const bool from_zero = linearisation == 0 && !(Problem::position_level && w_.is_repeat);
    const bool curved =
        collect_free(problem, is_first, is_slow || (linearisation == 0 && has_guess), motion);
    if (!Problem::position_level && linearisation == 0 && w_.contacts.on_problem &&
        !active_.empty()) {
      w_.contacts.publish(free_contacts_.problem(), active_);
    }
    const double finest = 0.01 * w_.spec.tolerance;
    FreeContacts::Precision precision{finest, {}, matrix_failed};
    // Velocities are linear but for what turns bodies: to solve them once is enough.
    if (Problem::position_level) precision.of_redundant = find_precisions(finest);
    if (!has_groups && curved && linearisation == 0) precision.usual = 1e-3;
    const FreeContacts::Result result = free_contacts_.solve(
        from_zero, precision, {sweep_tolerance, has_groups ? max_sweeps : 0, sweep_patience});
    if (!result.solved && !has_groups) {
      w_.failure = fmt::format("the {} problem of bodies in touch was not solved", what);
      return false;
    }
    swept = result.residual;
    w_.counts.regularised += result.regularised;
    w_.counts.recovered += result.recovered;
    w_.counts.sweeps = std::max(w_.counts.sweeps, result.sweeps);
    w_.counts.sweep_residual = std::max(w_.counts.sweep_residual, result.residual);
    iterations += std::max(1, result.updates);
    exact = result.all_exact;
    redundant = result.redundant;
    take_free_solution(problem, motion);
    r = problem.evaluate();
  }
}

template <class Problem>
bool ContactStage::collect_free(Problem& problem, bool first, bool bends, NodalVector& motion) {
  const ContactSet& contacts = w_.contacts;
  const auto nodes = static_cast<int>(w_.machine.nodes().size());
  if (!condenses()) {
    free_contacts_.clear(w_.machine.nodes().size());
    of_node(motion, ground).setZero();
  }
  // The motion without reactions, and what the reactions must add to it.
  for (int n = 1; n < nodes; ++n) {
    if (held_[static_cast<std::size_t>(n)] != 0 || is_done(n)) continue;
    FreeContacts::Compliance& compliance = free_contacts_.compliance(n);
    compliance = problem.compliance(n);
    of_node(motion, n).template head<3>() =
        -compliance.translation.cwiseProduct(of_node(w_.residual, n).template head<3>());
    of_node(motion, n).template tail<3>() =
        -compliance.rotation * of_node(w_.residual, n).template tail<3>();
  }
  if (Problem::position_level) w_.find_tangents(w_.total);
  active_.clear();
  bool curved = false;
  Mat12 bend;
  for (std::size_t c = 0; c < contacts.count(); ++c) {
    const ContactWork& work = contacts.work[c];
    if (!work.near || !problem.may_close(work)) continue;
    const Contact& contact = contacts.contact(c);
    if (is_done(std::max(contact.a(), contact.b()))) continue;
    active_.push_back(static_cast<int>(c));
    curved = curved || (Problem::position_level && !contact.has_face());
    ContactLaw law = problem.law(work);
    int rows = contact.rows();
    const bool resists = law.ball_count > 0 && law.all_balls().back().coefficient > 0.0;
    if (Problem::position_level && !resists) {  // rolling and drilling, that is
      law.ball_count = contact.block(FrictionKind::sliding) != nullptr ? 1 : 0;
      rows = rows_of_lengths(contact);
    }
    const PairRows force = scaled_rows(work.scale, work.G, rows);
    PairRows turned;  // by the increments
    if (Problem::position_level) {
      turned = force;
      contacts.to_increments_of(contact, w_.T, turned);
    }
    const PairRows& change = Problem::position_level ? turned : force;
    RowVector rates = rates_of(change, motion, contact.a(), contact.b());
    for (int i = 0; i < rows; ++i) rates[i] += work.ghat[i];
    RowVector p = work.equations.phi.head(rows), second_guess;
    if (first) {
      const auto scaled = [&](const RowVector& reaction) {
        RowVector guess = RowVector::Zero(rows);
        for (int i = 0; i < rows; ++i) {
          if (work.scale[i] > 0.0) guess[i] = reaction[i] / work.scale[i];
        }
        return guess;
      };
      p = scaled(problem.last_reaction(c));
      if constexpr (requires { problem.reaction_at_rest(c); }) {
        second_guess = scaled(problem.reaction_at_rest(c));
      }
    }
    free_contacts_.add(contact.a(), contact.b(), law, change, force, rates,
                       problem.round_off_of_rows(c).head(rows), p, second_guess);
    if (!bends || !Problem::position_level || condenses()) continue;
    contacts.find_bend(c, w_.q, w_.T, bend);
    free_contacts_.add_bend(-bend, of_pair(motion, contact.a(), contact.b()));
  }
  return curved;
}

template <class Problem>
bool ContactStage::find_held_motion(Problem& problem, double& eps, NodalVector& motion) {
  const bool factorised =
      factorise_or_regularise(held_K_, eps, [&] { problem.assemble_without_contacts(held_K_); });
  if (eps > 0.0) ++w_.counts.regularised;
  if (!factorised) {
    w_.failure = "the machine without its contacts is singular" + problem.culprit();
    return false;
  }
  held_K_.gather(w_.residual, held_rhs_);
  held_rhs_.head(held_K_.dofs()) *= -1.0;
  held_rhs_.segment(held_K_.joint_multiplier(0), w_.joints.residual.size()) = -w_.joints.residual;
  held_K_.solve(held_rhs_);
  motion.setZero();
  held_K_.scatter(held_rhs_, 1.0, motion);
  problem.joint_multipliers() +=
      held_rhs_.segment(held_K_.joint_multiplier(0), w_.joints.residual.size());
  std::fill(touched_.begin(), touched_.end(), 0);
  for (std::size_t c = 0; c < w_.contacts.count(); ++c) {
    if (!w_.contacts.work[c].near || !problem.may_close(w_.contacts.work[c])) continue;
    const Contact& contact = w_.contacts.contact(c);
    for (const int n : {contact.a(), contact.b()}) touched_[static_cast<std::size_t>(n)] = 1;
  }
  find_held_compliances();
  return true;
}

template <class Problem>
void ContactStage::take_free_solution(Problem& problem, const NodalVector& motion) {
  const auto nodes = static_cast<int>(w_.machine.nodes().size());
  NodalVector& correction = problem.correction();
  for (int n = 1; n < nodes; ++n) {
    if (is_done(n)) continue;
    of_node(correction, n) += of_node(motion, n);
    if (held_[static_cast<std::size_t>(n)] == 0) {
      of_node(correction, n) += free_contacts_.motion(n);
    }
  }
  VecX& multipliers = problem.contact_multipliers();
  for (std::size_t c = 0; c < w_.contacts.count(); ++c) {
    const Contact& contact = w_.contacts.contact(c);
    if (is_done(std::max(contact.a(), contact.b()))) continue;
    multipliers.segment(contact.first_row, contact.rows()).setZero();
  }
  pushes_.setZero();
  for (std::size_t k = 0; k < active_.size(); ++k) {
    const auto c = static_cast<std::size_t>(active_[k]);
    const Contact& contact = w_.contacts.contact(c);
    const RowVector p = free_contacts_.reaction(k);
    multipliers.segment(contact.first_row, p.size()) = p;
    if (!condenses()) continue;
    const ContactWork& work = w_.contacts.work[c];
    const Vec12 push =
        work.G.topRows(p.size()).transpose() * RowVector(work.scale.head(p.size()).cwiseProduct(p));
    for (const auto& [node, first] : {std::pair(contact.a(), 0), std::pair(contact.b(), 6)}) {
      if (held_[static_cast<std::size_t>(node)] == 0) continue;
      of_node(pushes_, node) += push.segment<6>(first);
    }
  }
  if (!condenses()) return;
  held_rhs_.setZero();
  held_K_.gather(pushes_, held_rhs_);
  held_K_.solve(held_rhs_);
  held_K_.scatter(held_rhs_, 1.0, correction);
  problem.joint_multipliers() +=
      held_rhs_.segment(held_K_.joint_multiplier(0), w_.joints.residual.size());
}

// ---- The contact problem as a value

template <class Problem>
void ContactStage::publish(Problem& problem, double eps) {  // to be seen must not change the run
  Condensed condensed;
  if (!condense(problem, eps, false, condensed) || condensed.which.empty()) return;
  w_.contacts.publish({condensed.D.sparseView(), condensed.b, condensed.contacts}, condensed.which);
}

template <class Problem>
bool ContactStage::condense(Problem& problem, double& eps, bool only_hard, Condensed& condensed) {
  const Residual r = problem.evaluate();
  if (!std::isfinite(r.merit)) return false;

  condensed = {};
  int rows = 0;
  for (std::size_t c = 0; c < w_.contacts.count(); ++c) {
    const Contact& contact = w_.contacts.contact(c);
    const ContactWork& work = w_.contacts.work[c];
    if (!work.near || !problem.may_close(work)) continue;
    if (only_hard && !w_.contacts.is_hard(contact)) continue;
    condensed.contacts.push_back({rows, contact.rows(), problem.law(work)});
    condensed.which.push_back(static_cast<int>(c));
    rows += contact.rows();
  }
  whole_.prepare();
  KktMatrix& K = whole_.K;
  const auto assemble = [&] {
    problem.assemble_free(K);
    if (Problem::position_level) w_.contacts.add_bends(K, w_.q, w_.T);
  };
  if (!factorise_or_regularise(K, eps, assemble)) {
    w_.failure = "the machine without its contacts is singular" + problem.culprit();
    return false;
  }
  condensed.motions.resize(K.size(), rows);
  condensed.D.resize(rows, rows);
  condensed.b.resize(rows);
  fill_condensed(Problem::position_level, condensed);
  return true;
}

template <class Problem>
bool ContactStage::find_active_sets(Problem& problem, double& eps, ContactSolverKind solver) {
  Condensed condensed;
  if (!condense(problem, eps, true, condensed)) return false;
  VecX p(condensed.b.size());
  for (std::size_t k = 0; k < condensed.which.size(); ++k) {
    p.segment(condensed.contacts[k].first_row, condensed.contacts[k].rows) =
        w_.contacts.work[static_cast<std::size_t>(condensed.which[k])].equations.phi;
  }
  // How reactions bend in a linearisation of positions may leave it without a solution.
  ContactSolver().solve({condensed.D.sparseView(), condensed.b, condensed.contacts},
                        {solver, condensed_tolerance, 0, Problem::position_level}, p);

  condensed.free.noalias() += condensed.motions * p;
  condensed.free.tail(whole_.K.contact_rows()).setZero();
  problem.move(whole_.K, condensed.free, 1.0);
  VecX& multipliers = problem.contact_multipliers();
  multipliers.setZero();
  for (std::size_t k = 0; k < condensed.which.size(); ++k) {
    const Contact& contact = w_.contacts.contact(static_cast<std::size_t>(condensed.which[k]));
    multipliers.segment(contact.first_row, contact.rows()) =
        p.segment(condensed.contacts[k].first_row, contact.rows());
  }
  return true;
}

}  // namespace clatter
