#include <algorithm>
#include <cmath>

#include <clatter/schemes/nsga_coupled/coupled_step.hpp>

namespace clatter {

void CoupledContact::size_rows(int rows) {
  for (RowVector* x :
       {&force, &impulse, &impulse_before, &push_before, &percussion, &correction, &acceleration}) {
    x->setZero(rows);
  }
}

void CoupledContact::set_zero() {
  for (RowVector* x : {&force, &impulse, &impulse_before, &push_before}) x->setZero();
  push = 0.0;
}

CoupledStep::CoupledStep(StepWork& work, const GeneralizedAlpha& coefficients)
    : w_(work), c_(coefficients), ratio_((1.0 - c_.af) / (1.0 - c_.am)) {
  const Eigen::Index size = work.machine.nodal_size();
  for (NodalVector* x : {&ha_, &y_, &v_before_, &y_before_, &U_, &Q_}) *x = NodalVector::Zero(size);
  for (std::size_t level = 0; level < 3; ++level) {
    momentum_[level] = momentum_residual_[level] = reactions_[level] = NodalVector::Zero(size);
    joint_multipliers_[level] = joint_residual_[level] = VecX::Zero(work.machine.joint_rows());
  }
  size_contacts();
}

void CoupledStep::size_contacts() {
  contacts_.resize(w_.contacts.count());
  if (w_.machine.has_wide_contacts()) chords_.resize(contacts_.size());
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    contacts_[c].size_rows(w_.contacts.contact(c).rows());
  }
  force_residual_ = impulse_residual_ = VecX::Zero(w_.contacts.rows());
  push_residual_ = VecX::Zero(static_cast<Eigen::Index>(contacts_.size()));
}

Residual CoupledStep::evaluate() {
  const Machine& machine = w_.machine;
  const double h = w_.h, gamma = c_.gamma * ratio_, beta = c_.beta * ratio_;
  w_.total = h * y_;
  retract(machine.nodes(), w_.state->q, w_.total, w_.q);
  const ForceSizes sizes = machine.forces(w_.q, w_.v, w_.instant, w_.f);
  w_.smooth_numbers = sizes.numbers;
  U_ = w_.v - v_before_ - gamma * ha_;
  Q_ = y_ - y_before_ - beta * ha_;

  w_.joints.evaluate(w_.q);
  w_.contacts.evaluate_rows(*w_.state, w_.q);
  evaluate_joints();
  for (std::size_t c = 0; c < contacts_.size(); ++c) evaluate_contact(c);
  add_reactions();
  const std::array<const NodalVector*, 3> moved{&ha_, &U_, &Q_};
  for (std::size_t level = 0; level < 3; ++level) {
    machine.apply_mass(*moved[level], momentum_[level]);
    momentum_residual_[level] = momentum_[level] - reactions_[level];
  }
  momentum_residual_[A] -= h * w_.f;
  return w_.judge_islands([&](int i) { return measure(i, w_.sizes_of(i, sizes)); });
}

Residual CoupledStep::measure(int island, const ForceSizes& sizes) const {
  const Islands& islands = w_.islands;
  const double h = w_.h;
  double all = h * sizes.terms, momentum = 0.0;
  for (std::size_t level = 0; level < 3; ++level) {
    all += islands.weighted_norm(island, momentum_[level]) +
           islands.weighted_norm(island, reactions_[level]);
    momentum = std::hypot(momentum, islands.weighted_norm(island, momentum_residual_[level]));
  }
  // Squares of residuals of positions, and of velocities and accelerations.
  double of_positions = islands.joint_squares(island, joint_residual_[P]);
  double of_motion = islands.joint_squares(island, joint_residual_[A]) +
                     islands.joint_squares(island, joint_residual_[V]);
  of_motion += islands.contact_squares(island, w_.contacts, force_residual_) +
               islands.contact_squares(island, w_.contacts, impulse_residual_);
  of_positions += push_squares(island);
  const double driven = w_.joints.target_speed(islands.joints(island), w_.instant);
  const double speed = round_off * (islands.kinetic_norm(island, w_.v) +
                                    islands.kinetic_norm(island, y_) + driven + h * sizes.numbers);
  const double allowed = w_.spec.tolerance * all + speed;
  // That gaps come from.
  const double of_numbers = round_off * islands.mass_root(island) * w_.span / h;
  Residual r;
  r.momentum = ratio(momentum, allowed);
  r.rows = std::max(ratio(std::sqrt(of_motion), allowed),
                    ratio(std::sqrt(of_positions), allowed + of_numbers));
  r.merit = std::sqrt(of_motion + of_positions + momentum * momentum);
  return r;
}

