#pragma once

#include <clatter/contact/solvers/free_contacts.hpp>
#include <clatter/schemes/newton.hpp>
#include <clatter/schemes/smooth_end.hpp>

namespace clatter {

/// The least change U of positions that meets joints and contacts: 001 (8). Unknowns: U,
/// multipliers of joints and contacts.
class PositionCorrection {
 public:
  static constexpr bool is_predicted = false, position_level = true;

  PositionCorrection(StepWork& work, const SmoothEnd& smooth);

  /// Nothing is corrected yet; to be called at the start of a step.
  void begin();
  /// Instead, where the step is repeated with contacts that it missed: starts from the correction
  /// and the pushes that it found without them.
  void go_on();
  /// Whether anything was corrected.
  bool has_moved() const { return has_moved_; }

  /// What presses on the nodes beside, as mass times way; none from begin() on.
  NodalVector& load() { return load_; }

  // ---- As Newton's method sees it
  Residual evaluate();
  void assemble(KktMatrix& K);
  void fill_right_side(const KktMatrix& K, VecX& x) const;
  void move(const KktMatrix& K, const VecX& x, double factor);
  std::string culprit() const { return w_.culprit(); }

  // ---- As the solvers of contacts see it
  /// Whether it starts from what is nearly the solution.
  bool has_guess() const { return has_guess_; }
  bool may_close(const ContactWork& work) const { return work.candidate; }
  const ContactLaw& law(const ContactWork& work) const { return work.position_law; }
  const RowVector& last_reaction(std::size_t c) const { return w_.state->contacts[c].push; }
  RowVector round_off_of_rows(std::size_t c) const {
    const Contact& contact = w_.contacts.contact(c);
    return allowed_contact_.segment(contact.first_row, contact.rows());
  }
  FreeContacts::Compliance compliance(int n) const;
  /// The matrix without reactions of contacts.
  void assemble_free(KktMatrix& K);
  /// The same for a matrix that has no contacts in it.
  void assemble_without_contacts(KktMatrix& K);
  void reset();
  /// Contacts push as they did last.
  void guess_reactions();
  VecX& joint_multipliers() { return nu_; }
  /// What joints do over the step, as impulses: a constant force moves by half of its impulse.
  void find_joint_reactions(VecX& impulses) const {
    impulses = 0.5 * w_.h * (w_.state->joint_forces + w_.joint_forces);
    if (w_.h > 0.0) impulses += 2.0 / w_.h * w_.joints.scale().cwiseProduct(nu_);
  }
  NodalVector& correction() { return U_; }
  VecX& contact_multipliers() { return nu_contact_; }

 private:
  /// c_h h^2 of 000, the factor on forces.
  double squared_step() const { return w_.spec.correction_forces * w_.h * w_.h; }
  friend struct NsgaProbe;  // tests differentiate the problem

  void evaluate_joints();
  void evaluate_contacts();
  Residual measure(int island, double numbers) const;
  double largest_row(int island, double relative) const;

  StepWork& w_;
  const SmoothEnd& smooth_;
  NodalVector U_;
  VecX nu_, nu_contact_;  // scaled multipliers
  VecX allowed_joint_, allowed_contact_;
  NodalVector load_;
  bool has_moved_ = false, has_guess_ = false;
};

}  // namespace clatter
