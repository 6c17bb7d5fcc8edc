#pragma once

// The step of Moreau's method, as Newton's method sees it. Internal to Moreau.

#include <clatter/schemes/moreau.hpp>
#include <clatter/schemes/projections.hpp>

namespace clatter {

/// Unknowns: the change W of the velocities, impulses of joints and contacts.
struct Moreau::Step : Integrator::VelocityJump {
  Moreau& m;

  explicit Step(Moreau& moreau) : VelocityJump{moreau, moreau.rhs_contact_}, m(moreau) {}

  FreeContacts::Compliance compliance(int n) const {
    return VelocityJump::compliance(n, m.spec_.theta * m.h_);
  }

  Residual evaluate() {
    const System& system = m.system_;
    const double h = m.h_, theta = m.spec_.theta;
    m.v_ = m.vs_ + m.W_;
    m.total_ = h * ((1.0 - theta) * m.vs_ + theta * m.v_);
    retract(system.nodes(), m.q_n_, m.total_, m.q_);
    const ForceSizes sizes = system.forces(m.q_, m.v_, m.f_);
    m.f_ = (1.0 - theta) * m.f_start_ + theta * m.f_;

    double merit = m.evaluate_joint_rates(m.v_);
    m.evaluate_contact_rates(m.v_);
    m.evaluate_contacts(*this, m.la_contact_);
    merit += m.contact_residual_.squaredNorm();

    m.joint_total_ = m.joint_scale_.cwiseProduct(m.joint_impulse_hat_);
    m.reaction_.setZero();
    m.add_joint_reactions(m.joint_total_, m.reaction_);
    m.add_contact_reactions(m.reaction_);
    return measure(merit, sizes.terms + sizes.numbers);
  }

  void assemble(KktMatrix& K) {
    assemble_smooth(K);
    m.add_contact_tangents(K, false);
  }
  void assemble_free(KktMatrix& K) {
    assemble_smooth(K);
    m.add_open_contacts(K);
  }
  void assemble_smooth(KktMatrix& K) {
    const double weight = m.spec_.theta * m.h_;
    m.evaluate_tangents(m.total_);
    m.add_tangents(K, m.q_, m.v_, {1.0, weight, weight * weight});
    m.add_joint_tangents(K, nullptr);
  }
};

}  // namespace clatter