double CoupledStep::push_squares(int island) const {
  if (w_.islands.count() == 1) return push_residual_.squaredNorm();
  double sum = 0.0;
  for (const int c : w_.islands.contacts(island)) sum += push_residual_[c] * push_residual_[c];
  return sum;
}

void CoupledStep::evaluate_joints() {
  const double h = w_.h;
  Mat12 H;
  std::array<double, 3> off{};
  for (std::size_t j = 0; j < w_.joints.count(); ++j) {
    const Joint& joint = w_.joints.joint(j);
    const double reached = w_.machine.turns_of_joint(j, w_.instant.turns);
    const Vec12 a = of_pair(ha_, joint.a(), joint.b()), v = of_pair(w_.v, joint.a(), joint.b());
    for (Eigen::Index i = 0; i < w_.joints.rows(j).rows(); ++i) {
      const JointRow& condition = joint.rows()[static_cast<std::size_t>(i)];
      const Eigen::Index row = joint.first_row + i;
      const double scale = w_.joints.scale()[row];
      condition.row_derivative(w_.q, H);
      const double wanted = w_.target_acceleration(joint, condition);
      const std::array<double, 3> own{
          w_.joints.rows(j).row(i).dot(a) + h * (v.dot(H * v) - wanted),
          w_.joints.rows(j).row(i).dot(v) - Joint::target_rate(condition, w_.instant.drives[j]),
          joint.misfit(condition, w_.instant.drives[j], w_.q, reached) / h};
      for (std::size_t level = 0; level < 3; ++level) {
        off[level] = condition.begins ? own[level] : off[level] + own[level];
      }
      if (!condition.ends) continue;
      if (!condition.holds_position()) off[P] = joint_multipliers_[P][row] / scale;
      for (std::size_t level = 0; level < 3; ++level) {
        joint_residual_[level][row] = -scale * off[level];
      }
    }
  }
}

void CoupledStep::fill_right_side(const CoupledMatrix& K, VecX& x) const {
  constexpr std::array levels{Level::acceleration, Level::velocity, Level::position};
  for (const Level level : levels) {
    const auto i = static_cast<std::size_t>(level);
    K.gather(momentum_residual_[i], level, x);
    x.segment(K.joint_multiplier(level), w_.machine.joint_rows()) = joint_residual_[i];
  }
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    if (!K.has_contact(c)) continue;
    const Contact& contact = w_.contacts.contact(c);
    x.segment(K.contact_multiplier(Level::acceleration, c), contact.rows()) =
        force_residual_.segment(contact.first_row, contact.rows());
    x.segment(K.contact_multiplier(Level::velocity, c), contact.rows()) =
        impulse_residual_.segment(contact.first_row, contact.rows());
    x[K.contact_multiplier(Level::position, c)] = push_residual_[static_cast<Eigen::Index>(c)];
  }
  x *= -1.0;
}

void CoupledStep::move(const CoupledMatrix& K, const VecX& x, double factor) {
  K.scatter(x, factor, Level::acceleration, ha_);
  K.scatter(x, factor, Level::velocity, w_.v);
  K.scatter(x, factor, Level::position, y_);
  for (const Level level : {Level::acceleration, Level::velocity, Level::position}) {
    joint_multipliers_[static_cast<std::size_t>(level)] +=
        factor * x.segment(K.joint_multiplier(level), w_.machine.joint_rows());
  }
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    if (!K.has_contact(c)) continue;
    const int rows = w_.contacts.contact(c).rows();
    CoupledContact& work = contacts_[c];
    work.force += factor * x.segment(K.contact_multiplier(Level::acceleration, c), rows);
    work.impulse += factor * x.segment(K.contact_multiplier(Level::velocity, c), rows);
    work.push += factor * x[K.contact_multiplier(Level::position, c)];
  }
}

