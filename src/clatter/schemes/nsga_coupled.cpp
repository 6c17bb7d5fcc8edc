#include <algorithm>

#include <clatter/schemes/coupled_step.hpp>
#include <clatter/schemes/nsga_coupled.hpp>
#include <clatter/schemes/stopwatch.hpp>

namespace clatter {
namespace {

constexpr int max_projections = 500;
/// Of a step: what the step that gives the first accelerations and forces takes.
constexpr double first_step = 1e-2;

}  // namespace

NsgaCoupled::NsgaCoupled(System& system, const IntegratorSpec& spec)
    : Integrator(system, spec),
      c_(spec.rho_inf),
      ratio_((1.0 - c_.af) / (1.0 - c_.am)),
      K_(system) {
  const Eigen::Index size = system.nodal_size();
  for (NodalVector* v : {&ha_, &y_, &v_before_, &y_before_, &Q_}) *v = NodalVector::Zero(size);
  for (std::size_t level = 0; level < 3; ++level) {
    momentum_residual_[level] = reactions_[level] = NodalVector::Zero(size);
    joint_multipliers_[level] = joint_rows_residual_[level] = VecX::Zero(system.joint_rows());
  }
  size_work();
}

void NsgaCoupled::size_scheme() {
  CoupledMatrix K(system_);
  K.matrix().count_on_from(K_.matrix());
  K_ = std::move(K);
  size_work();
}

void NsgaCoupled::size_work() {
  rhs_ = VecX::Zero(K_.size());
  const std::vector<Contact>& contacts = system_.contacts();
  work_.resize(contacts.size());
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    CoupledContact& work = work_[c];
    const int rows = contacts[c].rows();
    for (RowVector* x : {&work.force, &work.impulse, &work.impulse_before, &work.percussion,
                         &work.rate, &work.acceleration}) {
      x->setZero(rows);
    }
  }
  contact_force_residual_ = contact_impulse_residual_ = VecX::Zero(system_.contact_rows());
  contact_push_residual_ = VecX::Zero(static_cast<Eigen::Index>(contacts.size()));
}

double NsgaCoupled::linear_algebra_time() const {
  return Integrator::linear_algebra_time() + K_.matrix().time;
}
long NsgaCoupled::factorisations() const {
  return Integrator::factorisations() + K_.matrix().factorisations;
}
long NsgaCoupled::solves() const { return Integrator::solves() + K_.matrix().solves; }

/// Accelerations and forces of the contacts that are closed: those at the end of a very short step,
/// of which nothing else is kept.
bool NsgaCoupled::start(const Configuration& q, const NodalVector& v, double t) {
  if (!Integrator::start(q, v, t)) return false;
  counts_ = {};
  system_.set_time(t, spec_.step / 16.0);
  begin_step(first_step * spec_.step);
  if (solve_step()) {
    a_n_ = vd_n_ = ha_ / h_;
    la_ = joint_scale_.cwiseProduct(joint_multipliers_[0]) / h_;
    for (std::size_t c = 0; c < work_.size(); ++c) {
      ContactState& state = contact_states_[c];
      state.force = contact_work_[c].scale.cwiseProduct(work_[c].force) / h_;
      state.mean_force = state.force;
    }
  }
  q_ = q_n_;
  evaluate_joint_rows(q_n_);
  return true;
}

bool NsgaCoupled::try_step(double t, double h) {
  const Stopwatch stopwatch(velocity_time);
  counts_ = {};
  system_.set_time(t + h, spec_.step / 16.0);
  begin_step(h);
  if (!solve_step()) return false;
  if (!far_contacts_stay_open()) return false;
  accept_step();
  return true;
}

/// The first guess: accelerations and forces as they were, no impulses.
void NsgaCoupled::guess() {
  const double h = h_;
  const GeneralizedAlpha& c = c_;
  const NodalVector& mean = a_n_;  // the auxiliary variable of 002 (71)
  NodalVector& part = momentum_;   // of its new value that the new accelerations leave alone
  part = (c.af * vd_n_ - c.am * mean) / (1.0 - c.am);
  v_before_ = v_n_ + h * ((1.0 - c.gamma) * mean + c.gamma * part);
  y_before_ = v_n_ + h * ((0.5 - c.beta) * mean + c.beta * part);
  ha_ = h * vd_n_;
  v_ = v_before_ + c.gamma * ratio_ * ha_;
  y_ = y_before_ + c.beta * ratio_ * ha_;
  joint_multipliers_[0] = h * la_.cwiseQuotient(joint_scale_);
  joint_multipliers_[1].setZero();
  joint_multipliers_[2].setZero();

  total_ = h * y_;
  retract(system_.nodes(), q_n_, total_, q_);
  for (std::size_t k = 0; k < work_.size(); ++k) {
    CoupledContact& work = work_[k];
    ContactWork& base = contact_work_[k];
    const ContactState& state = contact_states_[k];
    base.candidate = base.near && armed_[k] != 0 && system_.contacts()[k].over_face(q_);
    if (!base.near) {
      work.force.setZero();
      work.impulse.setZero();
      work.impulse_before.setZero();
      work.push = work.push_before = 0.0;
      continue;
    }
    RowVector unit = base.scale;  // of the scaled unknowns
    for (double& each : unit) each = each > 0.0 ? 1.0 / each : 0.0;
    const RowVector kept = (c.af * state.force - c.am * state.mean_force) / (1.0 - c.am);
    work.force = h * unit.cwiseProduct(state.force);
    work.impulse_before =
        h * unit.cwiseProduct((1.0 - c.gamma) * state.mean_force + c.gamma * kept);
    work.push_before = h * unit[0] * ((0.5 - c.beta) * state.mean_force[0] + c.beta * kept[0]);
    work.impulse = work.impulse_before + c.gamma * ratio_ * work.force;
    work.push = work.push_before + c.beta * ratio_ * work.force[0];
  }
}

