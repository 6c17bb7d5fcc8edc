#pragma once

// Newton's method for the subproblems of Nsga, and what helps it where it fails. Internal to Nsga.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "dynamics/nsga.hpp"

namespace clatter {

inline constexpr int max_line_search = 8;
inline constexpr int max_recoveries = 4;

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
void Nsga::to_increments(Matrix& columns, int a, int b) const {
  clatter::to_increments(columns, system_.nodes(), a, b, T_);
}

template <class Problem>
void Nsga::evaluate_contacts(const Problem& problem, const VecX& multipliers) {
  for (std::size_t c = 0; c < contact_work_.size(); ++c) {
    ContactWork& work = contact_work_[c];
    const Contact& contact = system_.contacts()[c];
    const RowVector la = multipliers.segment(contact.first_row, contact.rows());
    evaluate(problem.law(work), problem.may_close(work), work.ghat, la, true, work.equations);
    contact_residual_.segment(contact.first_row, contact.rows()) = work.equations.residual;
  }
}

/// Newton's method from where the problem stands; where it fails, Gauss-Seidel on the condensed
/// contact problem finds the active sets and Newton finishes.
template <class Problem>
bool Nsga::solve_contacts(Problem& problem, double& eps, int& iterations, const char* what) {
  if (solve(problem, contact_K_, eps, iterations, what)) return true;
  // The solution does not depend on the scaling; the way to it does.
  mark_hard_islands();
  problem.reset();
  scale_contacts(Scaling::delassus, 1.0);
  for (int attempt = 1; attempt <= max_recoveries; ++attempt) {
    if (!find_active_sets(problem, eps)) return false;
    ++counts_.recovered;
    int more = 0;
    const bool done = solve(problem, contact_K_, eps, more, what);
    iterations += more;
    if (done) return true;
  }
  return false;
}

/// One linearisation of the problem, condensed on its contact rows and solved there.
template <class Problem>
bool Nsga::find_active_sets(Problem& problem, double& eps) {
  KktMatrix& K = contact_K_;
  const Residual r = problem.evaluate();
  if (!std::isfinite(r.merit)) return false;

  std::vector<CondensedContact> condensed;
  std::vector<std::size_t> which;
  int rows = 0;
  for (std::size_t c = 0; c < contact_work_.size(); ++c) {
    if (!problem.may_close(contact_work_[c]) || !is_hard(system_.contacts()[c])) continue;
    const int count = system_.contacts()[c].rows();
    condensed.push_back({rows, count, problem.law(contact_work_[c])});
    which.push_back(c);
    rows += count;
  }

  K.set_zero();
  problem.assemble_free(K);
  if (eps > 0.0) K.regularise(eps);
  if (!K.factorise(eps > 0.0)) return false;

  // Motion without reactions, and with a unit reaction in each row.
  VecX free = VecX::Zero(K.size());
  NodalVector reaction = NodalVector::Zero(system_.nodal_size());
  add_contact_reactions(reaction);
  residual_ += reaction;
  K.gather(residual_, free);
  free.head(system_.dofs()) *= -1.0;
  free.segment(K.joint_multiplier(0), joint_residual_.size()) = -joint_residual_;
  K.solve(free);
  MatX motion(K.size(), rows), D(rows, rows);
  VecX b(rows), p(rows), column(K.size());
  NodalVector nodal = NodalVector::Zero(system_.nodal_size());
  std::vector<KktMatrix::Rows> changes;
  for (std::size_t k = 0; k < which.size(); ++k) {
    const ContactWork& work = contact_work_[which[k]];
    const Contact& contact = system_.contacts()[which[k]];
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
      motion.col(condensed[k].first_row + i) = column;
    }
    p.segment(condensed[k].first_row, contact.rows()) = work.equations.phi;
  }
  const auto row_rates = [&](const VecX& x, auto&& out) {
    nodal.setZero();
    K.scatter(x, 1.0, nodal);
    for (std::size_t k = 0; k < which.size(); ++k) {
      const Contact& contact = system_.contacts()[which[k]];
      out.segment(condensed[k].first_row, contact.rows()) =
          changes[k] * of_pair(nodal, contact.a(), contact.b());
    }
  };
  row_rates(free, b);
  for (std::size_t k = 0; k < which.size(); ++k) {
    b.segment(condensed[k].first_row, condensed[k].rows) += contact_work_[which[k]].ghat;
  }
  for (int i = 0; i < rows; ++i) row_rates(motion.col(i), D.col(i));
  solve_gauss_seidel(D, b, condensed, 1e-9, 2000, p);

  free.noalias() += motion * p;
  free.tail(system_.contact_rows()).setZero();
  problem.move(K, free, 1.0);
  VecX& multipliers = problem.contact_multipliers();
  multipliers.setZero();
  for (std::size_t k = 0; k < which.size(); ++k) {
    multipliers.segment(system_.contacts()[which[k]].first_row, condensed[k].rows) =
        p.segment(condensed[k].first_row, condensed[k].rows);
  }
  return true;
}

template <class Problem>
bool Nsga::solve(Problem& problem, KktMatrix& K, double& eps, int& iterations, const char* what) {
  VecX& dx = problem.rhs;
  Residual r = problem.evaluate();
  std::array<double, 3> recent;
  recent.fill(r.merit);
  for (iterations = 0;; ++iterations) {
    if (!std::isfinite(r.merit)) {
      failure_ = fmt::format("the {} problem gave a value that is not a number", what);
      return false;
    }
    // Large systems can stop a little above the round-off that a few operations leave.
    const double best = *std::min_element(recent.begin(), recent.end());
    const bool stands = iterations >= 4 && r.merit > 0.5 * best;
    // What may be round-off of stiff beams may as well be all of a small motion: the prediction
    // alone does not do.
    const bool guessed =
        Problem::is_predicted && iterations == 0 && smooth_numbers_ > 0.0 && r.merit > 0.0;
    if ((r.converged() && !guessed) || (stands && r.is_round_off())) return true;
    if (iterations == spec_.max_iterations) {
      failure_ = fmt::format("the {} problem did not converge in {} iterations{}", what, iterations,
                             problem.culprit());
      return false;
    }
    const auto factorise = [&] {
      K.set_zero();
      problem.assemble(K);
      if (eps > 0.0) K.regularise(eps);
      return K.factorise(eps > 0.0);
    };
    bool factorised = factorise();
    if (!factorised && eps == 0.0) {
      eps = regularisation;
      factorised = factorise();
    }
    if (eps > 0.0) ++counts_.regularised;
    if (!factorised) {
      failure_ = fmt::format("the {} problem is singular{}", what, problem.culprit());
      return false;
    }
    problem.fill_right_side(K, dx);
    K.solve(dx);
    problem.move(K, dx, 1.0);
    Residual next = problem.evaluate();
    // Nonmonotone line search: the kinks of the contact laws may raise the residual for a while.
    const double bound = *std::max_element(recent.begin(), recent.end());
    double length = 1.0;
    for (int k = 0; k < max_line_search && !(next.merit <= bound) && !next.converged(); ++k) {
      length *= 0.5;
      problem.move(K, dx, -length);
      next = problem.evaluate();
    }
    if (!(next.merit <= bound) && !next.converged()) {
      problem.move(K, dx, 1.0 - length);
      next = problem.evaluate();
    }
    r = next;
    recent[static_cast<std::size_t>(iterations) % recent.size()] = r.merit;
  }
}

}  // namespace clatter
