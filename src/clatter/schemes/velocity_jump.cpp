#include <cmath>

#include <clatter/schemes/velocity_jump.hpp>

namespace clatter {

VelocityJump::VelocityJump(StepWork& work, const SmoothEnd& smooth)
    : w_(work), smooth_(smooth), V_(NodalVector::Zero(work.machine.nodal_size())) {
  for (const Node& node : work.machine.nodes()) {
    const Mat3 other = node.inertia - node.inertia(0, 0) * Mat3::Identity();
    is_sphere_.push_back(static_cast<char>(other.isZero(1e-14 * node.inertia(0, 0))));
  }
  begin();
}

void VelocityJump::begin() {
  has_moved_ = false;
  if (la_contact_.size() != w_.contacts.rows()) la_contact_.resize(w_.contacts.rows());
  reset();
}

void VelocityJump::reset() {
  V_.setZero();
  w_.joint_impulses.setZero();
  la_contact_.setZero();
}

FreeContacts::Compliance VelocityJump::compliance_over(int n, double span, const Vec3& spin) const {
  const auto index = static_cast<std::size_t>(n);
  const Node& node = w_.machine.nodes()[index];
  FreeContacts::Compliance c{node.inverse_mass * node.translations(), node.inverse_inertia};
  if (node.rotates_in_space && is_sphere_[index] == 0 && !w_.far_turns.has(n)) {
    c.rotation = (node.inertia + span * turning_derivative(node, spin)).inverse();
  }
  return c;
}

Residual VelocityJump::evaluate() {
  const double h = w_.h;
  apply();
  w_.joints.evaluate_rates(w_.v, w_.instant);
  w_.contacts.evaluate_rates(w_.v);
  w_.contacts.evaluate_laws(*this, la_contact_);

  // M V = h (f - f_s + (G - G_s)^T la) + G^T La + G_c^T phi
  w_.joint_total = h * w_.joint_forces + w_.joints.scale().cwiseProduct(w_.joint_impulses);
  w_.reaction.setZero();
  w_.joints.add_reactions(w_.joint_total, w_.reaction);
  w_.reaction -= h * smooth_.reaction;
  w_.reaction += w_.passed_on;
  w_.contacts.add_reactions(w_.reaction);
  const double numbers = change_of_forces(w_, smooth_, has_moved_ || !V_.isZero(0.0), w_.v, w_.f);
  for (const int n : w_.far_turns.nodes()) {  // jumps do not turn the momentum of these
    const Node& node = w_.machine.nodes()[static_cast<std::size_t>(n)];
    of_node(w_.f, n).tail<3>() +=
        turning(node, of_node(w_.v, n).tail<3>()) - turning(node, of_node(smooth_.v, n).tail<3>());
  }
  balance();
  return w_.judge_islands(
      [&](int i) { return measure(i, smooth_.terms(w_.islands, i) + w_.numbers_of(i, numbers)); });
}

void VelocityJump::balance() {
  w_.machine.apply_mass(V_, w_.momentum);
  w_.residual = w_.momentum - w_.h * w_.f - w_.reaction;
}

Residual VelocityJump::measure(int island, double forces) const {
  const Islands& islands = w_.islands;
  const double h = w_.h;
  const double momentum = islands.weighted_norm(island, w_.residual);
  const double relative = w_.spec.tolerance * (islands.weighted_norm(island, w_.momentum) +
                                               h * islands.weighted_norm(island, w_.f) +
                                               islands.weighted_norm(island, w_.reaction));
  const double speed =
      round_off * (islands.kinetic_norm(island, smooth_.v) + islands.kinetic_norm(island, w_.v) +
                   w_.joints.target_speed(islands.joints(island), w_.instant) + h * forces);
  const double rows_squared = islands.joint_squares(island, w_.joints.residual) +
                              islands.contact_squares(island, w_.contacts, w_.contacts.residual);
  Residual r;
  r.momentum = ratio(momentum, relative + speed);
  r.rows = ratio(std::sqrt(rows_squared), relative + speed);
  r.merit = std::sqrt(rows_squared + momentum * momentum);
  return r;
}

void VelocityJump::assemble(KktMatrix& K) {
  assemble_without_contacts(K);
  w_.contacts.add_tangents(K);
}

void VelocityJump::assemble_free(KktMatrix& K) {
  assemble_without_contacts(K);
  w_.contacts.add_open(K);
}

void VelocityJump::assemble_without_contacts(KktMatrix& K) {
  w_.add_tangents(K, w_.v, {1.0, w_.h, 0.0});
  Mat6 block = Mat6::Zero();
  for (const int n : w_.far_turns.nodes()) {
    if (!K.has_node(static_cast<std::size_t>(n))) continue;
    const Node& node = w_.machine.nodes()[static_cast<std::size_t>(n)];
    block.bottomRightCorner<3, 3>() = -w_.h * turning_derivative(node, of_node(w_.v, n).tail<3>());
    K.add_node(n, block);
  }
  w_.joints.add_tangents(K);
}

void VelocityJump::fill_right_side(const KktMatrix& K, VecX& x) const {
  K.gather(w_.residual, x);
  x.head(K.dofs()) *= -1.0;
  x.segment(K.joint_multiplier(0), w_.joints.residual.size()) = -w_.joints.residual;
  w_.contacts.fill_right_side(K, x);
}

void VelocityJump::move(const KktMatrix& K, const VecX& x, double factor) {
  K.scatter(x, factor, V_);
  w_.joint_impulses += factor * x.segment(K.joint_multiplier(0), w_.joint_impulses.size());
  w_.contacts.move(K, x, factor, la_contact_);
}

bool VelocityJump::add_impulses() {
  w_.contacts.add_reactions(w_.passed_on);
  bool any = false;
  for (std::size_t c = 0; c < w_.contacts.count(); ++c) {
    ContactWork& work = w_.contacts.work[c];
    if (work.equations.status != ContactStatus::open) {
      any = true;
      work.status = work.equations.status;
      work.block_status = work.equations.block_status;
      const RowVector rate = w_.contacts.rates(c, w_.v);
      for (Eigen::Index i = 0; i < rate.size(); ++i) {
        const double impulse = work.scale[i] * work.equations.phi[i];
        work.impulse[i] += impulse;
        work.done[i] += 0.5 * impulse * (rate[i] + work.rate_before[i]);
        if (i > 0 || !(impulse > work.hardest)) continue;
        work.hardest = impulse;
        work.met_at = -work.rate_before[0];
      }
    }
    if (work.closed) {
      work.rate_before = work.rate_at_start + w_.contacts.rates(c, V_);
    }
  }
  return any;
}

}  // namespace clatter