/// The guess without forces of contacts.
void NsgaCoupled::forget_contacts() {
  for (CoupledContact& work : work_) {
    work.force.setZero();
    work.impulse = work.impulse_before;
    work.push = work.push_before;
  }
}

void NsgaCoupled::evaluate_contact(std::size_t c) {
  CoupledContact& work = work_[c];
  const ContactWork& base = contact_work_[c];
  const Contact& contact = system_.contacts()[c];
  const Eigen::Index rows = contact.rows();
  const double gamma = c_.gamma * ratio_, beta = c_.beta * ratio_;
  work.percussion = work.impulse - work.impulse_before - gamma * work.force;
  work.correction = work.push - work.push_before - beta * work.force[0];
  if (!base.near) {
    work.position.status = work.velocity.status = work.forces.status = ContactStatus::open;
    contact_force_residual_.segment(contact.first_row, rows) = -work.force;
    contact_impulse_residual_.segment(contact.first_row, rows) = -work.impulse;
    contact_push_residual_[static_cast<Eigen::Index>(c)] = -work.push;
    return;
  }
  static const ContactLaw frictionless;
  const RowVector gap = RowVector::Constant(1, base.scale[0] * contact.gap(q_) / h_);
  evaluate(frictionless, base.candidate, gap, RowVector::Constant(1, work.push), true,
           work.position);
  const bool closed = work.position.status != ContactStatus::open;
  work.frame = contact.frame(q_, contact_states_[c].tangent);
  work.derivative = contact.derivative(q_, work.frame);
  const Vec12 v = of_pair(v_, contact.a(), contact.b());
  contact.rows_rate(q_, work.frame, work.derivative, v, work.turning);
  work.rate = base.scale.cwiseProduct(base.G * v);
  work.acceleration = base.scale.cwiseProduct(base.G * of_pair(ha_, contact.a(), contact.b()) +
                                              h_ * (work.turning * v));
  RowVector xi = work.rate;
  const Vec12 v_start = of_pair(v_n_, contact.a(), contact.b());
  for (int i = 0; i < rows; ++i) {
    const double e = base.bounce * contact.restitution_of_row(i);
    if (e != 0.0) xi[i] += e * base.scale[i] * base.G.row(i).dot(v_start);
  }
  evaluate(base.law, closed, xi, work.impulse, true, work.velocity);
  evaluate_forces(base.law, work.velocity, work.rate, work.acceleration, work.force, true,
                  work.forces, work.dforces_drate);
  contact_force_residual_.segment(contact.first_row, rows) = work.forces.residual;
  contact_impulse_residual_.segment(contact.first_row, rows) = work.velocity.residual;
  contact_push_residual_[static_cast<Eigen::Index>(c)] = work.position.residual[0];
  contact_residual_.segment(contact.first_row, rows) =
      work.forces.residual.cwiseAbs() + work.velocity.residual.cwiseAbs();
}

/// Rows that hold no position correct it by half of what they do to velocities, as friction does.
void NsgaCoupled::add_half_impulses() {
  for (const Joint& joint : system_.joints()) {
    Eigen::Index row = joint.first_row;
    for (const JointRow& condition : joint.rows()) {
      if (!condition.holds_position()) {
        joint_total_[row] += 0.5 * joint_scale_[row] * joint_multipliers_[1][row];
      }
      ++row;
    }
  }
}