void CoupledStep::guess() {
  const double h = w_.h;
  const GeneralizedAlpha& c = c_;
  const NodalVector& mean =
      w_.state->algorithmic_acceleration;  // the auxiliary variable of 002 (71)
  NodalVector& part = w_.momentum;  // of its new value that the new accelerations leave alone
  part = (c.af * w_.state->acceleration - c.am * mean) / (1.0 - c.am);
  v_before_ = w_.state->v + h * ((1.0 - c.gamma) * mean + c.gamma * part);
  y_before_ = w_.state->v + h * ((0.5 - c.beta) * mean + c.beta * part);
  ha_ = h * w_.state->acceleration;
  w_.v = v_before_ + c.gamma * ratio_ * ha_;
  y_ = y_before_ + c.beta * ratio_ * ha_;
  joint_multipliers_[0] = h * w_.joint_forces.cwiseQuotient(w_.joints.scale());
  joint_multipliers_[1].setZero();
  joint_multipliers_[2].setZero();

  w_.total = h * y_;
  retract(w_.machine.nodes(), w_.state->q, w_.total, w_.q);
  for (std::size_t k = 0; k < contacts_.size(); ++k) guess_contact(k);
}

void CoupledStep::guess_contact(std::size_t index) {
  const double h = w_.h;
  const GeneralizedAlpha& c = c_;
  CoupledContact& work = contacts_[index];
  ContactWork& base = w_.contacts.work[index];
  const ContactState& state = w_.state->contacts[index];
  base.candidate = base.near && w_.contacts.is_candidate(index, *w_.state, w_.q);
  if (!base.near) {
    work.set_zero();
    return;
  }
  RowVector unit = base.scale;  // of the scaled unknowns
  for (double& each : unit) each = each > 0.0 ? 1.0 / each : 0.0;
  const RowVector kept = (c.af * state.force - c.am * state.mean_force) / (1.0 - c.am);
  work.force = h * unit.cwiseProduct(state.force);
  work.impulse_before = h * unit.cwiseProduct((1.0 - c.gamma) * state.mean_force + c.gamma * kept);
  work.push_before = h * unit.cwiseProduct((0.5 - c.beta) * state.mean_force + c.beta * kept);
  work.impulse = work.impulse_before + c.gamma * ratio_ * work.force;
  work.push = work.push_before[0] + c.beta * ratio_ * work.force[0];
}

void CoupledStep::forget_contacts() {
  for (CoupledContact& work : contacts_) {
    work.force.setZero();
    work.impulse.setZero();
    work.push = 0.0;
  }
}

void CoupledStep::correct_positions(CoupledContact& work) const {
  work.correction = -work.push_before - c_.beta * ratio_ * work.force;
  const Eigen::Index friction = work.correction.size() - 1;
  if (work.velocity.status != ContactStatus::open) {
    work.correction.tail(friction) = 0.5 * work.percussion.tail(friction);
  }
  work.correction[0] += work.push;
}

CoupledStep::Rebound CoupledStep::rebound_of_row(std::size_t c, int row) const {
  const ContactWork& base = w_.contacts.work[c];
  const double e = base.bounce * w_.contacts.contact(c).restitution_of_row(row);
  if (e == 0.0) return {};
  const double turned = w_.contacts.rate_of_row(c, row, w_.state->v);
  if (row > 0) return {e, turned, true};
  const double fastest = std::min(0.0, base.rate_at_start[0]);
  if (!base.open_at_start || turned >= 0.0) return {};
  if (turned <= fastest) return {e, fastest, false};
  return {e, turned, true};
}

RowVector CoupledStep::evaluate_frame(std::size_t c) {
  CoupledContact& work = contacts_[c];
  const Contact& contact = w_.contacts.contact(c);
  work.frame = w_.contacts.work[c].frame;
  if (contact.has_chord()) {
    CoupledChord& chord = chords_[c];
    chord.derivative = contact.chord_derivative(w_.q, work.frame);
    const Vec24 v = of_nodes<Vec24>(w_.v, contact.nodes());
    contact.rows_rate(w_.q, work.frame, chord.derivative, v, chord.turning);
    return chord.turning * v;
  }
  work.derivative = contact.derivative(w_.q, work.frame);
  const Vec12 v = of_pair(w_.v, contact.a(), contact.b());
  contact.rows_rate(w_.q, work.frame, work.derivative, v, work.turning);
  return work.turning * v;
}

