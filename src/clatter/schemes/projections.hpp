#pragma once

// The least changes that meet joints and contacts, as Newton's method sees them: evaluate() gives
// the residual at the present unknowns, assemble() its derivative, move() changes the unknowns.
// Internal to integrators.

#include <clatter/schemes/integrator_newton.hpp>

namespace clatter {

/// Position correction: 001 (8). Unknowns: U, multipliers of joints and contacts.
struct Integrator::PositionCorrection {
  static constexpr bool is_predicted = false, position_level = true;
  Integrator& s;
  VecX& rhs;

  bool may_close(const ContactWork& work) const { return work.candidate; }
  const ContactLaw& law(const ContactWork& work) const { return work.position_law; }
  VecX& contact_multipliers() { return s.nu_contact_; }
  NodalVector& correction() { return s.U_; }
  const RowVector& last_reaction(std::size_t c) const { return s.contact_states_[c].push; }
  FreeContacts::Compliance compliance(int n) const {
    const Node& node = s.system_.nodes()[static_cast<std::size_t>(n)];
    return {node.inverse_mass * s.moving_[static_cast<std::size_t>(n)], node.inverse_inertia};
  }
  void reset() {
    s.U_.setZero();
    s.nu_.setZero();
    s.nu_contact_.setZero();
  }

  Residual evaluate() {
    System& system = s.system_;
    const double h2 = s.h_ * s.h_;
    const bool moved = !s.U_.isZero(0.0);  // else everything is as the smooth motion left it
    const bool changed = moved || s.has_moved_;
    s.total_ = s.delta_ + s.U_;
    if (changed) {
      retract(system.nodes(), s.q_n_, s.total_, s.q_);
      s.evaluate_joint_rows(s.q_);
    }
    s.has_moved_ = moved;
    s.evaluate_position_rows(s.q_);

    const double size = s.span_;  // of the numbers that a gap is the difference of
    double rows = 0.0, merit = 0.0;
    for (const Joint& joint : system.joints()) {
      for (std::size_t i = 0; i < joint.rows().size(); ++i) {
        const auto row = joint.first_row + static_cast<Eigen::Index>(i);
        const JointRow& condition = joint.rows()[i];
        if (condition.holds_position()) {
          s.joint_residual_[row] = -s.joint_scale_[row] * joint.misfit(condition, s.q_);
          const double numbers =
              (condition.is_length() ? size : 1.0) + std::abs(joint.target(condition));
          s.allowed_joint_[row] = s.joint_scale_[row] * round_off * numbers;
        } else {
          s.joint_residual_[row] = -s.nu_[row];  // takes no part
          s.allowed_joint_[row] = 0.0;
        }
        merit += s.joint_residual_[row] * s.joint_residual_[row];
      }
    }
    for (std::size_t c = 0; c < s.contact_work_.size(); ++c) {
      ContactWork& work = s.contact_work_[c];
      if (!work.near) continue;
      const Contact& contact = system.contacts()[c];
      if (contact.slides_by_coordinates()) {
        for (int i = 1; i <= contact.slip_rows(); ++i) {
          work.ghat[i] = contact.slip_coordinate(i).value(s.q_) - s.contact_states_[c].anchor[i];
        }
      } else {
        work.ghat = work.G * of_pair(s.total_, contact.a(), contact.b());
      }
      work.ghat[0] = contact.gap(s.q_);
      work.ghat = work.ghat.cwiseProduct(work.scale).eval();
      s.allowed_contact_.segment(contact.first_row, contact.rows()) = round_off * size * work.scale;
    }
    s.evaluate_contacts(*this, s.nu_contact_);
    merit += s.contact_residual_.squaredNorm();

    // M U = h^2 (f - f_s + (G - G_s)^T la) + G^T nu + W^T phi
    s.joint_total_ = h2 * s.la_ + s.joint_scale_.cwiseProduct(s.nu_);
    s.reaction_.setZero();
    s.add_joint_reactions(s.joint_total_, s.reaction_);
    s.reaction_ -= h2 * s.reaction_smooth_;
    s.add_contact_reactions(s.reaction_);
    const double numbers = s.change_of_forces(changed, s.vs_);  // and the beams as they lie
    if (moved) {
      system.apply_mass(s.U_, s.momentum_);
    } else {
      s.momentum_.setZero();
    }
    s.residual_ = s.momentum_ - h2 * s.f_ - s.reaction_;

    const double terms = system.weighted_norm(s.momentum_) + h2 * system.weighted_norm(s.f_) +
                         system.weighted_norm(s.reaction_);
    const double momentum = system.weighted_norm(s.residual_);
    const double relative = s.spec_.tolerance * terms;
    for (Eigen::Index i = 0; i < s.joint_residual_.size(); ++i) {
      rows = std::max(rows, ratio(std::abs(s.joint_residual_[i]), s.allowed_joint_[i] + relative));
    }
    for (Eigen::Index i = 0; i < s.contact_residual_.size(); ++i) {
      rows =
          std::max(rows, ratio(std::abs(s.contact_residual_[i]), s.allowed_contact_[i] + relative));
    }
    Residual r;
    r.momentum = ratio(
        momentum, relative + round_off * (h2 * (s.smooth_terms() + numbers) + s.mass_root_ * size));
    r.rows = rows;
    r.merit = std::sqrt(merit + momentum * momentum);
    return r;
  }

