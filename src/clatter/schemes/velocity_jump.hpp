#pragma once

#include <clatter/contact/solvers/free_contacts.hpp>
#include <clatter/schemes/newton.hpp>
#include <clatter/schemes/smooth_end.hpp>

namespace clatter {

/// The change V of velocities that meets joints and the impact laws of contacts: 001 (13).
/// Unknowns: V, impulses of joints and contacts.
class VelocityJump {
 public:
  static constexpr bool is_predicted = false, position_level = false;

  VelocityJump(StepWork& work, const SmoothEnd& smooth);

  /// Nothing has jumped yet; to be called at the start of a step.
  void begin();
  /// The position correction has moved something: forces are not those of the smooth motion.
  void set_moved(bool moved) { has_moved_ = moved; }

  // ---- As Newton's method sees it
  Residual evaluate();
  void assemble(KktMatrix& K);
  void fill_right_side(const KktMatrix& K, VecX& x) const;
  void move(const KktMatrix& K, const VecX& x, double factor);
  std::string culprit() const { return w_.culprit(); }

  // ---- As the solvers of contacts see it
  bool has_guess() const { return false; }
  bool may_close(const ContactWork& work) const {
    return w_.spec.multi_impact ? work.closing : work.closed;
  }
  const ContactLaw& law(const ContactWork& work) const { return work.law; }
  const RowVector& last_reaction(std::size_t c) const { return w_.state->contacts[c].impulse; }
  /// What the push of the position correction tells: at rest the one undoes h^2 a / 2, and the
  /// other h a.
  RowVector reaction_at_rest(std::size_t c) const {
    return (2.0 / w_.h) * w_.state->contacts[c].push;
  }
  RowVector round_off_of_rows(std::size_t c) const {
    return RowVector::Zero(w_.contacts.contact(c).rows());
  }
  FreeContacts::Compliance compliance(int n) const {
    return compliance_over(n, w_.h, of_node(w_.v, n).tail<3>());
  }
  void assemble_free(KktMatrix& K);
  /// The same for a matrix that has no contacts in it.
  void assemble_without_contacts(KktMatrix& K);
  void reset();
  VecX& joint_multipliers() { return w_.joint_impulses; }
  /// What joints do over the step, as impulses.
  void find_joint_reactions(VecX& impulses) const {
    impulses = 0.5 * w_.h * (w_.state->joint_forces + w_.joint_forces) +
               w_.joints.scale().cwiseProduct(w_.joint_impulses);
  }
  NodalVector& correction() { return V_; }
  VecX& contact_multipliers() { return la_contact_; }

  /// Velocities as they stand.
  void apply() { w_.v = smooth_.v + V_; }
  /// Adds up the impulses and the work of the solved impact, and lets what follows start from it.
  /// False: no contact took part.
  bool add_impulses();

 protected:
  /// With the turning of momentum that an angular velocity gives within a time `span`.
  FreeContacts::Compliance compliance_over(int n, double span, const Vec3& spin) const;
  /// Residual of the momentum: M V - h f - reaction.
  void balance();
  /// Of an island. `forces`: what round-off of forces is relative to.
  Residual measure(int island, double forces) const;

  StepWork& w_;
  const SmoothEnd& smooth_;
  NodalVector V_;
  VecX la_contact_;        // scaled multipliers of contacts
  NodalVector passed_on_;  // momentum from the contacts in earlier impacts of the sequence
  bool has_moved_ = false;

 private:
  friend struct NsgaProbe;  // tests differentiate the problem
  friend struct MoreauProbe;

  std::vector<char> is_sphere_;  // node: its inertia is that of a sphere
};

}  // namespace clatter