void CoupledStep::evaluate_contact(std::size_t c) {
  CoupledContact& work = contacts_[c];
  const ContactWork& base = w_.contacts.work[c];
  const Contact& contact = w_.contacts.contact(c);
  const Eigen::Index rows = contact.rows();
  work.percussion = work.impulse - work.impulse_before - c_.gamma * ratio_ * work.force;
  if (!base.near) {
    work.position.status = work.velocity.status = work.forces.status = ContactStatus::open;
    force_residual_.segment(contact.first_row, rows) = -work.force;
    impulse_residual_.segment(contact.first_row, rows) = -work.impulse;
    push_residual_[static_cast<Eigen::Index>(c)] = -work.push;
    return;
  }
  static const ContactLaw frictionless;
  const RowVector gap = RowVector::Constant(1, base.scale[0] * base.gap / w_.h);
  static const ContactLaw not_pushed{.is_pressed = true};  // what is pressed has no gap
  clatter::evaluate(contact.is_pressed() ? not_pushed : frictionless, base.candidate, gap,
                    RowVector::Constant(1, work.push), true, work.position);
  const bool closed = work.position.status != ContactStatus::open;
  const RowVector turned = evaluate_frame(c);
  work.acceleration = base.scale.cwiseProduct(w_.contacts.rates(c, ha_) + w_.h * turned);
  RowVector xi = base.scale.cwiseProduct(w_.contacts.rates(c, w_.v));
  for (int i = 0; i < rows; ++i) {
    const Rebound rebound = rebound_of_row(c, i);
    if (rebound.rate != 0.0) xi[i] += rebound.coefficient * base.scale[i] * rebound.rate;
  }
  clatter::evaluate(base.law, closed, xi, work.impulse, true, work.velocity);
  correct_positions(work);
  ContactLaw of_forces = base.law;
  of_forces.pressure = w_.h * base.pressing_force / base.scale[0];
  evaluate_forces(of_forces, work.velocity, work.acceleration, work.force, true, work.forces,
                  work.dforces_dxi);
  force_residual_.segment(contact.first_row, rows) = work.forces.residual;
  impulse_residual_.segment(contact.first_row, rows) = work.velocity.residual;
  push_residual_[static_cast<Eigen::Index>(c)] = work.position.residual[0];
  w_.contacts.residual.segment(contact.first_row, rows) =
      work.forces.residual.cwiseAbs() + work.velocity.residual.cwiseAbs();
}

/// Rows that hold no position correct it by half of what they do to velocities, as friction does.
void CoupledStep::add_half_impulses() {
  for (const Joint& joint : w_.machine.joints()) {
    Eigen::Index row = joint.first_row;
    for (const JointRow& condition : joint.rows()) {
      if (!condition.holds_position()) {
        w_.joint_total[row] += 0.5 * w_.joints.scale()[row] * joint_multipliers_[1][row];
      }
      ++row;
    }
  }
}

void CoupledStep::add_reactions() {
  for (std::size_t level = 0; level < 3; ++level) {
    reactions_[level].setZero();
    w_.joint_total = w_.joints.scale().cwiseProduct(joint_multipliers_[level]);
    if (level == 2) add_half_impulses();
    w_.joints.add_reactions(w_.joint_total, reactions_[level]);
  }
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const CoupledContact& work = contacts_[c];
    const ContactWork& base = w_.contacts.work[c];
    if (!base.near) continue;
    const std::array<const RowVector*, 3> scaled{&work.force, &work.percussion, &work.correction};
    for (std::size_t level = 0; level < 3; ++level) {
      if (scaled[level]->isZero(0.0)) continue;
      w_.contacts.add_reaction(c, base.scale.cwiseProduct(*scaled[level]), reactions_[level]);
    }
  }
}

}  // namespace clatter