  void assemble(KktMatrix& K) {
    assemble_smooth(K);
    s.add_contact_tangents(K, true);
  }
  void assemble_free(KktMatrix& K) {
    assemble_smooth(K);
    s.add_open_contacts(K);
  }
  void assemble_smooth(KktMatrix& K) {
    s.evaluate_tangents(s.total_);
    s.add_tangents(K, s.q_, s.vs_, {1.0, 0.0, s.h_ * s.h_});
    s.add_joint_tangents(K, &s.joint_total_);
  }

  void fill_right_side(KktMatrix& K, VecX& x) { s.fill_right_side(K, x); }

  void move(KktMatrix& K, const VecX& x, double factor) {
    K.scatter(x, factor, s.U_);
    s.nu_ += factor * x.segment(K.joint_multiplier(0), s.nu_.size());
    s.nu_contact_ += factor * x.segment(K.contact_multiplier(0), s.nu_contact_.size());
  }

  std::string culprit() const { return s.worst_contact(); }
};

/// Velocity jump: 001 (13). Unknowns: W, impulses of joints and contacts.
struct Integrator::VelocityJump {
  static constexpr bool is_predicted = false, position_level = false;
  Integrator& s;
  VecX& rhs;

  bool may_close(const ContactWork& work) const {
    return s.spec_.multi_impact ? work.closing : work.closed;
  }
  const ContactLaw& law(const ContactWork& work) const { return work.law; }
  VecX& contact_multipliers() { return s.la_contact_; }
  NodalVector& correction() { return s.W_; }
  const RowVector& last_reaction(std::size_t c) const { return s.contact_states_[c].impulse; }
  FreeContacts::Compliance compliance(int n) const { return compliance(n, s.h_); }
  /// The turning of momentum is heard over a time `span`.
  FreeContacts::Compliance compliance(int n, double span) const {
    const auto index = static_cast<std::size_t>(n);
    const Node& node = s.system_.nodes()[index];
    FreeContacts::Compliance c{node.inverse_mass * s.moving_[index], node.inverse_inertia};
    if (node.rotates_in_space && s.is_sphere_[index] == 0) {
      const Vec3 spin = of_node(s.v_, n).tail<3>();
      const Mat3 gyroscopic = skew(spin) * node.inertia - skew(node.inertia * spin);
      c.rotation = (node.inertia + span * gyroscopic).inverse();
    }
    return c;
  }
  void reset() {
    s.W_.setZero();
    s.joint_impulse_hat_.setZero();
    s.la_contact_.setZero();
  }