void NsgaCoupled::add_reactions() {
  for (std::size_t level = 0; level < 3; ++level) {
    reactions_[level].setZero();
    joint_total_ = joint_scale_.cwiseProduct(joint_multipliers_[level]);
    if (level == 2) add_half_impulses();
    add_joint_reactions(joint_total_, reactions_[level]);
  }
  for (std::size_t c = 0; c < work_.size(); ++c) {
    const CoupledContact& work = work_[c];
    const ContactWork& base = contact_work_[c];
    if (!base.near) continue;
    const Contact& contact = system_.contacts()[c];
    RowVector correction = 0.5 * work.percussion;
    correction[0] = work.correction;
    const std::array<const RowVector*, 3> scaled{&work.force, &work.percussion, &correction};
    for (std::size_t level = 0; level < 3; ++level) {
      if (scaled[level]->isZero(0.0)) continue;
      add_to_pair(reactions_[level], contact.a(), contact.b(),
                  base.G.transpose() * base.scale.cwiseProduct(*scaled[level]));
    }
  }
}

bool NsgaCoupled::solve_step() {
  // Contacts that jam each other can demand rebounds that no motion of the bodies gives: Newton's
  // law has no solution then. Without rebound it has one.
  std::string reason;
  for (const bool may_rebound : {true, false}) {
    if (!may_rebound) {
      for (ContactWork& base : contact_work_) base.bounce = 0.0;
      counts_.plastic = 1;
    }
    Step step{*this, rhs_};
    // Redundant contacts want more regularisation the further the guess is off: without it an
    // update goes far along what does not matter.
    for (const double at_least : {0.0, 1e-6, 1e-3}) {
      double eps = std::max(eps_, at_least);
      int updates = 0;
      if (at_least > 0.0) {  // the solution does not depend on the scaling; the way to it does
        evaluate_contact_rows(q_n_);
        scale_contacts(Scaling::delassus, 1.0);
      }
      guess();
      const bool solved = solve(step, K_, eps, updates, "coupled");
      counts_.velocity += updates;
      if (at_least == 0.0) eps_ = eps;
      if (solved) return true;
      if (may_rebound && at_least == 0.0) reason = failure_;
    }
    guess();
    ++counts_.recovered;
    if (solve_by_projections(step)) return true;
    // Contacts that stand on the edges of their laws are left more easily from afar.
    for (const double at_least : {1e-8, 1e-6, 1e-4, 1e-2}) {
      double eps = std::max(eps_, at_least);
      int updates = 0;
      step.given_contacts = false;
      guess();
      forget_contacts();
      const bool solved = solve(step, K_, eps, updates, "coupled");
      counts_.velocity += updates;
      if (solved) return true;
    }
  }
  failure_ = reason;
  return false;
}

bool NsgaCoupled::solve_by_projections(Step& step) {
  for (int k = 0; k < max_projections; ++k) {
    step.given_contacts = true;
    int updates = 0;
    if (!solve(step, K_, eps_, updates, "coupled")) return false;
    counts_.velocity += updates;
    step.given_contacts = false;
    if (step.evaluate().converged()) return true;
    // Each law gives what it would have; forces follow, so that impulses keep their meaning.
    for (CoupledContact& work : work_) {
      work.push = work.position.phi.size() > 0 && work.position.status != ContactStatus::open
                      ? work.position.phi[0]
                      : 0.0;
      work.impulse = work.velocity.phi;
      work.force = work.forces.phi;
    }
  }
  return false;
}

void NsgaCoupled::accept_step() {
  const GeneralizedAlpha& c = c_;
  vd_ = ha_ / h_;
  a_n_ = (c.af * vd_n_ + (1.0 - c.af) * vd_ - c.am * a_n_) / (1.0 - c.am);
  la_ = joint_scale_.cwiseProduct(joint_multipliers_[0]) / h_;
  joint_impulse_hat_ = joint_multipliers_[1];
  joint_residual_ = joint_rows_residual_[1];
  for (std::size_t k = 0; k < work_.size(); ++k) {
    const CoupledContact& work = work_[k];
    ContactWork& base = contact_work_[k];
    ContactState& state = contact_states_[k];
    const RowVector before = state.force;
    if (!base.near) {
      state.force.setZero();
      state.mean_force.setZero();
      state.percussion.setZero();
      continue;
    }
    const Contact& contact = system_.contacts()[k];
    state.force = base.scale.cwiseProduct(work.force) / h_;
    state.mean_force =
        (c.af * before + (1.0 - c.af) * state.force - c.am * state.mean_force) / (1.0 - c.am);
    state.percussion = base.scale.cwiseProduct(work.percussion);
    base.closed = work.position.status != ContactStatus::open;
    base.status = work.velocity.status;
    base.block_status = work.velocity.block_status;
    base.equations.status = base.status;  // islands are made of these
    base.impulse = base.scale.cwiseProduct(work.impulse);
    const Vec12 before_and_after =
        of_pair(v_, contact.a(), contact.b()) + of_pair(v_n_, contact.a(), contact.b());
    base.done = 0.5 * base.impulse.cwiseProduct(base.G * before_and_after);
  }
  accept();
}

}  // namespace clatter
