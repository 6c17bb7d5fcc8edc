#include <cmath>

#include <clatter/schemes/position_correction.hpp>

namespace clatter {

double change_of_forces(StepWork& w, const SmoothEnd& smooth, bool moved, const NodalVector& v,
                        NodalVector& out) {
  if (!moved) {
    out.setZero();
    return w.smooth_numbers;
  }
  const ForceSizes sizes = w.forces(v, out);
  out -= smooth.f;
  return sizes.numbers;
}

PositionCorrection::PositionCorrection(StepWork& work, const SmoothEnd& smooth)
    : w_(work),
      smooth_(smooth),
      U_(NodalVector::Zero(work.machine.nodal_size())),
      nu_(VecX::Zero(work.machine.joint_rows())),
      allowed_joint_(nu_),
      load_(U_) {
  begin();
}

void PositionCorrection::begin() {
  has_moved_ = false;
  load_.setZero();
  const int rows = w_.contacts.rows();
  if (nu_contact_.size() != rows) nu_contact_.resize(rows), allowed_contact_.setZero(rows);
  reset();
}

void PositionCorrection::go_on() {
  const NodalVector correction = U_;
  const VecX of_joints = nu_;
  begin();
  U_ = correction;
  nu_ = of_joints;
  guess_reactions();
  has_guess_ = true;
}

void PositionCorrection::guess_reactions() {
  for (const std::size_t c : w_.contacts.near()) {
    const Contact& contact = w_.contacts.contact(c);
    const RowVector &push = last_reaction(c), &scale = w_.contacts.work[c].scale;
    for (int i = 0; i < contact.rows(); ++i) {
      if (scale[i] > 0.0) nu_contact_[contact.first_row + i] = push[i] / scale[i];
    }
  }
}

void PositionCorrection::reset() {
  has_guess_ = false;
  U_.setZero();
  nu_.setZero();
  nu_contact_.setZero();
}

FreeContacts::Compliance PositionCorrection::compliance(int n) const {
  const Node& node = w_.machine.nodes()[static_cast<std::size_t>(n)];
  return {node.inverse_mass * node.translations(), node.inverse_inertia};
}

Residual PositionCorrection::evaluate() {
  const Machine& machine = w_.machine;
  const double h2 = squared_step();
  const bool moved = !U_.isZero(0.0);  // else everything is as the smooth motion left it
  const bool changed = moved || has_moved_;
  w_.total = smooth_.increment + U_;
  if (changed) {
    retract(machine.nodes(), w_.state->q, w_.total, w_.q);
    w_.joints.evaluate(w_.q);
  }
  has_moved_ = moved;
  w_.contacts.evaluate_position_rows(*w_.state, w_.q);
  evaluate_joints();
  evaluate_contacts();

  // M U = h^2 (f - f_s + (G - G_s)^T la) + load + G^T nu + G_c^T phi
  w_.joint_total = h2 * w_.joint_forces + w_.joints.scale().cwiseProduct(nu_);
  w_.reaction.setZero();
  w_.joints.add_reactions(w_.joint_total, w_.reaction);
  w_.reaction -= h2 * smooth_.reaction;
  w_.reaction += load_;
  w_.contacts.add_reactions(w_.reaction);
  // Also lays the beams.
  const double numbers = change_of_forces(w_, smooth_, changed, smooth_.v, w_.f);
  if (moved) {
    machine.apply_mass(U_, w_.momentum);
  } else {
    w_.momentum.setZero();
  }
  w_.residual = w_.momentum - h2 * w_.f - w_.reaction;

  return w_.judge_islands([&](int i) { return measure(i, w_.numbers_of(i, numbers)); });
}

Residual PositionCorrection::measure(int island, double numbers) const {
  const Islands& islands = w_.islands;
  const double h2 = squared_step();
  const double terms = islands.weighted_norm(island, w_.momentum) +
                       h2 * islands.weighted_norm(island, w_.f) +
                       islands.weighted_norm(island, w_.reaction);
  const double momentum = islands.weighted_norm(island, w_.residual);
  const double relative = w_.spec.tolerance * terms;
  const double rows = islands.joint_squares(island, w_.joints.residual) +
                      islands.contact_squares(island, w_.contacts, w_.contacts.residual);
  Residual r;
  r.momentum =
      ratio(momentum, relative + round_off * (h2 * (smooth_.terms(islands, island) + numbers) +
                                              islands.mass_root(island) * w_.span));
  r.rows = largest_row(island, relative);
  r.merit = std::sqrt(rows + momentum * momentum);
  return r;
}

void PositionCorrection::evaluate_joints() {
  const VecX& scale = w_.joints.scale();
  VecX& residual = w_.joints.residual;
  for (std::size_t j = 0; j < w_.joints.count(); ++j) {
    const Joint& joint = w_.joints.joint(j);
    const Joint::Drive& drive = w_.instant.drives[j];
    for (std::size_t i = 0; i < joint.rows().size(); ++i) {
      const auto row = joint.first_row + static_cast<Eigen::Index>(i);
      const JointRow& condition = joint.rows()[i];
      if (condition.is_term()) {
        const double reached = w_.machine.turns_of_joint(j, w_.instant.turns);
        if (condition.begins) residual[row] = allowed_joint_[row] = 0.0;
        residual[row] -= scale[row] * joint.misfit(condition, drive, w_.q, reached);
        const double numbers = std::abs(condition.factor) *
                               ((condition.is_length() ? w_.span : 1.0) + std::abs(reached));
        allowed_joint_[row] += scale[row] * round_off * numbers;
      } else if (condition.holds_position()) {
        residual[row] = -scale[row] * joint.misfit(condition, drive, w_.q);
        const double numbers =
            (condition.is_length() ? w_.span : 1.0) + std::abs(Joint::target(condition, drive));
        allowed_joint_[row] = scale[row] * round_off * numbers;
      } else {
        residual[row] = -nu_[row];  // takes no part
        allowed_joint_[row] = 0.0;
      }
    }
  }
}

void PositionCorrection::evaluate_contacts() {
  for (const std::size_t c : w_.contacts.near()) {
    ContactWork& work = w_.contacts.work[c];
    const Contact& contact = w_.contacts.contact(c);
    const int of_coordinates = 1 + contact.slip_rows();
    if (of_coordinates < contact.rows()) work.ghat = w_.contacts.rates(c, w_.total);
    for (int i = 1; i < of_coordinates; ++i) {
      work.ghat[i] = contact.slip_coordinate(i).value(w_.q) - w_.state->contacts[c].anchor[i];
    }
    work.ghat[0] = work.gap;
    double* const allowed = allowed_contact_.data() + contact.first_row;
    const int lengths = rows_of_lengths(contact);
    for (int i = 0; i < contact.rows(); ++i) {
      work.ghat[i] *= work.scale[i];
      allowed[i] = round_off * (i < lengths ? w_.span : 1.0) * work.scale[i];
    }
  }
  w_.contacts.evaluate_laws(*this, nu_contact_);
}

double PositionCorrection::largest_row(int island, double relative) const {
  double largest = 0.0;
  const auto look_at = [&](const VecX& residual, const VecX& allowed, int first, int rows) {
    for (Eigen::Index i = first; i < first + rows; ++i) {
      largest = std::max(largest, ratio(std::abs(residual[i]), allowed[i] + relative));
    }
  };
  for (const int j : w_.islands.joints(island)) {
    const Joint& joint = w_.joints.joint(static_cast<std::size_t>(j));
    look_at(w_.joints.residual, allowed_joint_, joint.first_row,
            static_cast<int>(joint.rows().size()));
  }
  if (w_.islands.count() == 1) {
    look_at(w_.contacts.residual, allowed_contact_, 0, w_.contacts.rows());
    return largest;
  }
  for (const int c : w_.islands.contacts(island)) {
    const Contact& contact = w_.contacts.contact(static_cast<std::size_t>(c));
    look_at(w_.contacts.residual, allowed_contact_, contact.first_row, contact.rows());
  }
  return largest;
}

void PositionCorrection::assemble(KktMatrix& K) {
  assemble_without_contacts(K);
  w_.contacts.add_position_tangents(K, w_.q, w_.T);
}

void PositionCorrection::assemble_free(KktMatrix& K) {
  assemble_without_contacts(K);
  w_.contacts.add_open(K);
}

void PositionCorrection::assemble_without_contacts(KktMatrix& K) {
  w_.find_tangents(w_.total);
  w_.add_tangents(K, smooth_.v, {1.0, 0.0, squared_step()});
  w_.joints.add_position_tangents(K, w_.q, w_.joint_total, w_.T);
}

void PositionCorrection::fill_right_side(const KktMatrix& K, VecX& x) const {
  K.gather(w_.residual, x);
  x.head(K.dofs()) *= -1.0;
  x.segment(K.joint_multiplier(0), nu_.size()) = -w_.joints.residual;
  w_.contacts.fill_right_side(K, x);
}

void PositionCorrection::move(const KktMatrix& K, const VecX& x, double factor) {
  K.scatter(x, factor, U_);
  nu_ += factor * x.segment(K.joint_multiplier(0), nu_.size());
  w_.contacts.move(K, x, factor, nu_contact_);
}

}  // namespace clatter