  Residual evaluate() {
    const double h = s.h_;
    s.v_ = s.vs_ + s.W_;
    double merit = s.evaluate_joint_rates(s.v_);
    s.evaluate_contact_rates(s.v_);
    s.evaluate_contacts(*this, s.la_contact_);
    merit += s.contact_residual_.squaredNorm();

    // M W = h (f - f_s + (G - G_s)^T la) + G^T La + W^T phi
    s.joint_total_ = h * s.la_ + s.joint_scale_.cwiseProduct(s.joint_impulse_hat_);
    s.reaction_.setZero();
    s.add_joint_reactions(s.joint_total_, s.reaction_);
    s.reaction_ -= h * s.reaction_smooth_;
    s.reaction_ += s.passed_on_;
    s.add_contact_reactions(s.reaction_);
    const double numbers = s.change_of_forces(s.has_moved_ || !s.W_.isZero(0.0), s.v_);
    return measure(merit, s.smooth_terms() + numbers);
  }

  /// Of the momentum M W - h f - reaction, and of rows with that sum of squares. `forces`: what
  /// round-off of forces is relative to.
  Residual measure(double rows_squared, double forces) {
    System& system = s.system_;
    const double h = s.h_;
    system.apply_mass(s.W_, s.momentum_);
    s.residual_ = s.momentum_ - h * s.f_ - s.reaction_;
    const double momentum = system.weighted_norm(s.residual_);
    const double relative =
        s.spec_.tolerance * (system.weighted_norm(s.momentum_) + h * system.weighted_norm(s.f_) +
                             system.weighted_norm(s.reaction_));
    const double speed = round_off * (system.kinetic_norm(s.vs_) + system.kinetic_norm(s.v_) +
                                      s.target_speed() + h * forces);
    Residual r;
    r.momentum = ratio(momentum, relative + speed);
    r.rows = ratio(std::sqrt(rows_squared), relative + speed);
    r.merit = std::sqrt(rows_squared + momentum * momentum);
    return r;
  }

  void assemble(KktMatrix& K) {
    assemble_smooth(K);
    s.add_contact_tangents(K, false);
  }
  void assemble_free(KktMatrix& K) {
    assemble_smooth(K);
    s.add_open_contacts(K);
  }
  void assemble_smooth(KktMatrix& K) {
    s.add_tangents(K, s.q_, s.v_, {1.0, s.h_, 0.0});
    s.add_joint_tangents(K, nullptr);
  }

  void fill_right_side(KktMatrix& K, VecX& x) { s.fill_right_side(K, x); }

  void move(KktMatrix& K, const VecX& x, double factor) {
    K.scatter(x, factor, s.W_);
    s.joint_impulse_hat_ += factor * x.segment(K.joint_multiplier(0), s.joint_impulse_hat_.size());
    s.la_contact_ += factor * x.segment(K.contact_multiplier(0), s.la_contact_.size());
  }

  /// Books the solved impact, and lets what follows start from it. False: no contact took part.
  bool add_impulses() {
    s.add_contact_reactions(s.passed_on_);
    bool any = false;
    for (std::size_t c = 0; c < s.contact_work_.size(); ++c) {
      ContactWork& work = s.contact_work_[c];
      const Contact& contact = s.system_.contacts()[c];
      if (work.equations.status != ContactStatus::open) {
        any = true;
        work.status = work.equations.status;
        work.block_status = work.equations.block_status;
        const RowVector impulse = work.scale.cwiseProduct(work.equations.phi);
        const RowVector rate = work.G * of_pair(s.v_, contact.a(), contact.b());
        work.impulse += impulse;
        work.done += 0.5 * impulse.cwiseProduct(rate + work.rate_before);
      }
      if (work.closed) {
        work.rate_before =
            work.rate_at_start + RowVector(work.G * of_pair(s.W_, contact.a(), contact.b()));
      }
    }
    return any;
  }

  std::string culprit() const { return s.worst_contact(); }
};

}  // namespace clatter
